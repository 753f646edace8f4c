//! Goals, their tasks and the assistant above them: their rows, and the lock under which one of them runs.
//!
//! Runs on the database thread. In: redacted text. Out: rows. What is claimed, consumed and answered is one transaction each
//! and has reached the disk when its future is ready, so that a crash leaves a run that is either over or given back. What
//! the texts mean is their owners' business.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::handle::durably;
use super::{Store, StoreError};
use joi_base::message::Origin;

mod archive;
mod erase;
mod notes;
mod runs;
mod streams;
#[cfg(test)]
mod tests;
mod usage;

pub use archive::{ArchivedSession, NewArchive};
pub(super) use erase::{remove_all, sweep};
pub use notes::{NewWorkNote, WorkNote};
pub use runs::RunRow;
pub use streams::{InnerStep, NewCell, ThreadCell};
pub use usage::{UsageRow, UsageSum};

/// A goal, a task or the assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkRow {
    /// Its number, never used twice.
    pub id: i64,
    /// Its type.
    pub kind: String,
    /// The goal of a task; 0 of anything else.
    pub parent: i64,
    /// What it is called.
    pub name: String,
    /// What it is for, in words for the model.
    pub brief: String,
    /// Its state.
    pub status: String,
    /// Tools of other programs that it may use.
    pub tools: Vec<String>,
    /// Check-ins a day.
    pub checks_per_day: u32,
    /// Whose words name and brief are.
    pub origin: Origin,
    /// When it was opened.
    pub created: Timestamp,
    /// When something last happened in it.
    pub active: Timestamp,
    /// When its state last changed.
    pub status_since: Timestamp,
    /// Something waits for it beside messages: a task that has finished.
    pub is_woken: bool,
    /// Since when it runs.
    pub locked: Option<Timestamp>,
    /// The number of that run.
    pub run: Option<i64>,
    /// Why its last run failed; empty where it did not.
    pub failure: String,
    /// Failures in a row.
    pub attempts: u32,
    /// When it is tried again.
    pub retry: Option<Timestamp>,
    /// Messages of the user that no run has consumed.
    pub unread: u32,
    /// The last message of the present session, whoever wrote it.
    pub last_message: Option<Timestamp>,
    /// Messages of the user in the present session.
    pub session_messages: u32,
}

/// A goal or a task that is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWork {
    /// Its type.
    pub kind: String,
    /// The goal of a task; 0 of anything else.
    pub parent: i64,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub brief: String,
    /// Its first state.
    pub status: String,
    /// Tools of other programs that it may use.
    pub tools: Vec<String>,
    /// Check-ins a day.
    pub checks_per_day: u32,
    /// Whose words name and brief are.
    pub origin: Origin,
}

/// A change of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkChange {
    /// Another state.
    Status(String),
    /// What waits for it is there, or was seen.
    Woken(bool),
    /// Check-ins a day.
    Checks(u32),
    /// Tools of other programs that it may use.
    Tools(Vec<String>),
    /// A failure, and when it is tried again.
    Failed {
        /// Its name.
        failure: String,
        /// Failures in a row.
        attempts: u32,
        /// When it is tried again; nothing: not at all.
        retry: Option<Timestamp>,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// The run.
    pub run: i64,
    /// How, in one word.
    pub ending: String,
    /// Whether what it consumed is given back where it has not answered.
    pub gives_back: bool,
    /// Changes that belong to the end.
    pub changes: Vec<WorkChange>,
}

const COLUMNS: &str =
    "SELECT id, kind, parent, name, brief, status, tools, checks_per_day, origin, created_ms,
    active_ms, status_ms, woken, locked_ms, run, failure, attempts, retry_ms,
    (SELECT count(*) FROM work_cell WHERE work = work.id AND author = 'user' AND processed = 0),
    (SELECT max(at_ms) FROM work_cell WHERE work = work.id AND archive IS NULL),
    (SELECT count(*) FROM work_cell WHERE work = work.id AND archive IS NULL AND author = 'user') FROM work";

