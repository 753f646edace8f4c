//! `[hear.endpoint]`: where an utterance begins and ends. Plain data, read once at the start.

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// The silence that ends an utterance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointPatience {
    /// 0.4 s of silence: quick answers, and short pauses for thought cut a sentence in two.
    Quick,
    /// 0.7 s.
    Normal,
    /// 1.2 s: for people who speak slowly.
    Relaxed,
}

impl EndpointPatience {
    /// Silence that ends an utterance, in seconds.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Quick => 0.4,
            Self::Normal => 0.7,
            Self::Relaxed => 1.2,
        }
    }
}

/// Where an utterance begins and ends. All times are counted in samples, so CPU load changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// Silence that ends an utterance: "quick" 0.4 s, "normal" 0.7 s, "relaxed" 1.2 s.
    pub patience: EndpointPatience,
    /// Whether the words said before a pause count, too: a whole quick command ("stop", "set a ten minute timer") ends
    /// after 0.2 s of silence, one that could go on after 0.6 s, or 0.3 s where what follows can be taken up ("set a
    /// timer for ten minutes" and thirty seconds), a whole question, or a request for a story, after 0.4 s, a whole
    /// sentence after six sevenths of the patience, the beginning of a command ("set a timer for") or of a sentence ("I
    /// was in the garden and") after no less than 1.2 s. Off, the silence alone decides.
    pub by_meaning: bool,
    /// Sound kept from before the first voiced frame, in seconds, 0.1 to 1. Raising it saves more of soft
    /// first syllables, and costs transcription time.
    pub pre_roll: f64,
    /// Voiced sound that counts as speech, in seconds, 0.1 to 0.5. Raising it ignores more knocks and
    /// coughs, and more words as short as "no".
    pub onset: f64,
    /// Silence after which transcription begins on trial, in seconds, 0.1 to 0.35; 0.03 at most where a quicker model
    /// looks first. Raising it wastes less computing and answers later.
    pub pause: f64,
    /// How long to listen for the first word, in seconds, 1 to 30.
    pub no_speech: f64,
    /// Longest utterance, in seconds, 2 to 28 (whisper's window is 30). Anything beyond it is cut off.
    pub max_length: f64,
    /// How long after an utterance that was taken for complete somebody may still continue it, in seconds, 0
    /// (never) to 3. Raising it repairs more hesitant sentences, and joins more unrelated speech to them.
    pub continuation: f64,
}

/// One frame of the voice activity network, in seconds.
const SHORT_PAUSE: f64 = 0.03;

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            patience: EndpointPatience::Normal,
            by_meaning: true,
            pre_roll: 0.5,
            onset: 0.16,
            pause: 0.1,
            no_speech: 5.0,
            max_length: 15.0,
            continuation: 1.5,
        }
    }
}

impl EndpointConfig {
    /// The same with a pause of one frame: for a model that has looked at the words before anything better could begin.
    #[must_use]
    pub fn with_short_pause(self) -> Self {
        Self { pause: self.pause.min(SHORT_PAUSE), ..self }
    }

    /// Returns all problems of these settings.
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
