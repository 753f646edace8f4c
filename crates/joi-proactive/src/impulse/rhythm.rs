//! When work in the background is due: every so often, a little earlier or later, sooner after a failure.
//!
//! In: the present, chance, how the last run ended. Out: whether it is due. A clock that was set back makes things due
//! rather than never; one that was set forward makes them due once.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

/// How long after a first failure it is tried again; twice as long after each further one.
const RETRY: SignedDuration = SignedDuration::from_secs(30);

/// How often something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// The time between two runs.
    pub every: SignedDuration,
    /// How much earlier or later.
    pub spread: SignedDuration,
}

impl Rhythm {
    /// Every hour, to the minute: what is too old leaves the context state.
    pub const CLEANUP: Self = Self { every: SignedDuration::from_hours(1), spread: SignedDuration::ZERO };

    /// Every four hours: the weather at home.
    pub const WEATHER: Self =
        Self { every: SignedDuration::from_hours(4), spread: SignedDuration::from_mins(30) };

    /// Returns the time until the next run; `draw` is in 0..1.
    pub fn next(self, draw: f64) -> SignedDuration {
        let off = (draw.clamp(0.0, 1.0) * 2.0 - 1.0) * self.spread.as_secs_f64();
        self.every.checked_add(SignedDuration::from_secs_f64(off)).unwrap_or(self.every)
    }
}

/// When one task is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RhythmDue {
    rhythm: Rhythm,
    at: Timestamp,
    failures: u32,
}

impl RhythmDue {
    /// The first time is after one interval.
    pub fn after(rhythm: Rhythm, now: Timestamp, draw: f64) -> Self {
        Self { rhythm, at: later(now, rhythm.next(draw)), failures: 0 }
    }

    /// Returns whether it is due.
    pub fn is_due(&self, now: Timestamp) -> bool {
        now >= self.at || self.at > later(now, self.rhythm.next(1.0))
    }

    /// It was done.
    pub fn done(&mut self, now: Timestamp, draw: f64) {
        self.failures = 0;
        self.at = later(now, self.rhythm.next(draw));
    }

    /// It failed: again after a wait that grows, and never later than by its own rhythm.
    pub fn failed(&mut self, now: Timestamp, draw: f64) {
        let wait = RETRY.checked_mul(1 << self.failures.min(10)).unwrap_or(self.rhythm.every);
        self.failures = self.failures.saturating_add(1);
        self.at = later(now, wait.min(self.rhythm.next(draw)));
    }

    /// When it is due.
    pub fn at(&self) -> Timestamp {
        self.at
    }
}

fn later(now: Timestamp, time: SignedDuration) -> Timestamp {
    now.checked_add(time).unwrap_or(now)
}
