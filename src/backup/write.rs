//! Makes a backup: copies the database, gathers the files, writes the archive under another name and renames it.
//!
//! Blocks for as long as the disk takes. In: the paths of this machine. Out: a file of mode 0600 that was not there
//! before. Other programs may use the database meanwhile; where one of them erases something, it is begun anew, so that
//! nothing erased is in a backup that was made later. What fails or is stopped leaves nothing behind; what is killed leaves
//! parts that nobody has locked, which the next backup to this folder removes.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::archive::ArchiveWriter;
use super::leftovers::StoppableRead;
use super::manifest::{ArchivedFile, BackupManifest};
use super::member::{CONFIG, DATABASE, MemberName, MemberPlace, secret_keys};
use super::{BackupError, leftovers, omit};
use crate::config::{Config, leaves};
use joi_base::checksum;
use joi_base::paths::Paths;
use joi_store::backup::{CopiedDatabase, copy};
use joi_store::unfinished::{self, UnfinishedCopy};

/// How often it is begun anew because something was erased meanwhile.
const ATTEMPTS: usize = 3;
/// Files of languages that are looked at.
const MOST_FILES: usize = 1000;

/// Of which machine a backup is made.
#[derive(Debug, Clone)]
pub struct BackupSource {
    /// Where its files are.
    pub paths: Paths,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// Whether secrets are part of it.
    pub secrets: BackupSecrets,
    /// Ends it early when it is cancelled.
    pub stop: CancellationToken,
}

/// Whether secrets are part of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupSecrets {
    /// They are not.
    LeftOut,
    /// They are, with those in files that the configuration names.
    Kept(Vec<SecretFile>),
}

/// A file with a secret that the configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFile {
    /// The key that names it, as "home.token_file".
    pub key: &'static str,
    /// The file.
    pub path: PathBuf,
}

/// Returns the files with secrets that the configuration names.
pub fn secret_files(config: &Config) -> Vec<SecretFile> {
    let keys = toml::Table::try_from(config).map(|table| leaves(&table)).unwrap_or_default();
    let named = secret_keys().iter().filter_map(|(key, _)| {
        let path = keys.get(key)?.as_str().filter(|path| !path.is_empty())?;
        Some(SecretFile { key, path: path.into() })
    });
    named.collect()
}

/// A backup that was made.
#[derive(Debug)]
pub struct WrittenBackup {
    /// The archive.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its contents.
    pub manifest: BackupManifest,
}

/// Returns the name of a backup made now.
pub fn file_name(now: Timestamp) -> String {
    format!("joi-backup-{}.tar.gz", now.strftime("%Y%m%dT%H%M%SZ"))
}

/// Writes the backup to the new file `to`.
///
/// # Errors
/// See [`BackupError`]; there is no file then.
pub fn write(source: &BackupSource, to: &Path, now: Timestamp) -> Result<WrittenBackup, BackupError> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(BackupError::Exists(to.to_owned()));
    }
    leftovers::remove_here(&source.paths);
    leftovers::remove_in(unfinished::folder_of(to));
    let parts = BackupParts::beside(to)?;
    for _ in 0..ATTEMPTS {
        let written = write_parts(source, &parts, now);
        if source.stop.is_cancelled() {
            return Err(BackupError::Stopped);
        }
        let (manifest, copied) = written?;
        let database = source.paths.database();
        if copied.is_some_and(|copied| copied.is_outdated(&database).unwrap_or(true)) {
            parts.remove();
            continue;
        }
        fs::rename(&parts.archive, to).map_err(BackupError::at(to))?;
        // A file system that can't sync a folder has the file all the same.
        let _ = File::open(unfinished::folder_of(to)).and_then(|open| open.sync_all());
        let bytes = fs::metadata(to).map_err(BackupError::at(to))?.len();
        return Ok(WrittenBackup { file: to.to_owned(), bytes, manifest });
    }
    Err(BackupError::Erased)
}

/// The names under which a backup is written until it is whole; dropped with what is left of them.
struct BackupParts {
    archive: PathBuf,
    database: PathBuf,
    /// Nobody else removes them meanwhile.
    _copy: UnfinishedCopy,
}

impl BackupParts {
    fn beside(to: &Path) -> Result<Self, BackupError> {
        let folder = unfinished::folder_of(to);
        let copy = UnfinishedCopy::begin(folder, unfinished::BACKUP).map_err(BackupError::at(folder))?;
        let (archive, database) = (copy.path(unfinished::PART), copy.path(unfinished::DATABASE_PART));
        Ok(Self { archive, database, _copy: copy })
    }

