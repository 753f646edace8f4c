//! Copies of the database that are being written or unpacked, and what is left of them when somebody was interrupted.
//!
//! Runs on the thread of its caller; blocks while it removes. Who makes a copy for a backup, or unpacks one, first makes
//! and locks a file beside it, `.joi-backup-….lock` or `.restore-….lock`, and removes that last; whatever belongs to it
//! bears the same name with another end. The lock ends with its process, however that ends. Who looks for leftovers
//! removes what nobody has locked: a name says which lock is asked, and the lock decides. No link is followed. Where a file
//! system has no locks, nothing is removed, and that is an error.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::{StoreError, beside};

/// The start of the names of a backup that is being written.
pub const BACKUP: &str = ".joi-backup-";
/// The start of the names of a backup that is being unpacked.
pub const RESTORE: &str = ".restore-";
/// The end of the name of a file that is being written.
pub const PART: &str = ".part";
/// The same for the copy of a database.
pub const DATABASE_PART: &str = ".db.part";
const LOCK: &str = ".lock";
/// Files of SQLite beside a database.
const SIDES: [&str; 3] = ["-journal", "-wal", "-shm"];
/// Of the number behind the start of a name.
const DIGITS: usize = 16;
/// How often another name is tried.
const ATTEMPTS: usize = 10;

/// A name in a folder for what is not finished; the names with it are somebody's while it lives.
#[derive(Debug)]
pub struct UnfinishedCopy {
    folder: PathBuf,
    name: String,
    /// Locked until it is closed.
    _lock: File,
}

impl UnfinishedCopy {
    /// Takes a new name that begins with `start`: [`BACKUP`] or [`RESTORE`].
    ///
    /// # Errors
    /// The folder is not there, or can't be written.
    pub fn begin(folder: &Path, start: &str) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let name = format!("{start}{:0DIGITS$x}", fastrand::u64(..));
            let path = folder.join(format!("{name}{LOCK}"));
            let lock = File::options().write(true).create_new(true).mode(0o600).open(&path)?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                // Somebody who looks for leftovers may have come between, and removes it.
                Ok(()) if !is_at(&path, &lock) => continue,
                Err(Errno::WOULDBLOCK) => continue,
                Ok(()) => {}
                Err(error) => tracing::debug!(%error, "this file system has no locks"),
            }
            return Ok(Self { folder: folder.to_owned(), name, _lock: lock });
        }
        Err(io::Error::other("no file can be locked in it"))
    }

    /// The name with this end.
    pub fn name(&self, end: &str) -> String {
        format!("{}{end}", self.name)
    }

    /// The same in its folder.
    pub fn path(&self, end: &str) -> PathBuf {
        self.folder.join(self.name(end))
    }
}

impl Drop for UnfinishedCopy {
    fn drop(&mut self) {
        // Without a lock, what is left of it is removed by whoever looks next.
        let _ = fs::remove_file(self.path(LOCK));
    }
}

/// The folder in which `file` is.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes what nobody works at any more: in `folder`, and in the folders `below`, whose locks are in `folder` too.
///
/// # Errors
/// Something of it can't be removed, or its lock can't be asked; the rest is removed all the same.
pub fn remove_abandoned(folder: &Path, below: &[PathBuf]) -> Result<(), StoreError> {
    remove_all(folder, below, |_| false)
}

/// The same in `folder` alone; what is another user's is left alone, since its lock can't be asked.
///
/// # Errors
/// As [`remove_abandoned`], where nothing forbids to open the lock.
pub fn remove_own_abandoned(folder: &Path) -> Result<(), StoreError> {
    remove_all(folder, &[], |error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// Removes it; what has a lock that can't be asked is no error where `is_left` says so of the reason.
fn remove_all(
    folder: &Path,
    below: &[PathBuf],
    is_left: impl Fn(&io::Error) -> bool,
) -> Result<(), StoreError> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for place in std::iter::once(folder).chain(below.iter().map(PathBuf::as_path)) {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let file = entry.file_name();
            if let Some(name) = file.to_str().and_then(name_of) {
                found.entry(name.to_owned()).or_default().push(entry.path());
            }
        }
    }
    let removed: Vec<_> = found
        .iter()
        .map(|(name, files)| remove_if_abandoned(&folder.join(format!("{name}{LOCK}")), files, &is_left))
        .collect();
    removed.into_iter().collect()
}

