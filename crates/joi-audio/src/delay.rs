//! The delay of a device, for display. Its callback or its reader writes, any thread reads. Atomics only.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A handle that shows the newest and the highest delay of a device since the start.
#[derive(Debug, Clone, Default)]
pub struct DelayMeter(Arc<DelayValues>);

/// Microseconds and one; 0 before the first block.
#[derive(Debug, Default)]
struct DelayValues {
    last: AtomicU64,
    highest: AtomicU64,
}

impl DelayMeter {
    /// Returns the delay of the newest block; nothing before the first one.
    pub fn last(&self) -> Option<Duration> {
        value(&self.0.last)
    }

    /// Returns the highest delay so far.
    pub fn highest(&self) -> Option<Duration> {
        value(&self.0.highest)
    }

    /// Records the delay of a block. Never blocks.
    pub(super) fn show(&self, delay: Duration) {
        let micros = u64::try_from(delay.as_micros()).unwrap_or(u64::MAX).saturating_add(1);
        self.0.last.store(micros, Ordering::Relaxed);
        self.0.highest.fetch_max(micros, Ordering::Relaxed);
    }
}

fn value(micros: &AtomicU64) -> Option<Duration> {
    micros.load(Ordering::Relaxed).checked_sub(1).map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_and_the_highest_delay_are_shown_and_nothing_before_the_first() {
        let meter = DelayMeter::default();
        assert_eq!((meter.last(), meter.highest()), (None, None));
        for ms in [20, 900, 0] {
            meter.clone().show(Duration::from_millis(ms));
        }
        assert_eq!((meter.last(), meter.highest()), (Some(Duration::ZERO), Some(Duration::from_millis(900))));
    }
}
