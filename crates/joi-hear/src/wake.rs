//! Wake phrase detection: any written phrase, and with lower latency phrases with a model of their own.
//!
//! Owned by the listener thread. In: 16 kHz samples. Out: a [`Detection`] when a phrase has been said. A
//! model (`micro`, with `frontend` and `network`) detects its own phrase at once. Where it is unsure, and for
//! phrases without a model, `candidates` selects stretches of sound, and `confirm` has them scored by the
//! phrase scorer while the listener goes on. Where that is too slow, `templates` know a phrase from recordings. What a
//! detection triggers is up to the caller.

mod candidates;
mod compile;
mod config;
mod confirm;
mod flatbuffer;
mod frontend;
mod micro;
mod model_stream;
mod network;
mod phrase_book;
mod strip;
mod templates;

pub use candidates::{Candidate, CandidateReason, Candidates, Onsets};
pub use config::{STOCK, StockPhrase, Unlike, WakeConfig, WakeMode, WakePhrase};
pub use confirm::{Confirmer, PhraseThreshold, ScoredCandidate, ScoredPhrase};
pub use micro::{MicroWake, WakeModelError};
pub use phrase_book::{BookError, Enrolled, PhraseBook, SavedPhrase};
pub use strip::{strip_call, strip_phrase};
pub use templates::{LIKENESS, TEMPLATES_ARE_BUILT_IN, TemplateError, TemplateWake, Templates};

/// The phrase was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// Written form.
    pub phrase: String,
    /// Confidence, 0..1: a model's mean probability at the crossing, or the scorer's margin over its
    /// threshold, mapped into this range (0.5 is just enough).
    pub score: f32,
    /// Position just behind the last sample that led to the crossing, in samples since the source was opened.
    pub at: u64,
    /// Position by which the phrase is over, give or take 0.15 s; may lie before or behind `at`.
    pub ends_by: u64,
}

/// A model's probability is raised but below its cutoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// Position of the weak crossing.
    pub at: u64,
    /// Position by which the phrase is over, if it is one.
    pub ends_by: u64,
}

/// How sure a detector must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vigilance {
    /// Nothing is playing.
    Normal,
    /// Playback is audible.
    Strict,
}

/// Detects one phrase in a stream of samples.
pub trait WakeDetector: Send {
    /// Takes 16 kHz mono samples (−1..1), any number of them; `at` is the position of the first one. At
    /// most one detection per call: feed at most a second at a time.
    fn feed(&mut self, samples: &[f32], at: u64) -> Option<Detection>;

    /// Takes a stretch without echo, and the same from the linear echo canceller output: a wake phrase over playback
    /// is distorted by the suppressor, and undistorted in there, beside residual echo. What was detected in one of the
    /// two is not detected in the other again.
    fn feed_both(&mut self, cleaned: &[f32], whole: &[f32], at: u64) -> Option<Detection>;

    /// What it is unsure about in the samples that were fed last, if they were no detection.
    fn doubt(&mut self) -> Option<Doubt> {
        None
    }

    /// Returns whether the sound between two positions may hold `phrase`; true where that is unknown.
    fn may_be(&self, _phrase: &str, _from: u64, _to: u64) -> bool {
        true
    }

    /// How sure to be from now on.
    fn set_vigilance(&mut self, vigilance: Vigilance);

    /// Resets the state: what comes next does not continue what came before.
    fn reset(&mut self);

    /// Written form of the phrase.
    fn phrase(&self) -> &str;
}

#[cfg(test)]
mod tests;
