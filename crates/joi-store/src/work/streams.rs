//! The two streams of an agent: what the owner sees of it, and every call and result.
//!
//! Runs on the database thread. The visible one grows by messages; the other is bounded, and of more the oldest are dropped.

use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::super::handle::durably;
use super::super::{Store, StoreError};
use super::moment;
use joi_base::message::Origin;

/// A cell of the visible thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadCell {
    /// Its number.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// "user", "agent" or "error".
    pub author: String,
    /// "text" or "tool".
    pub kind: String,
    /// The words.
    pub text: String,
    /// Whose words.
    pub origin: Origin,
    /// By which channel a message of the user came.
    pub channel: String,
    /// Whether a run has consumed it.
    pub is_processed: bool,
    /// That run, or the one that wrote it.
    pub run: Option<i64>,
    /// It belongs to a session that is over.
    pub is_archived: bool,
}

/// A cell to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCell {
    /// "user", "agent" or "error".
    pub author: &'static str,
    /// "text" or "tool".
    pub kind: &'static str,
    /// The words, redacted.
    pub text: String,
    /// Whose words.
    pub origin: Origin,
    /// By which channel a message of the user came; empty of anything else.
    pub channel: String,
    /// The run that wrote it.
    pub run: Option<i64>,
}

/// A call, a result or what a model thought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerStep {
    /// The run.
    pub run: i64,
    /// When.
    pub at: Timestamp,
    /// "call", "result" or "thought".
    pub role: String,
    /// The words.
    pub text: String,
    /// Whose words.
    pub origin: Origin,
}

impl Store {
    /// Adds a cell to the thread of an agent; returns its number. A message of the user waits for a run from now on.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_cell(&self, work: i64, cell: NewCell, at: Timestamp) -> Result<i64, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let ms = at.as_millisecond();
                let waits = cell.author == "user";
                tx.execute(
                    "INSERT INTO work_cell (work, at_ms, author, kind, text, origin, channel, processed, run)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    params![
                        work,
                        ms,
                        cell.author,
                        cell.kind,
                        cell.text,
                        cell.origin.name(),
                        cell.channel,
                        !waits,
                        cell.run
                    ],
                )?;
                let id = tx.last_insert_rowid();
                tx.execute("UPDATE work SET active_ms = ?2 WHERE id = ?1", [work, ms])?;
                tx.commit()?;
                Ok(id)
            })
        })
        .await
    }

    /// Returns the newest `limit` cells of an agent after the cell `after`, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn cells(&self, work: i64, after: i64, limit: u32) -> Result<Vec<ThreadCell>, StoreError> {
        self.run(move |db| {
            let sql = "SELECT * FROM (SELECT id, at_ms, author, kind, text, origin, channel, processed, run,
                archive IS NOT NULL FROM work_cell WHERE work = ?1 AND id > ?2 ORDER BY id DESC LIMIT ?3) ORDER BY id";
            let mut query = db.prepare_cached(sql)?;
            Ok(query.query_map(params![work, after, limit], cell)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Adds a step to the inner history of an agent, of which the newest `most` are kept.
    ///
    /// # Errors
    /// The database's.
    pub async fn add_step(&self, work: i64, step: InnerStep, most: u32) -> Result<(), StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let ms = step.at.as_millisecond();
                tx.execute(
                    "INSERT INTO work_step (work, run, at_ms, role, text, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![work, step.run, ms, step.role, step.text, step.origin.name()],
                )?;
                let drop = "DELETE FROM work_step WHERE work = ?1 AND id NOT IN
                    (SELECT id FROM work_step WHERE work = ?1 ORDER BY id DESC LIMIT ?2)";
                tx.execute(drop, params![work, most])?;
                Ok(tx.commit()?)
            })
        })
        .await
    }

    /// Returns the newest `limit` steps of an agent's present session, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn steps(&self, work: i64, limit: u32) -> Result<Vec<InnerStep>, StoreError> {
        self.run(move |db| steps(db, work, limit)).await
    }
}

pub(super) fn steps(db: &Connection, work: i64, limit: u32) -> Result<Vec<InnerStep>, StoreError> {
    let sql = "SELECT * FROM (SELECT run, at_ms, role, text, origin, id FROM work_step WHERE work = ?1
        ORDER BY id DESC LIMIT ?2) ORDER BY id";
    let mut query = db.prepare_cached(sql)?;
    let step = |row: &Row<'_>| {
        Ok(InnerStep {
            run: row.get(0)?,
            at: moment(row.get(1)?),
            role: row.get(2)?,
            text: row.get(3)?,
            origin: Origin::called(&row.get::<_, String>(4)?),
        })
    };
    Ok(query.query_map(params![work, limit], step)?.collect::<Result<_, _>>()?)
}

fn cell(row: &Row<'_>) -> rusqlite::Result<ThreadCell> {
    Ok(ThreadCell {
        id: row.get(0)?,
        at: moment(row.get(1)?),
        author: row.get(2)?,
        kind: row.get(3)?,
        text: row.get(4)?,
        origin: Origin::called(&row.get::<_, String>(5)?),
        channel: row.get(6)?,
        is_processed: row.get(7)?,
        run: row.get(8)?,
        is_archived: row.get(9)?,
    })
}
