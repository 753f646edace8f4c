//! A short answer that was not understood, and the words its sound is compared with.
//!
//! Plain data, kept by the hearing side until the sound was looked at. Pure: no I/O, no clock.

use std::time::Instant;

use super::signals::Judged;

/// The words that the sound of a short answer is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedWords {
    /// A stop word.
    Stop,
    /// Yes or no.
    Answer,
}

/// A short answer that was not understood: to a question of joi, or to what rings.
#[derive(Debug)]
pub(super) struct Doubted {
    pub(super) generation: u64,
    pub(super) revision: u32,
    pub(super) judged: Judged,
    pub(super) at: Instant,
    pub(super) expected: ExpectedWords,
}
