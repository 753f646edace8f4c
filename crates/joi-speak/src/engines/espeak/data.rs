//! espeak-ng's data of some languages, embedded in the binary and written to disk, where espeak-ng reads it.
//!
//! Any thread. The build script compiles the data (about 1.4 MB) from espeak-ng's own sources, so library and
//! data always have the same version, and nothing has to be installed or downloaded.

use std::fs;
use std::io;
use std::path::Path;

/// Names below the data folder, with contents.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/espeak_data.rs"));

/// Makes `folder` contain exactly this data; writes only what is missing or differs. Another process may do
/// the same at the same time.
pub(super) fn install(folder: &Path) -> io::Result<()> {
    for (name, content) in FILES {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|present| present == *content) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let draft = path.with_extension(format!("part{}", std::process::id()));
        fs::write(&draft, content).and_then(|()| fs::rename(&draft, &path)).inspect_err(|_| {
            let _ = fs::remove_file(&draft);
        })?;
    }
    Ok(())
}
