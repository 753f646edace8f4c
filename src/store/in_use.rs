//! Tells programs with the same database of each other, so that none replaces the file below another.
//!
//! Any thread. A lock file beside the database: everybody who has it open shares the lock, and whoever replaces a
//! damaged file must be alone. The file itself is empty and stays. SQLite's own locks are another kind and are left
//! alone; the lock ends with its process.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use super::{StoreError, snapshot};

/// How long other programs may take to close the database: most of them run for a moment.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// The shared lock of one open database.
#[derive(Debug)]
pub(super) struct InUse(File);

impl InUse {
    /// Shares the lock of the database at `path`. It waits while a damaged file is being replaced.
    pub(super) fn share(path: &Path) -> Result<Self, StoreError> {
        let lock = snapshot::with_end(path, ".lock");
        let failed = |source| StoreError::Private { path: lock.clone(), source };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let file = options.open(&lock).map_err(failed)?;
        flock(&file, FlockOperation::LockShared).map_err(|error| failed(error.into()))?;
        Ok(Self(file))
    }

    /// Runs `work` while nobody else has the database open; nothing when somebody has, for longer than a moment.
    pub(super) fn alone<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let deadline = Instant::now() + PATIENCE;
        while flock(&self.0, FlockOperation::NonBlockingLockExclusive).is_err() {
            if Instant::now() > deadline {
                // An attempt to change the lock may have given up the shared one.
                let _ = flock(&self.0, FlockOperation::LockShared);
                return None;
            }
            std::thread::sleep(PAUSE);
        }
        let done = work();
        let _ = flock(&self.0, FlockOperation::LockShared);
        Some(done)
    }
}
