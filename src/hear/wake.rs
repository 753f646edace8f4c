//! Wake phrases: their configuration, and the detector that listens for one of them.
//!
//! Owned by the listener thread. In: 16 kHz samples. Out: a [`Detection`] when the phrase has been said.
//! The engine runs microWakeWord models (`frontend`, `network`); what the phrase opens is not its affair.

mod compile;
mod ear;
mod flatbuffer;
mod frontend;
mod network;
mod strip;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::audio::RATE;
use crate::problem::Problem;
use ear::Ear;

pub use strip::strip_phrase;

/// A phrase a model comes with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StockPhrase {
    /// Written form, lower case: "hey jarvis".
    pub phrase: &'static str,
    /// The model's name in the manifest.
    pub model: &'static str,
    /// The model's file.
    pub file: &'static str,
    /// Mean probability above which the phrase counts as said, 0..1.
    pub cutoff: f32,
    /// From the crossing to the end of the phrase, in milliseconds: each model has a lag of its own.
    pub end_ms: i32,
}

/// The phrases there are models for, with the cutoffs their maker recommends.
pub const STOCK: [StockPhrase; 4] = [
    StockPhrase {
        phrase: "hey jarvis",
        model: "wake-hey-jarvis",
        file: "hey_jarvis.tflite",
        cutoff: 0.97,
        end_ms: -150,
    },
    StockPhrase { phrase: "alexa", model: "wake-alexa", file: "alexa.tflite", cutoff: 0.9, end_ms: -190 },
    StockPhrase {
        phrase: "hey mycroft",
        model: "wake-hey-mycroft",
        file: "hey_mycroft.tflite",
        cutoff: 0.95,
        end_ms: 270,
    },
    StockPhrase {
        phrase: "okay nabu",
        model: "wake-okay-nabu",
        file: "okay_nabu.tflite",
        cutoff: 0.85,
        end_ms: 0,
    },
];

/// What wakes her.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WakeConfig {
    /// The phrases listened for, at least one. Each costs about 0.1 % of a core.
    pub phrases: Vec<WakePhrase>,
    /// Seconds after a detection in which the same phrase is not detected again, 0.5 to 10. Raising it
    /// hides double detections, and makes her deaf longer for a second try.
    pub refractory: f64,
    /// Least cutoff while she speaks, 0.5 to 0.99. Raising it makes her own voice and the television
    /// interrupt her less, and the user too.
    pub strict_cutoff: f32,
}

/// One wake phrase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WakePhrase {
    /// Written form: "hey jarvis", "alexa", "hey mycroft" or "okay nabu".
    pub name: String,
    /// Mean probability above which the phrase counts as said, 0.5 to 0.99; the model's own when left
    /// out. Raising it gives fewer false alarms and more misses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<f32>,
}

impl Default for WakeConfig {
    fn default() -> Self {
        Self {
            phrases: vec![WakePhrase { name: "hey jarvis".into(), cutoff: None }],
            refractory: 2.0,
            strict_cutoff: 0.97,
        }
    }
}

impl WakePhrase {
    /// The model for it, if there is one. Upper case and extra spaces don't matter.
    pub fn stock(&self) -> Option<&'static StockPhrase> {
        let name = self.name.to_lowercase();
        let name: Vec<_> = name.split_whitespace().collect();
        STOCK.iter().find(|s| s.phrase.split(' ').eq(name.iter().copied()))
    }
}

impl WakeConfig {
    /// All that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.phrases.is_empty() {
            let allowed = "at least one phrase";
            problems.push(Problem::new("hear.wake.phrases", "empty", allowed));
        }
        for phrase in &self.phrases {
            if phrase.stock().is_none() {
                problems.push(unknown_phrase(&phrase.name));
            }
            if let Some(cutoff) = phrase.cutoff {
                let key = "hear.wake.phrases.cutoff";
                problems.extend(Problem::outside(key, round(cutoff), 0.5..=0.99, ""));
            }
        }
        problems.extend(Problem::outside("hear.wake.refractory", self.refractory, 0.5..=10.0, "s"));
        let strict = round(self.strict_cutoff);
        problems.extend(Problem::outside("hear.wake.strict_cutoff", strict, 0.5..=0.99, ""));
        problems
    }
}

/// Without the digits that only the widening to f64 brings.
fn round(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

fn unknown_phrase(name: &str) -> Problem {
    let all: Vec<_> = STOCK.iter().map(|s| format!("\"{}\"", s.phrase)).collect();
    let problem = Problem::new("hear.wake.phrases.name", format!("\"{name}\""), all.join(", "));
    let near = |s: &&StockPhrase| (strsim::jaro_winkler(&name.to_lowercase(), s.phrase) * 1e6) as u32;
    match STOCK.iter().max_by_key(near).filter(|s| near(s) > 700_000) {
        Some(nearest) => problem.remedy(format!("Did you mean \"{}\"?", nearest.phrase)),
        None => problem,
    }
}

/// The phrase was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// Written form.
    pub phrase: String,
    /// Mean probability at the crossing, 0..1.
    pub score: f32,
    /// Position just behind the last sample the crossing is owed to, in samples since the source was
    /// opened.
    pub at: u64,
    /// Position by which the phrase is over, give or take 0.15 s; may lie before or behind `at`.
    pub ends_by: u64,
}

