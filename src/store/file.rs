//! Opens the database file: folder, access rights, schema, integrity check; renames a damaged one.
//!
//! Runs on the thread that calls `Store::open`, at start only, except for the check of a large file, which
//! runs later on a thread of its own: the start takes no longer the larger the file is. It refuses files of a
//! newer schema and never deletes anything.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::{M, MigrationDefinitionError, Migrations};

use super::StoreError;

/// How long a job waits for another program's write.
const BUSY: Duration = Duration::from_secs(5);

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
];

/// A database ready for use.
pub(super) struct OpenedDatabase {
    pub(super) db: Connection,
    /// How much of it was checked.
    pub(super) checked: CheckExtent,
    /// Where the damaged file was moved to.
    pub(super) set_aside: Option<PathBuf>,
}

/// How much of a file was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckExtent {
    Whole,
    /// Only [`VITAL`]; [`check`] does the rest.
    Vital,
}

/// Opens `path`, or renames it and creates a new one if it is damaged.
pub(super) fn open(path: &Path) -> Result<OpenedDatabase, StoreError> {
    make_folder(path)?;
    match prepare(path) {
        Ok((db, checked)) => Ok(OpenedDatabase { db, checked, set_aside: None }),
        Err(Trouble::Damaged(why)) => {
            let (db, moved) = begin_anew(path, &why)?;
            Ok(OpenedDatabase { db, checked: CheckExtent::Whole, set_aside: Some(moved) })
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

/// Renames the file of an open database and creates a new one in its place; returns the new path of the old
/// one.
pub(super) fn replace(
    db: &mut Connection,
    path: &Path,
    why: &rusqlite::Error,
) -> Result<PathBuf, StoreError> {
    // From here on, nothing may be written to the old one.
    drop(std::mem::replace(db, in_memory()?));
    let (fresh, moved) = begin_anew(path, why)?;
    *db = fresh;
    Ok(moved)
}

fn begin_anew(path: &Path, why: &rusqlite::Error) -> Result<(Connection, PathBuf), StoreError> {
    let moved = set_aside(path)?;
    tracing::warn!(
        damaged = %moved.display(),
        %why,
        "the database was damaged: it is kept under another name and a new one is begun"
    );
    match prepare(path) {
        Ok((db, _)) => Ok((db, moved)),
        Err(Trouble::Damaged(source)) => Err(StoreError::Open { path: path.into(), source }),
        Err(Trouble::Other(error)) => Err(error),
    }
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

fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) else { return Ok(()) };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| StoreError::Folder { path: folder.into(), source })
}

fn prepare(path: &Path) -> Result<(Connection, CheckExtent), Trouble> {
    keep_private(path).map_err(Trouble::Other)?;
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

/// Creates the file for its owner only; SQLite gives its side files the same rights.
fn keep_private(path: &Path) -> Result<(), StoreError> {
    match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(StoreError::Private { path: path.into(), source }),
    }
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

/// Renames the file and its side files; returns the new name of the file.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%S%.3f").to_string();
    let renamed = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{stamp}{suffix}"));
        PathBuf::from(name)
    };
    let moved = renamed("");
    fs::rename(path, &moved).map_err(|source| StoreError::SetAside { path: path.into(), source })?;
    for suffix in ["-wal", "-shm"] {
        let mut side = path.as_os_str().to_owned();
        side.push(suffix);
        // Mostly absent; a left-over journal would be replayed into the new file.
        match fs::rename(&side, renamed(suffix)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::SetAside { path: side.into(), source });
            }
            _ => {}
        }
    }
    Ok(moved)
}
