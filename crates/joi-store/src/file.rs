//! Opens the database file: folder, access rights, schema, integrity check; has a damaged one replaced.
//!
//! Runs on the thread that calls `Store::open`, at start only, except for the check of a large file, which
//! runs later on a thread of its own: the start takes no longer the larger the file is. It refuses files of a
//! newer schema and never deletes anything.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::{M, MigrationDefinitionError, Migrations};

use super::connection::BUSY;
use super::in_use::InUse;
use super::{StoreError, repair, rights, unfinished};

/// A file of at most this many bytes is checked as a whole before it is used, in some 10 ms on a PC. Of a
/// larger one only the tables of timers, lists and settings are checked at the start.
pub(super) const SMALL: u64 = 4 << 20;

/// Tables that are checked at the start, whatever the size of the rest.
const VITAL: [&str; 3] = ["schedule", "note", "setting"];

/// Schema versions in order; a released one never changes.
const STEPS: &[M<'_>] = &[
    M::up(
        "CREATE TABLE message (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        channel TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
        text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX message_by_time ON message (at_ms);
    CREATE TABLE turn (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX turn_by_time ON turn (at_ms);
    CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;",
    ),
    M::up(
        "CREATE TABLE note (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        list TEXT NOT NULL,
        text TEXT NOT NULL,
        at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX note_by_list ON note (list);",
    ),
    M::up("CREATE TABLE schedule (id INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL) STRICT;"),
    M::up(include_str!("memory/schema.sql")),
    M::up(include_str!("conversation.sql")),
    M::up(
        "CREATE TABLE announcement (id INTEGER PRIMARY KEY AUTOINCREMENT, announcement TEXT NOT NULL) STRICT;",
    ),
    M::up(include_str!("note_origin.sql")),
    M::up("ALTER TABLE message ADD COLUMN wording TEXT NOT NULL DEFAULT 'model';"),
    M::up(
        "CREATE TABLE outgoing (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        message TEXT NOT NULL,
        at_ms INTEGER NOT NULL
    ) STRICT;",
    ),
    M::up(include_str!("initiative.sql")),
    M::up(include_str!("impulse.sql")),
    M::up(
        "CREATE TABLE IF NOT EXISTS watch (id INTEGER PRIMARY KEY AUTOINCREMENT, watch TEXT NOT NULL) STRICT;",
    ),
    M::up(include_str!("work/schema.sql")),
];

/// A database ready for use.
pub(super) struct OpenedDatabase {
    pub(super) db: Connection,
    /// How much of it was checked.
    pub(super) checked: CheckExtent,
    /// Where the damaged file was moved to.
    pub(super) set_aside: Option<PathBuf>,
    /// The lock that shows other programs that the file is used.
    pub(super) in_use: InUse,
}

/// How much of a file was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckExtent {
    Whole,
    /// Only [`VITAL`]; [`check`] does the rest.
    Vital,
}

/// Opens `path`. A damaged file is renamed, and a new one is filled with what can be read of it.
pub(super) fn open(path: &Path) -> Result<OpenedDatabase, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        rights::make_folder(folder)?;
    }
    let in_use = InUse::share(path)?;
    repair::finish_interrupted(path, &in_use)?;
    if let Err(error) = unfinished::remove_abandoned(unfinished::folder_of(path), &[]) {
        tracing::warn!(%error, "what an interrupted backup or restore has left stays");
    }
    rights::keep_private(path);
    match prepare(path) {
        Ok((db, checked)) => Ok(OpenedDatabase { db, checked, set_aside: None, in_use }),
        Err(Trouble::Damaged(why)) => {
            let (db, moved) = repair::replace(path, &why, &in_use)?;
            Ok(OpenedDatabase { db, checked: CheckExtent::Whole, set_aside: moved, in_use })
        }
        Err(Trouble::Other(error)) => Err(error),
    }
}

/// The result of the integrity check, while others may use the file; nothing when it is sound or can't be
/// read. Blocks: a second for some 100 MB.
pub(super) fn check(path: &Path) -> Option<rusqlite::Error> {
    let look = || -> Result<(), Trouble> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|e| trouble(path, e))?;
        db.busy_timeout(BUSY).map_err(|e| trouble(path, e))?;
        is_sound(&db, path, None)
    };
    match look() {
        Ok(()) | Err(Trouble::Other(_)) => None,
        Err(Trouble::Damaged(why)) => Some(why),
    }
}

