//! When a run that failed is tried again: by the kind of failure and the number of failures in a row.
//!
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};
use joi_autonomy::agent::turn::TurnFailure;

use crate::limits::{
    NETWORK_RETRIES, OTHER_RETRIES, RATE_LIMIT_RETRIES, RETRY_BASE, RETRY_CAP, RETRY_JITTER,
};

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// It is tried again at this moment.
    Retry(Timestamp),
    /// It has failed for good.
    GivenUp,
}

/// Returns the name of a failure in the database and in tables.
pub fn name(failure: TurnFailure) -> &'static str {
    match failure {
        TurnFailure::RateLimit => "rate limit",
        TurnFailure::Network => "network",
        TurnFailure::Other => "failure",
    }
}

/// Decides after the failure number `attempts` in a row, from 1 on; `jitter` is from 0 to 1.
pub fn after(failure: TurnFailure, attempts: u32, jitter: f64, now: Timestamp) -> AfterFailure {
    let most = match failure {
        TurnFailure::RateLimit => RATE_LIMIT_RETRIES,
        TurnFailure::Network => NETWORK_RETRIES,
        TurnFailure::Other => OTHER_RETRIES,
    };
    if attempts > most {
        return AfterFailure::GivenUp;
    }
    let doubled = RETRY_BASE.as_secs() << attempts.saturating_sub(1).min(16);
    let delay = SignedDuration::from_secs(doubled).min(RETRY_CAP);
    let jitter = SignedDuration::from_secs_f64(RETRY_JITTER.as_secs_f64() * jitter.clamp(0.0, 1.0));
    now.checked_add(delay + jitter).map_or(AfterFailure::GivenUp, AfterFailure::Retry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(failure: TurnFailure, jitter: f64) -> Vec<f64> {
        let now = Timestamp::UNIX_EPOCH;
        (1..20)
            .map_while(|attempts| match after(failure, attempts, jitter, now) {
                AfterFailure::Retry(at) => Some(at.duration_since(now).as_secs_f64()),
                AfterFailure::GivenUp => None,
            })
            .collect()
    }

    #[test]
    fn each_failure_has_its_number_of_retries_and_delays_double_up_to_the_cap() {
        assert_eq!(delays(TurnFailure::RateLimit, 0.0), [10.0, 20.0, 40.0, 80.0, 160.0]);
        assert_eq!(delays(TurnFailure::Network, 0.0), [10.0, 20.0, 40.0]);
        assert_eq!(delays(TurnFailure::Other, 0.0), [10.0, 20.0]);
        assert_eq!(delays(TurnFailure::Other, 1.0), [12.0, 22.0]);
        assert_eq!(delays(TurnFailure::Other, 7.0), [12.0, 22.0], "the jitter is bounded");
        let late = RETRY_BASE.as_secs() << 5;
        assert!(late > RETRY_CAP.as_secs(), "a sixth retry would meet the cap");
    }
}
