//! Announcements that were not heard yet, each as one JSON text.
//!
//! Runs on the database thread. A write has reached the disk when its future is ready. What the texts mean is the
//! announcer's business.

use rusqlite::Connection;

use super::handle::durably;
use super::{Store, StoreError};

/// One that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncementRow {
    /// Its number.
    pub id: i64,
    /// The announcement as JSON.
    pub announcement: String,
}

impl Store {
    /// Keeps an announcement and gives its number.
    pub async fn add_announcement(&self, announcement: String) -> Result<i64, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                db.execute("INSERT INTO announcement (announcement) VALUES (?1)", [&announcement])?;
                Ok(db.last_insert_rowid())
            })
        })
        .await
    }

    /// It was heard, or is of no use any more.
    pub async fn remove_announcement(&self, id: i64) -> Result<(), StoreError> {
        self.run(move |db| {
            db.execute("DELETE FROM announcement WHERE id = ?1", [id])?;
            Ok(())
        })
        .await
    }

    /// All of them, the oldest first.
    pub async fn announcements(&self) -> Result<Vec<AnnouncementRow>, StoreError> {
        self.run(|db| all(db)).await
    }
}

fn all(db: &Connection) -> Result<Vec<AnnouncementRow>, StoreError> {
    let mut query = db.prepare_cached("SELECT id, announcement FROM announcement ORDER BY id")?;
    let rows =
        query.query_map([], |row| Ok(AnnouncementRow { id: row.get(0)?, announcement: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::super::Forget;
    use super::*;

    #[tokio::test]
    async fn a_database_from_before_announcements_is_brought_up_and_keeps_them_then() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let store = Store::open(&path).unwrap();
        store.add_notes("shopping", vec!["milk".into()], jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        let back = "DROP TABLE announcement; DROP TABLE outgoing; ALTER TABLE note DROP COLUMN origin;
            ALTER TABLE message DROP COLUMN wording; PRAGMA user_version = 5;";
        store.run(move |db| Ok(db.execute_batch(back)?)).await.unwrap();
        store.close().await.unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.set_aside(), None);
        assert_eq!(store.notes("shopping").await.unwrap(), ["milk"]);
        assert!(store.has_foreign_notes("shopping").await.unwrap(), "nobody noted whose words they are");
        store.add_notes("todo", vec!["tax".into()], jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        assert!(!store.has_foreign_notes("todo").await.unwrap());
        let ids = [
            store.add_announcement("1".into()).await.unwrap(),
            store.add_announcement("2".into()).await.unwrap(),
        ];
        store.remove_announcement(ids[0]).await.unwrap();
        store.close().await.unwrap();
        let row = AnnouncementRow { id: ids[1], announcement: "2".into() };
        assert_eq!(Store::open(&path).unwrap().announcements().await.unwrap(), [row]);
    }

    #[tokio::test]
    async fn forgetting_the_dialogue_or_the_timers_forgets_what_would_be_said_of_them() {
        for (what, is_kept) in [
            (Forget { dialogue: true, ..Forget::default() }, false),
            (Forget { timers: true, ..Forget::default() }, false),
            (Forget { notes: true, ..Forget::default() }, true),
        ] {
            let store = Store::in_memory().unwrap();
            store.add_announcement("x".into()).await.unwrap();
            store.forget(what).await.unwrap();
            assert_eq!(!store.announcements().await.unwrap().is_empty(), is_kept, "{what:?}");
        }
    }
}
