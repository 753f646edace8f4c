//! Names of files beside the database, and their renaming and removal.
//!
//! Runs on the thread of its caller. Input: paths. A failure names the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::StoreError;

/// The end of the name of a new database that is being filled.
pub(super) const RESCUE: &str = ".rescue";
/// Files of SQLite beside a database.
pub(super) const SIDES: [&str; 2] = ["-wal", "-shm"];

/// Removes a file; a missing one is no error.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failed(path, source)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// `path` with `end` behind its name.
pub(super) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// The error of a copy at `path`.
pub(super) fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::Copy { path: path.into(), source }
}

/// Renames a file.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|source| StoreError::SetAside { path: from.into(), source })
}

/// Renames a file, if there is one.
pub(super) fn rename_if_there(from: &Path, to: &Path) -> Result<(), StoreError> {
    match rename(from, to) {
        Err(StoreError::SetAside { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
