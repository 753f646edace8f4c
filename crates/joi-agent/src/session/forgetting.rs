//! Memories to erase once the user says yes.
//!
//! Plain data. It waits in its session.

use jiff::Timestamp;
use joi_store::NewMemory;

/// A request that waits for a yes.
#[derive(Debug, Clone)]
pub(crate) struct Forgetting {
    /// The subject.
    pub(crate) what: ForgetTarget,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
    /// It was asked for a second time.
    pub(crate) is_repeated: bool,
}

/// Memories to erase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForgetTarget {
    /// All that holds these words.
    Topic(String),
    /// The same, with an entry that takes its place.
    Replaced(String, NewMemory),
    /// All dialogue and all that is remembered.
    Everything,
}
