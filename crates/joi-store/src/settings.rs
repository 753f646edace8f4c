//! Settings that the program remembers by itself: the volume, the measured whisper model.
//!
//! Runs on the database thread. Never what the user configures: that is in the configuration file.

use rusqlite::{Connection, OptionalExtension, params};

use super::StoreError;

/// Key of the latest time of the clock.
pub(super) const LATEST: &str = "schedule.latest_ms";

/// Key of how the last run of the program ended.
pub const LAST_RUN: &str = "last run";

/// Key of what the agents keep over a restart.
pub const AGENTS: &str = "agents";

/// Keys that change by themselves while nobody does or says anything, and of which an older value does no harm.
pub(super) const BOOKKEEPING: [&str; 3] = [LATEST, LAST_RUN, AGENTS];

pub(super) fn get(db: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    Ok(db.query_row("SELECT value FROM setting WHERE key = ?1", [key], |row| row.get(0)).optional()?)
}

pub(super) fn set(db: &Connection, key: &str, value: &str) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO setting (key, value) VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        params![key, value],
    )?;
    Ok(())
}
