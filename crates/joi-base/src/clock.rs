//! Wall-clock time as a value that is handed in, so that tests decide what time it is.
//!
//! Any thread. Nothing here waits: waiting is Tokio's job, and its clock can be paused.

use std::sync::Mutex;
use std::time::Duration;

use jiff::{Timestamp, Zoned};
use rustix::time::{ClockId, clock_gettime};

/// A source of the civil time in the owner's zone.
pub trait Clock: Send + Sync {
    /// Returns the current moment with its time zone.
    fn now(&self) -> Zoned;

    /// Returns the time that has passed since some moment, which goes on evenly when [`Clock::now`] is set. A clock that
    /// is never set, as in most tests, need not have another one.
    fn steady(&self) -> Duration {
        Duration::try_from(self.now().timestamp().duration_since(Timestamp::UNIX_EPOCH)).unwrap_or_default()
    }
}

/// The machine's clock and time zone.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Zoned {
        Zoned::now()
    }

    /// Since the machine was started, the time asleep included.
    fn steady(&self) -> Duration {
        Duration::try_from(clock_gettime(ClockId::Boottime)).unwrap_or_default()
    }
}

/// A clock that stands still until it is set.
#[derive(Debug)]
pub struct ManualClock(Mutex<Zoned>);

impl ManualClock {
    /// Creates a clock that shows `now`.
    pub fn at(now: Zoned) -> Self {
        Self(Mutex::new(now))
    }

    /// Shows `now` from here on.
    pub fn set(&self, now: Zoned) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = now;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Zoned {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}
