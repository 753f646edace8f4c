//! The stored record of a decision: every factor, and what it led to. Plain data, written as JSON.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::decide::ImpulseVerdict;
use super::score::ImpulseScore;

/// The outcome of a proactive message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImpulseOutcome {
    /// It waits for a quiet moment.
    Waiting,
    /// It was said aloud.
    Said,
    /// It was handed to the messages.
    Posted,
    /// No quiet moment came; the topic is kept.
    NotSaid,
    /// What the model wrote did not pass; the topic is kept.
    Refused,
    /// It could not be sent; the topic is kept.
    Failed,
    /// It was a danger, announced as an alarm.
    ToldAtOnce,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImpulseRecord {
    /// When, in UTC.
    pub at: Timestamp,
    /// All factors.
    pub score: ImpulseScore,
    /// The threshold they were compared with.
    pub threshold: f64,
    /// The decision and its reason.
    pub verdict: ImpulseVerdict,
    /// Topics that waited.
    pub topics: usize,
    /// Events that counted.
    pub events: usize,
    /// Messages that damped.
    pub outbound: usize,
    /// Direct messages of the last hour.
    pub direct: usize,
    /// Hours of silence; nothing: never spoken with.
    pub silence_h: Option<f64>,
    /// The kind of the topic, never its words.
    #[serde(default)]
    pub about: Option<String>,
    /// The outcome.
    #[serde(default)]
    pub outcome: Option<ImpulseOutcome>,
    /// Why, in the words of whoever refused.
    #[serde(default)]
    pub why: Option<String>,
}

impl ImpulseVerdict {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Speak { .. } => "speak",
            Self::Hold { why } => why.name(),
        }
    }
}

impl ImpulseOutcome {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Said => "said",
            Self::Posted => "posted",
            Self::NotSaid => "not said",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::ToldAtOnce => "told at once",
        }
    }
}
