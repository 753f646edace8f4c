//! Holds a question that waits for a yes or a choice, with its time limit.
//!
//! Plain data and a function. It waits in its session; anything but a yes in time is a no.
//! Pure: no I/O, no clock.

use std::time::Duration;

use jiff::Timestamp;

use super::asked::{AskedByAgent, AskedCommands, AskedQuick, AskedWhich};
use crate::agent::prompt_kind::PromptKind;
use crate::agent::tool_loop::pending::PendingCall;
use crate::session::forgetting::Forgetting;
use joi_answer::LengthLimit;
use joi_answer::source::SourceTrust;
use joi_base::message::Channel;

/// Characters a second that are spoken.
const SPOKEN_A_SECOND: usize = 15;

/// A question that waits for a yes.
pub(crate) enum OpenQuestion {
    /// Shall this tool be called?
    Call(Box<PendingCall>),
    /// Shall this be forgotten?
    Forget(Forgetting),
    /// Shall this really be done, for which no model is needed?
    Quick(Box<AskedQuick>),
    /// Shall this really be done in the house?
    House(AskedCommands),
    /// May this agent do what it asked about?
    Agent(AskedByAgent),
    /// Which thing of the house is meant?
    Which(AskedWhich),
    /// Shall this be looked up?
    LookUp(LookUpOffer),
    /// Shall this answer go on?
    GoOn(BegunAnswer),
}

impl OpenQuestion {
    /// The same question, asked once more: a yes counts `until` then.
    pub(crate) fn again(self, until: Timestamp) -> Self {
        match self {
            Self::Call(call) => Self::Call(Box::new(PendingCall { until, is_repeated: true, ..*call })),
            Self::Quick(asked) => Self::Quick(Box::new(AskedQuick { until, is_repeated: true, ..*asked })),
            Self::House(asked) => Self::House(AskedCommands { until, is_repeated: true, ..asked }),
            Self::Forget(asked) => Self::Forget(Forgetting { until, is_repeated: true, ..asked }),
            Self::Agent(asked) => Self::Agent(AskedByAgent { until, is_repeated: true, ..asked }),
            other => other,
        }
    }

    /// Until when a yes to it counts; nothing where the answer is a choice.
    pub(crate) fn yes_until(&self) -> Option<Timestamp> {
        match self {
            Self::Call(call) => Some(call.until),
            Self::Forget(forgetting) => Some(forgetting.until),
            Self::Quick(asked) => Some(asked.until),
            Self::House(asked) => Some(asked.until),
            Self::Agent(asked) => Some(asked.until),
            Self::LookUp(offer) => Some(offer.until),
            Self::GoOn(begun) => Some(begun.until),
            Self::Which(_) => None,
        }
    }
}

/// A look-up to run after a yes.
pub(crate) struct LookUpOffer {
    /// The user's own question.
    pub(crate) query: String,
    /// Which pages may be quoted about it.
    pub(crate) trust: SourceTrust,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
}

/// An answer of which there is more.
pub(crate) struct BegunAnswer {
    /// The words said of it.
    pub(crate) said: String,
    /// Through which prompt.
    pub(crate) prompt: PromptKind,
    /// The length limit of each part.
    pub(crate) limit: Option<LengthLimit>,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
}

/// Until when a `question` that is asked at `now` may be answered, when a yes is waited for that long: where it is
/// spoken, it has to be heard first.
pub(crate) fn open_until(now: Timestamp, confirm: Duration, channel: Channel, question: &str) -> Timestamp {
    let spoken = match channel {
        Channel::Voice => question.chars().count().div_ceil(SPOKEN_A_SECOND),
        Channel::Console | Channel::Signal | Channel::Page | Channel::Agent | Channel::Program => 0,
    };
    let limit = confirm + Duration::from_secs(spoken as u64);
    now.checked_add(limit).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spoken_question_stays_open_for_as_long_as_it_takes_to_say_it_and_a_written_one_does_not() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let question = "ü".repeat(31);
        for (channel, until) in [
            (Channel::Voice, "2026-03-01T12:00:33Z"),
            (Channel::Console, "2026-03-01T12:00:30Z"),
            (Channel::Signal, "2026-03-01T12:00:30Z"),
        ] {
            let is_open_until = open_until(now, Duration::from_secs(30), channel, &question);
            assert_eq!(is_open_until.to_string(), until, "{channel:?}");
        }
    }
}
