//! The wait before the next attempt to connect: doubled with each failure, up to a limit.
//! Pure: no I/O, no clock.

use std::time::Duration;

/// Counts failures in a row.
#[derive(Debug)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) fn new((first, longest): (Duration, Duration)) -> Self {
        Self { first, longest, next: first }
    }

    /// A connection was made.
    pub(super) fn worked(&mut self) {
        self.next = self.first;
    }

    /// Returns the wait after a failure.
    pub(super) fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = (self.next * 2).min(self.longest);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_its_limit_and_begins_anew_after_a_connection() {
        let mut backoff = Backoff::new((Duration::from_millis(500), Duration::from_secs(3)));
        let waits = [(); 5].map(|()| backoff.wait().as_millis());
        assert_eq!(waits, [500, 1_000, 2_000, 3_000, 3_000]);
        backoff.worked();
        assert_eq!(backoff.wait().as_millis(), 500);
    }
}
