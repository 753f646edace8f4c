//! Wake phrases known from recordings alone: an `.rpw` file of rustpotter, for machines that are too slow to score phrases.
//!
//! Owned by the listener thread. In: 16 kHz samples. Out: a [`Detection`] where the sound is as like one of the
//! recordings as was asked for. They are kept as templates: the mel-frequency cepstral coefficients of each recording,
//! with which the last second or so is compared by dynamic time warping, every 10 ms, unless it is silent. While joi
//! speaks nothing is compared: joi's own voice is like a template too often.

#[cfg_attr(not(feature = "rustpotter"), path = "templates/absent.rs")]
mod engine;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use self::engine::{Comparer, FRAME};
use super::{Detection, Vigilance, WakeConfig, WakeDetector};
use joi_audio::RATE;

/// Whether this program was built to compare templates.
pub const TEMPLATES_ARE_BUILT_IN: bool = cfg!(feature = "rustpotter");
/// Likeness from which on a phrase counts as said where neither its file nor its owner names one.
pub const LIKENESS: f32 = 0.58;
/// The largest file that is read, in bytes; eight recordings are some 80,000.
const LARGEST: u64 = 4 << 20;
/// Sound this much, in dB, above the noise floor is compared ...
const ABOVE_FLOOR_DB: f32 = 6.0;
/// ... unless it is softer than this.
const SILENCE_DB: f32 = -60.0;
/// The noise floor rises by this much a second, and falls at once.
const FLOOR_RISES_DB: f32 = 2.0;
/// Comparing goes on for this long after the last loud frame, in samples: 1 s.
const HANGOVER: u64 = RATE as u64;
/// So much sound before the first loud frame is compared too: 0.3 s.
const PRE_ROLL: usize = 3 * RATE as usize / 10;

/// Why templates can't be used, or made.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The file can't be read.
    #[error("can't read the templates {}: {source}; name an .rpw file, or record it by `joi wake add --record --engine rustpotter`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// They are something else, or cut off.
    #[error("these are no templates of a wake phrase ({0}); an .rpw file of rustpotter 2 or 3 is needed")]
    Damaged(String),
    /// Built without the engine.
    #[error(
        "this program was built without rustpotter; `make run FEATURES=rustpotter` builds it in, as the packages for the Zero 2 have it"
    )]
    NotBuilt,
    /// No template can be made of the recordings.
    #[error("no templates can be made of these recordings: {0}")]
    NotLearnt(String),
}

/// The recordings of a phrase, as its `.rpw` file keeps them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Templates {
    /// The bytes of the file, in base64.
    rpw: String,
    /// Likeness from which on the phrase counts as said, 0..1; without one that of the file, else [`LIKENESS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<f32>,
}

impl Templates {
    /// Those of an `.rpw` file, which count `from` there on.
    ///
    /// # Errors
    /// The file can't be read, or is larger than any of its kind.
    pub fn read(file: &Path, from: Option<f32>) -> Result<Self, TemplateError> {
        let unreadable = |source| TemplateError::Unreadable { path: file.to_owned(), source };
        if std::fs::metadata(file).map_err(unreadable)?.len() > LARGEST {
            return Err(TemplateError::Damaged(format!("{} is larger than any", file.display())));
        }
        let bytes = std::fs::read(file).map_err(unreadable)?;
        Ok(Self { rpw: BASE64_STANDARD.encode(bytes), from })
    }

    /// Made of recordings, 16 kHz mono, each of them `phrase` and nothing else.
    ///
    /// # Errors
    /// There is none, or one is too short; or the engine is not built in.
    pub fn learn(phrase: &str, takes: &[Vec<f32>]) -> Result<Self, TemplateError> {
        Ok(Self { rpw: BASE64_STANDARD.encode(engine::learn(phrase, takes)?), from: None })
    }

    /// The same, which count `from` there on.
    #[must_use]
    pub fn counting_from(self, from: f32) -> Self {
        Self { from: Some(from), ..self }
    }

    /// From where on they count, where that is not left to their file.
    pub fn from(&self) -> Option<f32> {
        self.from
    }

    /// Returns how like each of `takes`, recordings of `phrase`, is to the templates of all the others, 0..1.
    ///
    /// # Errors
    /// No templates can be made of them, one of a single one among them.
    pub fn among_themselves(phrase: &str, takes: &[Vec<f32>]) -> Result<Vec<f32>, TemplateError> {
        let likeness = |(at, take): (usize, &Vec<f32>)| {
            let others = takes.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<Vec<f32>> = others.map(|(_, other)| other.clone()).collect();
            Self::learn(phrase, &others)?.likeness(take)
        };
        takes.iter().enumerate().map(likeness).collect()
    }

