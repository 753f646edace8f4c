//! How often something may be sent.
//!
//! Any thread, a short lock. In: the time. Out: whether one more may come.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// Recordings of all browsers within [`COUNTED`].
const MOST: usize = 30;
const COUNTED: SignedDuration = SignedDuration::from_mins(1);

/// When the last ones came.
#[derive(Debug, Default)]
pub(crate) struct TalkPace(Mutex<VecDeque<Timestamp>>);

impl TalkPace {
    /// Returns whether one more may come at `now`, and counts it.
    pub(crate) fn allows(&self, now: Timestamp) -> bool {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.retain(|at| *at + COUNTED > now);
        let is_allowed = times.len() < MOST;
        if is_allowed {
            times.push_back(now);
        }
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_come_in_a_minute_and_no_more() {
        let (pace, at) = (TalkPace::default(), |s: i64| Timestamp::from_second(1_800_000_000 + s).unwrap());
        let taken = (0..100).filter(|_| pace.allows(at(0))).count();
        assert_eq!(taken, MOST);
        assert!(!pace.allows(at(59)) && pace.allows(at(60)));
    }
}
