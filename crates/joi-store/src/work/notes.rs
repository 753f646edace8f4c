//! Notes and learnings of agents, and the items of the day: short texts with a source.
//!
//! Runs on the database thread. In: redacted text. Out: rows, newest first.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::super::handle::durably;
use super::super::{Store, StoreError};
use super::moment;
use joi_base::message::Origin;

/// A note of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkNote {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub work: i64,
    /// When it was written.
    pub at: Timestamp,
    /// The words.
    pub text: String,
    /// Where they come from: a task, a page, the owner.
    pub source: String,
    /// Whose words.
    pub origin: Origin,
}

/// A note to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWorkNote {
    /// Whose it is.
    pub work: i64,
    /// "note", "learning" or "feed".
    pub kind: &'static str,
    /// The words, redacted.
    pub text: String,
    /// Where they come from.
    pub source: String,
    /// Whose words.
    pub origin: Origin,
}

impl Store {
    /// Adds a note and drops the oldest of its kind beyond `most`; returns its number.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_work_note(
        &self,
        note: NewWorkNote,
        most: u32,
        at: Timestamp,
    ) -> Result<i64, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let NewWorkNote { work, kind, text, source, origin } = &note;
                tx.execute(
                    "INSERT INTO work_note (work, kind, at_ms, text, source, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![work, kind, at.as_millisecond(), text, source, origin.name()],
                )?;
                let id = tx.last_insert_rowid();
                let drop = "DELETE FROM work_note WHERE work = ?1 AND kind = ?2 AND id NOT IN
                    (SELECT id FROM work_note WHERE work = ?1 AND kind = ?2 ORDER BY id DESC LIMIT ?3)";
                tx.execute(drop, params![work, kind, most])?;
                tx.commit()?;
                Ok(id)
            })
        })
        .await
    }

    /// Returns the newest notes of a kind, newest first; `work` 0 is every agent.
    ///
    /// # Errors
    /// The database's.
    pub async fn work_notes(
        &self,
        work: i64,
        kind: &'static str,
        limit: u32,
    ) -> Result<Vec<WorkNote>, StoreError> {
        self.run(move |db| {
            let sql = "SELECT id, work, at_ms, text, source, origin FROM work_note
                WHERE (?1 = 0 OR work = ?1) AND kind = ?2 ORDER BY id DESC LIMIT ?3";
            let mut query = db.prepare_cached(sql)?;
            Ok(query.query_map(params![work, kind, limit], note)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Removes a note of an agent; returns whether there was one.
    ///
    /// # Errors
    /// The database's.
    pub async fn remove_work_note(&self, work: i64, id: i64) -> Result<bool, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let gone = db.execute("DELETE FROM work_note WHERE work = ?1 AND id = ?2", [work, id])?;
                Ok(gone > 0)
            })
        })
        .await
    }
}

fn note(row: &Row<'_>) -> rusqlite::Result<WorkNote> {
    Ok(WorkNote {
        id: row.get(0)?,
        work: row.get(1)?,
        at: moment(row.get(2)?),
        text: row.get(3)?,
        source: row.get(4)?,
        origin: Origin::called(&row.get::<_, String>(5)?),
    })
}
