//! A lock shared by programs with the same database, so that none replaces the file below another.
//!
//! Any thread. A lock file beside the database: everybody who has it open shares the lock, and whoever replaces a
//! damaged file must be alone. The file itself is empty and stays. SQLite's own locks are another kind and are left
//! alone; the lock ends with its process.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use super::{StoreError, beside};

/// How long other programs may take to close the database: most of them run for a moment.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 3_000 });
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// The shared lock of one open database; nothing on a file system that has no locks.
#[derive(Debug)]
pub(super) struct InUse(Option<File>);

impl InUse {
    /// Shares the lock of the database at `path`. It waits while a damaged file is being replaced.
    pub(super) fn share(path: &Path) -> Result<Self, StoreError> {
        let lock = beside::with_end(path, ".lock");
        let failed = |source| StoreError::Private { path: lock.clone(), source };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let file = options.open(&lock).map_err(failed)?;
        match flock(&file, FlockOperation::LockShared) {
            Ok(()) => Ok(Self(Some(file))),
            Err(error) => {
                tracing::debug!(%error, "this file system has no locks; do not run two programs on one database");
                Ok(Self(None))
            }
        }
    }

    /// Runs `work` while nobody else has the database open; nothing when somebody has, for longer than a moment.
    pub(super) fn alone<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let Some(file) = &self.0 else { return Some(work()) };
        let deadline = Instant::now() + PATIENCE;
        while flock(file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if Instant::now() > deadline {
                // An attempt to change the lock may have given up the shared one.
                let _ = flock(file, FlockOperation::LockShared);
                return None;
            }
            std::thread::sleep(PAUSE);
        }
        let done = work();
        let _ = flock(file, FlockOperation::LockShared);
        Some(done)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Store, StoreError};

    #[tokio::test]
    async fn a_damaged_file_is_not_replaced_below_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        Store::open(&path).unwrap().close().await.unwrap();
        let other = Store::open(&path).unwrap();
        let damaged = b"the card died ".repeat(900);
        std::fs::write(&path, &damaged).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(&error, StoreError::InUse { path: p } if *p == path), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), damaged, "it stays where it is");
        drop(other);
        let replaced = std::iter::repeat_with(|| Store::open(&path)).find_map(Result::ok).unwrap();
        assert!(replaced.set_aside().is_some());
    }
}
