//! What interrupted backups and restores have left, and how a running one is ended early.
//!
//! Blocks while it removes. In: the places where backups are written and unpacked. Out: what nobody works at any more is
//! gone there ([`unfinished`] decides which); what cannot be removed is logged, since it does not prevent a backup.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use joi_base::paths::Paths;
use joi_store::unfinished;

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

/// Looks at a folder in which backups are written, again and again.
#[derive(Debug, Default)]
pub(super) struct LeftoverWatch {
    /// What the last look has logged.
    told: Option<String>,
}

impl LeftoverWatch {
    /// Removes what is left in the folder, but for what another user has locked; the same trouble is logged once.
    pub(super) fn remove_in(&mut self, folder: &Path) {
        let trouble = unfinished::remove_own_abandoned(folder).err().map(|error| error.to_string());
        if let Some(error) = self.news(trouble) {
            tracing::warn!(%error, "what an interrupted backup or restore has left stays");
        }
    }

    /// Returns what is to be logged: trouble that is not that of the look before.
    fn news(&mut self, trouble: Option<String>) -> Option<&str> {
        let is_told = self.told == trouble;
        self.told = trouble;
        self.told.as_deref().filter(|_| !is_told)
    }
}

fn remove(folder: &Path, below: &[PathBuf]) {
    if let Err(error) = unfinished::remove_abandoned(folder, below) {
        tracing::warn!(%error, "what an interrupted backup or restore has left stays");
    }
}

/// Returns where a restore writes languages: their folder, one for each, and those in it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_logged_once_until_it_is_gone_or_something_else_stays() {
        let mut watch = LeftoverWatch::default();
        let mut told = |trouble: &str| {
            let trouble = Some(trouble.to_owned()).filter(|trouble| !trouble.is_empty());
            watch.news(trouble).map(str::to_owned)
        };
        let looks = ["", "no locks", "no locks", "no room", "", "no room"].map(&mut told);
        let looks = looks.each_ref().map(Option::as_deref);
        assert_eq!(looks, [None, Some("no locks"), None, Some("no room"), None, Some("no room")]);
    }
}
