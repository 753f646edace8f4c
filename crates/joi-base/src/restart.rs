//! Decides when a child process or a service that failed is restarted, and when it is given up.
//!
//! In: how long it ran. Out: how long to wait, or that it is given up. Waits have a floor, so that nothing
//! spins, and a ceiling; a number of failures in a row is the end.
//! Pure: no I/O, no clock.

use std::time::Duration;

/// The numbers of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartPolicy {
    /// The floor: wait after the first failure; doubled with each further one.
    pub first_wait: Duration,
    /// The ceiling: longest wait.
    pub longest_wait: Duration,
    /// After a run of this length the next failure counts as the first.
    pub sound_after: Duration,
    /// Give up after this many failures in a row.
    pub give_up_after: u32,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            sound_after: Duration::from_secs(60),
            give_up_after: 8,
        }
    }
}

/// The reaction to a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    /// Restart after this wait.
    After(Duration),
    /// Give it up.
    GiveUp,
}

/// Counts failures in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restarts {
    policy: RestartPolicy,
    failures: u32,
}

impl Restarts {
    /// No failure yet.
    pub fn new(policy: RestartPolicy) -> Self {
        Self { policy, failures: 0 }
    }

    /// It failed after having run for `ran`.
    pub fn failed(&mut self, ran: Duration) -> Restart {
        let before = if ran >= self.policy.sound_after { 0 } else { self.failures };
        self.failures = before.saturating_add(1);
        if self.failures >= self.policy.give_up_after {
            return Restart::GiveUp;
        }
        let doubled = self.policy.first_wait.saturating_mul(2_u32.saturating_pow(before));
        Restart::After(doubled.min(self.policy.longest_wait))
    }

    /// Forgets all failures.
    pub fn forget(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_then_it_is_given_up() {
        let mut restarts = Restarts::new(RestartPolicy { give_up_after: 9, ..RestartPolicy::default() });
        let waits: Vec<Restart> = (0..9).map(|_| restarts.failed(Duration::from_secs(59))).collect();
        let mut expected: Vec<Restart> = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]
            .map(|ms| Restart::After(Duration::from_millis(ms)))
            .into();
        expected.push(Restart::GiveUp);
        assert_eq!(waits, expected);
    }

    #[test]
    fn what_ran_soundly_starts_with_a_clean_slate() {
        let mut restarts = Restarts::new(RestartPolicy::default());
        for _ in 0..5 {
            restarts.failed(Duration::ZERO);
        }
        assert_eq!(restarts.failed(Duration::from_secs(60)), Restart::After(Duration::from_millis(500)));
        assert_eq!(restarts.failed(Duration::ZERO), Restart::After(Duration::from_secs(1)));
        restarts.forget();
        assert_eq!(restarts.failed(Duration::ZERO), Restart::After(Duration::from_millis(500)));
    }
}
