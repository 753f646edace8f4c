//! Detects a loudspeaker with a backlog: sound is heard later and later behind the same buffer.
//!
//! In: after each block, how much later it will be heard. Out: whether the stream should be opened anew. A sound server
//! that was starved can keep what it could not play in time in its buffer for ever, so that everything from then on is
//! late. A device that is slow by nature (a wireless speaker) is so from its first block on.
//! Pure: no I/O, no clock.

use std::time::Duration;

/// So much beyond the least latency of the stream is a backlog.
const BEYOND: Duration = Duration::from_millis(120);
/// How long a backlog must last, while nothing is played, before it is acted on.
const LASTS: Duration = Duration::from_secs(2);
/// The first blocks say little: buffers are being filled.
const SETTLES: Duration = Duration::from_secs(1);

/// Measurements of one stream.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    least: Option<Duration>,
    /// Sound since the stream was opened.
    sound: Duration,
    /// How long there has been a backlog.
    lasts: Duration,
}

impl Backlog {
    /// A block of `length` is heard `latency` later; whether the backlog has lasted long enough to act. While something
    /// is played nothing is decided.
    pub(super) fn observe(&mut self, latency: Duration, length: Duration, is_playing: bool) -> bool {
        self.sound += length;
        if self.sound < SETTLES {
            return false;
        }
        let least = self.least.map_or(latency, |least| least.min(latency));
        self.least = Some(least);
        if latency < least + BEYOND {
            self.lasts = Duration::ZERO;
        } else if !is_playing {
            self.lasts += length;
        }
        self.lasts >= LASTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Duration = Duration::from_millis(20);

    /// Blocks of these latencies in ms, each so often; after how many of them the stream is given up.
    fn given_up_after(script: &[(u64, usize)], is_playing: bool) -> Option<usize> {
        let mut backlog = Backlog::default();
        let all = script.iter().flat_map(|(ms, times)| std::iter::repeat_n(*ms, *times));
        all.map(Duration::from_millis).position(|latency| backlog.observe(latency, BLOCK, is_playing))
    }

    #[test]
    fn latency_that_grows_and_stays_is_a_backlog() {
        assert_eq!(given_up_after(&[(40, 100), (400, 200)], false), Some(199), "two seconds of 20 ms");
        assert_eq!(
            given_up_after(&[(40, 100), (400, 99), (40, 1), (400, 99)], false),
            None,
            "it was caught up"
        );
        assert_eq!(given_up_after(&[(40, 100), (150, 500)], false), None, "that is no more than jitter");
    }

    #[test]
    fn a_slow_device_is_no_backlog_and_nothing_is_given_up_in_the_middle_of_a_sentence() {
        assert_eq!(given_up_after(&[(300, 1_000)], false), None, "a wireless speaker");
        assert_eq!(given_up_after(&[(40, 100), (400, 500)], true), None);
        assert_eq!(
            given_up_after(&[(0, 30), (400, 500)], false),
            None,
            "buffers are filled at the beginning"
        );
    }
}
