//! Words of the wake phrases on the page.

use serde::Deserialize;

/// The wake phrases.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct WakePageWords {
    pub title: String,
    pub about: String,
    pub model: String,
    pub scorer: String,
    pub both: String,
    pub recordings: String,
    pub ready: String,
    pub next_start: String,
    pub until_next: String,
    pub too_slow: String,
    pub counts_from: String,
    pub voices: String,
    pub added_by_you: String,
    pub new: String,
    pub new_label: String,
    pub new_example: String,
    pub begin: String,
    pub saying: String,
    pub how: String,
    pub record: String,
    pub recording: String,
    pub take: String,
    pub score: String,
    pub heard: String,
    pub good: String,
    pub weak: String,
    pub discard: String,
    pub keep: String,
    pub keep_more: String,
    pub keep_note: String,
    pub give_up: String,
    pub trying: String,
    pub trying_note: String,
    pub look: String,
    pub added: String,
    pub failed: String,
    pub removed: String,
    pub gave_up: String,
    pub busy: String,
    pub full: String,
}
