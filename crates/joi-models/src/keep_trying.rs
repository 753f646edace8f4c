//! Makes further attempts to fetch while the network is what fails, or another joi fetches. Async; dropping the future stops
//! it, also while it waits. Whether another attempt is worth it, [`FetchError::passes`] decides, which is pure.

use std::future::Future;
use std::time::Duration;

use super::fetch::FetchError;
use super::progress::FetchProgress;

/// From a failure of the network to the next attempt.
pub(super) const AGAIN: Duration = Duration::from_secs(30);

/// Repeats `attempt` until it succeeds or fails for another reason than the network. Each wait is reported.
pub(super) async fn keep_trying<T, F>(
    mut attempt: impl FnMut() -> F,
    progress: &dyn FetchProgress,
) -> Result<T, FetchError>
where
    F: Future<Output = Result<T, FetchError>>,
{
    loop {
        let error = match attempt().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let Some(why) = error.passes() else { return Err(error) };
        progress.note(&format!("{why}; the next attempt is in {} s", AGAIN.as_secs()));
        tokio::time::sleep(AGAIN).await;
    }
}
