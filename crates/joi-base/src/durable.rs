//! Small files that survive a power cut: the earlier content is there, or all of the new one, never an empty file.
//!
//! The thread of its caller, which blocks while the disk writes. In: a path and its content. Out: the file, flushed with
//! its name. It makes no folder, and leaves no draft behind where it fails.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Makes `file` hold `content`, with these permissions, else with those of any new file. A link is replaced, not followed.
///
/// # Errors
/// The file or its folder cannot be written. An earlier file is unchanged, unless only the flush of its folder failed; a
/// folder that cannot be flushed at all is no error.
pub fn write(file: &Path, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let draft = draft(file);
    let write = || -> io::Result<()> {
        let mut open = File::create(&draft)?;
        open.write_all(content)?;
        if let Some(permissions) = permissions {
            open.set_permissions(permissions)?;
        }
        // Before the name: else a power cut may leave the name without its bytes.
        open.sync_all()?;
        fs::rename(&draft, file)
    };
    write().inspect_err(|_| {
        // The first failure is the one to report.
        let _ = fs::remove_file(&draft);
    })?;
    match sync_folder(file) {
        // Some file systems of a network can't flush a folder, and some folders may not be read.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        flushed => flushed,
    }
}

/// Flushes the folder of `file`: a name that came, or went, survives a power cut only after that.
///
/// # Errors
/// The folder can't be opened or flushed.
pub fn sync_folder(file: &Path) -> io::Result<()> {
    File::open(folder(file))?.sync_all()
}

/// Returns the folder of a file; of a mere name the present one.
fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => file,
    }
}

/// Where the content is written first.
fn draft(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_is_made_and_replaced_and_no_draft_is_left() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a.json");
        write(&file, b"first", None).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"first");
        write(&file, b"", Some(Permissions::from_mode(0o640))).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn where_it_fails_the_earlier_content_is_there_and_no_draft_is_left() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a.json");
        write(&file, b"first", None).unwrap();
        fs::create_dir(draft(&file)).unwrap();
        write(&file, b"second", None).unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), b"first");
        // The draft can be written, and can't take the name.
        let taken = place.path().join("taken");
        fs::create_dir(&taken).unwrap();
        write(&taken, b"second", None).unwrap_err();
        assert!(taken.is_dir() && !draft(&taken).exists());
        write(&place.path().join("no/such/folder"), b"", None).unwrap_err();
    }

    #[test]
    fn a_mere_name_is_in_the_present_folder() {
        assert_eq!(folder(Path::new("joi.toml")), Path::new("."));
        assert_eq!(folder(Path::new("/etc/joi/config.toml")), Path::new("/etc/joi"));
    }
}
