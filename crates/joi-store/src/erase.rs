//! Erasing, so that no byte stays in any file of ours: the database, its log, the snapshots, the damaged copies.
//!
//! Runs on the database thread. In: what is to be deleted. Out: how much was. Afterwards the database is rewritten
//! and its log emptied; all snapshots, damaged copies and what an interrupted restore has left are removed, since no row can
//! be taken out of a damaged file with certainty, and a new snapshot is taken. Every erasure is counted in the database, so that another program
//! with this database drops what it holds in memory. It fails where a copy can't be removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::Connection;

use super::handle::durably;
use super::{
    Store, StoreError, backup, beside, erasures, initiative, memory, snapshot, unfinished, word_index, work,
};

/// How long the log's readers are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forget {
    /// All dialogue, that with goals and their tasks included, all turn records and all memories.
    pub dialogue: bool,
    /// All notes and lists.
    pub notes: bool,
    /// All timers, alarms, reminders and watches.
    pub timers: bool,
}

/// How much was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deleted {
    /// Messages of the dialogue.
    pub messages: usize,
    /// Turn records.
    pub turns: usize,
    /// Notes and entries of lists.
    pub notes: usize,
    /// Timers, alarms, reminders and watches.
    pub timers: usize,
    /// Entries of the memory.
    pub memories: usize,
    /// Goals and tasks.
    pub goals: usize,
}

impl Store {
    /// Deletes `what` so that no byte of it stays in any file. Settings stay.
    ///
    /// # Errors
    /// The database's, or a copy that can't be removed: then something of it may be left.
    pub async fn forget(&self, what: Forget) -> Result<Deleted, StoreError> {
        self.erase(move |db| {
            let mut deleted = Deleted::default();
            if what.dialogue {
                deleted = delete_before(db, Timestamp::MAX)?;
                deleted.memories = memory::remove_all(db)?;
                initiative::remove_all(db)?;
                deleted.goals = work::remove_all(db)?;
            }
            if what.dialogue || what.timers {
                db.execute("DELETE FROM announcement", [])?;
            }
            if what.dialogue {
                // An alert that nobody has got yet is no dialogue.
                let alert = "(message LIKE '%\"urgency\":\"critical\"%')";
                db.execute(&format!("DELETE FROM outgoing WHERE NOT {alert}"), [])?;
            }
            if what.notes {
                deleted.notes = db.execute("DELETE FROM note", [])?;
            }
            if what.timers {
                deleted.timers =
                    db.execute("DELETE FROM schedule", [])? + db.execute("DELETE FROM watch", [])?;
            }
            Ok(deleted)
        })
        .await
    }

    /// Deletes a goal or a task with all that belongs to it, so that no byte of it stays in any file.
    ///
    /// # Errors
    /// As for [`Store::forget`].
    pub async fn erase_work(&self, id: i64) -> Result<(), StoreError> {
        self.erase(move |db| {
            db.execute("DELETE FROM work WHERE id = ?1", [id])?;
            work::sweep(db)
        })
        .await
    }

    /// Deletes dialogue and turn records from before `cutoff` (see [`super::StoreConfig::cutoff`]), in the snapshots
    /// too.
    ///
    /// # Errors
    /// The database's, or a snapshot that can be neither purged nor removed.
    pub async fn purge_older_than(&self, cutoff: Timestamp) -> Result<Deleted, StoreError> {
        let deleted = self.run(move |db| delete_before(db, cutoff)).await?;
        self.purge_snapshots(move |db| {
            let deleted = delete_before(db, cutoff)?;
            Ok(deleted.messages + deleted.turns)
        })
        .await?;
        Ok(deleted)
    }

    /// Does the same to the snapshots as was done to the database; `purge` returns how many rows it removed.
    pub(super) async fn purge_snapshots(
        &self,
        purge: impl Fn(&mut Connection) -> Result<usize, StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        let Some(path) = self.file.clone() else { return Ok(()) };
        let purging = tokio::task::spawn_blocking(move || snapshot::purge(&path, purge));
        purging.await.map_err(|_| StoreError::Slow)?
    }

    /// Runs `work`, which deletes rows, and removes every trace of them.
    pub(super) async fn erase<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = self.file.clone();
        let erased = self.run(move |db| {
            let done = durably(db, |db| {
                let done = work(db)?;
                erasures::note(db)?;
                Ok(done)
            })?;
            // What one of these can't do must not keep the others from it.
            let rewritten = db.execute_batch("VACUUM");
            let emptied = empty_log(db);
            let renewed = file.map_or(Ok(()), |file| renew_copies(&file));
            rewritten?;
            emptied.and(renewed).map(|()| done)
        });
        let erased = erased.await;
        self.changes.note();
        erased
    }

    /// How often something was erased from this database, by this or any other program.
    ///
    /// # Errors
    /// The database's.
    pub async fn times_forgotten(&self) -> Result<u64, StoreError> {
        let times = self.run(|db| erasures::times(db)).await?;
        self.changes.saw_erasures(times);
        Ok(times)
    }
}

/// Empties the write-ahead log, in which deleted rows still are.
fn empty_log(db: &Connection) -> Result<(), StoreError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let is_busy: bool = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if !is_busy {
            return Ok(());
        }
        // Another program reads; SQLite has waited for it once already.
        if Instant::now() > deadline {
            return Err(StoreError::LogInUse);
        }
    }
}

/// Removes all copies of the database, and takes a new snapshot.
fn renew_copies(database: &Path) -> Result<(), StoreError> {
    let abandoned = unfinished::remove_abandoned(unfinished::folder_of(database), &[]);
    snapshot::remove_all(database)?;
    for copy in damaged_copies(database).into_iter().chain(backup::replaced(database)) {
        tracing::info!(copy = %copy.display(), "a damaged or replaced copy of the database is removed: it may hold what was erased");
        beside::remove(&copy)?;
    }
    if let Err(error) = snapshot::take(database, Timestamp::now()) {
        tracing::warn!(%error, "no snapshot was taken after the erasure");
    }
    abandoned
}

/// Damaged files that are kept beside the database, with their side files.
fn damaged_copies(database: &Path) -> Vec<PathBuf> {
    let Some(folder) = database.parent() else { return Vec::new() };
    let name = database.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_copy = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.strip_prefix(&name).is_some_and(|end| end.starts_with(".damaged-") || end.starts_with(".rescue"))
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_copy).collect()
}

fn delete_before(db: &mut Connection, cutoff: Timestamp) -> Result<Deleted, StoreError> {
    let at = cutoff.as_millisecond();
    let tx = db.transaction()?;
    let rows = word_index::count(&tx, "message", "at_ms < ?1", [at])?;
    let messages =
        word_index::deleting(&tx, rows, |tx| Ok(tx.execute("DELETE FROM message WHERE at_ms < ?1", [at])?))?;
    let turns = tx.execute("DELETE FROM turn WHERE at_ms < ?1", [at])?;
    // The tool history does not outlive its conversation.
    let over = "DELETE FROM conversation WHERE NOT EXISTS (SELECT 1 FROM message
        WHERE message.channel = conversation.channel AND message.place = conversation.place)";
    tx.execute(over, [])?;
    tx.commit()?;
    Ok(Deleted { messages, turns, ..Deleted::default() })
}
