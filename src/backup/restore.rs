//! Restores a backup: everything is checked first, then each file goes to its place, and what was there is kept.
//!
//! Blocks. In: an archive and the paths of this machine. [`verify`] unpacks into a folder of its own beside the data and
//! checks checksums, tables, schema and configuration; nothing that exists is touched. [`VerifiedBackup::restore`] renames,
//! while no other program has the database open. Dropping a [`VerifiedBackup`] removes what was unpacked; where it is
//! killed instead, nobody has that locked any more, and whoever looks next removes it.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::archive::{self, ArchiveFault};
use super::leftovers::StoppableRead;
use super::manifest::{ArchivedFile, BackupManifest};
use super::member::{CONFIG, DATABASE, MemberName, MemberPlace, secret_keys};
use super::moved::{MovedPath, moved};
use super::{BackupError, leftovers};
use crate::config::{self, leaves};
use joi_base::machine::DiskRoom;
use joi_base::paths::Paths;
use joi_store::backup::{self as database, KEPT_BEFORE};
use joi_store::unfinished::{self, UnfinishedCopy};

/// Bytes that stay free beside what is unpacked.
const SPARE: u64 = 32 << 20;

/// The machine to restore to.
#[derive(Debug, Clone)]
pub struct RestoreTarget {
    /// Where its files are.
    pub paths: Paths,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// Ends [`verify`] early when it is cancelled.
    pub stop: CancellationToken,
}

/// A backup that was unpacked and is sound.
#[derive(Debug)]
pub struct VerifiedBackup {
    manifest: BackupManifest,
    target: RestoreTarget,
    stage: RestoreStage,
    remarks: Vec<String>,
}

/// What a restored backup has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredBackup {
    /// The files that are new.
    pub files: Vec<PathBuf>,
    /// The folders that keep what was there; those that were needed.
    pub kept: Vec<PathBuf>,
}

/// The folder in which a backup is unpacked; removed with it.
#[derive(Debug)]
struct RestoreStage {
    folder: PathBuf,
    /// Nobody else removes it meanwhile.
    _copy: UnfinishedCopy,
}

impl RestoreStage {
    fn in_folder(data: &Path) -> Result<Self, BackupError> {
        let copy = UnfinishedCopy::begin(data, unfinished::RESTORE).map_err(BackupError::at(data))?;
        let stage = Self { folder: copy.path(""), _copy: copy };
        make_folder(&stage.folder)?;
        Ok(stage)
    }
}

