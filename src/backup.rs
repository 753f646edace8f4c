//! Backups: one archive with everything that can't be made or fetched again, and the way back.
//!
//! Runs on the thread of its caller; blocks while it reads and writes. In: the paths of this machine, or an archive,
//! which may come from anywhere. Out: an archive for its owner alone, or the files of one in their places, with what
//! was there kept beside them. Models are never part of it, secrets only when asked for. What an archive may hold is a
//! closed list (`member.rs`): a name decides where a file goes, no path of an archive is ever followed.

mod archive;
mod automatic;
mod config;
mod leftovers;
mod manifest;
mod member;
mod moved;
mod omit;
mod restore;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::PathBuf;

pub(crate) use automatic::newest_in;
pub use automatic::{AutomaticBackups, BackupState, BackupTurn};
pub use config::BackupConfig;
pub use manifest::{ArchivedFile, BackupManifest};
pub use restore::{RestoreTarget, RestoredBackup, VerifiedBackup, verify};
pub use write::{BackupSecrets, BackupSource, SecretFile, WrittenBackup, file_name, secret_files, write};

use joi_store::StoreError;

/// A backup was not made or not restored. Report it to the user; nothing was changed unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file is in the way.
    #[error("{} exists already; it stays as it is, name another file", .0.display())]
    Exists(PathBuf),
    /// There is nothing that could be backed up.
    #[error("there is nothing to back up: neither {} nor {} exists", database.display(), config.display())]
    Nothing {
        /// The place of the database.
        database: PathBuf,
        /// The place of the configuration.
        config: PathBuf,
    },
    /// A file can't be read or written.
    #[error("{} can't be read or written: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The database can't be copied or used.
    #[error(transparent)]
    Database(#[from] StoreError),
    /// Somebody erased something each time while the copy was made.
    #[error("something was erased while the backup was made; make it again")]
    Erased,
    /// A secret of the configuration can't be left out.
    #[error(
        "the configuration holds the secret {key} in a form that can't be left out of the backup; write it as `{name} = …` \
         in its section, or use --with-secrets"
    )]
    SecretStays {
        /// Its dotted key.
        key: String,
        /// The key in its section.
        name: String,
    },
    /// The archive is damaged, cut short, or none of ours.
    #[error("{} is no sound backup: {why}; nothing was changed", file.display())]
    Unsound {
        /// The archive.
        file: PathBuf,
        /// Its fault.
        why: String,
    },
    /// The archive was made by a newer program.
    #[error(
        "the backup was made by joi {made_by}, whose {what} is newer than this one knows; update joi, then restore again"
    )]
    Newer {
        /// The program that made it.
        made_by: String,
        /// The part that is newer.
        what: &'static str,
    },
    /// There is too little room for it.
    #[error("{} has {free} bytes free and {needed} are needed; free some space", folder.display())]
    NoRoom {
        /// On this disk.
        folder: PathBuf,
        /// Free bytes.
        free: u64,
        /// Needed bytes.
        needed: u64,
    },
    /// It was to end early, and did.
    #[error("stopped before it was done; nothing was changed, and nothing is left of it")]
    Stopped,
    /// Another program has the database open.
    #[error(
        "another joi uses the database; stop it (`systemctl --user stop joi`, or end `joi run` and `joi text`), then restore \
         again"
    )]
    InUse,
}

impl BackupError {
    /// For `map_err`.
    fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
