//! Reads what the commands below `joi wake` are given: a phrase as it was typed, a folder of recordings.
//!
//! Main thread. Refuses phrases that the scorer cannot take.

use std::path::{Path, PathBuf};

use anyhow::Context;

use joi_hear::score::normal;

/// Returns a phrase that the user wrote in the form in which it is stored.
///
/// # Errors
/// It cannot be used as a phrase.
pub fn written(phrase: &str) -> anyhow::Result<String> {
    normal(phrase).with_context(|| {
        format!("\"{phrase}\" is no phrase; allowed: one to five words of letters, 3 to 40 characters")
    })
}

/// Returns the WAV files of a folder, in the order of their names; none where there is no folder.
///
/// # Errors
/// The folder can't be read.
pub fn wavs(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wav")));
    files.sort();
    Ok(files)
}