/// To which name a file belongs; nothing for files of others.
fn name_of(file: &str) -> Option<&str> {
    let file = SIDES.iter().find_map(|side| file.strip_suffix(side)).unwrap_or(file);
    if let Some(rest) = file.strip_prefix(RESTORE) {
        let (number, end) = rest.split_at_checked(DIGITS)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_end = end.is_empty() || end == LOCK || (end.starts_with('.') && end.ends_with(PART));
        return file.strip_suffix(end).filter(|_| is_number && is_end);
    }
    file.strip_prefix(BACKUP)?;
    [LOCK, DATABASE_PART, PART].iter().find_map(|end| file.strip_suffix(end))
}

/// Whether somebody works at it.
enum CopyLock {
    Held,
    /// Nobody does, and nobody else looks at it while the file is open; there may be none.
    Free(Option<File>),
}

fn ask(lock: &Path) -> io::Result<CopyLock> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let open = match File::options().write(true).custom_flags(flags).open(lock) {
        Ok(open) => open,
        // It was there before anything of its name, and is removed last.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(CopyLock::Free(None)),
        Err(error) => return Err(error),
    };
    match flock(&open, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(CopyLock::Free(Some(open))),
        Err(Errno::WOULDBLOCK) => Ok(CopyLock::Held),
        Err(error) => Err(error.into()),
    }
}

fn remove_if_abandoned(
    lock: &Path,
    files: &[PathBuf],
    is_left: impl Fn(&io::Error) -> bool,
) -> Result<(), StoreError> {
    let _held = match ask(lock) {
        Ok(CopyLock::Free(held)) => held,
        Ok(CopyLock::Held) => return Ok(()),
        Err(error) if is_left(&error) => return Ok(()),
        Err(source) => return Err(StoreError::Copy { path: lock.into(), source }),
    };
    for file in files.iter().filter(|file| file.as_path() != lock) {
        remove(file).map_err(|source| StoreError::Copy { path: file.clone(), source })?;
        tracing::info!(path = %file.display(), "what an interrupted backup or restore has left is removed");
    }
    beside::remove(lock)
}

