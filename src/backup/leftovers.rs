//! What interrupted backups and restores have left, and how a running one is ended early.
//!
//! Blocks while it removes. In: the places where backups are written and unpacked. Out: what nobody works at any more is
//! gone there ([`unfinished`] decides which); what can't be removed is told in the log, since it keeps nobody from a backup.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::paths::Paths;
use crate::store::unfinished;

/// Folders of languages that are looked at.
const MOST_FOLDERS: usize = 1000;

/// Removes it from the folders of this machine.
pub(super) fn remove_here(paths: &Paths) {
    remove(&paths.data, &[]);
    remove(&paths.config.with_file_name(""), &languages(paths));
}

/// Removes it from a folder in which backups are written.
pub(super) fn remove_in(folder: &Path) {
    remove(folder, &[]);
}

fn remove(folder: &Path, below: &[PathBuf]) {
    if let Err(error) = unfinished::remove_abandoned(folder, below) {
        tracing::warn!(%error, "what an interrupted backup or restore has left stays");
    }
}

/// Where a restore writes languages: their folder, one for each, and those in it.
fn languages(paths: &Paths) -> Vec<PathBuf> {
    let inside = |folder: &PathBuf| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FOLDERS);
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let root = paths.languages();
    let each = inside(&root);
    let prompts: Vec<PathBuf> = each.iter().flat_map(inside).collect();
    std::iter::once(root).chain(each).chain(prompts).collect()
}

/// Reads until `stop` is cancelled; an error from then on.
pub(super) struct StoppableRead<'a, R> {
    pub(super) from: R,
    pub(super) stop: &'a CancellationToken,
}

impl<R: Read> Read for StoppableRead<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        if self.stop.is_cancelled() {
            return Err(io::Error::other("it was stopped"));
        }
        Ok(read)
    }
}
