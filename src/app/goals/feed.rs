//! Offers the items of the day to the impulse, as topics.
//!
//! In: the items that are stored. Out: topics, each once, with the source of the item. The impulse decides whether and when one
//! of them is said, within the limits of proactive messages.

use std::sync::Arc;

use jiff::Zoned;
use joi_base::message::Origin;
use joi_goals::limits::FEED_ITEMS;
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_proactive::awareness::{Significance, Topic};
use joi_store::{Store, StoreError, WorkNote};

use crate::app::awareness::Awareness;

/// Takes topics.
pub(super) type TakesTopics = Arc<dyn Fn(Topic) + Send + Sync>;

/// Returns what hands topics to the impulse.
pub(super) fn to_impulse(awareness: Awareness) -> TakesTopics {
    Arc::new(move |topic| awareness.offer(topic))
}

/// Offers the items of this day. One that was offered before is not offered again.
///
/// # Errors
/// The database's.
pub(super) async fn offer(store: &Store, take: &TakesTopics, now: &Zoned) -> Result<(), StoreError> {
    let items = store.work_notes(0, "feed", FEED_ITEMS).await?;
    let is_today = |item: &&WorkNote| item.at.to_zoned(now.time_zone().clone()).date() == now.date();
    for item in items.iter().filter(is_today).rev() {
        take(topic(item));
    }
    Ok(())
}

fn topic(item: &WorkNote) -> Topic {
    let sentence = match item.origin {
        Origin::Stranger => SentenceName::FeedItemForeign,
        _ => SentenceName::FeedItem,
    };
    let fact = SentenceTemplate::from(sentence)
        .with("text", SentenceField::Words(item.text.clone()))
        .with("source", SentenceField::Words(item.source.clone()));
    Topic {
        id: 0,
        key: format!("news:{}", item.id),
        fact,
        what: String::new(),
        // What has happened in the house comes first.
        significance: Significance::Routine,
        at: item.at,
        refused: 0,
    }
}
