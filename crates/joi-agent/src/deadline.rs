//! Time limits of the optional steps in front of an answer, in the order in which they run.
//!
//! Plain data, and the one way to wait for the database. Together they stay under half a minute, so that a turn in
//! which every one of them hangs still comes to its answer; a test adds them up. What the answer itself may take is
//! in [`crate::agent::patience`], and a tool brings its own limit.

use std::future::Future;
use std::time::Duration;

use tokio::time::timeout;

use joi_store::StoreError;

/// Calls of an earlier run of the program are read.
pub(crate) const CALLS: Duration = Duration::from_millis(500);
/// The dialogue is read.
pub(crate) const DIALOGUE: Duration = Duration::from_secs(1);
/// A model picks the profile of a conversation.
pub(crate) const PROFILE: Duration = Duration::from_secs(3);
/// A model picks tools.
pub(crate) const ROUTER: Duration = Duration::from_secs(4);
/// A model plans.
pub(crate) const PLANNER: Duration = Duration::from_secs(6);
/// Time to read the user's profile.
pub(crate) const KNOWN: Duration = Duration::from_millis(500);
/// A model says what to look for in the memory.
pub(crate) const EXTRACTOR: Duration = Duration::from_secs(4);
/// A question becomes a vector, or it is looked for by its words.
pub(crate) const EMBED: Duration = Duration::from_millis(1_500);
/// Longest wait for the vectors of what tools are for, which are made once.
pub(crate) const PURPOSES: Duration = Duration::from_secs(2);
/// The memory is searched.
pub(crate) const SEARCH: Duration = Duration::from_secs(1);
/// Time to shorten results with a model, all batches together. A result of a tool has as long.
pub(crate) const DIGEST: Duration = Duration::from_secs(8);

/// Time to write behind an answer. Only the next turn waits for it.
pub(crate) const WRITE: Duration = Duration::from_secs(5);

/// Returns what the database answers within `limit`. A request that was given up is still carried out.
///
/// # Errors
/// The database's, or that it is too slow.
pub(crate) async fn in_time<T>(
    limit: Duration,
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    timeout(limit, request).await.unwrap_or(Err(StoreError::Slow))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_steps_in_front_of_an_answer_stay_under_half_a_minute() {
        let steps = [CALLS, DIALOGUE, PROFILE, ROUTER, PLANNER, KNOWN, EXTRACTOR, EMBED, SEARCH, DIGEST];
        // Tools whose purposes are compared are not picked by the router.
        assert!(PURPOSES <= ROUTER);
        assert!(steps.iter().sum::<Duration>() < Duration::from_secs(30));
        assert_eq!((PLANNER, DIGEST), (Duration::from_secs(6), Duration::from_secs(8)));
        assert!(EXTRACTOR <= Duration::from_secs(8));
    }
}
