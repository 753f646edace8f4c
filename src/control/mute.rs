//! The mute switch, and the file that keeps its position over a restart.
//!
//! Any thread. The position is an empty file `muted` in the data directory, which needs no database: if it
//! exists, the microphone is muted; if that can't be determined, it is muted too. Only a command of the user
//! changes it; a command that can't be stored takes effect now and is reported.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use joi_audio::MuteSwitch;
use joi_base::durable;

/// The file's name in the data directory.
const FILE: &str = "muted";

/// A command to the switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MuteCommand {
    /// No sample leaves the microphone.
    Mute,
    /// The microphone is on.
    Unmute,
    /// The other position.
    Toggle,
}

/// The position after a command.
#[derive(Debug)]
pub struct MuteOutcome {
    /// Whether the microphone is muted.
    pub muted: bool,
    /// Why the position does not hold over a restart.
    pub fault: Option<MuteFault>,
}

/// The position can't be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum MuteFault {
    /// The microphone is muted until the user unmutes it. Report it to the user.
    #[error("the mute state can't be read from {}: {source}; the microphone is muted until `joi unmute`", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Muted, but not after the next start. Report it to the user.
    #[error("the microphone is muted only until the next start: {} can't be written: {source}", .path.display())]
    NotKept {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Unmuted, but muted again after the next start. Report it to the user.
    #[error("the microphone is on, but muted again after the next start: {} can't be removed: {source}", .path.display())]
    NotForgotten {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The mute switch with its persisted position.
#[derive(Debug)]
pub struct PersistentMute {
    switch: MuteSwitch,
    file: PathBuf,
    /// Commands are executed one after the other.
    turning: Mutex<()>,
}

impl PersistentMute {
    /// Returns the switch in the position stored in the directory `data`, to be read before the microphone is opened;
    /// and why it could not be read.
    pub fn read(data: &Path) -> (Self, Option<MuteFault>) {
        let file = data.join(FILE);
        let (muted, fault) = match fs::symlink_metadata(&file) {
            Ok(_) => (true, None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (false, None),
            Err(source) => (true, Some(MuteFault::Unread { path: file.clone(), source })),
        };
        (Self { switch: MuteSwitch::new(muted), file, turning: Mutex::new(()) }, fault)
    }

    /// Returns the switch itself, for the microphone.
    pub fn switch(&self) -> &MuteSwitch {
        &self.switch
    }

    /// Sets the switch at once, then stores the position. Blocks while the disk writes.
    pub fn turn(&self, order: MuteCommand) -> MuteOutcome {
        let _turning = self.turning.lock().unwrap_or_else(PoisonError::into_inner);
        let muted = match order {
            MuteCommand::Mute => true,
            MuteCommand::Unmute => false,
            MuteCommand::Toggle => !self.switch.is_muted(),
        };
        self.switch.set(muted);
        let path = self.file.clone();
        let fault = if muted {
            store(&self.file).err().map(|source| MuteFault::NotKept { path, source })
        } else {
            remove(&self.file).err().map(|source| MuteFault::NotForgotten { path, source })
        };
        MuteOutcome { muted, fault }
    }
}

fn store(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    durable::write(file, &[], None)
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Ok(()) => durable::sync_folder(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn the_position_outlives_the_program() {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("not/yet/there");
        let (kept, fault) = PersistentMute::read(&data);
        assert!(fault.is_none() && !kept.switch().is_muted());
        assert!(!data.exists(), "reading makes nothing");
        for (order, muted) in [
            (MuteCommand::Mute, true),
            (MuteCommand::Mute, true),
            (MuteCommand::Toggle, false),
            (MuteCommand::Toggle, true),
            (MuteCommand::Unmute, false),
        ] {
            let turned = kept.turn(order);
            assert!(turned.fault.is_none() && turned.muted == muted, "{turned:?}");
            assert_eq!((kept.switch().is_muted(), data.join(FILE).exists()), (muted, muted));
            assert_eq!(PersistentMute::read(&data).0.switch().is_muted(), muted);
        }
    }

    #[test]
    fn in_doubt_joi_is_muted_and_the_switch_works_all_the_same() {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data");
        fs::write(&data, "a file where the directory should be").unwrap();
        let (kept, fault) = PersistentMute::read(&data);
        assert!(kept.switch().is_muted());
        assert!(matches!(fault, Some(MuteFault::Unread { .. })), "{fault:?}");
        let turned = kept.turn(MuteCommand::Unmute);
        assert!(!turned.muted && !kept.switch().is_muted());
        assert!(matches!(turned.fault, Some(MuteFault::NotForgotten { .. })), "{turned:?}");
        let turned = kept.turn(MuteCommand::Mute);
        assert!(turned.muted && kept.switch().is_muted());
        assert!(matches!(turned.fault, Some(MuteFault::NotKept { .. })), "{turned:?}");
    }

    #[test]
    fn a_dangling_link_is_a_mark_too() {
        let folder = TempDir::new().unwrap();
        std::os::unix::fs::symlink("/no/such/place", folder.path().join(FILE)).unwrap();
        let (kept, _) = PersistentMute::read(folder.path());
        assert!(kept.switch().is_muted());
        assert!(kept.turn(MuteCommand::Unmute).fault.is_none());
        assert!(!PersistentMute::read(folder.path()).0.switch().is_muted());
    }
}