impl Drop for RestoreStage {
    fn drop(&mut self) {
        // What can't be removed now is tried again by whoever looks for leftovers.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What belongs beside the configuration, under other names there; what has no other name yet is removed with it.
struct StagedBesideConfig {
    /// Where each is, and where it goes.
    parts: Vec<(PathBuf, PathBuf)>,
    /// Nobody else removes them meanwhile.
    copy: UnfinishedCopy,
}

impl Drop for StagedBesideConfig {
    fn drop(&mut self) {
        for (part, _) in &self.parts {
            // It has its new name, or is of no use.
            let _ = fs::remove_file(part);
        }
    }
}

/// Unpacks and checks `file` for `target`.
///
/// # Errors
/// See [`BackupError`]; nothing was changed then.
pub fn verify(file: &Path, target: RestoreTarget) -> Result<VerifiedBackup, BackupError> {
    let open = File::open(file).map_err(BackupError::at(file))?;
    let data = &target.paths.data;
    make_folder(data)?;
    leftovers::remove_here(&target.paths);
    let stage = RestoreStage::in_folder(data)?;
    let free = DiskRoom::of(data).map_or(u64::MAX, |room| room.free);
    let room = free.saturating_sub(SPARE);
    let from = StoppableRead { from: open, stop: &target.stop };
    let unpacked = archive::unpack(from, &stage.folder, database::newest_schema(), room);
    if target.stop.is_cancelled() {
        return Err(BackupError::Stopped);
    }
    let manifest = unpacked.map_err(|fault| match fault {
        ArchiveFault::Unsound(why) => BackupError::Unsound { file: file.to_owned(), why },
        ArchiveFault::Newer { made_by, what } => BackupError::Newer { made_by, what },
        ArchiveFault::NoRoom { needed } => {
            BackupError::NoRoom { folder: data.clone(), free, needed: needed.saturating_add(SPARE) }
        }
        ArchiveFault::Write(source) => BackupError::File { path: stage.folder.clone(), source },
    })?;
    if manifest.has_database() {
        let schema = database::adopt(&stage.folder.join(DATABASE))?;
        if schema != manifest.schema {
            let why = format!("its database has schema {schema}, its manifest says {}", manifest.schema);
            return Err(BackupError::Unsound { file: file.to_owned(), why });
        }
    }
    let mut checked = VerifiedBackup { manifest, target, stage, remarks: Vec::new() };
    checked.adapt_config()?;
    if checked.target.stop.is_cancelled() {
        return Err(BackupError::Stopped);
    }
    Ok(checked)
}

impl VerifiedBackup {
    /// Returns what it holds.
    pub fn manifest(&self) -> &BackupManifest {
        &self.manifest
    }

    /// Returns what is different here, or has to be set again; one sentence each.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    #[cfg(test)]
    pub(super) fn stage_for_tests(&self) -> &Path {
        &self.stage.folder
    }

    /// Its files, each with its place on this machine.
    pub fn places(&self) -> Vec<(String, PathBuf)> {
        let place = |name: &MemberName| (name.as_str().to_owned(), self.place(name));
        self.manifest.members.iter().map(|file| place(&file.name)).collect()
    }

    /// Puts everything in its place, and what was there into a folder beside it.
    ///
    /// # Errors
    /// Somebody has the database open: nothing was changed. A file can't be renamed: what was done stays, and what was
    /// there is in the folders that keep it.
    pub fn restore(self, now: Timestamp) -> Result<RestoredBackup, BackupError> {
        let staged = self.write_beside_config()?;
        let parts = staged.as_ref().map_or(&[][..], |staged| staged.parts.as_slice());
        let path = self.target.paths.database();
        let done = database::while_alone(&path, || self.put_in_place(parts, now));
        done?.unwrap_or(Err(BackupError::InUse))
    }

    fn place(&self, name: &MemberName) -> PathBuf {
        let paths = &self.target.paths;
        match name.place() {
            MemberPlace::Database => paths.database(),
            MemberPlace::Config => paths.config.clone(),
            MemberPlace::Data(below) => paths.data.join(below),
            MemberPlace::BesideConfig(below) => paths.config.with_file_name("").join(below),
        }
    }

    /// Maps the paths of the configuration, and remarks what else is different here.
    fn adapt_config(&mut self) -> Result<(), BackupError> {
        let left_out = &self.manifest.left_out;
        if !left_out.is_empty() {
            let told = left_out.join(", ");
            self.remarks.push(format!("left out as secrets, to be set again: {told}"));
        }
        let file = self.stage.folder.join(CONFIG);
        let Ok(text) = fs::read_to_string(&file) else { return Ok(()) };
        let (moved, count) = moved(&text, &self.moves(&text));
        if count > 0 {
            fs::write(&file, &moved).map_err(BackupError::at(&file))?;
            self.remarks
                .push(format!("{count} paths of the configuration lead to this machine's folders now"));
        }
        match config::load(&file, &[]) {
            Ok(loaded) => {
                let (here, usual) = (&loaded.config, config::Config::default());
                if (&here.audio.input, &here.audio.output) != (&usual.audio.input, &usual.audio.output) {
                    let told =
                        "the configuration names sound devices; `joi devices` shows those of this machine";
                    self.remarks.push(told.to_owned());
                }
                self.remarks.extend(here.check_files().iter().map(ToString::to_string));
            }
            Err(error) => self.remarks.push(format!("the configuration can't be used here: {error}")),
        }
        Ok(())
    }

    fn moves(&self, text: &str) -> Vec<MovedPath> {
        let keys = text.parse::<toml::Table>().map(|table| leaves(&table)).unwrap_or_default();
        let files = secret_keys().iter().filter_map(|(key, member)| {
            let from = keys.get(key)?.as_str().filter(|path| !path.is_empty())?.to_owned();
            let name = MemberName::known(member).filter(|_| self.stage.folder.join(member).exists())?;
            Some(MovedPath { from, to: self.place(&name).to_str()?.to_owned(), is_folder: false })
        });
        let home = MovedPath::home(self.manifest.home.as_deref(), self.target.home.as_deref());
        files.chain(home).collect()
    }

    /// Writes what belongs beside the configuration under other names there: on its own disk, where renaming is enough.
    fn write_beside_config(&self) -> Result<Option<StagedBesideConfig>, BackupError> {
        let (paths, data) = (&self.target.paths, &self.target.paths.data);
        let is_beside = |file: &&ArchivedFile| {
            matches!(file.name.place(), MemberPlace::Config | MemberPlace::BesideConfig(_))
        };
        let members: Vec<&ArchivedFile> = self.manifest.members.iter().filter(is_beside).collect();
        if members.is_empty() {
            return Ok(None);
        }
        let beside = paths.config.with_file_name("");
        make_folder_for(&beside, |made| make_readable(made, data, 0o750))?;
        let copy = UnfinishedCopy::begin(&beside, unfinished::RESTORE).map_err(BackupError::at(&beside))?;
        let mut staged = StagedBesideConfig { parts: Vec::new(), copy };
        for (nth, file) in members.into_iter().enumerate() {
            let to = self.place(&file.name);
            let folder = to.with_file_name("");
            make_folder_for(&folder, |made| make_readable(made, data, 0o750))?;
            let part = folder.join(staged.copy.name(&format!(".{nth}{}", unfinished::PART)));
            staged.parts.push((part.clone(), to));
            let from = self.stage.folder.join(file.name.as_str());
            let content = fs::read(&from).map_err(BackupError::at(&from))?;
            let written = File::options().write(true).create_new(true).mode(0o600).open(&part);
            let written = written.and_then(|mut open| {
                open.write_all(&content)?;
                open.sync_all()
            });
            written.map_err(BackupError::at(&part))?;
            make_readable(&part, data, 0o640);
        }
        Ok(Some(staged))
    }

    fn put_in_place(
        &self,
        parts: &[(PathBuf, PathBuf)],
        now: Timestamp,
    ) -> Result<RestoredBackup, BackupError> {
        let paths = &self.target.paths;
        let beside_config = paths.config.with_file_name("");
        let (mut in_data, mut in_config) =
            (KeptFolder::new(&paths.data, now), KeptFolder::new(&beside_config, now));
        let mut files = Vec::new();
        for file in &self.manifest.members {
            let (to, staged) = (self.place(&file.name), self.stage.folder.join(file.name.as_str()));
            match file.name.place() {
                MemberPlace::Database => {
                    keep_owner(&staged, &paths.data);
                    database::exchange(&to, &staged, in_data.folder()?)?;
                }
                MemberPlace::Data(below) => {
                    make_folder_for(&to.with_file_name(""), |made| keep_owner(made, &paths.data))?;
                    in_data.keep(&to, &below)?;
                    keep_owner(&staged, &paths.data);
                    fs::rename(&staged, &to).map_err(BackupError::at(&to))?;
                }
                MemberPlace::Config | MemberPlace::BesideConfig(_) => {
                    let below = to.strip_prefix(&beside_config).unwrap_or(&to).to_owned();
                    in_config.keep(&to, &below)?;
                    let part = parts.iter().find(|(_, place)| *place == to);
                    let (part, _) = part.ok_or(BackupError::InUse)?;
                    fs::rename(part, &to).map_err(BackupError::at(&to))?;
                }
            }
            files.push(to);
        }
        let mut kept: Vec<PathBuf> = [in_data, in_config].into_iter().filter_map(KeptFolder::end).collect();
        kept.dedup();
        Ok(RestoredBackup { files, kept })
    }
}

/// A folder for what is replaced; made when something is.
struct KeptFolder {
    beside: PathBuf,
    folder: PathBuf,
}

impl KeptFolder {
    fn new(beside: &Path, now: Timestamp) -> Self {
        let name = format!("{KEPT_BEFORE}{}", now.strftime("%Y%m%dT%H%M%S%.3fZ"));
        Self { beside: beside.to_owned(), folder: beside.join(name) }
    }

    fn folder(&mut self) -> Result<&Path, BackupError> {
        make_folder(&self.folder)?;
        keep_owner(&self.folder, &self.beside);
        Ok(&self.folder)
    }

    /// Moves a file into it, where there is one.
    fn keep(&mut self, file: &Path, below: &Path) -> Result<(), BackupError> {
        if fs::symlink_metadata(file).is_err() {
            return Ok(());
        }
        let to = self.folder()?.join(below);
        make_folder(&to.with_file_name(""))?;
        fs::rename(file, &to).map_err(BackupError::at(file))
    }

    /// Returns the folder, if it holds anything.
    fn end(self) -> Option<PathBuf> {
        // Nothing was replaced: an empty folder says nothing.
        let _ = fs::remove_dir(&self.folder);
        self.folder.exists().then_some(self.folder)
    }
}

/// A private folder with everything above it; one that is there stays as it is.
fn make_folder(folder: &Path) -> Result<(), BackupError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(BackupError::at(folder))
}

/// The same, and `give` is what each new one of them gets.
fn make_folder_for(folder: &Path, give: impl Fn(&Path)) -> Result<(), BackupError> {
    let new: Vec<&Path> = folder.ancestors().take_while(|above| !above.exists()).collect();
    make_folder(folder)?;
    new.into_iter().for_each(give);
    Ok(())
}

/// Lets the group of `data` read what an administrator writes for a service; it stays the administrator's.
fn make_readable(path: &Path, data: &Path, mode: u32) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let given = fs::metadata(data)
        .and_then(|about| std::os::unix::fs::chown(path, None, Some(about.gid())))
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(mode)));
    if let Err(error) = given {
        tracing::warn!(%error, path = %path.display(), "a restored file can't be shown to the service");
    }
}

/// Gives a file that an administrator writes for a service to whom the folder belongs.
fn keep_owner(path: &Path, folder: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let given = fs::metadata(folder)
        .and_then(|about| std::os::unix::fs::chown(path, Some(about.uid()), Some(about.gid())));
    if let Err(error) = given {
        tracing::warn!(%error, path = %path.display(), "the owner of a restored file can't be set");
    }
}
