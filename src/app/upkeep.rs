//! Looks after the database while the program runs: the daily snapshot, and what a damaged file has cost.
//!
//! One Tokio task. In: the clock. Out: a snapshot a day, and an announcement for each loss, which is kept until it was
//! heard. It looks once a minute; what fails is logged and tried again, and no answer ever waits for it.

use std::time::Duration;

use super::Brain;
use super::daemon::{Service, ServiceContext};
use joi_language::{Language, fill};
use joi_schedule::announce::{Announcement, AnnouncementOrigin, AnnouncementPriority, Announcer, IfUnheard};
use joi_store::{Loss, LostRows, Store, TableLoss};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Returns the service; none without a database.
pub(super) fn upkeep(brain: &Brain) -> Option<Service> {
    let store = brain.store.clone()?;
    let (announcer, languages) = (brain.announcer.clone(), brain.languages.clone());
    let clock = std::sync::Arc::clone(&brain.clock);
    let run = move |context: ServiceContext| {
        let (store, announcer, languages) = (store.clone(), announcer.clone(), languages.clone());
        let clock = std::sync::Arc::clone(&clock);
        async move {
            loop {
                announce_losses(&store, &announcer, &languages.get()).await;
                if let Err(error) = store.snapshot(clock.now().timestamp()).await {
                    tracing::warn!(%error, "no snapshot of the database was taken");
                }
                // Both arms are cancel-safe.
                tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            }
        }
    };
    Some(Service::new("upkeep", "no snapshots are taken and losses of stored data are not told", run))
}

/// Announces each loss that was not announced yet, and waits until it was heard.
async fn announce_losses(store: &Store, announcer: &Announcer, language: &Language) {
    for text in unannounced(store, language).await {
        let mut news = Announcement::new(AnnouncementOrigin::StartUp, AnnouncementPriority::Notice, text);
        news.if_unheard = IfUnheard::Keep;
        announcer.announce(news).await;
    }
}

/// Returns a sentence for each loss that was not announced yet.
async fn unannounced(store: &Store, language: &Language) -> Vec<String> {
    match store.take_unannounced_losses().await {
        Ok(losses) => losses.iter().filter_map(|loss| sentence(loss, language)).collect(),
        Err(error) => {
            tracing::warn!(%error, "what a damaged database has cost is not known");
            Vec::new()
        }
    }
}

/// Returns what is said of a loss; nothing when all of it was saved.
fn sentence(loss: &Loss, language: &Language) -> Option<String> {
    let lost: Vec<String> = loss.tables.iter().filter_map(|table| kind(table, language)).collect();
    let list = language.sentences().time.listed(&lost);
    (!lost.is_empty()).then(|| fill(&language.sentences().memory.was_damaged, &[("list", &list)]))
}

fn kind(table: &TableLoss, language: &Language) -> Option<String> {
    let words = &language.sentences().memory;
    let [one, many, some] = match table.table.as_str() {
        "schedule" => &words.lost_timers,
        "note" => &words.lost_notes,
        "memory" => &words.lost_memories,
        "message" => &words.lost_messages,
        // Of no use to whoever listens: they follow from the others, or are made again.
        "turn" | "conversation" | "setting" => return None,
        _ => &words.lost_other,
    };
    let counted =
        |count: u64| if count == 1 { one.clone() } else { fill(many, &[("count", &count.to_string())]) };
    match table.lost {
        LostRows::Nothing | LostRows::Exactly(0) | LostRows::AtMost(0) => None,
        LostRows::Exactly(count) => Some(counted(count)),
        LostRows::AtMost(count) => Some(fill(&words.lost_at_most, &[("lost", &counted(count))])),
        LostRows::Unknown => Some(some.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_base::clock::{Clock as _, SystemClock};
    use joi_schedule::announce::AnnounceConfig;

    #[tokio::test]
    async fn a_loss_is_announced_once_and_waits_until_it_was_heard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        std::fs::write(&path, "this was a database once ".repeat(400)).unwrap();
        let store = Store::open(&path).unwrap();
        let clock = std::sync::Arc::new(SystemClock);
        let announcer = Announcer::new(&AnnounceConfig::default(), Some(store.clone()), clock);
        let english = Language::load("en").unwrap();
        announce_losses(&store, &announcer, &english).await;
        announce_losses(&store, &announcer, &english).await;
        let waiting = announcer.waiting();
        assert_eq!(waiting.len(), 1);
        let text = waiting[0].announcement.wording.text(&english, &SystemClock.now()).0;
        assert!(
            text.starts_with("My memory was damaged, and I have lost perhaps some timers and reminders"),
            "{text}"
        );
        assert_eq!(store.announcements().await.unwrap().len(), 1, "it survives a restart");
    }

    #[test]
    fn what_is_lost_is_said_by_kind_and_nothing_is_said_where_all_was_saved() {
        let table = |table: &str, lost| TableLoss { table: table.into(), saved: 0, from_snapshot: 0, lost };
        let loss = |tables| Loss {
            at: jiff::Timestamp::UNIX_EPOCH,
            kept_as: "/d".into(),
            snapshot: None,
            tables,
            is_announced: false,
        };
        let english = Language::load("en").unwrap();
        let some = loss(vec![
            table("schedule", LostRows::AtMost(2)),
            table("note", LostRows::Exactly(1)),
            table("message", LostRows::Unknown),
            table("turn", LostRows::Exactly(9)),
        ]);
        assert_eq!(
            sentence(&some, &english).unwrap(),
            "My memory was damaged, and I have lost up to 2 timers and reminders, one note and perhaps some \
             of our conversations. The command joi doctor shows more."
        );
        assert_eq!(sentence(&loss(vec![table("note", LostRows::Exactly(0))]), &english), None);
    }
}
