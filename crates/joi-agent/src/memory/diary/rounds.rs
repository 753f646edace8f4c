//! Decides when the diary is written and the memory tidied.
//!
//! Any thread. Input: the present, and the end of the last pass. Output: what is due. A failure is retried after
//! growing waits. A clock that was set back makes things due rather than never.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::Pass;

/// Between two tidyings.
const TIDY: SignedDuration = SignedDuration::from_hours(6);
/// More or less, so that not everything happens at once.
const SPREAD_S: i64 = 3_600;
/// A tidying that failed is tried again after this time, twice as long after each further failure.
const RETRY: SignedDuration = SignedDuration::from_mins(1);
/// A model that could not be had is not asked again for so long.
const REST: SignedDuration = SignedDuration::from_mins(10);

/// The outcome of a tidying of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tidying {
    /// All of it was done.
    Done,
    /// Something of it failed.
    Failed,
}

/// Schedule of the diary and of the tidying.
#[derive(Debug, Clone)]
pub struct Rounds {
    tidy_at: Timestamp,
    /// Tidyings that failed in a row.
    failures: u32,
    asked: Option<Timestamp>,
}

impl Rounds {
    /// Rounds from `now` on. `chance` is in 0..1.
    pub fn new(now: Timestamp, chance: f64) -> Self {
        Self { tidy_at: next(now, chance), failures: 0, asked: None }
    }

    /// Returns whether the memory is to be tidied; if so, the next time is `chance` (0..1) off the rule.
    pub fn is_tidying_due(&mut self, now: Timestamp, chance: f64) -> bool {
        let latest = next(now, 1.0);
        let is_due = now >= self.tidy_at || self.tidy_at > latest;
        if is_due {
            self.tidy_at = next(now, chance);
        }
        is_due
    }

    /// Notes how a tidying ended at `now`.
    pub fn tidied(&mut self, tidying: Tidying, now: Timestamp) {
        match tidying {
            Tidying::Done => self.failures = 0,
            Tidying::Failed => {
                let wait = RETRY.checked_mul(1 << self.failures.min(10)).unwrap_or(TIDY);
                self.failures = self.failures.saturating_add(1);
                self.tidy_at = now.checked_add(wait).unwrap_or(now).min(self.tidy_at);
            }
        }
    }

    /// Returns whether the diary may be looked at.
    pub fn may_write(&self, now: Timestamp) -> bool {
        self.asked.is_none_or(|asked| now.duration_since(asked).abs() >= REST)
    }

    /// Notes how a pass ended at `now`.
    pub fn passed(&mut self, pass: Pass, now: Timestamp) {
        self.asked = (pass == Pass::NoModel).then_some(now);
    }
}

fn next(now: Timestamp, chance: f64) -> Timestamp {
    let off = (chance.clamp(0.0, 1.0) * 2.0 - 1.0) * SPREAD_S as f64;
    let after = TIDY.checked_add(SignedDuration::from_secs(off as i64)).unwrap_or(TIDY);
    now.checked_add(after).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minute * 60).unwrap()
    }

    // A fake clock over 48 h
    #[test]
    fn within_two_days_the_memory_is_tidied_six_to_nine_times() {
        for chances in [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.1, 0.9]] {
            let mut rounds = Rounds::new(at(0), chances[0]);
            let mut runs = 0_usize;
            for minute in 0..48 * 60 {
                runs += usize::from(rounds.is_tidying_due(at(minute), chances[runs % 2]));
            }
            assert!((6..=9).contains(&runs), "{runs} with {chances:?}");
        }
    }

    #[test]
    fn a_tidying_that_fails_is_tried_again_after_waits_that_grow_and_never_later_than_by_rule() {
        let mut rounds = Rounds::new(at(0), 0.5);
        let mut minute = 360;
        for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360] {
            assert!(rounds.is_tidying_due(at(minute), 0.5));
            rounds.tidied(Tidying::Failed, at(minute));
            assert!(!rounds.is_tidying_due(at(minute + wait - 1), 0.5), "{wait}");
            minute += wait;
        }
        assert!(rounds.is_tidying_due(at(minute), 0.5));
        rounds.tidied(Tidying::Done, at(minute));
        assert!(!rounds.is_tidying_due(at(minute + 359), 0.5));
        assert!(rounds.is_tidying_due(at(minute + 360), 0.5));
        rounds.tidied(Tidying::Failed, at(minute + 360));
        assert!(rounds.is_tidying_due(at(minute + 361), 0.5), "the first wait is short again");
    }

    #[test]
    fn a_clock_that_is_set_back_stops_nothing() {
        let mut rounds = Rounds::new(at(100_000), 0.5);
        assert!(rounds.is_tidying_due(at(0), 0.5));
        rounds.passed(Pass::NoModel, at(100_000));
        assert!(!rounds.may_write(at(100_005)) && rounds.may_write(at(100_010)) && rounds.may_write(at(0)));
        rounds.passed(Pass::Done(1), at(100_011));
        assert!(rounds.may_write(at(100_011)));
    }
}
