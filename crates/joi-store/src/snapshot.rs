//! Daily copies of the database, from which a damaged one is filled.
//!
//! Runs on the thread of its caller, beside the database thread. In: the path of the database. Out: a file a day beside
//! it, `joi.db.snapshot-2026-11-22`, seven at most and none that is older than seven days, written under another name and
//! renamed when it is whole. Where nothing that counts has changed since the newest one, that gets the name of the day and
//! nothing is written. A snapshot holds nothing that retention or `forget` has removed: whatever purges the database purges these, and an
//! erasure removes all of them and takes a new one. None is taken where the disk has no room for it.

mod weight;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan as _};
use rusqlite::{Connection, OpenFlags};

use super::beside::{failed, remove, with_end};
use super::connection::read_only;
use super::{Store, StoreError, erasures, rights};
use joi_base::machine::DiskRoom;

/// Snapshots that are kept, and their days.
const KEPT: usize = 7;
/// Free space that must be left, in sizes of the database.
const ROOM: u64 = 3;
/// Stands behind the name of the database, in front of the day.
const NAMED: &str = ".snapshot-";
/// The end of the name of one that is being written, and of what SQLite may have left of it.
const UNFINISHED: &str = ".part";

impl Store {
    /// Takes the snapshot of the day, unless there is one; returns its path when it was taken. Nothing without a
    /// file, and where the disk has too little room.
    ///
    /// # Errors
    /// The database can't be read, or the folder can't be written.
    pub async fn snapshot(&self, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        let Some(path) = self.file.clone() else { return Ok(None) };
        let taking = tokio::task::spawn_blocking(move || take(&path, now));
        taking.await.map_err(|_| StoreError::Slow)?
    }
}

/// The snapshots of the database at `database`, newest first.
pub fn newest_first(database: &Path) -> Vec<PathBuf> {
    let is_day = |path: &PathBuf| day(path).bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let mut found: Vec<PathBuf> = all(database).into_iter().filter(is_day).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

/// The day of a snapshot: `2026-11-22`.
pub fn day(snapshot: &Path) -> String {
    let name = snapshot.file_name().unwrap_or_default().to_string_lossy();
    name.split_once(NAMED).map_or_else(|| name.to_string(), |(_, day)| day.to_owned())
}

/// The snapshots and what may be left of unfinished ones.
pub(super) fn all(database: &Path) -> Vec<PathBuf> {
    let Some(folder) = database.parent() else { return Vec::new() };
    let start = format!("{}{NAMED}", database.file_name().unwrap_or_default().to_string_lossy());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&start))
        .map(|entry| entry.path())
        .collect()
}

/// Takes the snapshot of the day, unless there is one; its path where there was none. The newest one becomes it where
/// nothing that counts has changed.
pub(super) fn take(database: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let whole = with_end(database, &format!("{NAMED}{}", day_of(now)));
    if whole.exists() {
        return Ok(None);
    }
    let newest = newest_first(database).into_iter().next();
    let made = match newest.filter(|newest| says_the_same(database, newest)) {
        Some(newest) => {
            let erased_before = erasures::times(&read_only(&newest)?)?;
            put(database, (&newest, &whole), erased_before)?
        }
        None if has_room(database) => write(database, &whole)?,
        None => return Ok(None),
    };
    let oldest = day_of(now.checked_sub((24 * (KEPT as i64 - 1)).hours()).unwrap_or(Timestamp::MIN));
    for (place, old) in newest_first(database).into_iter().enumerate() {
        if place >= KEPT || day(&old) < oldest {
            remove(&old)?;
        }
    }
    Ok(made)
}

fn day_of(now: Timestamp) -> String {
    now.strftime("%Y-%m-%d").to_string()
}

/// Whether nothing that counts has changed since `snapshot`. What can't be read is not relied on.
fn says_the_same(database: &Path, snapshot: &Path) -> bool {
    let differs = read_only(database).and_then(|db| weight::differs(&db, &read_only(snapshot)?));
    differs.is_ok_and(|differs| !differs)
}

/// Writes the snapshot `whole` under another name first.
fn write(database: &Path, whole: &Path) -> Result<Option<PathBuf>, StoreError> {
    let part = with_end(whole, UNFINISHED);
    remove(&part)?;
    rights::make_file(&part)?;
    let copied = copy(database, &part);
    let made = copied.and_then(|erased_before| put(database, (&part, whole), erased_before));
    if made.is_err() {
        // The first failure is the one to report.
        let _ = remove(&part);
    }
    made
}

/// Gives a copy its name, unless something was erased since then.
fn put(
    database: &Path,
    (from, whole): (&Path, &Path),
    erased_before: u64,
) -> Result<Option<PathBuf>, StoreError> {
    match fs::rename(from, whole) {
        // Whoever erased something has removed it.
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        renamed => renamed.map_err(|source| failed(whole, source))?,
    }
    // Data erased meanwhile may be in it, and the erasure has not seen this file.
    if erasures::times(&read_only(database)?)? != erased_before {
        remove(whole)?;
        return Ok(None);
    }
    Ok(Some(whole.to_owned()))
}

/// Writes a copy; returns how often something had been erased when it was begun.
pub(super) fn copy(database: &Path, to: &Path) -> Result<u64, StoreError> {
    let db = read_only(database)?;
    let before = erasures::times(&db)?;
    db.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(before)
}

fn has_room(database: &Path) -> bool {
    let size = fs::metadata(database).map_or(0, |about| about.len());
    DiskRoom::of(database).map_or(true, |room| room.free >= size.saturating_mul(ROOM))
}

/// Does the same to every snapshot as was done to the database. One to which it can't be done is removed.
pub(super) fn purge(
    database: &Path,
    purge: impl Fn(&mut Connection) -> Result<usize, StoreError>,
) -> Result<(), StoreError> {
    for snapshot in newest_first(database) {
        if let Err(error) = purge_one(&snapshot, &purge) {
            tracing::warn!(%error, "a snapshot of the database can't be purged and is removed");
            remove(&snapshot)?;
        }
    }
    Ok(())
}

fn purge_one(
    snapshot: &Path,
    purge: impl Fn(&mut Connection) -> Result<usize, StoreError>,
) -> Result<(), StoreError> {
    // Somebody else may have removed it: none is made.
    let mut db = Connection::open_with_flags(snapshot, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON")?;
    if purge(&mut db)? > 0 {
        db.execute_batch("VACUUM")?;
    }
    Ok(())
}

/// Removes all snapshots, the unfinished one included.
pub(super) fn remove_all(database: &Path) -> Result<(), StoreError> {
    all(database).iter().try_for_each(|path| remove(path))
}

#[cfg(test)]
mod tests;