    /// Tries them on noise: the engine takes much of a file on trust, and fails at it later.
    ///
    /// # Errors
    /// They are damaged, or the engine is not built in.
    pub fn check(&self) -> Result<(), TemplateError> {
        engine::check(&self.bytes()?)
    }

    /// Returns how like the likest moment of `sound` is, 0..1.
    ///
    /// # Errors
    /// They are damaged, or the engine is not built in.
    pub fn likeness(&self, sound: &[f32]) -> Result<f32, TemplateError> {
        let mut comparer = Comparer::measuring(&self.bytes()?)?;
        let silence = [0.0; FRAME];
        let mut likest: f32 = 0.0;
        // A template is compared once the sound behind it is as long as the longest one.
        for frame in sound.chunks_exact(FRAME).chain([&silence[..]; RATE as usize / FRAME]) {
            likest = likest.max(comparer.likest(frame));
        }
        Ok(likest)
    }

    fn bytes(&self) -> Result<Vec<u8>, TemplateError> {
        BASE64_STANDARD.decode(&self.rpw).map_err(|error| TemplateError::Damaged(error.to_string()))
    }
}

/// Templates listening for their phrase.
pub struct TemplateWake {
    phrase: String,
    comparer: Comparer,
    gate: LoudnessGate,
    vigilance: Vigilance,
    refractory: u64,
    /// Samples that are not compared yet: less than a frame while the gate is open, at most the pre-roll while not.
    waiting: Vec<f32>,
    /// Before this position nothing is detected.
    deaf_until: u64,
}

impl TemplateWake {
    /// Makes a detector for `phrase`, of templates that were checked.
    ///
    /// # Errors
    /// The templates are damaged, or the engine is not built in.
    pub fn new(phrase: &str, templates: &Templates, config: &WakeConfig) -> Result<Self, TemplateError> {
        Ok(Self {
            phrase: phrase.to_owned(),
            comparer: Comparer::detecting(&templates.bytes()?, templates.from)?,
            gate: LoudnessGate::default(),
            vigilance: Vigilance::Normal,
            refractory: (config.refractory * f64::from(RATE)) as u64,
            waiting: Vec::new(),
            deaf_until: 0,
        })
    }
}

impl WakeDetector for TemplateWake {
    fn feed(&mut self, samples: &[f32], at: u64) -> Option<Detection> {
        if self.vigilance == Vigilance::Strict {
            return None;
        }
        let end = at + samples.len() as u64;
        self.waiting.extend_from_slice(samples);
        if !self.gate.is_open(samples, end) {
            let surplus = self.waiting.len().saturating_sub(PRE_ROLL);
            self.waiting.drain(..surplus);
            return None;
        }
        let mut found = None;
        let whole = self.waiting.len() / FRAME * FRAME;
        for (number, frame) in self.waiting[..whole].chunks_exact(FRAME).enumerate() {
            let later = self.waiting.len() - (number + 1) * FRAME;
            let at = end.saturating_sub(later as u64);
            if let Some(score) = self.comparer.detected(frame)
                && at >= self.deaf_until
            {
                self.deaf_until = at + self.refractory;
                found.get_or_insert((score, at));
            }
        }
        self.waiting.drain(..whole);
        found.map(|(score, at)| Detection { phrase: self.phrase.clone(), score, at, ends_by: at })
    }

    fn feed_both(&mut self, _cleaned: &[f32], whole: &[f32], at: u64) -> Option<Detection> {
        self.feed(whole, at)
    }

    fn set_vigilance(&mut self, vigilance: Vigilance) {
        if vigilance != self.vigilance {
            self.reset();
        }
        self.vigilance = vigilance;
    }

    fn reset(&mut self) {
        self.comparer.reset();
        self.waiting.clear();
        self.gate = LoudnessGate::default();
        self.deaf_until = 0;
    }

    fn phrase(&self) -> &str {
        &self.phrase
    }
}

/// Whether there is anything to compare: sound above the noise floor, or such sound a moment ago.
#[derive(Debug, Clone, Default)]
struct LoudnessGate {
    floor_db: Option<f32>,
    open_until: u64,
}

impl LoudnessGate {
    fn is_open(&mut self, samples: &[f32], end: u64) -> bool {
        let power = samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32;
        let level = 10.0 * (power + 1e-10).log10();
        let risen = FLOOR_RISES_DB * samples.len() as f32 / RATE as f32;
        let floor = self.floor_db.map_or(level, |floor| level.min(floor + risen));
        self.floor_db = Some(floor);
        if level >= (floor + ABOVE_FLOOR_DB).max(SILENCE_DB) {
            self.open_until = end + HANGOVER;
        }
        end <= self.open_until
    }
}

#[cfg(test)]
mod tests;
