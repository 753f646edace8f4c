//! Measures how long phrase scoring takes on this machine, and stores the result.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ACCEPT, Effort, Phrase, score};
use crate::audio::RATE;
use crate::hear::whisper::{SttConfig, SttError, Whisper, clip, machine};

/// If a run takes longer, wake phrase detection by scoring would be late, and cost too much CPU.
pub const BUDGET: Duration = Duration::from_millis(700);
/// Runs; the fastest counts, since the first one also fills caches.
const RUNS: usize = 3;
/// Length of the scored sound: as much as of a candidate.
const SAMPLES: usize = 2 * RATE as usize;

/// The measured duration of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScorerTime {
    /// Milliseconds for two seconds of speech.
    pub millis: u64,
    /// Identifies the machine and settings it holds for.
    pub valid_for: String,
    /// The machine was busy, and may be fast enough when it is not.
    #[serde(default)]
    pub was_busy: bool,
}

impl ScorerTime {
    /// Measures it on speech.
    ///
    /// # Errors
    /// whisper.cpp failed.
    pub fn measure(whisper: &mut Whisper, config: &SttConfig) -> Result<Self, SttError> {
        let clip = clip()?;
        let phrases: Vec<Phrase> =
            ["hey joi", "hey jarvis"].iter().filter_map(|w| Phrase::new(whisper, w, &[]).ok()).collect();
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let started = Instant::now();
            let sound = &clip[..SAMPLES.min(clip.len())];
            score(whisper, sound, &phrases, Effort::Above(ACCEPT), &AtomicBool::new(false))?;
            best = best.min(started.elapsed());
        }
        Ok(Self { millis: best.as_millis() as u64, valid_for: machine(config), was_busy: false })
    }

    /// The time as one of a machine that was, or was not, busy with other work meanwhile.
    pub fn while_busy(self, is_busy: bool) -> Self {
        Self { was_busy: is_busy && !self.is_fast(), ..self }
    }

    /// Whether nothing better would be known by measuring now.
    pub fn holds(&self, is_busy: bool) -> bool {
        is_busy || !self.was_busy
    }

    /// Whether that is fast enough to detect written phrases.
    pub fn is_fast(&self) -> bool {
        u128::from(self.millis) <= BUDGET.as_millis()
    }

    /// The duration stored in `file`, if it was measured on this machine and with these settings.
    pub fn remembered(file: &Path, config: &SttConfig) -> Option<Self> {
        let time: Self = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        (time.valid_for == machine(config)).then_some(time)
    }

    /// Stores it in `file`. A failure costs one more measurement on the next start.
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
    use crate::hear::whisper::tests::tiny;

    #[test]
    fn the_time_is_measured_and_remembered_for_this_machine_only() {
        let config = SttConfig::default();
        let time = ScorerTime::measure(&mut tiny(), &config).unwrap();
        assert!(time.millis > 0);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cache/scorer.json");
        assert_eq!(ScorerTime::remembered(&file, &config), None);
        time.remember(&file).unwrap();
        assert_eq!(ScorerTime::remembered(&file, &config), Some(time));
        let other = SttConfig { threads: 9, ..config };
        assert_eq!(ScorerTime::remembered(&file, &other), None);
    }

    #[test]
    fn a_machine_is_fast_enough_up_to_the_budget() {
        let takes = |millis| ScorerTime { millis, valid_for: String::new(), was_busy: false };
        assert!(takes(700).is_fast() && !takes(701).is_fast());
        for (millis, was_busy, is_busy, holds) in [
            (701, false, false, true),
            (701, true, true, true),
            (701, true, false, false),
            (700, true, false, true),
        ] {
            let time = takes(millis).while_busy(was_busy);
            assert_eq!(time.holds(is_busy), holds, "{millis} {was_busy} {is_busy}");
        }
    }
}
