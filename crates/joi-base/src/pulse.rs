//! Heartbeats of the long-lived stages: whether each of them still works.
//!
//! Any thread. A stage owns its [`Heart`] and stores in it whether it is idle, working or looping: one atomic
//! store, no lock, no wait. A monitor reads all of them from the [`Pulse`]. Nothing here acts on the result;
//! the time source is passed in.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The activity of a stage, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Beat {
    /// Idle: it waits for work, for any length of time.
    Resting,
    /// Working, with a limit.
    Working,
    /// Looping: each round has a limit.
    Beating,
    /// It has ended normally.
    Ended,
    /// It has ended by a panic.
    Broken,
}

impl Beat {
    const ALL: [Self; 5] = [Self::Resting, Self::Working, Self::Beating, Self::Ended, Self::Broken];

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resting => "resting",
            Self::Working => "working",
            Self::Beating => "beating",
            Self::Ended => "ended",
            Self::Broken => "broken",
        }
    }
}

/// The state of one stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vital {
    /// Which stage.
    pub stage: &'static str,
    /// Its activity.
    pub beat: Beat,
    /// How long ago it was reported.
    pub age: Duration,
    /// How long work or a round may take.
    pub limit: Duration,
}

impl Vital {
    /// Returns whether the stage works as it should.
    pub fn is_fresh(&self) -> bool {
        match self.beat {
            Beat::Resting | Beat::Ended => true,
            Beat::Working | Beat::Beating => self.age < self.limit,
            Beat::Broken => false,
        }
    }
}

type TimeSource = Arc<dyn Fn() -> Instant + Send + Sync>;

/// The hearts of all stages. Clones share them.
#[derive(Clone)]
pub struct Pulse {
    time: TimeSource,
    origin: Instant,
    slots: Arc<Mutex<Vec<Arc<HeartSlot>>>>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self::with_time(Instant::now)
    }
}

impl std::fmt::Debug for Pulse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pulse").field("vitals", &self.vitals()).finish()
    }
}

impl Pulse {
    /// Returns a pulse with the time source `time`.
    pub fn with_time(time: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        let origin = time();
        Self { time: Arc::new(time), origin, slots: Arc::default() }
    }

    /// Returns a heart for `stage`, idle at first. Work or a round that takes `limit` or longer means that the stage is
    /// stuck. A restarted stage replaces its earlier heart, once that has ended: two of the same name that live belong
    /// to two rooms.
    pub fn heart(&self, stage: &'static str, limit: Duration) -> Heart {
        let slot = Arc::new(HeartSlot { stage, limit, state: AtomicU64::new(0) });
        let mut slots = self.slots();
        slots.retain(|other| other.stage != stage || other.is_alive());
        slots.push(Arc::clone(&slot));
        drop(slots);
        let heart = Heart { slot, time: Arc::clone(&self.time), origin: self.origin };
        heart.rest();
        heart
    }

    /// Forgets `stage`; its supervisor has taken over.
    pub fn forget(&self, stage: &str) {
        self.slots().retain(|slot| slot.stage != stage);
    }

