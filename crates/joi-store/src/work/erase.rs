//! Removes goals, tasks and what belongs to them.
//!
//! Runs on the database thread, within a transaction. The numbers of model calls stay: they hold no words.

use rusqlite::Connection;

use super::super::StoreError;

/// Tables whose rows belong to a row of `work`.
const PARTS: [&str; 5] = ["work_cell", "work_step", "work_note", "work_archive", "work_run"];

/// Removes whatever belongs to a goal, a task or an assistant that is gone.
pub(in super::super) fn sweep(db: &Connection) -> Result<(), StoreError> {
    db.execute("DELETE FROM work WHERE parent <> 0 AND parent NOT IN (SELECT id FROM work)", [])?;
    for part in PARTS {
        db.execute(&format!("DELETE FROM {part} WHERE work NOT IN (SELECT id FROM work)"), [])?;
    }
    Ok(())
}

/// Removes all of them; returns how many goals and tasks there were.
pub(in super::super) fn remove_all(db: &Connection) -> Result<usize, StoreError> {
    let gone = db.execute("DELETE FROM work", [])?;
    sweep(db)?;
    Ok(gone)
}
