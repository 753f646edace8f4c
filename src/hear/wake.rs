//! Wake phrases: any phrase that is written down, and better still those a model comes with.
//!
//! Owned by the listener thread. In: 16 kHz samples. Out: a [`Detection`] when a phrase has been said. A model
//! (`micro`, with `frontend` and `network`) knows its own phrase and wakes at once. Where it is in doubt, and
//! for phrases without a model, `candidates` picks stretches of sound, and `confirm` has the phrase scorer
//! listen to them while the listener goes on. What the phrase opens is not its affair.

mod book;
mod candidates;
mod compile;
mod config;
mod confirm;
mod ear;
mod flatbuffer;
mod frontend;
mod micro;
mod network;
mod strip;

pub use book::{Book, BookError, Enrolled, Kept};
pub use candidates::{Candidate, Candidates, Onsets, Why};
pub use config::{STOCK, StockPhrase, WakeConfig, WakeMode, WakePhrase};
pub use confirm::{Confirmer, Wanted, Weighed, Weight};
pub use micro::{MicroWake, ModelError};
pub use strip::strip_phrase;

/// The phrase was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// Written form.
    pub phrase: String,
    /// How sure it is, 0..1: a model's mean probability at the crossing, or the scorer's margin over its
    /// threshold, bent into this range (0.5 is just enough).
    pub score: f32,
    /// Position just behind the last sample the crossing is owed to, in samples since the source was
    /// opened.
    pub at: u64,
    /// Position by which the phrase is over, give or take 0.15 s; may lie before or behind `at`.
    pub ends_by: u64,
}

/// A model hears something like its phrase, and can't tell.
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

    /// Takes the same stretch with nothing suppressed. Whoever calls her while she speaks is cut up by a canceller
    /// that takes him for her, and whole in there, beside a rest of her own voice. What was detected in one of the
    /// two is not detected in the other again.
    fn feed_whole(&mut self, samples: &[f32], at: u64) -> Option<Detection>;

    /// What it is in doubt about in the samples that were fed last, if they were no detection.
    fn doubt(&mut self) -> Option<Doubt> {
        None
    }

    /// How sure to be from now on.
    fn set_vigilance(&mut self, vigilance: Vigilance);

    /// Forgets all audio: what comes next does not continue what came before.
    fn reset(&mut self);

    /// Written form of the phrase.
    fn phrase(&self) -> &str;
}

#[cfg(test)]
mod tests;
