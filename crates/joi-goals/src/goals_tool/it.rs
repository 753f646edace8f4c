//! The goal that each conversation spoke of last, which "it" means for a while.
//!
//! Kept in the database, so that two commands that follow each other are one conversation. In: a conversation and a goal. Out:
//! the goals of all conversations. Without the database it is known to this program alone.

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

/// Stores that `conversation` speaks of a goal now.
pub(super) async fn keep(store: &Store, conversation: &str, (goal, now): (i64, Timestamp)) {
    let mut all = recalled(store).await;
    all.retain(|_, (_, at)| now.duration_since(*at).abs() < IT_LASTS);
    all.insert(conversation.to_owned(), (goal, now));
    let written = serde_json::to_string(&all).unwrap_or_default();
    if let Err(error) = store.set_setting(SETTING, written).await {
        tracing::warn!(%error, "which goal was spoken of is not kept for the next command");
    }
}
