//! Timers, alarms and reminders, each as one JSON text.
//!
//! Runs on the database thread. One change is one transaction that is flushed to the disk before it is
//! answered: a confirmed timer must survive a power cut. The content of the texts is defined by the schedule.

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};

use super::StoreError;
use super::settings::{self, LATEST};

/// One stored entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleRow {
    /// Its number, never used twice.
    pub id: i64,
    /// The entry as JSON.
    pub entry: String,
}

/// The schedule as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleTable {
    /// All entries, by number.
    pub rows: Vec<ScheduleRow>,
    /// The number of the next new entry.
    pub next_id: i64,
    /// The latest time that was ever stored here.
    pub latest: Option<Timestamp>,
}

/// One change of the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleChange {
    /// Inserts or replaces the entry with this number.
    Put(i64, String),
    /// Deletes the entry with this number.
    Remove(i64),
}

/// The result of a schedule transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleWrite<T> {
    /// The changes, in order.
    pub changes: Vec<ScheduleChange>,
    /// The present time, to be stored as the latest.
    pub latest: Option<Timestamp>,
    /// Returned to the caller once everything is durable.
    pub answer: T,
}

pub(super) fn change<T>(
    db: &mut Connection,
    work: impl FnOnce(ScheduleTable) -> Result<ScheduleWrite<T>, StoreError>,
) -> Result<T, StoreError> {
    // Can't be changed inside a transaction. In WAL mode NORMAL flushes at checkpoints only.
    db.execute_batch("PRAGMA synchronous = FULL")?;
    let done = within(db, work);
    let restored = db.execute_batch("PRAGMA synchronous = NORMAL");
    let answer = done?;
    restored?;
    Ok(answer)
}

fn within<T>(
    db: &mut Connection,
    work: impl FnOnce(ScheduleTable) -> Result<ScheduleWrite<T>, StoreError>,
) -> Result<T, StoreError> {
    // Immediate: no other program may change what was just read.
    let begin = |behavior| Transaction::new_unchecked(db, behavior);
    let tx = match begin(TransactionBehavior::Immediate) {
        // Stored entries can still be read.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
            begin(TransactionBehavior::Deferred)?
        }
        begun => begun?,
    };
    let write = work(read(&tx)?)?;
    for change in &write.changes {
        match change {
            ScheduleChange::Put(id, entry) => {
                tx.execute(
                    "INSERT INTO schedule (id, entry) VALUES (?1, ?2)
                     ON CONFLICT (id) DO UPDATE SET entry = excluded.entry",
                    params![id, entry],
                )?;
            }
            ScheduleChange::Remove(id) => {
                tx.execute("DELETE FROM schedule WHERE id = ?1", [id])?;
            }
        }
    }
    if let Some(latest) = write.latest {
        settings::set(&tx, LATEST, &latest.as_millisecond().to_string())?;
    }
    if write.changes.is_empty() && write.latest.is_none() {
        tx.rollback()?
    } else {
        tx.commit()?
    }
    Ok(write.answer)
}

fn read(db: &Connection) -> Result<ScheduleTable, StoreError> {
    let mut query = db.prepare_cached("SELECT id, entry FROM schedule ORDER BY id")?;
    let rows = query.query_map([], |row| Ok(ScheduleRow { id: row.get(0)?, entry: row.get(1)? }))?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let used: Option<i64> = db
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'schedule'", [], |row| row.get(0))
        .optional()?;
    let latest = settings::get(db, LATEST)?
        .and_then(|ms| ms.parse().ok())
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    Ok(ScheduleTable { rows, next_id: used.unwrap_or(0) + 1, latest })
}