/// Replaces the damaged file of an open database; returns the new path of the damaged one. Where that fails, the
/// damaged file stays where it is, and nothing is stored until the next start.
pub(super) fn replace(
    db: &mut Connection,
    path: &Path,
    why: &rusqlite::Error,
    in_use: &InUse,
) -> Result<Option<PathBuf>, StoreError> {
    // From here on, nothing may be written to the old one.
    drop(std::mem::replace(db, in_memory()?));
    let (fresh, moved) = repair::replace(path, why, in_use)?;
    *db = fresh;
    Ok(moved)
}

/// Opens a file that is known to be sound, and brings its schema up to date.
pub(super) fn open_sound(path: &Path) -> Result<Connection, StoreError> {
    match prepare(path) {
        Ok((db, _)) => Ok(db),
        Err(Trouble::Damaged(source)) => Err(StoreError::Open { path: path.into(), source }),
        Err(Trouble::Other(error)) => Err(error),
    }
}

/// The newest schema there is.
pub(super) fn newest_schema() -> usize {
    STEPS.len()
}

/// An empty database of an older schema, without a file.
pub(super) fn in_memory_of(schema: usize) -> Result<Connection, StoreError> {
    let mut db = Connection::open_in_memory()?;
    let steps = Migrations::from_slice(STEPS);
    steps.to_version(&mut db, schema).map_err(|error| StoreError::Record(error.to_string()))?;
    Ok(db)
}

/// Brings a database of an older schema up to date.
#[cfg(test)]
pub(super) fn brought_up(db: &mut Connection) -> Result<(), StoreError> {
    let steps = Migrations::from_slice(STEPS);
    steps.to_latest(db).map_err(|error| StoreError::Record(error.to_string()))
}

/// A database without a file.
pub(super) fn in_memory() -> Result<Connection, StoreError> {
    let mut db = Connection::open_in_memory()?;
    migrate(&mut db, Path::new(":memory:")).map_err(|trouble| match trouble {
        Trouble::Damaged(source) => StoreError::Sql(source),
        Trouble::Other(error) => error,
    })?;
    Ok(db)
}

enum Trouble {
    /// The file is not a valid database.
    Damaged(rusqlite::Error),
    Other(StoreError),
}

fn trouble(path: &Path, source: rusqlite::Error) -> Trouble {
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Trouble::Damaged(source),
        Some(ErrorCode::DiskFull) => Trouble::Other(StoreError::Full),
        _ => Trouble::Other(StoreError::Open { path: path.into(), source }),
    }
}

fn prepare(path: &Path) -> Result<(Connection, CheckExtent), Trouble> {
    rights::make_file(path).map_err(Trouble::Other)?;
    let mut db = Connection::open(path).map_err(|e| trouble(path, e))?;
    configure(&db).map_err(|e| trouble(path, e))?;
    let bytes = fs::metadata(path).map_or(0, |file| file.len());
    let checked = if bytes <= SMALL { CheckExtent::Whole } else { CheckExtent::Vital };
    match checked {
        CheckExtent::Whole => is_sound(&db, path, None)?,
        CheckExtent::Vital => VITAL.into_iter().try_for_each(|table| is_sound(&db, path, Some(table)))?,
    }
    migrate(&mut db, path)?;
    Ok((db, checked))
}

/// Whether a table, or everything, can be read and is consistent.
fn is_sound(db: &Connection, path: &Path, table: Option<&str>) -> Result<(), Trouble> {
    let check = format!("PRAGMA quick_check({})", table.unwrap_or("1"));
    let verdict: String = db.query_row(&check, [], |row| row.get(0)).map_err(|e| trouble(path, e))?;
    if verdict == "ok" {
        return Ok(());
    }
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    Err(Trouble::Damaged(rusqlite::Error::SqliteFailure(code, Some(verdict))))
}

fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY)?;
    // Deleted content is overwritten: "forget" must not leave words in free pages.
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;")
}

fn migrate(db: &mut Connection, path: &Path) -> Result<(), Trouble> {
    use rusqlite_migration::Error;
    Migrations::from_slice(STEPS).to_latest(db).map_err(|error| match error {
        Error::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead) => {
            Trouble::Other(StoreError::Newer { path: path.into() })
        }
        Error::RusqliteError { err, .. } => trouble(path, err),
        other => Trouble::Other(StoreError::Record(other.to_string())),
    })
}
