//! What she does by herself: decisions of the impulse, alarms, the context state; each as one JSON text.
//!
//! Runs on the database thread. An alarm has reached the disk when its future is ready. What the texts mean is their
//! owners' business. "Forget the dialogue" removes all of it.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Store, StoreError, durably};

/// A stored decision or alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitiativeRow {
    /// Its number.
    pub id: i64,
    /// It, as JSON.
    pub json: String,
}

impl Store {
    /// Stores a decision and gives its number.
    pub async fn add_impulse(&self, at: Timestamp, record: String) -> Result<i64, StoreError> {
        self.run(move |db| {
            let sql = "INSERT INTO impulse (at_ms, record) VALUES (?1, ?2)";
            db.execute(sql, params![at.as_millisecond(), record])?;
            Ok(db.last_insert_rowid())
        })
        .await
    }

    /// Replaces a stored decision.
    pub async fn amend_impulse(&self, id: i64, record: String) -> Result<(), StoreError> {
        self.run(move |db| {
            db.execute("UPDATE impulse SET record = ?2 WHERE id = ?1", params![id, record])?;
            Ok(())
        })
        .await
    }

    /// The newest decisions, newest first.
    pub async fn impulses(&self, limit: u32) -> Result<Vec<InitiativeRow>, StoreError> {
        self.run(move |db| newest(db, "SELECT id, record FROM impulse ORDER BY id DESC LIMIT ?1", limit))
            .await
    }

    /// Removes decisions from before `cutoff`; how many.
    pub async fn purge_impulses(&self, cutoff: Timestamp) -> Result<usize, StoreError> {
        self.run(move |db| Ok(db.execute("DELETE FROM impulse WHERE at_ms < ?1", [cutoff.as_millisecond()])?))
            .await
    }

    /// Stores an alarm and gives its number.
    pub async fn add_alert(&self, at: Timestamp, alert: String) -> Result<i64, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let sql = "INSERT INTO alert (at_ms, alert) VALUES (?1, ?2)";
                db.execute(sql, params![at.as_millisecond(), alert])?;
                Ok(db.last_insert_rowid())
            })
        })
        .await
    }

    /// Replaces a stored alarm.
    pub async fn amend_alert(&self, id: i64, alert: String) -> Result<(), StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                db.execute("UPDATE alert SET alert = ?2 WHERE id = ?1", params![id, alert])?;
                Ok(())
            })
        })
        .await
    }

    /// The newest alarms, newest first.
    pub async fn alerts(&self, limit: u32) -> Result<Vec<InitiativeRow>, StoreError> {
        self.run(move |db| newest(db, "SELECT id, alert FROM alert ORDER BY id DESC LIMIT ?1", limit)).await
    }

    /// The stored context state.
    pub async fn context_state(&self) -> Result<Option<String>, StoreError> {
        self.run(|db| {
            let sql = "SELECT state FROM context_state WHERE id = 1";
            Ok(db.query_row(sql, [], |row| row.get(0)).optional()?)
        })
        .await
    }

    /// Replaces the context state.
    pub async fn set_context_state(&self, state: String) -> Result<(), StoreError> {
        self.run(move |db| {
            let sql = "INSERT INTO context_state (id, state) VALUES (1, ?1)
                ON CONFLICT (id) DO UPDATE SET state = excluded.state";
            db.execute(sql, [state])?;
            Ok(())
        })
        .await
    }
}

#[cfg(test)]
impl Store {
    /// From here on nothing can be written, as on a disk that has become read-only.
    pub(crate) async fn make_read_only(&self) {
        self.run(|db| Ok(db.execute_batch("PRAGMA query_only = ON")?)).await.expect("a pragma");
    }
}

pub(super) fn remove_all(db: &Connection) -> Result<(), StoreError> {
    Ok(db.execute_batch("DELETE FROM impulse; DELETE FROM alert; DELETE FROM context_state")?)
}

fn newest(db: &Connection, sql: &str, limit: u32) -> Result<Vec<InitiativeRow>, StoreError> {
    let mut query = db.prepare_cached(sql)?;
    let rows = query.query_map([limit], |row| Ok(InitiativeRow { id: row.get(0)?, json: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::super::Forget;
    use super::*;

    #[tokio::test]
    async fn what_she_does_by_herself_is_kept_in_order_and_forgotten_with_the_dialogue() {
        let store = Store::in_memory().unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        let first = store.add_impulse(at(10), "1".into()).await.unwrap();
        let second = store.add_impulse(at(20), "2".into()).await.unwrap();
        store.amend_impulse(first, "one".into()).await.unwrap();
        let row = |id, json: &str| InitiativeRow { id, json: json.into() };
        assert_eq!(store.impulses(9).await.unwrap(), [row(second, "2"), row(first, "one")]);
        assert_eq!(store.purge_impulses(at(20)).await.unwrap(), 1);
        let alarm = store.add_alert(at(30), "a".into()).await.unwrap();
        store.amend_alert(alarm, "b".into()).await.unwrap();
        assert_eq!(store.alerts(1).await.unwrap(), [row(alarm, "b")]);
        assert_eq!(store.context_state().await.unwrap(), None);
        store.set_context_state("x".into()).await.unwrap();
        store.set_context_state("y".into()).await.unwrap();
        assert_eq!(store.context_state().await.unwrap().as_deref(), Some("y"));
        store.forget(Forget { timers: true, ..Forget::default() }).await.unwrap();
        assert_eq!(store.alerts(9).await.unwrap().len(), 1);
        store.forget(Forget { dialogue: true, ..Forget::default() }).await.unwrap();
        assert_eq!(store.impulses(9).await.unwrap(), []);
        assert_eq!(store.alerts(9).await.unwrap(), []);
        assert_eq!(store.context_state().await.unwrap(), None);
    }
}
