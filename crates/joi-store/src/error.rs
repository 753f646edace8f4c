//! Errors of the database, and what to do about them.
//!
//! Any thread. Messages name the remedy; none of them contains anything that was said.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// A failure of the store. The dialogue continues without it: callers report it once and carry on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder of the database can't be made. Report it; go on in memory.
    #[error("the folder {path} can't be made: {source}; choose another with JOI_DATA")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file can't be opened or created. Report it; go on in memory.
    #[error(
        "the database {path} can't be opened: {source}; check that the file and its folder are yours to write"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file's access rights can't be set. Report it; go on in memory.
    #[error(
        "the database {path} can't be kept private: {source}; put it on a file system with access rights"
    )]
    Private {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A damaged file can't be moved out of the way. Report it; go on in memory.
    #[error("the database {path} is damaged and can't be renamed: {source}; move it away by hand")]
    SetAside {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A damaged file can't be replaced while another program uses it. Report it; go on in memory.
    #[error(
        "the database {path} is damaged and another joi uses it; end that one (`joi status` tells its process), then start again"
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A snapshot or a copy can't be written or removed. Report it; an erasure is not complete.
    #[error(
        "the copy {path} of the database can't be written or removed: {source}; check the rights of its folder and repeat the command"
    )]
    Copy {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Erased data is still in the log, because another program reads the database. Report it.
    #[error(
        "what was erased is still in the database's log, because another program reads it; repeat the command in a moment"
    )]
    LogInUse,
    /// The file was written by a newer version. Report it; never touch it.
    #[error(
        "the database {path} was written by a newer joi; update joi, or choose another folder with JOI_DATA"
    )]
    Newer {
        /// The file.
        path: PathBuf,
    },
    /// A database out of a backup is none of ours, or damaged. Report it; it is not used.
    #[error("the database in the backup can't be used: {why}; choose another backup")]
    Foreign {
        /// The reason.
        why: String,
    },
    /// The disk is full. Report it once; the reply goes out all the same.
    #[error("the disk is full, so nothing new is remembered; free some space")]
    Full,
    /// Another program holds the database for longer than it may. Carry on; try again next time.
    #[error("the database is locked by another program; close the other joi")]
    Busy,
    /// A stored record can't be read or written. Carry on without it.
    #[error(
        "a record can't be stored or read: {0}; the others are not affected, and a newer joi may read it"
    )]
    Record(String),
    /// Any other error of SQLite. Report it once.
    #[error("the database failed: {0}; `joi doctor` checks it")]
    Sql(rusqlite::Error),
    /// The database thread can't be started.
    #[error("the database thread can't be started: {0}; end other programs")]
    Thread(io::Error),
    /// The database did not answer in time. Carry on without; the next request may be answered.
    #[error("the database is too slow; `joi doctor` checks the disk")]
    Slow,
    /// The database thread has ended. Carry on without memory until the next start.
    #[error("the database thread has ended; restart joi")]
    ThreadEnded,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Sql(error),
        }
    }
}
