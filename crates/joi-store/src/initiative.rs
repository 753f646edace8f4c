//! Records of proactive behaviour: decisions of the impulse, alarms, the context state; each as one JSON text.
//!
//! Runs on the database thread. An alarm has reached the disk when its future is ready. What the texts mean is their
//! owners' business. "Forget the dialogue" removes all of it.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use super::handle::durably;
use super::{Store, StoreError};
use joi_language::words;

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

    /// Stores an alarm and gives its number; one that is stored just so already is not stored twice.
    pub async fn add_alert(&self, at: Timestamp, alert: String) -> Result<i64, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let row = params![at.as_millisecond(), alert];
                let same = "SELECT id FROM alert WHERE at_ms = ?1 AND alert = ?2";
                if let Some(id) = db.query_row(same, row, |found| found.get(0)).optional()? {
                    return Ok(id);
                }
                db.execute("INSERT INTO alert (at_ms, alert) VALUES (?1, ?2)", row)?;
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

pub(super) fn remove_all(db: &Connection) -> Result<(), StoreError> {
    Ok(db.execute_batch("DELETE FROM impulse; DELETE FROM alert; DELETE FROM context_state")?)
}

/// Returns the context state once the entries of its lists that mention a topic are taken out; nothing of one
/// that mentions it elsewhere, and `None` where it is not mentioned.
pub(super) fn context_without(db: &Connection, topic: &[String]) -> Result<Option<String>, StoreError> {
    let state: Option<String> =
        db.query_row("SELECT state FROM context_state", [], |row| row.get(0)).optional()?;
    let Some(state) = state else { return Ok(None) };
    let Ok(mut value) = serde_json::from_str::<Value>(&state) else {
        let is_mentioned = words::mention(&words::json_words(&state), topic);
        return Ok(is_mentioned.then(String::new));
    };
    if !mentions(&value, topic) {
        return Ok(None);
    }
    prune(&mut value, topic);
    Ok(Some(if mentions(&value, topic) { String::new() } else { value.to_string() }))
}

/// Replaces the context state, or removes it where nothing is left of it.
pub(super) fn put_context(db: &Connection, left: &str) -> Result<(), StoreError> {
    if left.is_empty() {
        db.execute("DELETE FROM context_state", [])?;
    } else {
        db.execute("UPDATE context_state SET state = ?1", [left])?;
    }
    Ok(())
}

fn prune(value: &mut Value, topic: &[String]) {
    match value {
        Value::Array(entries) => {
            entries.retain(|entry| !mentions(entry, topic));
            entries.iter_mut().for_each(|entry| prune(entry, topic));
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| prune(field, topic)),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Whether the values mention it; the keys are the program's.
fn mentions(value: &Value, topic: &[String]) -> bool {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
            Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, found)),
            _ => words::collect(value, found),
        }
    }
    let mut found = Vec::new();
    collect(value, &mut found);
    words::mention(&found, topic)
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
    async fn a_day_of_decisions_that_lead_to_nothing_writes_half_a_megabyte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let store = Store::open(&path).unwrap();
        let log = folder.path().join("joi.db-wal");
        let written = || std::fs::metadata(&log).map_or(0, |file| file.len());
        let before = written();
        let record = format!("{{\"threshold\":0.7,\"factors\":\"{}\"}}", "x".repeat(600));
        // One every 12.5 minutes.
        for look in 0..115 {
            let at = Timestamp::from_second(look * 750).unwrap();
            store.add_impulse(at, record.clone()).await.unwrap();
        }
        let grown = written() - before;
        assert!((100_000..700_000).contains(&grown), "{grown} bytes");
    }

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
        assert_eq!(store.add_alert(at(30), "a".into()).await.unwrap(), alarm, "the same again");
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
