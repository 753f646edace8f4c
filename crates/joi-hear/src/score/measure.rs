//! Measures how long phrase scoring takes on this machine.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ACCEPT, Effort, Phrase, score};
use crate::measurement::Measurable;
use crate::whisper::{SttError, Whisper, clip};
use joi_audio::RATE;

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
}

impl ScorerTime {
    /// Measures it on speech.
    ///
    /// # Errors
    /// whisper.cpp failed.
    pub fn measure(whisper: &mut Whisper) -> Result<Self, SttError> {
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
        Ok(Self { millis: best.as_millis() as u64 })
    }

    /// Returns whether that is fast enough to detect written phrases.
    pub fn is_fast(&self) -> bool {
        u128::from(self.millis) <= BUDGET.as_millis()
    }
}

impl Measurable for ScorerTime {
    fn could_be_better(&self) -> bool {
        !self.is_fast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whisper::tests::tiny;

    #[test]
    fn the_time_is_measured_on_speech() {
        assert!(ScorerTime::measure(&mut tiny()).unwrap().millis > 0);
    }

    #[test]
    fn a_machine_is_fast_enough_up_to_the_budget() {
        let [fast, slow] = [700, 701].map(|millis| ScorerTime { millis });
        assert!(fast.is_fast() && !slow.is_fast());
        assert!(!fast.could_be_better() && slow.could_be_better());
    }
}
