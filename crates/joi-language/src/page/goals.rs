//! Words of the goals on the page.

use serde::Deserialize;

/// The goals.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct GoalPageWords {
    pub title: String,
    pub none: String,
    pub works: String,
    pub waits: String,
    pub tasks: String,
    pub thread: String,
    pub no_words: String,
    pub notes: String,
    pub you: String,
    pub say: String,
    pub send: String,
    pub resume: String,
    pub leave: String,
    pub end: String,
    pub open_label: String,
    pub open: String,
    pub opened: String,
    pub said: String,
    pub resumed: String,
    pub left: String,
    pub ended: String,
}
