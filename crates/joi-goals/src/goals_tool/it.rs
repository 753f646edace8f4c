//! The goal that each conversation spoke of last, which "it" means for a while.
//!
//! Kept in the database, so that two commands that follow each other are one conversation. In: a conversation and a goal. Out:
//! what all conversations speak of. Without the database it is known to this program alone.

use std::collections::BTreeMap;

use jiff::Timestamp;
use joi_store::Store;

use crate::limits::IT_LASTS;

/// The setting that remembers it.
const SETTING: &str = "goals that conversations speak of";

/// The goal of each conversation, and when it was spoken of.
pub(super) type SpokenOf = BTreeMap<String, (i64, Timestamp)>;

/// Returns what conversations speak of.
pub(super) async fn recalled(store: &Store) -> SpokenOf {
    let kept = store.setting(SETTING).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "which goal was spoken of last is not known");
        None
    });
    kept.and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_default()
}

/// Stores that `conversation` speaks of `goal`, and returns what conversations speak of.
pub(super) async fn spoken_of(store: &Store, conversation: &str, goal: i64, now: Timestamp) -> SpokenOf {
    let mut all = recalled(store).await;
    all.retain(|_, (_, at)| is_recent(*at, now));
    all.insert(conversation.to_owned(), (goal, now));
    let written = serde_json::to_string(&all).unwrap_or_default();
    if let Err(error) = store.set_setting(SETTING, written).await {
        tracing::warn!(%error, "which goal was spoken of is not kept for the next command");
    }
    all
}

/// Returns whether a goal that was spoken of at `at` may still be called "it".
pub(super) fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(at).abs() < IT_LASTS
}
