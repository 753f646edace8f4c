//! Passes the moment at which the device took the newest block from the callback to the feeder.
//!
//! The callback writes, the feeder reads: atomics only, no lock, no waiting. Position, moment and latency are read as they
//! were written together, or not at all.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

/// A reader gives up after meeting this many writes in a row.
const ATTEMPTS: usize = 4;

/// The newest block that held samples.
#[derive(Debug)]
pub(super) struct BlockMoment {
    born: Instant,
    /// Odd while it is written; 0 before the first block.
    version: AtomicU32,
    /// Position of the block's first sample.
    begins_at: AtomicU64,
    /// When the device took it, in microseconds since `born`.
    taken_micros: AtomicU64,
    /// How much later it is heard.
    delay_micros: AtomicU64,
}

impl BlockMoment {
    /// Nothing was taken yet.
    pub(super) fn new() -> Self {
        Self {
            born: Instant::now(),
            version: AtomicU32::new(0),
            begins_at: AtomicU64::new(0),
            taken_micros: AtomicU64::new(0),
            delay_micros: AtomicU64::new(0),
        }
    }

    /// The device took a block at `now`, the first sample of which is at `begins_at` and is heard `delay` later. One writer.
    pub(super) fn write(&self, begins_at: u64, now: Instant, delay: Duration) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version | 1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.begins_at.store(begins_at, Ordering::Relaxed);
        self.taken_micros.store(micros(now.saturating_duration_since(self.born)), Ordering::Relaxed);
        self.delay_micros.store(micros(delay), Ordering::Relaxed);
        self.version.store((version | 1).wrapping_add(1), Ordering::Release);
    }

    /// Returns when the sample at `position` was taken and when it is heard, counted at `rate` from the newest block;
    /// nothing before the first one.
    pub(super) fn of(&self, position: u64, rate: u32) -> Option<(Instant, Instant)> {
        let (begins_at, taken, delay) = (0..ATTEMPTS).find_map(|_| self.read())?;
        let span = |samples: u64| Duration::from_micros(samples * 1_000_000 / u64::from(rate.max(1)));
        let first = self.born + taken;
        let taken = match position.checked_sub(begins_at) {
            Some(behind) => first + span(behind),
            None => first.checked_sub(span(begins_at - position))?,
        };
        Some((taken, taken + delay))
    }

    fn read(&self) -> Option<(u64, Duration, Duration)> {
        let version = self.version.load(Ordering::Acquire);
        let told = (
            self.begins_at.load(Ordering::Relaxed),
            Duration::from_micros(self.taken_micros.load(Ordering::Relaxed)),
            Duration::from_micros(self.delay_micros.load(Ordering::Relaxed)),
        );
        fence(Ordering::Acquire);
        let is_whole =
            version != 0 && version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version;
        is_whole.then_some(told)
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_heard_as_long_after_the_newest_block_as_it_lies_behind_its_beginning() {
        let moment = BlockMoment::new();
        assert_eq!(moment.of(0, 1_000), None);
        let at = |ms: u64| moment.born + Duration::from_millis(ms);
        moment.write(500, at(1_000), Duration::from_millis(25));
        assert_eq!(moment.of(500, 1_000), Some((at(1_000), at(1_025))));
        assert_eq!(moment.of(510, 1_000), Some((at(1_010), at(1_035))));
        assert_eq!(moment.of(480, 1_000), Some((at(980), at(1_005))), "of a block before it");
        moment.write(520, at(1_020), Duration::from_millis(15));
        assert_eq!(moment.of(520, 1_000), Some((at(1_020), at(1_035))));
    }

    #[test]
    fn what_is_read_was_written_together() {
        let moment = BlockMoment::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for step in 1..200_000_u64 {
                    let micros = Duration::from_micros(step);
                    moment.write(step, moment.born + micros, micros);
                }
            });
            for _ in 0..200_000 {
                if let Some((begins_at, taken, delay)) = moment.read() {
                    assert_eq!((begins_at, begins_at), (micros(taken), micros(delay)));
                }
            }
        });
    }
}
