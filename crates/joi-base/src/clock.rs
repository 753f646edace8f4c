//! Wall-clock time as a value that is handed in, so that tests decide what time it is.
//!
//! Any thread. Nothing here waits: waiting is Tokio's job, and its clock can be paused.

use std::sync::Mutex;

use jiff::Zoned;

/// A source of the civil time in the owner's zone.
pub trait Clock: Send + Sync {
    /// Returns the current moment with its time zone.
    fn now(&self) -> Zoned;
}

/// The machine's clock and time zone.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Zoned {
        Zoned::now()
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
