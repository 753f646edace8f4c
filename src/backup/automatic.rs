//! Automatic backups: when one is due, which are removed, and how the state is reported.
//!
//! [`decide`] and [`superfluous`] are pure; [`AutomaticBackups::turn`] is their one caller, on a thread that may block. In:
//! the time and the folder. Out: at most one new archive, the oldest ones removed, and a state for `joi status`. It removes
//! nothing but archives by their exact name and what interrupted backups have left, and never creates the folder: where a
//! stick is not there, nothing is written.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rustix::fs::{Access, access};

use super::leftovers::LeftoverWatch;
use super::{BackupConfig, BackupError, BackupSource, file_name, write};

/// A clock before this was never set.
const EARLIEST: &str = "2026-01-01T00:00:00Z";
/// A backup that is further ahead was made by a clock that was wrong.
const AHEAD: Duration = Duration::from_secs(24 * 3600);
/// After a failure the next attempt waits for so long.
const AGAIN: Duration = Duration::from_secs(3600);

/// The state of automatic backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupState {
    /// The newest one, if there is one yet.
    Well {
        /// When it was made.
        newest: Option<Timestamp>,
        /// The backups are on the disk of the data, and are lost with it.
        same_disk: bool,
    },
    /// None can be made: one sentence with the remedy.
    Failing {
        /// Why.
        why: String,
        /// When the newest one was made, as far as it can be seen.
        newest: Option<Timestamp>,
    },
}

/// What a look at the folder led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupTurn {
    /// Nothing was due.
    Nothing,
    /// This archive is new.
    Made(PathBuf),
    /// It failed; logged once, until it works again or fails otherwise.
    Failed(String),
}

/// Makes automatic backups.
#[derive(Debug)]
pub struct AutomaticBackups {
    source: BackupSource,
    folder: PathBuf,
    every: Duration,
    keep: usize,
    failed_at: Option<Timestamp>,
    state: BackupState,
    leftovers: LeftoverWatch,
}

/// The next step of the automatic backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BackupDecision {
    Wait,
    Make,
    /// The clock was never set: names and ages would be wrong.
    NoClock,
}

/// Returns whether a backup is due: `newest` is the newest one there is.
fn decide(
    newest: Option<Timestamp>,
    failed_at: Option<Timestamp>,
    now: Timestamp,
    every: Duration,
) -> BackupDecision {
    let earliest: Timestamp = EARLIEST.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    let passed =
        |since: Timestamp, time: Duration| now.duration_since(since).unsigned_abs() >= time && now >= since;
    if now < earliest {
        return BackupDecision::NoClock;
    }
    if failed_at.is_some_and(|at| now >= at && !passed(at, AGAIN)) {
        return BackupDecision::Wait;
    }
    match newest {
        Some(newest) if !passed(newest, every) => BackupDecision::Wait,
        _ => BackupDecision::Make,
    }
}

/// Those of `made` that are removed where `keep` are kept: the oldest.
fn superfluous(mut made: Vec<Timestamp>, keep: usize) -> Vec<Timestamp> {
    made.sort_unstable_by(|a, b| b.cmp(a));
    made.split_off(keep.min(made.len()))
}

/// Returns when an archive of exactly this name was made; nothing for any other name.
fn made_at(name: &str) -> Option<Timestamp> {
    let stamp = name.strip_prefix("joi-backup-")?.strip_suffix(".tar.gz")?;
    let at = DateTime::strptime("%Y%m%dT%H%M%SZ", stamp).ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
    (file_name(at) == name).then_some(at)
}

impl AutomaticBackups {
    /// As configured; nothing where no folder is named.
    pub fn new(config: &BackupConfig, source: BackupSource) -> Option<Self> {
        Some(Self {
            source,
            folder: config.folder()?.to_owned(),
            every: config.every(),
            keep: config.keep as usize,
            failed_at: None,
            state: BackupState::Well { newest: None, same_disk: false },
            leftovers: LeftoverWatch::default(),
        })
    }

    /// Returns how they are, as of the last turn.
    pub fn state(&self) -> &BackupState {
        &self.state
    }