/// Removes a file, a link or a folder; that it is not there is well, too.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Whether the file at `path` is this one.
fn is_at(path: &Path, open: &File) -> bool {
    let identity = |about: fs::Metadata| (about.dev(), about.ino());
    let there = fs::symlink_metadata(path).map(identity).ok();
    there.is_some() && there == open.metadata().map(identity).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::{Forget, Store};

    /// The names in a folder, in order.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// What a restore leaves that was killed.
    fn killed_restore(folder: &Path, number: u64) {
        let stage = folder.join(format!("{RESTORE}{number:016x}"));
        fs::create_dir_all(stage.join("data")).unwrap();
        fs::write(stage.join("data/joi.db"), "marmalade").unwrap();
        fs::write(beside::with_end(&stage, LOCK), "").unwrap();
    }

    #[test]
    fn a_file_belongs_to_the_name_of_its_lock_and_files_of_others_to_none() {
        for (file, name) in [
            (".restore-00000000000000af", Some(".restore-00000000000000af")),
            (".restore-00000000000000af.lock", Some(".restore-00000000000000af")),
            (".restore-00000000000000af.3.part", Some(".restore-00000000000000af")),
            (".restore-00000000000000af.part", Some(".restore-00000000000000af")),
            (".restore-00000000000000af.txt", None),
            (".restore-00000000000000afx.part", None),
            (".restore-mine", None),
            (".restore-the-garden-of-eden", None),
            ("before-restore-20261124T120000.000Z", None),
            (".joi-backup-0123456789abcdef.lock", Some(".joi-backup-0123456789abcdef")),
            (".joi-backup-0123456789abcdef.part", Some(".joi-backup-0123456789abcdef")),
            (".joi-backup-0123456789abcdef.db.part", Some(".joi-backup-0123456789abcdef")),
            (".joi-backup-0123456789abcdef.db.part-journal", Some(".joi-backup-0123456789abcdef")),
            (
                ".joi-backup-20261101T000000Z.tar.gz.1234.db.part",
                Some(".joi-backup-20261101T000000Z.tar.gz.1234"),
            ),
            ("joi-backup-20261124T120000Z.tar.gz", None),
            (".joi-backup-notes", None),
            ("film.mkv.part", None),
        ] {
            assert_eq!(name_of(file), name, "{file}");
        }
    }

    #[test]
    fn what_nobody_has_locked_goes_and_what_somebody_has_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        killed_restore(folder.path(), 1);
        for file in [".joi-backup-1.lock", ".joi-backup-1.db.part", ".joi-backup-2.part", "film.mkv.part"] {
            fs::write(at(file), "marmalade").unwrap();
        }
        let (backup, restore) = (
            UnfinishedCopy::begin(folder.path(), BACKUP).unwrap(),
            UnfinishedCopy::begin(folder.path(), RESTORE).unwrap(),
        );
        fs::write(backup.path(DATABASE_PART), "in work").unwrap();
        fs::create_dir(restore.path("")).unwrap();
        remove_abandoned(folder.path(), &[]).unwrap();
        let mut left =
            vec![backup.name(DATABASE_PART), backup.name(LOCK), restore.name(""), restore.name(LOCK)];
        left.push("film.mkv.part".to_owned());
        left.sort();
        assert_eq!(names(folder.path()), left);
        drop((backup, restore));
        remove_abandoned(folder.path(), &[]).unwrap();
        assert_eq!(names(folder.path()), ["film.mkv.part"]);
    }

    #[test]
    fn a_link_in_the_place_of_a_leftover_leads_nowhere() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("mine"), "stays").unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(other.path(), at(".restore-0000000000000001")).unwrap();
        std::os::unix::fs::symlink(other.path().join("mine"), at(".restore-0000000000000002.lock")).unwrap();
        fs::write(at(".restore-0000000000000003.part"), "").unwrap();
        let error = remove_abandoned(folder.path(), &[]).unwrap_err();
        assert!(error.to_string().contains(".restore-0000000000000002.lock"), "{error}");
        assert_eq!(names(other.path()), ["mine"]);
        assert_eq!(names(folder.path()), [".restore-0000000000000002.lock"], "the others are gone");
    }

    #[test]
    fn what_another_user_has_locked_is_left_alone_where_only_our_own_is_looked_for() {
        // root may open any lock.
        if rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for file in [".joi-backup-1.lock", ".joi-backup-1.part", ".joi-backup-2.lock", ".joi-backup-2.part"] {
            fs::write(at(file), "marmalade").unwrap();
        }
        fs::set_permissions(at(".joi-backup-1.lock"), fs::Permissions::from_mode(0o400)).unwrap();
        remove_own_abandoned(folder.path()).unwrap();
        assert_eq!(names(folder.path()), [".joi-backup-1.lock", ".joi-backup-1.part"]);
        let error = remove_abandoned(folder.path(), &[]).unwrap_err();
        assert!(error.to_string().contains(".joi-backup-1.lock"), "{error}");
    }

    #[test]
    fn no_other_reason_leaves_a_copy_alone_without_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join(".joi-backup-1.lock")).unwrap();
        let error = remove_own_abandoned(folder.path()).unwrap_err();
        assert!(error.to_string().contains(".joi-backup-1.lock"), "{error}");
    }

    #[tokio::test]
    async fn erasing_and_the_next_start_reach_what_a_killed_restore_has_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let store = Store::open(&path).unwrap();
        let hidden =
            || names(folder.path()).into_iter().filter(|name| name.starts_with('.')).collect::<Vec<_>>();
        let running = UnfinishedCopy::begin(folder.path(), RESTORE).unwrap();
        killed_restore(folder.path(), 1);
        store.forget(Forget { notes: true, ..Default::default() }).await.unwrap();
        assert_eq!(hidden(), [running.name(LOCK)]);
        store.close().await.unwrap();
        killed_restore(folder.path(), 2);
        Store::open(&path).unwrap().close().await.unwrap();
        assert_eq!(hidden(), [running.name(LOCK)]);
    }
}
