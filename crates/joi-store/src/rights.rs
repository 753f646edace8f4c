//! Access rights of the data directory: 0700, and 0600 for the files in it.
//!
//! Runs on the thread that opens the store. In: the path of the database. Out: what was wider than that is made
//! narrower, and reported once in the log. It never follows links, and leaves a directory alone that is shared by
//! its nature (sticky, such as `/tmp`) or belongs to somebody else.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Files of ours in the data directory, by the start of their names.
const OURS: [&str; 4] = ["joi.db", "history.txt", "wake.json", "muted"];
/// Bits that others than the owner have.
const OTHERS: u32 = 0o077;
const STICKY: u32 = 0o1000;

/// Creates a private directory with everything above it.
pub(super) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| StoreError::Folder { path: folder.into(), source })
}

/// Creates a file for its owner only; SQLite gives its side files the same rights. An existing one stays.
pub(super) fn make_file(path: &Path) -> Result<(), StoreError> {
    match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(StoreError::Private { path: path.into(), source }),
    }
}

/// Takes from others what rights they have to the folder of `database` and to our files in it.
pub(super) fn keep_private(database: &Path) {
    let Some(folder) = database.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return };
    let mut narrowed = Vec::new();
    let is_shared = |about: &Metadata| about.mode() & STICKY != 0 || about.uid() != our_user();
    match fs::symlink_metadata(folder) {
        Ok(about) if !is_shared(&about) => narrowed.extend(narrow(folder, &about, 0o700)),
        Ok(_) | Err(_) => {}
    }
    let name = database.file_name().unwrap_or_default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let is_ours = OURS.iter().any(|ours| file.to_string_lossy().starts_with(ours))
            || file.as_encoded_bytes().starts_with(name.as_encoded_bytes());
        let Some(about) = entry.metadata().ok().filter(|about| about.is_file() && is_ours) else { continue };
        narrowed.extend(narrow(&entry.path(), &about, 0o600));
    }
    if let Some(first) = narrowed.first() {
        tracing::warn!(
            path = %first.display(),
            count = narrowed.len(),
            "other users had access to stored data; the directory is now 0700 and its files 0600"
        );
    }
}

/// Sets `mode` where others have any right; returns the path when that was so.
fn narrow(path: &Path, about: &Metadata, mode: u32) -> Option<PathBuf> {
    if about.permissions().mode() & OTHERS == 0 {
        return None;
    }
    match fs::set_permissions(path, Permissions::from_mode(mode)) {
        Ok(()) => Some(path.to_owned()),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "other users have access to stored data, and that can't be changed");
            None
        }
    }
}

fn our_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn what_others_could_read_before_is_private_after_the_start() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("data");
        let path = folder.join("joi.db");
        Store::open(&path).unwrap().close().await.unwrap();
        fs::write(folder.join("history.txt"), "hello").unwrap();
        fs::write(folder.join("somebody.sh"), "not ours").unwrap();
        for file in ["joi.db", "history.txt", "somebody.sh"] {
            fs::set_permissions(folder.join(file), Permissions::from_mode(0o755)).unwrap();
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let _store = Store::open(&path).unwrap();
        assert_eq!(mode(&folder), 0o700);
        assert_eq!((mode(&path), mode(&folder.join("history.txt"))), (0o600, 0o600));
        assert_eq!(mode(&folder.join("somebody.sh")), 0o755, "a file that is not ours stays as it is");
    }

    #[test]
    fn a_directory_that_everybody_shares_stays_so() {
        let home = tempfile::tempdir().unwrap();
        fs::set_permissions(home.path(), Permissions::from_mode(0o1777)).unwrap();
        keep_private(&home.path().join("joi.db"));
        assert_eq!(mode(home.path()), 0o777);
    }
}
