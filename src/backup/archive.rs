//! The archive itself: a tar of regular files behind gzip, the manifest first.
//!
//! Reading trusts nothing: each entry has to be the next file of the manifest, of its exact size and checksum, and a
//! regular file. Links, folders, devices, extension headers and whatever follows the last file are refused. No more is
//! written than the manifest announces, so that a small archive can't fill the disk unnoticed.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, Entry, EntryType, Header};

use super::manifest::{ArchivedFile, BackupManifest, LONGEST_MANIFEST, MANIFEST, ManifestFault};
use joi_base::checksum;

/// Bytes that are copied at once.
const PIECE: usize = 64 * 1024;

/// Why an archive can't be unpacked.
#[derive(Debug)]
pub(super) enum ArchiveFault {
    /// It is damaged, cut short, or none of ours.
    Unsound(String),
    /// A newer program made it.
    Newer { made_by: String, what: &'static str },
    /// Too little room, before anything of it was written.
    NoRoom { needed: u64 },
    /// A file of it can't be written.
    Write(io::Error),
}

impl From<ManifestFault> for ArchiveFault {
    fn from(fault: ManifestFault) -> Self {
        match fault {
            ManifestFault::Unsound(why) => Self::Unsound(why),
            ManifestFault::Newer { made_by, what } => Self::Newer { made_by, what },
        }
    }
}

fn unsound(why: impl std::fmt::Display) -> ArchiveFault {
    ArchiveFault::Unsound(why.to_string())
}

/// Returns what an archive says of itself, and its files below `stage`, each by its name in the archive. `room` is
/// how many bytes may be written.
pub(super) fn unpack(
    from: impl Read,
    stage: &Path,
    newest_schema: usize,
    room: u64,
) -> Result<BackupManifest, ArchiveFault> {
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(from)));
    let mut entries = archive.entries().map_err(unsound)?.raw(true);
    let first = entries.next().ok_or_else(|| unsound("it is empty"))?;
    let mut first = regular(first, MANIFEST, |bytes| bytes <= LONGEST_MANIFEST)?;
    let mut text = Vec::new();
    first.read_to_end(&mut text).map_err(unsound)?;
    let manifest = BackupManifest::read(&text, newest_schema)?;
    if manifest.bytes() > room {
        return Err(ArchiveFault::NoRoom { needed: manifest.bytes() });
    }
    for file in &manifest.members {
        let entry = entries.next().ok_or_else(|| unsound(format!("{} is missing", file.name())))?;
        let entry = regular(entry, file.name(), |bytes| bytes == file.bytes)?;
        extract(entry, file, &stage.join(file.name()))?;
    }
    match entries.next() {
        None => Ok(manifest),
        Some(_) => Err(unsound("it holds more than its manifest says")),
    }
}

/// Returns an entry that has to be the regular file `name` of a fitting size.
fn regular<'a, R: Read>(
    entry: io::Result<Entry<'a, R>>,
    name: &str,
    is_size: impl Fn(u64) -> bool,
) -> Result<Entry<'a, R>, ArchiveFault> {
    let entry = entry.map_err(unsound)?;
    let header = entry.header();
    if *header.path_bytes() != *name.as_bytes() || header.entry_type() != EntryType::Regular {
        let found = String::from_utf8_lossy(&header.path_bytes()).chars().take(80).collect::<String>();
        let kind = header.entry_type();
        return Err(unsound(format!("where the file {name} should be there is {kind:?} {found:?}")));
    }
    let bytes = header.entry_size().map_err(unsound)?;
    if !is_size(bytes) {
        return Err(unsound(format!("{name} has {bytes} bytes, which is not what its manifest says")));
    }
    Ok(entry)
}

fn extract(entry: impl Read, file: &ArchivedFile, to: &Path) -> Result<(), ArchiveFault> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(ArchiveFault::Write)?;
    }
    let options = File::options().write(true).create_new(true).mode(0o600).open(to);
    let mut written = options.map_err(ArchiveFault::Write)?;
    let (bytes, sha256) = copied(entry, &mut written).map_err(|fault| match fault {
        ArchiveCopyFault::Read(error) => unsound(error),
        ArchiveCopyFault::Write(error) => ArchiveFault::Write(error),
    })?;
    written.sync_all().map_err(ArchiveFault::Write)?;
    if bytes != file.bytes {
        return Err(unsound(format!("{} is cut short", file.name())));
    }
    if sha256 != file.sha256 {
        return Err(unsound(format!("{} is not what was backed up: its checksum is another", file.name())));
    }
    Ok(())
}

enum ArchiveCopyFault {
    Read(io::Error),
    Write(io::Error),
}

/// Copies everything; out: how many bytes, and their SHA-256.
fn copied(mut from: impl Read, to: &mut impl Write) -> Result<(u64, String), ArchiveCopyFault> {
    let (mut hasher, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok((bytes, checksum::hex(&hasher.finalize()))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ArchiveCopyFault::Read(error)),
        };
        hasher.update(&piece[..read]);
        to.write_all(&piece[..read]).map_err(ArchiveCopyFault::Write)?;
        bytes += read as u64;
    }
}

/// An archive that is being written.
pub(super) struct ArchiveWriter(Builder<GzEncoder<BufWriter<File>>>);

impl ArchiveWriter {
    pub(super) fn begin(to: File, manifest: &BackupManifest, at: u64) -> io::Result<Self> {
        let packed = GzEncoder::new(BufWriter::new(to), Compression::default());
        let mut writer = Self(Builder::new(packed));
        let text = serde_json::to_vec_pretty(manifest)?;
        writer.add(MANIFEST, text.len() as u64, at, text.as_slice())?;
        Ok(writer)
    }

    /// Adds a file of exactly `bytes` bytes; `at` is the second it was backed up.
    pub(super) fn add(&mut self, name: &str, bytes: u64, at: u64, from: impl Read) -> io::Result<()> {
        let mut header = Header::new_ustar();
        header.set_path(name)?;
        header.set_size(bytes);
        header.set_mode(0o600);
        header.set_mtime(at);
        header.set_cksum();
        self.0.append(&header, from.take(bytes))
    }

    /// Writes everything through to the disk.
    pub(super) fn end(self) -> io::Result<()> {
        let packed = self.0.into_inner()?.finish()?;
        packed.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}
