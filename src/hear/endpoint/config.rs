//! `[hear.endpoint]`: where an utterance begins and ends. Plain data, read once at the start.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// How long she waits for more before she answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Patience {
    /// 0.4 s of silence: quick answers, and short pauses for thought cut a sentence in two.
    Quick,
    /// 0.7 s.
    Normal,
    /// 1.2 s: for people who speak slowly.
    Relaxed,
}

impl Patience {
    /// Silence that ends an utterance, in seconds.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Quick => 0.4,
            Self::Normal => 0.7,
            Self::Relaxed => 1.2,
        }
    }
}

/// Where an utterance begins and ends. All times are counted in samples, so a busy machine changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// Silence that ends an utterance: `quick` 0.4 s, `normal` 0.7 s, `relaxed` 1.2 s.
    pub patience: Patience,
    /// Whether the words said before a pause count, too: a whole quick command ends after 0.3 s of silence, one that
    /// could go on ("nine minutes … and thirty seconds") after 0.6 s, the beginning of one after no less than 1.2 s.
    /// Off, the silence alone decides.
    pub by_meaning: bool,
    /// Sound kept from before the first voiced frame, in seconds, 0.1 to 1. Raising it saves more of soft
    /// first syllables, and costs transcription time.
    pub pre_roll: f64,
    /// Voiced sound that counts as speech, in seconds, 0.1 to 0.5. Raising it ignores more knocks and
    /// coughs, and more words as short as "no".
    pub onset: f64,
    /// Silence after which transcription begins on trial, in seconds, 0.1 to 0.35. Raising it wastes
    /// less computing and answers later.
    pub pause: f64,
    /// How long she listens for the first word, in seconds, 1 to 30.
    pub no_speech: f64,
    /// Longest utterance, in seconds, 2 to 28 (whisper hears 30). What is said beyond it is not heard.
    pub max_length: f64,
    /// How long after the last word somebody may still go on with a sentence that was taken for complete,
    /// in seconds, 0 (never) to 3. Raising it mends more hesitant sentences, and takes more of what is said
    /// to somebody else for a part of them.
    pub continuation: f64,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            patience: Patience::Normal,
            by_meaning: true,
            pre_roll: 0.5,
            onset: 0.16,
            pause: 0.25,
            no_speech: 5.0,
            max_length: 15.0,
            continuation: 1.5,
        }
    }
}

impl EndpointConfig {
    /// All that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        [
            ("pre_roll", self.pre_roll, 0.1..=1.0),
            ("onset", self.onset, 0.1..=0.5),
            ("pause", self.pause, 0.1..=0.35),
            ("no_speech", self.no_speech, 1.0..=30.0),
            ("max_length", self.max_length, 2.0..=28.0),
            ("continuation", self.continuation, 0.0..=3.0),
        ]
        .into_iter()
        .filter_map(|(key, value, range)| {
            Problem::outside(&format!("hear.endpoint.{key}"), value, range, "s")
        })
        .collect()
    }
}
