//! A copy of the database for a backup, and a database out of a backup in the place of the present one.
//!
//! Runs on the thread of its caller, beside the database thread. Copying works while other programs write. A database
//! out of a backup may come from anywhere: one whose tables, indexes and triggers are not exactly those of its schema
//! version is refused, and so is a newer one. Nothing that was there is deleted.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::beside::{RESCUE, SIDES, rename, rename_if_there, with_end};
use super::connection::read_only;
use super::in_use::InUse;
use super::{StoreError, erasures, file, rights, snapshot};

/// The start of the name of a folder beside the database that keeps what a restored backup has replaced.
pub const KEPT_BEFORE: &str = "before-restore-";

/// A copy, and the state of the database when it was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedDatabase {
    /// The version of its schema.
    pub schema: usize,
    erasures: u64,
}

impl CopiedDatabase {
    /// Whether something was erased from `database` since: then it is still in the copy.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn is_outdated(&self, database: &Path) -> Result<bool, StoreError> {
        Ok(erasures::times(&read_only(database)?)? != self.erasures)
    }
}

/// The newest schema that this program knows.
pub fn newest_schema() -> usize {
    file::newest_schema()
}

/// Writes a consistent copy of `database` to the new file `to`.
///
/// # Errors
/// The database can't be read, the copy can't be written.
pub fn copy(database: &Path, to: &Path) -> Result<CopiedDatabase, StoreError> {
    rights::make_file(to)?;
    let erasures = snapshot::copy(database, to)?;
    Ok(CopiedDatabase { schema: schema_of(&read_only(to)?)?, erasures })
}

/// Checks the database at `path`, which came out of a backup, and brings it up to date. Messages that waited to be sent
/// are not kept: they were sent since, or are too old. Returns the schema it had.
///
/// # Errors
/// It is none of ours, is damaged, or of a newer schema.
pub fn adopt(path: &Path) -> Result<usize, StoreError> {
    let foreign = |why: String| StoreError::Foreign { why };
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")?;
    let schema = schema_of(&db).map_err(|error| foreign(error.to_string()))?;
    if schema > newest_schema() {
        return Err(StoreError::Newer { path: path.into() });
    }
    if objects(&db)? != objects(&file::in_memory_of(schema)?)? {
        return Err(foreign(format!("its tables are not those of schema {schema}")));
    }
    let verdict: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(foreign(format!("it is damaged: {verdict}")));
    }
    db.close().map_err(|(_, error)| error)?;
    let db = file::open_sound(path)?;
    db.execute_batch("DELETE FROM outgoing; PRAGMA wal_checkpoint(TRUNCATE)")?;
    db.close().map_err(|(_, error)| error)?;
    Ok(schema)
}

/// Runs `work` while nobody else has `database` open, and nobody can open it; nothing when somebody has.
///
/// # Errors
/// The folder can't be written.
pub fn while_alone<T>(database: &Path, work: impl FnOnce() -> T) -> Result<Option<T>, StoreError> {
    Ok(InUse::share(database)?.alone(work))
}

/// Puts the database `fresh` in the place of `database`, which goes into the folder `kept` with its log and its
/// snapshots. An interruption at any point leaves either the old or the new one in place at the next start. Only to be
/// called [alone](while_alone); `fresh` and `kept` have to be in the folder of the database.
///
/// # Errors
/// A file can't be renamed.
pub fn exchange(database: &Path, fresh: &Path, kept: &Path) -> Result<(), StoreError> {
    // Under this name the next start puts it in place, or drops it where the old one still is.
    let rescue = with_end(database, RESCUE);
    rename(fresh, &rescue)?;
    let place = |path: &Path| kept.join(path.file_name().unwrap_or_default());
    rename_if_there(database, &place(database))?;
    for end in SIDES {
        let side = with_end(database, end);
        rename_if_there(&side, &place(&side))?;
    }
    rename(&rescue, database)?;
    for copy in snapshot::all(database) {
        rename(&copy, &place(&copy))?;
    }
    sync_folder(database)
}

fn sync_folder(database: &Path) -> Result<(), StoreError> {
    let Some(folder) = database.parent() else { return Ok(()) };
    let synced = File::open(folder).and_then(|open| open.sync_all());
    synced.map_err(|source| StoreError::Copy { path: folder.into(), source })
}

/// Databases that restored backups have replaced, with their logs and snapshots.
pub(super) fn replaced(database: &Path) -> Vec<PathBuf> {
    let Some(folder) = database.parent() else { return Vec::new() };
    let name = database.file_name().unwrap_or_default();
    let inside = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let kept = inside(folder)
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(KEPT_BEFORE)));
    let is_ours = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default();
        file.as_encoded_bytes().starts_with(name.as_encoded_bytes())
    };
    kept.flat_map(|path| inside(&path).filter(is_ours).collect::<Vec<_>>()).collect()
}

fn schema_of(db: &Connection) -> Result<usize, StoreError> {
    let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    usize::try_from(version).map_err(|_| StoreError::Foreign { why: format!("its schema is {version}") })
}

