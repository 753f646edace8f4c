//! Voice activity detection, one 32 ms frame at a time.
//!
//! Owned by the listener thread. In: frames of 512 samples at 16 kHz that follow each other. Out: whether
//! there is a voice in them. The network is Silero (`silero`), read from whisper.cpp's file (`ggml`); it
//! remembers what came before, so every gap in the sound must be followed by a [`Vad::reset`].

mod ggml;
mod silero;

use std::collections::VecDeque;
use std::path::Path;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use silero::Silero;

/// Samples in a frame: 32 ms.
pub const FRAME: usize = 512;

/// How many frames are remembered: more than the longest utterance has.
const REMEMBERED: usize = 1024;

/// When a frame counts as speech.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VadConfig {
    /// Probability at which speech begins, 0.1 to 0.95. Raising it ignores more noise and more whispering.
    pub threshold: f32,
    /// Probability below which speech is over, 0.05 to 0.95 and not above `threshold`. Raising it ends words
    /// sooner.
    pub release: f32,
}

impl Default for VadConfig {
    fn default() -> Self {
        Self { threshold: 0.5, release: 0.35 }
    }
}

impl VadConfig {
    /// Returns all that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let [threshold, release] = [self.threshold, self.release].map(|v| (f64::from(v) * 1e4).round() / 1e4);
        let mut problems = Vec::new();
        problems.extend(Problem::outside("hear.vad.threshold", threshold, 0.1..=0.95, ""));
        problems.extend(Problem::outside("hear.vad.release", release, 0.05..=0.95, ""));
        if release > threshold {
            let allowed = format!("at most hear.vad.threshold ({threshold})");
            problems.push(Problem::new("hear.vad.release", release, allowed));
        }
        problems
    }
}

/// Why the model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum VadError {
    /// The file can't be read. Fetch it.
    #[error("can't read the voice activity model {path}: {source}; run `joi models fetch`")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is cut off, changed or something else.
    #[error("the voice activity model is damaged ({what}); run `joi models verify`")]
    Damaged {
        /// The cause.
        what: String,
    },
}

/// The detector.
pub struct Vad {
    silero: Silero,
    config: VadConfig,
    voiced: bool,
    /// Of the last frames, the newest first.
    probabilities: VecDeque<f32>,
}

impl Vad {
    /// Loads the model `ggml-silero-v6.2.0.bin`.
    ///
    /// # Errors
    /// The file can't be read, or is not such a model; both name the remedy.
    pub fn load(file: &Path, config: &VadConfig) -> Result<Self, VadError> {
        let bytes = std::fs::read(file)
            .map_err(|source| VadError::Unreadable { path: file.display().to_string(), source })?;
        Self::new(&bytes, config)
    }

    /// Makes a detector from the bytes of the model.
    ///
    /// # Errors
    /// The bytes are no such model.
    pub fn new(model: &[u8], config: &VadConfig) -> Result<Self, VadError> {
        let silero = Silero::new(&ggml::tensors(model)?)?;
        let probabilities = VecDeque::with_capacity(REMEMBERED);
        Ok(Self { silero, config: config.clone(), voiced: false, probabilities })
    }

    /// The probability (0..1) that there is a voice in `frame`, which follows the one before.
    pub fn probability(&mut self, frame: &[f32; FRAME]) -> f32 {
        self.silero.probability(frame)
    }

    /// Whether there is a voice in `frame`, which follows the one before. A voice that has begun continues
    /// until the probability falls below the release.
    pub fn is_voiced(&mut self, frame: &[f32; FRAME]) -> bool {
        let probability = self.probability(frame);
        self.probabilities.truncate(REMEMBERED - 1);
        self.probabilities.push_front(probability);
        self.voiced = probability >= if self.voiced { self.config.release } else { self.config.threshold };
        self.voiced
    }

    /// Returns the highest probability (0..1) of a voice in the last `frames` frames that [`Vad::is_voiced`] was
    /// asked about.
    pub(crate) fn clearest(&self, frames: usize) -> f32 {
        self.probabilities.iter().take(frames).copied().fold(0.0, f32::max)
    }

    /// Resets the state.
    pub fn reset(&mut self) {
        self.silero.reset();
        self.voiced = false;
        self.probabilities.clear();
    }
}

#[cfg(test)]
mod tests;