impl Store {
    /// Opens a goal, a task or the assistant; returns its number.
    ///
    /// # Errors
    /// The database's.
    pub async fn open_work(&self, new: NewWork, at: Timestamp) -> Result<i64, StoreError> {
        self.run(move |db| durably(db, |db| insert(db, &new, at))).await
    }

    /// Returns all goals, tasks and the assistant, by number.
    ///
    /// # Errors
    /// The database's.
    pub async fn work(&self) -> Result<Vec<WorkRow>, StoreError> {
        self.run(|db| all(db)).await
    }

    /// Changes one of them.
    ///
    /// # Errors
    /// The database's.
    pub async fn change_work(
        &self,
        id: i64,
        changes: Vec<WorkChange>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                changes.iter().try_for_each(|change| apply(&tx, id, change, at))?;
                Ok(tx.commit()?)
            })
        })
        .await
    }

    /// Claims one of them for a run, unless it runs already; returns the number of the run. The user's messages that wait
    /// count as consumed by it.
    ///
    /// # Errors
    /// The database's.
    pub async fn claim_work(&self, id: i64, mode: String, at: Timestamp) -> Result<Option<i64>, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let ms = at.as_millisecond();
                tx.execute(
                    "INSERT INTO work_run (work, mode, began_ms) VALUES (?1, ?2, ?3)",
                    params![id, mode, ms],
                )?;
                let run = tx.last_insert_rowid();
                let claim =
                    "UPDATE work SET locked_ms = ?2, run = ?3, woken = 0 WHERE id = ?1 AND run IS NULL";
                if tx.execute(claim, params![id, ms, run])? == 0 {
                    return Ok(None);
                }
                let consume = "UPDATE work_cell SET processed = 1, run = ?2
                    WHERE work = ?1 AND author = 'user' AND processed = 0";
                tx.execute(consume, [id, run])?;
                tx.commit()?;
                Ok(Some(run))
            })
        })
        .await
    }

    /// Ends a run: the lock is released, and what was consumed without an answer is given back where `end` says so. A run
    /// that is over already changes nothing; returns whether it was not.
    ///
    /// # Errors
    /// The database's.
    pub async fn end_run(&self, end: RunEnd, at: Timestamp) -> Result<bool, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let is_ended = over(&tx, &end, at)?;
                tx.commit()?;
                Ok(is_ended)
            })
        })
        .await
    }

    /// Gives back every run that is not over: no program runs one when this is called. Returns how many there were.
    ///
    /// # Errors
    /// The database's.
    pub async fn give_back_runs(&self, at: Timestamp) -> Result<usize, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let runs: Vec<i64> = {
                    let mut query = tx.prepare("SELECT run FROM work WHERE run IS NOT NULL")?;
                    query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
                };
                for run in &runs {
                    let end =
                        RunEnd { run: *run, ending: "lost".into(), gives_back: true, changes: Vec::new() };
                    over(&tx, &end, at)?;
                }
                tx.commit()?;
                Ok(runs.len())
            })
        })
        .await
    }

    /// Removes a goal or a task with everything that belongs to it, tasks of a goal included.
    ///
    /// # Errors
    /// The database's.
    pub async fn remove_work(&self, id: i64) -> Result<(), StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                tx.execute("DELETE FROM work WHERE id = ?1", [id])?;
                sweep(&tx)?;
                Ok(tx.commit()?)
            })
        })
        .await
    }
}

fn insert(db: &Connection, new: &NewWork, at: Timestamp) -> Result<i64, StoreError> {
    let tools = serde_json::to_string(&new.tools).map_err(|error| StoreError::Record(error.to_string()))?;
    db.execute(
        "INSERT INTO work (kind, parent, name, brief, status, tools, checks_per_day, origin, created_ms, active_ms,
         status_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?9)",
        params![
            new.kind,
            new.parent,
            new.name,
            new.brief,
            new.status,
            tools,
            new.checks_per_day,
            new.origin.name(),
            at.as_millisecond()
        ],
    )?;
    Ok(db.last_insert_rowid())
}