/// Everything that a schema consists of: kind, name, table and text.
fn objects(db: &Connection) -> Result<Vec<[Option<String>; 4]>, StoreError> {
    let mut all = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")?;
    let rows = all.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    async fn filled(path: &Path) -> Store {
        let store = Store::open(path).unwrap();
        store.set_setting("test.word", "rhubarb".to_owned()).await.unwrap();
        store
    }

    #[tokio::test]
    async fn a_copy_is_made_beside_a_writer_and_knows_when_something_was_erased() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("joi.db"), folder.path().join("copy.db"));
        let store = filled(&path).await;
        let copied = copy(&path, &to).unwrap();
        assert_eq!(copied.schema, newest_schema());
        assert!(!copied.is_outdated(&path).unwrap());
        store.forget(crate::Forget { notes: true, ..Default::default() }).await.unwrap();
        assert!(copied.is_outdated(&path).unwrap());
        assert_eq!(adopt(&to).unwrap(), newest_schema());
        let restored = Store::open(&to).unwrap();
        assert_eq!(restored.setting("test.word").await.unwrap().as_deref(), Some("rhubarb"));
    }

    #[tokio::test]
    async fn a_database_with_anything_of_its_own_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        filled(&path).await.close().await.unwrap();
        for (name, added) in [
            ("trigger", "CREATE TRIGGER spy AFTER INSERT ON note BEGIN DELETE FROM note; END"),
            ("view", "CREATE VIEW extra AS SELECT 1"),
            ("table", "CREATE TABLE extra (x)"),
            ("column", "ALTER TABLE note ADD COLUMN extra TEXT"),
            ("missing", "DROP INDEX note_by_list"),
            ("older", "PRAGMA user_version = 3"),
        ] {
            let to = folder.path().join(name);
            copy(&path, &to).unwrap();
            Connection::open(&to).unwrap().execute_batch(added).unwrap();
            let error = adopt(&to).unwrap_err();
            assert!(matches!(error, StoreError::Foreign { .. }), "{name}: {error}");
        }
        let newer = folder.path().join("newer");
        copy(&path, &newer).unwrap();
        Connection::open(&newer).unwrap().execute_batch("PRAGMA user_version = 4000").unwrap();
        assert!(matches!(adopt(&newer), Err(StoreError::Newer { .. })));
        let none = folder.path().join("none");
        fs::write(&none, b"no database at all ".repeat(99)).unwrap();
        assert!(adopt(&none).is_err());
    }

    #[test]
    fn every_older_schema_is_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        for schema in 0..=newest_schema() {
            let path = folder.path().join(format!("{schema}.db"));
            let old = file::in_memory_of(schema).unwrap();
            old.execute("VACUUM INTO ?1", [path.to_string_lossy()]).unwrap();
            assert_eq!(adopt(&path).unwrap(), schema);
            assert_eq!(schema_of(&read_only(&path).unwrap()).unwrap(), newest_schema());
        }
    }

    #[tokio::test]
    async fn the_old_database_is_kept_and_a_cut_at_any_point_loses_nothing() {
        // 0: before anything; 1: the new one has its name; 2: the old one is moved; 3: all is done.
        for cut in 0..=3 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("joi.db");
            let store = filled(&path).await;
            store.snapshot("2026-11-22T12:00:00Z".parse().unwrap()).await.unwrap().unwrap();
            store.close().await.unwrap();
            let fresh = folder.path().join("fresh.db");
            copy(&path, &fresh).unwrap();
            let new = Connection::open(&fresh).unwrap();
            new.execute_batch("UPDATE setting SET value = 'new' WHERE key = 'test.word'").unwrap();
            drop(new);
            let kept = folder.path().join("before-restore-1");
            fs::create_dir(&kept).unwrap();
            let rescue = folder.path().join("joi.db.rescue");
            match cut {
                0 => {}
                1 => fs::rename(&fresh, &rescue).unwrap(),
                2 => {
                    fs::rename(&fresh, &rescue).unwrap();
                    fs::rename(&path, kept.join("joi.db")).unwrap();
                }
                _ => while_alone(&path, || exchange(&path, &fresh, &kept)).unwrap().unwrap().unwrap(),
            }
            let store = Store::open(&path).unwrap();
            let expected = if cut < 2 { "rhubarb" } else { "new" };
            assert_eq!(store.setting("test.word").await.unwrap().as_deref(), Some(expected), "{cut}");
            if cut >= 2 {
                let old = Store::open(&kept.join("joi.db")).unwrap();
                assert_eq!(old.setting("test.word").await.unwrap().as_deref(), Some("rhubarb"));
            }
            assert_eq!(snapshot::newest_first(&path).is_empty(), cut == 3, "its snapshots go with it");
        }
    }

    #[tokio::test]
    async fn nobody_is_alone_beside_an_open_store_and_erasing_reaches_what_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let store = filled(&path).await;
        assert_eq!(while_alone(&path, || ()).unwrap(), None);
        let kept = folder.path().join("before-restore-1");
        fs::create_dir(&kept).unwrap();
        for file in ["joi.db", "joi.db-wal", "joi.db.snapshot-2026-11-22", "config.toml"] {
            fs::write(kept.join(file), "marmalade").unwrap();
        }
        store.forget(crate::Forget { dialogue: true, ..Default::default() }).await.unwrap();
        let left: Vec<_> = fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["config.toml"]);
    }
}