    fn remove(&self) {
        for path in [&self.archive, &self.database] {
            // A missing file needs no removing, and one that can't be removed was reported by whoever wrote it.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for BackupParts {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A file for the archive.
struct GatheredFile {
    file: ArchivedFile,
    content: MemberContent,
}

enum MemberContent {
    Bytes(Vec<u8>),
    Copy(PathBuf),
}

fn write_parts(
    source: &BackupSource,
    parts: &BackupParts,
    now: Timestamp,
) -> Result<(BackupManifest, Option<CopiedDatabase>), BackupError> {
    let mut manifest =
        BackupManifest::new(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), source.home.clone());
    let mut gathered = Vec::new();
    let database = source.paths.database();
    let copied = match database.exists() {
        true => Some(copy(&database, &parts.database)?),
        false => None,
    };
    if source.stop.is_cancelled() {
        return Err(BackupError::Stopped);
    }
    if let Some(copied) = &copied {
        let unread = || BackupError::at(&parts.database);
        let bytes = fs::metadata(&parts.database).map_err(unread())?.len();
        let sha256 = checksum::of(&parts.database).map_err(unread())?;
        manifest.schema = copied.schema;
        let file = archived(DATABASE, bytes, sha256);
        gathered.extend(
            file.map(|file| GatheredFile { file, content: MemberContent::Copy(parts.database.clone()) }),
        );
    }
    gathered.extend(configuration(source, &mut manifest)?);
    gathered.extend(languages(&source.paths)?);
    gathered.extend(files(source, &mut manifest)?);
    if gathered.is_empty() {
        return Err(BackupError::Nothing { database, config: source.paths.config.clone() });
    }
    manifest.with_secrets = source.secrets != BackupSecrets::LeftOut;
    manifest.members = gathered.iter().map(|one| one.file.clone()).collect();
    let at = u64::try_from(now.as_second()).unwrap_or(0);
    let open = File::options().write(true).create_new(true).mode(0o600).open(&parts.archive);
    let to = open.map_err(BackupError::at(&parts.archive))?;
    pack(to, &manifest, &gathered, (at, &source.stop)).map_err(BackupError::at(&parts.archive))?;
    Ok((manifest, copied))
}

fn pack(
    to: File,
    manifest: &BackupManifest,
    gathered: &[GatheredFile],
    (at, stop): (u64, &CancellationToken),
) -> std::io::Result<()> {
    let mut archive = ArchiveWriter::begin(to, manifest, at)?;
    for one in gathered {
        let (name, bytes) = (one.file.name(), one.file.bytes);
        match &one.content {
            MemberContent::Bytes(content) => {
                archive.add(name, bytes, at, StoppableRead { from: content.as_slice(), stop })?;
            }
            MemberContent::Copy(file) => {
                archive.add(name, bytes, at, StoppableRead { from: File::open(file)?, stop })?;
            }
        }
    }
    archive.end()
}

fn archived(name: &str, bytes: u64, sha256: String) -> Option<ArchivedFile> {
    MemberName::known(name).map(|name| ArchivedFile { name, bytes, sha256 })
}

fn in_memory(name: MemberName, content: Vec<u8>) -> GatheredFile {
    let file = ArchivedFile { name, bytes: content.len() as u64, sha256: checksum::of_bytes(&content) };
    GatheredFile { file, content: MemberContent::Bytes(content) }
}

/// Returns the content of a file; nothing where there is none. One that no backup can hold is an error.
fn content(path: &Path, name: &MemberName) -> Result<Option<Vec<u8>>, BackupError> {
    let open = match File::open(path) {
        Ok(open) => open,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(BackupError::File { path: path.to_owned(), source }),
    };
    let mut bytes = Vec::new();
    open.take(name.most_bytes() + 1).read_to_end(&mut bytes).map_err(BackupError::at(path))?;
    if bytes.len() as u64 > name.most_bytes() {
        let source = std::io::Error::other("too large for a backup");
        return Err(BackupError::File { path: path.to_owned(), source });
    }
    Ok(Some(bytes))
}

fn configuration(
    source: &BackupSource,
    manifest: &mut BackupManifest,
) -> Result<Option<GatheredFile>, BackupError> {
    let Some(name) = MemberName::known(CONFIG) else { return Ok(None) };
    let path = &source.paths.config;
    let Some(bytes) = content(path, &name)? else { return Ok(None) };
    if source.secrets != BackupSecrets::LeftOut {
        return Ok(Some(in_memory(name, bytes)));
    }
    let stays = |key: String| BackupError::SecretStays {
        name: key.rsplit('.').next().unwrap_or_default().to_owned(),
        key,
    };
    let text = String::from_utf8(bytes).map_err(|_| stays("(the file is not UTF-8)".to_owned()))?;
    let (text, left_out) = omit::without_secrets(&text).map_err(stays)?;
    manifest.left_out.extend(left_out);
    Ok(Some(in_memory(name, text.into_bytes())))
}

/// Returns the owner's languages, but for voices, which are models.
fn languages(paths: &Paths) -> Result<Vec<GatheredFile>, BackupError> {
    let (root, mut found) = (paths.languages(), Vec::new());
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST_FILES) {
            let path = entry.path();
            let Ok(about) = fs::metadata(&path) else { continue };
            let Ok(below) = path.strip_prefix(&root) else { continue };
            // A language, and its prompts: no deeper.
            if about.is_dir() && below.components().count() <= 2 {
                open.push(path);
                continue;
            }
            let Some(name) = MemberName::of_language(below).filter(|_| about.is_file()) else { continue };
            found.extend(content(&path, &name)?.map(|bytes| in_memory(name, bytes)));
        }
    }
    found.sort_by(|a, b| a.file.name.cmp(&b.file.name));
    Ok(found)
}

/// Small files of the data directory, and secrets where they are wanted.
fn files(source: &BackupSource, manifest: &mut BackupManifest) -> Result<Vec<GatheredFile>, BackupError> {
    let mut places: Vec<(MemberName, PathBuf)> = MemberName::in_data()
        .filter_map(|name| match name.place() {
            MemberPlace::Data(below) => Some((name, source.paths.data.join(below))),
            _ => None,
        })
        .collect();
    if let BackupSecrets::Kept(named) = &source.secrets {
        for secret in named {
            let member = secret_keys().iter().find(|(key, _)| *key == secret.key);
            let name = member.and_then(|(_, name)| MemberName::known(name));
            places.extend(name.map(|name| (name, secret.path.clone())));
        }
    }
    let mut found = Vec::new();
    for (name, path) in places {
        if name.is_secret() && source.secrets == BackupSecrets::LeftOut {
            if path.exists() {
                manifest.left_out.push(name.as_str().trim_start_matches("secret/").to_owned());
            }
            continue;
        }
        found.extend(content(&path, &name)?.map(|bytes| in_memory(name, bytes)));
    }
    Ok(found)
}