    /// Looks whether a backup is due, and makes it. What interrupted ones have left in the folder is removed before.
    pub fn turn(&mut self, now: Timestamp) -> BackupTurn {
        self.leftovers.remove_in(&self.folder);
        let (made, why) = match archives(&self.folder) {
            Ok(made) => (made, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        // What bears a date far ahead was made while the clock was wrong: it counts for nothing, and is left.
        let ahead = now.checked_add(AHEAD).unwrap_or(Timestamp::MAX);
        let is_past = |at: &Timestamp| *at <= ahead;
        let newest = made.iter().copied().filter(is_past).max();
        if newest > self.failed_at {
            // Somebody has made one by hand since.
            self.failed_at = None;
        }
        if let Some(why) = why {
            return self.fails(why, newest);
        }
        match decide(newest, self.failed_at, now, self.every) {
            BackupDecision::Wait => {
                if self.failed_at.is_none() {
                    self.is_well(newest);
                }
                BackupTurn::Nothing
            }
            BackupDecision::NoClock => {
                self.fails("the clock is not set, so no backup is made".to_owned(), newest)
            }
            BackupDecision::Make => match self.make(made.into_iter().filter(is_past).collect(), now) {
                Ok(file) => {
                    self.failed_at = None;
                    self.is_well(Some(now));
                    BackupTurn::Made(file)
                }
                Err(error) => {
                    self.failed_at = Some(now);
                    let why = unwritable(&self.folder);
                    self.fails(why.unwrap_or_else(|| format!("no backup could be made: {error}")), newest)
                }
            },
        }
    }

    fn make(&self, mut made: Vec<Timestamp>, now: Timestamp) -> Result<PathBuf, BackupError> {
        let file = self.folder.join(file_name(now));
        write(&self.source, &file, now)?;
        made.extend(made_at(&file_name(now)));
        for old in superfluous(made, self.keep) {
            let old = self.folder.join(file_name(old));
            fs::remove_file(&old).map_err(BackupError::at(&old))?;
        }
        Ok(file)
    }

    fn is_well(&mut self, newest: Option<Timestamp>) {
        let device = |path: &Path| fs::metadata(path).map(|about| about.dev()).ok();
        let disk = device(&self.folder);
        let same_disk = disk.is_some() && disk == device(&self.source.paths.data);
        self.state = BackupState::Well { newest, same_disk };
    }

    fn fails(&mut self, why: String, newest: Option<Timestamp>) -> BackupTurn {
        let is_told = matches!(&self.state, BackupState::Failing { why: known, .. } if *known == why);
        self.state = BackupState::Failing { why: why.clone(), newest };
        if is_told { BackupTurn::Nothing } else { BackupTurn::Failed(why) }
    }
}

/// Returns when the archives of the folder were made.
fn archives(folder: &Path) -> Result<Vec<Timestamp>, String> {
    let entries = fs::read_dir(folder).map_err(|error| {
        let remedy = right_to_write(&error).unwrap_or("plug the disk in, or change backup.folder");
        format!("the backup folder {} can't be read ({error}); {remedy}", folder.display())
    })?;
    Ok(entries.flatten().filter_map(|entry| made_at(entry.file_name().to_str()?)).collect())
}

/// Returns why nothing can be written into the folder, with the remedy; nothing where something else is the matter.
fn unwritable(folder: &Path) -> Option<String> {
    let error = io::Error::from(access(folder, Access::WRITE_OK | Access::EXEC_OK).err()?);
    let remedy = right_to_write(&error)?;
    Some(format!("the backup folder {} can't be written ({error}); {remedy}", folder.display()))
}

/// Returns what gives the right to write, where `error` says that it is missing.
fn right_to_write(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Some(
            "give it to the user that joi runs as, as \"Automatic backups\" of docs/user/backup.md shows",
        ),
        io::ErrorKind::ReadOnlyFilesystem => Some(
            "name it in ReadWritePaths= of the service and start joi anew, or mount the disk for writing",
        ),
        _ => None,
    }
}

/// Returns the newest backup in a folder.
pub(crate) fn newest_in(folder: &Path) -> Option<Timestamp> {
    archives(folder).ok()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn one_is_due_when_the_newest_is_old_enough_and_the_clock_is_set() {
        let (day, now) = (Duration::from_secs(86_400), at("2026-11-24T12:00:00Z"));
        assert_eq!(decide(None, None, now, day), BackupDecision::Make);
        assert_eq!(decide(Some(at("2026-11-23T12:00:00Z")), None, now, day), BackupDecision::Make);
        assert_eq!(decide(Some(at("2026-11-23T12:00:01Z")), None, now, day), BackupDecision::Wait);
        assert_eq!(
            decide(Some(at("2026-11-24T13:00:00Z")), None, now, day),
            BackupDecision::Wait,
            "an hour ahead"
        );
        assert_eq!(
            decide(None, Some(at("2026-11-24T11:30:00Z")), now, day),
            BackupDecision::Wait,
            "it has just failed"
        );
        assert_eq!(decide(None, Some(at("2026-11-24T11:00:00Z")), now, day), BackupDecision::Make);
        assert_eq!(decide(None, None, at("1970-01-01T00:01:00Z"), day), BackupDecision::NoClock);
    }

    #[test]
    fn only_archives_by_their_exact_name_count() {
        let name = file_name(at("2026-11-24T12:03:04Z"));
        assert_eq!(name, "joi-backup-20261124T120304Z.tar.gz");
        assert_eq!(made_at(&name), Some(at("2026-11-24T12:03:04Z")));
        for other in [
            "joi-backup-20261124T120304Z.tar.gz.part",
            "joi-backup-20261124T120304Z copy.tar.gz",
            "joi-backup-20261324T120304Z.tar.gz",
            "joi-backup-2026112T120304Z.tar.gz",
            "my joi-backup-20261124T120304Z.tar.gz",
        ] {
            assert_eq!(made_at(other), None, "{other}");
        }
    }

    #[test]
    fn a_backup_that_somebody_has_made_by_hand_ends_a_failure() {
        let (home, stick) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let config = BackupConfig { folder: stick.path().to_owned(), ..BackupConfig::default() };
        let paths = joi_base::paths::Paths::from_env(|_| Some(home.path().as_os_str().to_owned())).unwrap();
        // A folder can't be read as a configuration.
        fs::create_dir_all(&paths.config).unwrap();
        let secrets = crate::backup::BackupSecrets::LeftOut;
        let source = BackupSource { paths, home: None, secrets, stop: Default::default() };
        let mut automatic = AutomaticBackups::new(&config, source).unwrap();
        let (now, later) = (at("2026-11-24T12:00:00Z"), at("2026-11-24T12:10:00Z"));
        assert!(matches!(automatic.turn(now), BackupTurn::Failed(_)));
        assert_eq!(automatic.turn(later), BackupTurn::Nothing, "it waits for an hour");
        assert!(matches!(automatic.state(), BackupState::Failing { .. }));
        fs::write(stick.path().join(file_name(later)), "by hand").unwrap();
        assert_eq!(automatic.turn(later), BackupTurn::Nothing);
        assert_eq!(automatic.state(), &BackupState::Well { newest: Some(later), same_disk: true });
    }

    #[test]
    fn a_folder_that_others_own_is_named_with_what_gives_the_right() {
        for (system, remedy) in [
            (rustix::io::Errno::ACCESS, Some("give it to the user that joi runs as")),
            (rustix::io::Errno::ROFS, Some("ReadWritePaths=")),
            (rustix::io::Errno::NOENT, None),
            (rustix::io::Errno::NOSPC, None),
        ] {
            let told = right_to_write(&system.into());
            assert_eq!(told.is_some(), remedy.is_some(), "{system}: {told:?}");
            assert!(told.unwrap_or_default().contains(remedy.unwrap_or_default()), "{system}: {told:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(unwritable(folder.path()), None);
        // root may write anywhere.
        if !rustix::process::geteuid().is_root() {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
            let told = unwritable(folder.path()).unwrap();
            assert!(
                told.contains(&folder.path().display().to_string()) && told.contains("give it"),
                "{told}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_newest_are_kept(seconds in proptest::collection::btree_set(0_i64..9_000_000, 0..20), keep in 1_usize..10) {
            let made: Vec<Timestamp> = seconds.iter().map(|s| Timestamp::from_second(*s).unwrap()).collect();
            let removed = superfluous(made.clone(), keep);
            prop_assert_eq!(removed.len(), made.len().saturating_sub(keep));
            let oldest_kept = made.iter().rev().nth(keep.min(made.len()).saturating_sub(1));
            prop_assert!(removed.iter().all(|at| Some(at) < oldest_kept));
        }
    }
}
