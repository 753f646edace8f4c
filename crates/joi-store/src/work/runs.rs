//! The runs of agents: when each began, why, and how it ended.
//!
//! Runs on the database thread.

use jiff::Timestamp;
use rusqlite::Row;

use super::super::{Store, StoreError};
use super::moment;

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Whose.
    pub work: i64,
    /// The mode.
    pub mode: String,
    /// When it began.
    pub began: Timestamp,
    /// How it ended; empty while it runs.
    pub ending: String,
}

impl Store {
    /// Returns the runs that began since `since`, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn runs_since(&self, since: Timestamp) -> Result<Vec<RunRow>, StoreError> {
        self.run(move |db| {
            let sql = "SELECT work, mode, began_ms, ending FROM work_run WHERE began_ms >= ?1 ORDER BY id";
            let mut query = db.prepare_cached(sql)?;
            let row = |row: &Row<'_>| {
                Ok(RunRow {
                    work: row.get(0)?,
                    mode: row.get(1)?,
                    began: moment(row.get(2)?),
                    ending: row.get(3)?,
                })
            };
            Ok(query.query_map([since.as_millisecond()], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }
}
