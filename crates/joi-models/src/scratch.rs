//! The directory `.incoming` beside the models: unfinished downloads, wheels, and a lock against concurrent
//! fetches.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use joi_base::checksum;

/// The directory, locked until this is dropped.
#[derive(Debug)]
pub(super) struct ScratchDir {
    dir: PathBuf,
    _lock: File,
}

impl ScratchDir {
    /// Creates and locks it. [`io::ErrorKind::WouldBlock`] when another process has it.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let dir = root.join(".incoming");
        std::fs::create_dir_all(&dir)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(dir.join("lock"))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self { dir, _lock: lock })
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the download of `url` is stored; the same path in a later run.
    pub(super) fn part(&self, url: &str) -> PathBuf {
        self.dir.join(format!("{}.part", &checksum::of_bytes(url.as_bytes())[..24]))
    }

    /// An empty directory of this name.
    pub(super) fn fresh_dir(&self, name: &str) -> io::Result<PathBuf> {
        let dir = self.dir.join(name);
        match std::fs::remove_dir_all(&dir) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => std::fs::create_dir(&dir)?,
        }
        Ok(dir)
    }
}