    /// How every stage is, in the order in which they were started.
    pub fn vitals(&self) -> Vec<Vital> {
        let now = (self.time)().saturating_duration_since(self.origin);
        self.slots().iter().map(|slot| slot.vital(now)).collect()
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Arc<HeartSlot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct HeartSlot {
    stage: &'static str,
    limit: Duration,
    /// Microseconds since the origin times eight, plus the place in [`Beat::ALL`].
    state: AtomicU64,
}

impl HeartSlot {
    fn beat(&self) -> Beat {
        let state = self.state.load(Ordering::Acquire);
        Beat::ALL.get((state & 7) as usize).copied().unwrap_or(Beat::Broken)
    }

    fn is_alive(&self) -> bool {
        !matches!(self.beat(), Beat::Ended | Beat::Broken)
    }

    fn vital(&self, now: Duration) -> Vital {
        let state = self.state.load(Ordering::Acquire);
        let beat = self.beat();
        let age = now.saturating_sub(Duration::from_micros(state >> 3));
        Vital { stage: self.stage, beat, age, limit: self.limit }
    }
}

/// One stage's side of the [`Pulse`], owned by the stage's thread or task: dropped in a panic it is broken,
/// dropped otherwise it has ended.
pub struct Heart {
    slot: Arc<HeartSlot>,
    time: TimeSource,
    origin: Instant,
}

impl Heart {
    /// Creates a heart that is not monitored.
    pub fn unwatched() -> Self {
        Pulse::default().heart("unwatched", Duration::MAX)
    }

    /// The stage is idle.
    pub fn rest(&self) {
        self.say(Beat::Resting);
    }

    /// The stage has completed another round.
    pub fn beat(&self) {
        self.say(Beat::Beating);
    }

    /// Marks the stage as working until the guard is dropped; then it returns to its activity before.
    #[must_use = "the work ends when this is dropped"]
    pub fn work(&self) -> Working {
        let before = self.slot.state.load(Ordering::Acquire);
        self.say(Beat::Working);
        Working { slot: Arc::clone(&self.slot), before }
    }

    fn say(&self, beat: Beat) {
        let now = (self.time)().saturating_duration_since(self.origin);
        self.slot.state.store((now.as_micros() as u64) << 3 | beat as u64, Ordering::Release);
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.say(if std::thread::panicking() { Beat::Broken } else { Beat::Ended });
    }
}

/// The stage works as long as this guard lives.
pub struct Working {
    slot: Arc<HeartSlot>,
    before: u64,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.slot.state.store(self.before, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::manual_pulse as manual;

    fn only(pulse: &Pulse) -> Vital {
        let vitals = pulse.vitals();
        assert_eq!(vitals.len(), 1, "{vitals:?}");
        vitals[0]
    }

    const LIMIT: Duration = Duration::from_secs(2);

    #[test]
    fn a_stage_that_rests_is_fresh_for_ever_and_one_that_works_until_its_limit() {
        let (pulse, passed) = manual();
        let heart = pulse.heart("whisper", LIMIT);
        passed.store(10_000_000, Ordering::Relaxed);
        assert!(only(&pulse).is_fresh());
        let working = heart.work();
        passed.fetch_add(1_999, Ordering::Relaxed);
        let vital =
            Vital { stage: "whisper", beat: Beat::Working, age: Duration::from_millis(1_999), limit: LIMIT };
        assert_eq!(only(&pulse), vital);
        assert!(only(&pulse).is_fresh());
        passed.fetch_add(1, Ordering::Relaxed);
        assert!(!only(&pulse).is_fresh());
        drop(working);
        assert!(only(&pulse).is_fresh(), "it is done after all");
    }

    #[test]
    fn a_loop_that_stops_going_round_is_found() {
        let (pulse, passed) = manual();
        let heart = pulse.heart("listener", LIMIT);
        for _ in 0..10 {
            heart.beat();
            passed.fetch_add(1_500, Ordering::Relaxed);
            assert!(only(&pulse).is_fresh());
        }
        passed.fetch_add(500, Ordering::Relaxed);
        assert!(!only(&pulse).is_fresh());
    }

    #[test]
    fn a_stage_that_is_forgotten_is_shown_again_once_it_has_a_new_heart() {
        let (pulse, _) = manual();
        let stuck = pulse.heart("timers", LIMIT);
        let _other = pulse.heart("store", LIMIT);
        pulse.forget("timers");
        drop(stuck);
        assert_eq!(only(&pulse).stage, "store");
        let _again = pulse.heart("timers", LIMIT);
        assert_eq!(pulse.vitals().len(), 2);
    }

    #[test]
    fn work_within_work_counts_from_the_outer_beginning() {
        let (pulse, passed) = manual();
        let heart = pulse.heart("conversation", LIMIT);
        let outer = heart.work();
        passed.fetch_add(1_000, Ordering::Relaxed);
        drop(heart.work());
        passed.fetch_add(1_000, Ordering::Relaxed);
        assert!(!only(&pulse).is_fresh());
        drop(outer);
        assert_eq!(only(&pulse).beat, Beat::Resting);
    }

    #[test]
    fn a_stage_that_panicked_is_broken_and_one_that_ended_is_not() {
        let (pulse, _) = manual();
        drop(pulse.heart("voice", LIMIT));
        assert_eq!(only(&pulse).beat, Beat::Ended);
        assert!(only(&pulse).is_fresh());
        let heart = pulse.heart("voice", LIMIT);
        let ended = std::thread::spawn(move || {
            let _working = heart.work();
            panic!("as a broken stage does");
        });
        assert!(ended.join().is_err());
        assert_eq!(only(&pulse).beat, Beat::Broken);
        assert!(!only(&pulse).is_fresh());
    }
}