fn all(db: &Connection) -> Result<Vec<WorkRow>, StoreError> {
    let mut query = db.prepare_cached(&format!("{COLUMNS} ORDER BY id"))?;
    Ok(query.query_map([], read)?.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<WorkRow> {
    let tools: String = row.get(6)?;
    Ok(WorkRow {
        id: row.get(0)?,
        kind: row.get(1)?,
        parent: row.get(2)?,
        name: row.get(3)?,
        brief: row.get(4)?,
        status: row.get(5)?,
        // A row that no version of this program has written has none.
        tools: serde_json::from_str(&tools).unwrap_or_default(),
        checks_per_day: row.get(7)?,
        origin: Origin::called(&row.get::<_, String>(8)?),
        created: moment(row.get(9)?),
        active: moment(row.get(10)?),
        status_since: moment(row.get(11)?),
        is_woken: row.get(12)?,
        locked: row.get::<_, Option<i64>>(13)?.map(moment),
        run: row.get(14)?,
        failure: row.get(15)?,
        attempts: row.get(16)?,
        retry: row.get::<_, Option<i64>>(17)?.map(moment),
        unread: row.get(18)?,
        last_message: row.get::<_, Option<i64>>(19)?.map(moment),
        session_messages: row.get(20)?,
    })
}

fn apply(db: &Connection, id: i64, change: &WorkChange, at: Timestamp) -> Result<(), StoreError> {
    let ms = at.as_millisecond();
    match change {
        WorkChange::Status(status) => {
            let sql =
                "UPDATE work SET status_ms = CASE status WHEN ?2 THEN status_ms ELSE ?3 END, status = ?2
                WHERE id = ?1";
            db.execute(sql, params![id, status, ms])?
        }
        WorkChange::Woken(is_woken) => {
            db.execute("UPDATE work SET woken = ?2 WHERE id = ?1", params![id, is_woken])?
        }
        WorkChange::Checks(checks) => {
            db.execute("UPDATE work SET checks_per_day = ?2 WHERE id = ?1", params![id, checks])?
        }
        WorkChange::Tools(tools) => {
            let tools =
                serde_json::to_string(tools).map_err(|error| StoreError::Record(error.to_string()))?;
            db.execute("UPDATE work SET tools = ?2 WHERE id = ?1", params![id, tools])?
        }
        WorkChange::Failed { failure, attempts, retry } => db.execute(
            "UPDATE work SET failure = ?2, attempts = ?3, retry_ms = ?4 WHERE id = ?1",
            params![id, failure, attempts, retry.map(|at| at.as_millisecond())],
        )?,
    };
    Ok(())
}

fn over(db: &Connection, end: &RunEnd, at: Timestamp) -> Result<bool, StoreError> {
    let ms = at.as_millisecond();
    let found: Option<i64> =
        db.query_row("SELECT id FROM work WHERE run = ?1", [end.run], |row| row.get(0)).optional()?;
    let Some(id) = found else { return Ok(false) };
    db.execute(
        "UPDATE work_run SET ended_ms = ?2, ending = ?3 WHERE id = ?1",
        params![end.run, ms, end.ending],
    )?;
    if end.gives_back {
        // An answered message is not answered once more.
        let give_back = "UPDATE work_cell SET processed = 0, run = NULL WHERE run = ?1 AND author = 'user'
            AND NOT EXISTS (SELECT 1 FROM work_cell AS said WHERE said.run = ?1 AND said.author = 'agent'
            AND said.kind = 'text')";
        db.execute(give_back, [end.run])?;
    }
    db.execute("UPDATE work SET locked_ms = NULL, run = NULL, active_ms = ?2 WHERE id = ?1", [id, ms])?;
    end.changes.iter().try_for_each(|change| apply(db, id, change, at))?;
    Ok(true)
}

/// A moment out of the database; one that no program of ours has written is the earliest.
fn moment(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MIN)
}
