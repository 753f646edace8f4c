//! A query to the memory. Plain data.

use joi_understand::question::MemoryQuestion;

/// A query to the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecallQuery {
    /// Words and time.
    pub(crate) question: MemoryQuestion,
    /// The meaning as a text, for a search by meaning.
    pub(crate) about: String,
}
