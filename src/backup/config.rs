//! `[backup]`: automatic backups. Plain data, read once at the start.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// Automatic backups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BackupConfig {
    /// Folder for automatic backups, best on another disk, as "/media/stick/joi"; it is never created, so that nothing is
    /// written while a stick is not there. "": none are made. They hold no secrets.
    pub folder: PathBuf,
    /// Hours between two automatic backups, 1 to 720. More: fewer writes, and more is lost with the disk.
    pub every_h: u32,
    /// How many automatic backups are kept, 1 to 365; older ones are removed. More: longer memory, more disk.
    pub keep: u32,
}

impl Default for BackupConfig {
    fn default() -> Self {
        Self { folder: PathBuf::new(), every_h: 24, keep: 7 }
    }
}

impl BackupConfig {
    /// Returns where automatic backups go; nothing where none are made.
    pub fn folder(&self) -> Option<&Path> {
        Some(self.folder.as_path()).filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Returns the time between two of them.
    pub fn every(&self) -> Duration {
        Duration::from_secs(3600 * u64::from(self.every_h))
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = [
            Problem::outside("backup.every_h", self.every_h.into(), 1.0..=720.0, "hours"),
            Problem::outside("backup.keep", self.keep.into(), 1.0..=365.0, "backups"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if let Some(folder) = self.folder().filter(|folder| !folder.is_absolute()) {
            problems.push(Problem::new("backup.folder", folder.display(), "an absolute path, or \"\""));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_folder_and_numbers_out_of_range_are_refused() {
        let wrong = BackupConfig { folder: "backups".into(), every_h: 0, keep: 366 };
        let keys: Vec<_> = wrong.check().into_iter().map(|problem| problem.key).collect();
        assert_eq!(keys, ["backup.every_h", "backup.keep", "backup.folder"]);
        assert_eq!(BackupConfig::default().check(), []);
        assert_eq!(BackupConfig::default().folder(), None);
    }
}
