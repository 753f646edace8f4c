//! Measurements of this machine, kept in a small file until its processor or the settings change.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::whisper::{SttConfig, machine};

/// A speed that other work of the machine makes look slower than it is.
pub trait Measurable: Serialize + DeserializeOwned {
    /// Returns whether a less busy machine could make a difference.
    fn could_be_better(&self) -> bool;
}

/// A measurement and its validity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement<T> {
    /// The measured value.
    #[serde(flatten)]
    pub of: T,
    /// The machine and settings it holds for.
    pub valid_for: String,
    /// The machine was busy with other work, and may do better when it is not.
    #[serde(default)]
    pub was_busy: bool,
}

impl<T: Measurable> Measurement<T> {
    /// Measured with `config` on this machine, which was, or was not, busy with other work meanwhile.
    pub fn new(of: T, config: &SttConfig, is_busy: bool) -> Self {
        let was_busy = is_busy && of.could_be_better();
        Self { of, valid_for: machine(config), was_busy }
    }

    /// Returns whether nothing better would be known by measuring now.
    pub fn holds(&self, is_busy: bool) -> bool {
        is_busy || !self.was_busy
    }

    /// Returns the one stored in `file`, if it was made on this machine and with these settings.
    pub fn remembered(file: &Path, config: &SttConfig) -> Option<Self> {
        let stored: Self = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        (stored.valid_for == machine(config)).then_some(stored)
    }

    /// Stores it in `file`. A failure costs one more measurement on the next start.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn remember(&self, file: &Path) -> std::io::Result<()> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let unfinished = file.with_extension("new");
        std::fs::write(&unfinished, serde_json::to_vec_pretty(self)?)?;
        std::fs::rename(unfinished, file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Millis {
        millis: u64,
    }

    impl Measurable for Millis {
        fn could_be_better(&self) -> bool {
            self.millis > 700
        }
    }

    #[test]
    fn it_is_remembered_for_this_machine_and_these_settings_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cache/time.json");
        let config = SttConfig::default();
        assert_eq!(Measurement::<Millis>::remembered(&file, &config), None);
        let time = Measurement::new(Millis { millis: 900 }, &config, true);
        time.remember(&file).unwrap();
        assert_eq!(Measurement::remembered(&file, &config), Some(time));
        let other = SttConfig { threads: 9, ..config.clone() };
        assert_eq!(Measurement::<Millis>::remembered(&file, &other), None);
        std::fs::write(&file, "{half").unwrap();
        assert_eq!(Measurement::<Millis>::remembered(&file, &config), None);
    }

    #[test]
    fn what_a_busy_machine_was_too_slow_for_is_measured_again_once_it_is_not() {
        for (millis, was_busy, is_busy, holds) in [
            (701, false, false, true),
            (701, true, true, true),
            (701, true, false, false),
            // Fast enough beside other work is fast enough without.
            (700, true, false, true),
        ] {
            let time = Measurement::new(Millis { millis }, &SttConfig::default(), was_busy);
            assert_eq!(time.holds(is_busy), holds, "{millis} {was_busy} {is_busy}");
        }
    }
}
