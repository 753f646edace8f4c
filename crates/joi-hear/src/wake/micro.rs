//! The detector for phrases with a model of their own: microWakeWord, one model per phrase.
//!
//! Owned by the listener thread. In: 16 kHz samples. Out: a [`Detection`] when the model is sure, a [`Doubt`]
//! when it is not.

use std::path::Path;

use super::model_stream::ModelStream;
use super::{Detection, Doubt, Unlike, Vigilance, WakeConfig, WakeDetector, WakePhrase, compile};
use joi_audio::RATE;

/// Why a wake model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum WakeModelError {
    /// The file can't be read. Fetch it.
    #[error("can't read the wake model {path}: {source}; run `joi models fetch`")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file has another format.
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

/// Mean probability above which the model is unsure.
const DOUBT: f32 = 0.05;
/// A doubt that goes on for less than this is one, in samples.
const ONE_DOUBT: u64 = RATE as u64;
/// From a doubt to the surer crossing that may follow, in samples.
const TO_CROSSING: u64 = RATE as u64 * 15 / 100;

/// A microWakeWord model listening for its phrase.
pub struct MicroWake {
    phrase: String,
    cutoff: f32,
    strict_cutoff: f32,
    vigilance: Vigilance,
    refractory: u64,
    /// From the crossing to the end of the phrase, in samples.
    to_end: i64,
    /// See [`super::StockPhrase`].
    unlike: Option<Unlike>,
    pub(super) ear: ModelStream,
    /// For the linear output of the echo canceller ...
    whole: ModelStream,
    /// ... which differed from the cleaned samples. While nothing plays both are the same, and one stream is enough.
    is_apart: bool,
    /// Position up to which they were apart last.
    apart_until: u64,
    /// Before this position nothing is detected.
    deaf_until: u64,
    /// Before this position no doubt is reported.
    sure_until: u64,
}

impl MicroWake {
    /// Loads the model in `file` for `phrase`.
    ///
    /// # Errors
    /// The file can't be read, or is not a usable model; every case names its remedy.
    pub fn load(file: &Path, phrase: &WakePhrase, config: &WakeConfig) -> Result<Self, WakeModelError> {
        let bytes = std::fs::read(file)
            .map_err(|source| WakeModelError::Unreadable { path: file.display().to_string(), source })?;
        Self::new(&bytes, phrase, config)
    }

    /// Makes a detector from the bytes of a model.
    ///
    /// # Errors
    /// The bytes are no usable model.
    pub fn new(model: &[u8], phrase: &WakePhrase, config: &WakeConfig) -> Result<Self, WakeModelError> {
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
            unlike: stock.and_then(|s| s.unlike),
            whole: ModelStream::new(network.clone()),
            is_apart: false,
            apart_until: 0,
            ear: ModelStream::new(network),
            deaf_until: 0,
            sure_until: 0,
        })
    }

    /// Returns the present cutoff, and from where on it applies.
    fn limits(&self) -> (f32, u64) {
        let cutoff = match self.vigilance {
            Vigilance::Normal => self.cutoff,
            Vigilance::Strict => self.strict_cutoff,
        };
        (cutoff, self.deaf_until)
    }

    fn detected(&mut self, (score, at): (f32, u64)) -> Detection {
        self.deaf_until = at + self.refractory;
        self.sure_until = self.deaf_until;
        let ends_by = at.saturating_add_signed(self.to_end);
        Detection { phrase: self.phrase.clone(), score, at, ends_by }
    }
}

impl WakeDetector for MicroWake {
    fn feed(&mut self, samples: &[f32], at: u64) -> Option<Detection> {
        let crossing = self.ear.crossing(samples, at, self.limits())?;
        Some(self.detected(crossing))
    }

    fn feed_both(&mut self, cleaned: &[f32], whole: &[f32], at: u64) -> Option<Detection> {
        let was_apart = std::mem::replace(&mut self.is_apart, cleaned != whole);
        if !self.is_apart {
            return self.feed(cleaned, at);
        }
        self.apart_until = at + cleaned.len() as u64;
        if !was_apart {
            // Up to here, what the other one heard is what this one would have.
            self.whole.clone_from(&self.ear);
        }
        let in_cleaned = self.feed(cleaned, at);
        let crossing = self.whole.crossing(whole, at, self.limits());
        in_cleaned.or_else(|| crossing.map(|crossing| self.detected(crossing)))
    }

    fn doubt(&mut self) -> Option<Doubt> {
        let in_whole = self.is_apart.then(|| self.whole.take_peak()).flatten();
        let peaks = [self.ear.take_peak(), in_whole];
        let (score, at) = peaks.into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0))?;
        if score <= DOUBT || at < self.sure_until {
            return None;
        }
        self.sure_until = at + ONE_DOUBT;
        Some(Doubt { at, ends_by: (at + TO_CROSSING).saturating_add_signed(self.to_end) })
    }

    fn may_be(&self, phrase: &str, from: u64, to: u64) -> bool {
        let phrase = phrase.to_lowercase();
        let Some(unlike) = self.unlike.filter(|unlike| unlike.phrases.contains(&phrase.as_str())) else {
            return true;
        };
        // Until then the suppressor may have left less of a voice in it than the scorer is given.
        from < self.apart_until
            || self.ear.highest_odds(from, to).is_none_or(|highest| highest >= unlike.below)
    }

    fn set_vigilance(&mut self, vigilance: Vigilance) {
        self.vigilance = vigilance;
    }

    fn reset(&mut self) {
        self.ear.reset();
        self.is_apart = false;
        self.deaf_until = 0;
        self.sure_until = 0;
    }

    fn phrase(&self) -> &str {
        &self.phrase
    }
}
