//! How fast the embedded server writes with each model on this machine: measured once, kept in a small file.
//!
//! Any thread; reads and writes a small JSON file. In: a model's checksum, the number of threads, tokens a second. A
//! measurement holds for this processor and this number of threads; a file that can't be read costs one more.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use joi_base::machine;

/// One measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct MeasuredSpeed {
    /// Of the model file.
    sha256: String,
    /// That it was computed with.
    threads: u32,
    /// The processor.
    machine: String,
    /// What it wrote.
    tokens_per_s: f32,
}

/// Log of measured speeds. Cloning is cheap; all clones share it.
#[derive(Debug, Clone)]
pub struct SpeedLog {
    /// Nothing: only kept in memory.
    file: Option<PathBuf>,
    machine: String,
    unsaved: Arc<Mutex<Vec<MeasuredSpeed>>>,
}

impl SpeedLog {
    /// Opens the log in `file`, which need not exist yet; without one, the log lasts as long as the program.
    pub fn kept_in(file: Option<PathBuf>) -> Self {
        Self::on(machine::processor(), file)
    }

    fn on(machine: String, file: Option<PathBuf>) -> Self {
        Self { file, machine, unsaved: Arc::default() }
    }

    /// Tokens a second of the model with this checksum; nothing when it was not measured here with so many threads.
    pub fn of(&self, sha256: &str, threads: u32) -> Option<f32> {
        let all = self.all();
        all.into_iter().find(|one| self.is_of(one, sha256, threads)).map(|one| one.tokens_per_s)
    }

    /// Stores a measurement in place of an earlier one. One that can't be written lasts as long as the program.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn keep(&self, sha256: &str, threads: u32, tokens_per_s: f32) -> io::Result<()> {
        let (sha256, machine) = (sha256.to_owned(), self.machine.clone());
        let new = MeasuredSpeed { sha256, threads, machine, tokens_per_s };
        self.change(|all| {
            all.retain(|one| !self.is_of(one, &new.sha256, threads));
            all.push(new);
        })
    }

    /// Removes a measurement.
    ///
    /// # Errors
    /// As for [`Self::keep`].
    pub fn forget(&self, sha256: &str, threads: u32) -> io::Result<()> {
        self.change(|all| all.retain(|one| !self.is_of(one, sha256, threads)))
    }

    fn is_of(&self, one: &MeasuredSpeed, sha256: &str, threads: u32) -> bool {
        one.sha256 == sha256 && one.threads == threads && one.machine == self.machine
    }

    /// Returns the measurements in memory that could not be written, else those in the file.
    fn all(&self) -> Vec<MeasuredSpeed> {
        let unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        if !unsaved.is_empty() {
            return unsaved.clone();
        }
        let text = self.file.as_ref().and_then(|file| std::fs::read(file).ok());
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    fn change(&self, change: impl FnOnce(&mut Vec<MeasuredSpeed>)) -> io::Result<()> {
        let mut all = self.all();
        change(&mut all);
        let written = self.write(&all);
        let is_written = matches!(written, Ok(true));
        *self.unsaved.lock().unwrap_or_else(PoisonError::into_inner) =
            if is_written { Vec::new() } else { all };
        written.map(drop)
    }

    /// Writes the log; returns whether there is a file to write to.
    fn write(&self, all: &[MeasuredSpeed]) -> io::Result<bool> {
        let Some(file) = &self.file else { return Ok(false) };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let unfinished = file.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&unfinished, serde_json::to_vec_pretty(all)?)?;
        std::fs::rename(unfinished, file)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_holds_for_its_model_threads_and_machine_and_the_newest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cache/speeds.json");
        let (here, there) = (
            SpeedLog::on("a Pi 5, 4 cores".into(), Some(file.clone())),
            SpeedLog::on("a Pi 4, 4 cores".into(), Some(file.clone())),
        );
        assert_eq!(here.of("aa", 3), None);
        here.keep("aa", 3, 9.5).unwrap();
        there.keep("aa", 3, 4.0).unwrap();
        here.keep("aa", 2, 7.0).unwrap();
        here.keep("bb", 3, 20.0).unwrap();
        assert_eq!(
            [here.of("aa", 3), here.of("aa", 2), here.of("bb", 3)],
            [Some(9.5), Some(7.0), Some(20.0)]
        );
        assert_eq!([there.of("aa", 3), there.of("aa", 2), here.of("cc", 3)], [Some(4.0), None, None]);
        here.keep("aa", 3, 8.0).unwrap();
        assert_eq!((here.of("aa", 3), there.of("aa", 3)), (Some(8.0), Some(4.0)));
        here.forget("aa", 3).unwrap();
        assert_eq!((here.of("aa", 3), there.of("aa", 3)), (None, Some(4.0)));
    }

    #[test]
    fn a_damaged_file_is_written_anew_and_one_that_cannot_be_is_done_without() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("speeds.json");
        std::fs::write(&file, "{half").unwrap();
        let log = SpeedLog::kept_in(Some(file.clone()));
        assert_eq!(log.of("aa", 3), None);
        log.keep("aa", 3, 5.0).unwrap();
        assert_eq!(SpeedLog::kept_in(Some(file.clone())).of("aa", 3), Some(5.0));

        let nowhere = SpeedLog::kept_in(Some(file.join("below a file")));
        nowhere.keep("aa", 3, 6.0).unwrap_err();
        assert_eq!((nowhere.of("aa", 3), nowhere.clone().of("aa", 3)), (Some(6.0), Some(6.0)));
        let memory = SpeedLog::kept_in(None);
        memory.keep("bb", 1, 2.0).unwrap();
        assert_eq!(memory.of("bb", 1), Some(2.0));
    }
}
