//! PURE. What she is doing, as the effects of the conversation's decisions show it.

use super::flow::Effect;
use crate::hear::{HearCommand, SpeakingState};
use crate::message::Activity;

/// What she does once all `effects` are carried out; nothing when they change nothing.
pub(super) fn after(effects: &[Effect]) -> Option<Activity> {
    effects.iter().filter_map(shown_by).next_back()
}

fn shown_by(effect: &Effect) -> Option<Activity> {
    match effect {
        Effect::AcknowledgeTone | Effect::Ears(HearCommand::Listen) => Some(Activity::Listening),
        Effect::Answer(_) | Effect::Decode(_, crate::hear::whisper::Urgency::Final) => {
            Some(Activity::Thinking)
        }
        Effect::Ears(HearCommand::Speaking(SpeakingState::Talking)) => Some(Activity::Speaking),
        Effect::Ears(HearCommand::Speaking(SpeakingState::Silent)) | Effect::Rest(_) => Some(Activity::Idle),
        Effect::ErrorTone
        | Effect::Cancel(_)
        | Effect::Decode(..)
        | Effect::DropDecode { .. }
        | Effect::Ears(HearCommand::Cancel | HearCommand::Stop) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::TurnId;

    const SILENT: Effect = Effect::Ears(HearCommand::Speaking(SpeakingState::Silent));

    #[test]
    fn the_last_effect_that_shows_something_counts() {
        assert_eq!(
            after(&[Effect::Cancel(TurnId(1)), SILENT, Effect::AcknowledgeTone]),
            Some(Activity::Listening)
        );
        assert_eq!(after(&[SILENT, Effect::Rest("nothing was said")]), Some(Activity::Idle));
        assert_eq!(after(&[Effect::ErrorTone]), None);
        let talking = Effect::Ears(HearCommand::Speaking(SpeakingState::Talking));
        assert_eq!(after(&[talking]), Some(Activity::Speaking));
    }
}
