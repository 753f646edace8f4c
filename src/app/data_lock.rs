//! The lock of a data directory, so that two running programs never share one.
//!
//! Main thread, once. In: the data directory. Out: a lock that the system releases with the process. The number of the
//! process is in the file, for the refusal of another one. Commands that only read or write the database don't take it.
//! On a file system without locks nothing is refused.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// The name of the file in the data directory.
const FILE: &str = "run.lock";

/// The data directory can't be used by this process. Report it to the user and end.
#[derive(Debug, thiserror::Error)]
pub enum DataLockError {
    /// Another process runs on it.
    #[error(
        "another joi{} already runs with the data in {}; end it first, or give this one a data directory of its own with JOI_DATA",
        .pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(), .data.display()
    )]
    Held {
        /// The data directory.
        data: PathBuf,
        /// The other process, where its number can be read.
        pid: Option<u32>,
    },
    /// The lock file can't be made. Go on without it.
    #[error("cannot write {}: {source}; check the permissions of its directory", .file.display())]
    Closed {
        /// The lock file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A locked data directory; dropping it releases the lock.
#[derive(Debug)]
pub struct DataLock {
    _file: File,
}

impl DataLock {
    /// Locks the directory `data`, which is created where it does not exist.
    ///
    /// # Errors
    /// [`DataLockError::Held`] while another process holds it.
    pub(super) fn take(data: &Path) -> Result<Self, DataLockError> {
        let path = data.join(FILE);
        let mut file = open(data, &path).map_err(|source| DataLockError::Closed { file: path, source })?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                let number = std::process::id().to_string();
                if let Err(error) = file.set_len(0).and_then(|()| file.write_all(number.as_bytes())) {
                    tracing::debug!(%error, "the number of this process is not in the lock file");
                }
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut number = String::new();
                // Only a hint in the refusal: a file that can't be read has none.
                let _ = file.take(16).read_to_string(&mut number);
                return Err(DataLockError::Held { data: data.to_owned(), pid: number.trim().parse().ok() });
            }
            Err(error) => {
                tracing::warn!(%error, "{} can't be locked; do not start joi twice on this data", data.display());
            }
        }
        Ok(Self { _file: file })
    }
}

fn open(data: &Path, file: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(data)?;
    OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_one_on_the_same_data_is_refused_with_the_process_until_the_first_ends() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let first = DataLock::take(&data).unwrap();
        let refusal = DataLock::take(&data).unwrap_err().to_string();
        let pid = std::process::id();
        assert!(refusal.contains(&format!("process {pid}")), "{refusal}");
        assert!(refusal.contains(data.to_str().unwrap()) && refusal.contains("JOI_DATA"), "{refusal}");
        DataLock::take(&folder.path().join("other")).unwrap();
        drop(first);
        DataLock::take(&data).unwrap();
    }

    #[test]
    fn a_directory_that_can_not_be_made_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("data"), "a file").unwrap();
        let refusal = DataLock::take(&folder.path().join("data")).unwrap_err();
        assert!(matches!(refusal, DataLockError::Closed { .. }), "{refusal}");
    }
}
