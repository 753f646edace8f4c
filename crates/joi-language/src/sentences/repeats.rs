//! Words of what comes back every month, read as part of [`Sentences`](super::Sentences). PURE.

use serde::Deserialize;

/// How days of every month are told, and what is said of what can't come back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct RepeatWords {
    /// First to fourth, and last.
    pub nth: [String; 5],
    pub on_nth: String,
    pub on_day: String,
    pub last_day: String,
    pub cannot: String,
}
