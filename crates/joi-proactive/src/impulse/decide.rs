//! Decides whether joi speaks unasked now.
//!
//! In: the score, the topic that is next, the civil time, quiet hours, rates, who is there. Out: an [`ImpulseVerdict`]
//! with its reason. What is critical skips every suppression. Where anything speaks against it, joi is silent.
//! Pure: no I/O, no clock.

use jiff::Zoned;
use serde::{Deserialize, Serialize};

use super::config::ImpulseConfig;
use super::rates::{self, ProactiveRate};
use super::score::{ImpulseScore, ScoreInput, exact, score};
use joi_schedule::announce::QuietHours;

/// The inputs of the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpulseInput<'a> {
    /// The factors.
    pub score: ScoreInput<'a>,
    /// The topic that is next.
    pub topic: Option<u64>,
    /// It is quiet by the clock, or because the user wished so.
    pub is_quiet: bool,
    /// Direct messages within the last hour, answers included.
    pub direct: usize,
    /// One joi has decided on waits for a quiet moment.
    pub is_waiting: bool,
    /// Whether anybody can be reached: by voice at home, or by a message elsewhere.
    pub can_reach: bool,
}

/// The reason for silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// The score is below the threshold.
    BelowThreshold,
    /// There is nothing to report.
    NoViableTopic,
    /// These are quiet hours, or the user wants quiet.
    QuietHours,
    /// These are not the hours in which joi thinks.
    InactiveHours,
    /// Too much went out within the last hour.
    RateReached,
    /// The last one was not said yet.
    StillWaiting,
    /// Nobody can be reached.
    NobodyThere,
    /// It is switched off.
    SwitchedOff,
}

/// The decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ImpulseVerdict {
    /// Speak about this topic.
    Speak {
        /// Its number; 0 for a danger, which is no topic.
        topic: u64,
    },
    /// Stay silent.
    Hold {
        /// Why.
        why: Hold,
    },
}

/// Decides; the score that it was decided by, with the halving of a busy hour in its total.
pub fn decide(input: &ImpulseInput<'_>, rules: &ImpulseConfig) -> (ImpulseVerdict, ImpulseScore) {
    let mut score = score(&input.score, &rules.score);
    let rate = rates::proactive(input.direct, rules);
    let is_critical = input.score.is_critical;
    if rate == ProactiveRate::Halved && !is_critical {
        score.total = exact(score.total * 0.5);
    }
    let hold = |why| (ImpulseVerdict::Hold { why }, score);
    if !is_critical {
        let suppressed = [
            (!rules.enabled, Hold::SwitchedOff),
            (input.is_quiet, Hold::QuietHours),
            (!is_active(input.score.now, rules), Hold::InactiveHours),
            (rate == ProactiveRate::Closed, Hold::RateReached),
            (input.is_waiting, Hold::StillWaiting),
        ];
        if let Some((_, why)) = suppressed.into_iter().find(|(is_so, _)| *is_so) {
            return hold(why);
        }
        if score.total < rules.threshold || !score.total.is_finite() {
            return hold(Hold::BelowThreshold);
        }
    }
    match input.topic {
        None => hold(Hold::NoViableTopic),
        Some(_) if !input.can_reach && !is_critical => hold(Hold::NobodyThere),
        Some(topic) => (ImpulseVerdict::Speak { topic }, score),
    }
}

/// Returns whether `now` lies in the hours in which joi thinks.
pub fn is_active(now: &Zoned, rules: &ImpulseConfig) -> bool {
    QuietHours::new(vec![rules.active_hours.clone()]).until(now).is_some()
}

impl Hold {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::BelowThreshold => "below_threshold",
            Self::NoViableTopic => "no_viable_topic",
            Self::QuietHours => "quiet_hours",
            Self::InactiveHours => "inactive_hours",
            Self::RateReached => "rate_reached",
            Self::StillWaiting => "still_waiting",
            Self::NobodyThere => "nobody_there",
            Self::SwitchedOff => "switched_off",
        }
    }
}