/// How sure a detector must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vigilance {
    /// The room is hers to listen to.
    Normal,
    /// She speaks: her own voice is in the room.
    Strict,
}

/// Listens for one phrase in a stream of samples.
pub trait WakeDetector: Send {
    /// Takes 16 kHz mono samples (−1..1), any number of them; `at` is the position of the first one. At
    /// most one detection per call: feed at most a second at a time.
    fn feed(&mut self, samples: &[f32], at: u64) -> Option<Detection>;

    /// Takes the same stretch as the microphone captured it. Whoever calls her while she speaks is cut up
    /// by a canceller that does not know the room yet, and whole in there, beside her own voice. What was
    /// detected in one of the two is not detected in the other again.
    fn feed_captured(&mut self, samples: &[f32], at: u64) -> Option<Detection>;

    /// How sure to be from now on.
    fn set_vigilance(&mut self, vigilance: Vigilance);

    /// Forgets all audio: what comes next does not continue what came before.
    fn reset(&mut self);

    /// Written form of the phrase.
    fn phrase(&self) -> &str;
}

/// Why a wake model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file can't be read. Fetch it.
    #[error("can't read the wake model {path}: {source}; run `joi models fetch`")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("the wake model is no .tflite file; run `joi models verify`")]
    NotTflite,
    /// Offsets or sizes in the file make no sense: cut off or changed.
    #[error("the wake model is damaged; run `joi models verify`")]
    Damaged,
    /// A tensor's shape or type is not what a microWakeWord model has.
    #[error("the model is no streaming microWakeWord model; use one of the stock phrases")]
    Shape,
    /// An operator that microWakeWord models don't use, by its TensorFlow Lite code.
    #[error("the wake model uses operator {0}, which is not supported; use one of the stock phrases")]
    Operator(i32),
    /// Larger than any wake model is.
    #[error("the wake model is too large to be one; run `joi models verify`")]
    TooLarge,
}

/// A microWakeWord model listening for its phrase.
pub struct MicroWake {
    phrase: String,
    cutoff: f32,
    strict_cutoff: f32,
    vigilance: Vigilance,
    refractory: u64,
    /// From the crossing to the end of the phrase, in samples.
    to_end: i64,
    ear: Ear,
    /// For the sound as it was captured.
    captured: Ear,
    /// Before this position nothing is detected.
    deaf_until: u64,
}

impl MicroWake {
    /// Loads the model in `file` for `phrase`.
    ///
    /// # Errors
    /// The file can't be read, or is no usable model; every case names its remedy.
    pub fn load(file: &Path, phrase: &WakePhrase, config: &WakeConfig) -> Result<Self, ModelError> {
        let bytes = std::fs::read(file)
            .map_err(|source| ModelError::Unreadable { path: file.display().to_string(), source })?;
        Self::new(&bytes, phrase, config)
    }

    /// Makes a detector from the bytes of a model.
    ///
    /// # Errors
    /// The bytes are no usable model.
    pub fn new(model: &[u8], phrase: &WakePhrase, config: &WakeConfig) -> Result<Self, ModelError> {
        let network = compile::compile(model)?;
        let stock = phrase.stock();
        let cutoff = phrase.cutoff.or(stock.map(|s| s.cutoff)).unwrap_or(config.strict_cutoff);
        Ok(Self {
            phrase: stock.map_or_else(|| phrase.name.clone(), |s| s.phrase.into()),
            cutoff,
            strict_cutoff: cutoff.max(config.strict_cutoff),
            vigilance: Vigilance::Normal,
            refractory: (config.refractory * f64::from(RATE)) as u64,
            to_end: stock.map_or(0, |s| i64::from(s.end_ms) * i64::from(RATE) / 1000),
            captured: Ear::new(network.clone()),
            ear: Ear::new(network),
            deaf_until: 0,
        })
    }

    /// The cutoff now, and from where on it counts.
    fn limits(&self) -> (f32, u64) {
        let cutoff = match self.vigilance {
            Vigilance::Normal => self.cutoff,
            Vigilance::Strict => self.strict_cutoff,
        };
        (cutoff, self.deaf_until)
    }

    fn detected(&mut self, (score, at): (f32, u64)) -> Detection {
        self.deaf_until = at + self.refractory;
        let ends_by = at.saturating_add_signed(self.to_end);
        Detection { phrase: self.phrase.clone(), score, at, ends_by }
    }
}

impl WakeDetector for MicroWake {
    fn feed(&mut self, samples: &[f32], at: u64) -> Option<Detection> {
        let crossing = self.ear.crossing(samples, at, self.limits())?;
        Some(self.detected(crossing))
    }

    fn feed_captured(&mut self, samples: &[f32], at: u64) -> Option<Detection> {
        let crossing = self.captured.crossing(samples, at, self.limits())?;
        Some(self.detected(crossing))
    }

    fn set_vigilance(&mut self, vigilance: Vigilance) {
        self.vigilance = vigilance;
    }

    fn reset(&mut self) {
        self.ear.reset();
        self.captured.reset();
        self.deaf_until = 0;
    }

    fn phrase(&self) -> &str {
        &self.phrase
    }
}

#[cfg(test)]
mod tests;
