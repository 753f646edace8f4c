//! Ends a server that nobody needs: no connection has been open for some time, nobody can open one any more, or another
//! server has taken its place.
//!
//! Tokio tasks. Every connection holds a [`Connected`]. Requests are not counted: none comes without a connection.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// How often it is looked whether clients can still come.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Time in which a server that is dismissed accepts those who wait.
const LETS_IN: Duration = Duration::from_secs(1);

/// How many connections are open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connections(watch::Sender<usize>);

/// An open connection; dropped with it.
#[derive(Debug)]
pub(crate) struct Connected(Connections);

impl Connections {
    /// One more is open.
    pub(crate) fn enter(&self) -> Connected {
        self.0.send_modify(|open| *open += 1);
        Connected(self.clone())
    }

    /// Waits until none has been open for `limit`, or none is open and the server is dismissed or `can_come` says that
    /// nobody can.
    pub(crate) async fn idle(
        &self,
        limit: Duration,
        dismissed: &CancellationToken,
        can_come: impl Fn() -> bool,
    ) {
        let mut open = self.0.subscribe();
        loop {
            // The sender is `self`, so that this ends with a value.
            let _ = open.wait_for(|open| *open == 0).await;
            let end = Instant::now() + limit;
            let alone = async {
                while Instant::now() < end && can_come() {
                    sleep_until(end.min(Instant::now() + LOOK_EVERY)).await;
                }
            };
            let gone = async {
                dismissed.cancelled().await;
                // Whoever waits for a server that was loading is let in first.
                sleep_until(Instant::now() + LETS_IN).await;
            };
            tokio::select! {
                () = alone => return,
                () = gone => return,
                _ = open.wait_for(|open| *open > 0) => {}
            }
        }
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.0.send_modify(|open| *open -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, timeout};

    const LIMIT: Duration = Duration::from_secs(300);
    const FOR_EVER: Duration = Duration::from_secs(1_000_000);

    #[tokio::test(start_paused = true)]
    async fn it_ends_when_nobody_has_come_for_the_time() {
        let began = Instant::now();
        Connections::default().idle(LIMIT, &CancellationToken::new(), || true).await;
        assert_eq!(began.elapsed(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_connection_keeps_it_and_the_time_begins_anew_when_it_closes() {
        let connections = Connections::default();
        let (first, second) = (connections.enter(), connections.enter());
        let idle = tokio::spawn({
            let connections = connections.clone();
            async move { connections.idle(LIMIT, &CancellationToken::new(), || true).await }
        });
        drop(first);
        advance(FOR_EVER).await;
        assert!(!idle.is_finished());
        drop(second);
        let began = Instant::now();
        idle.await.unwrap();
        assert_eq!(began.elapsed(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_soon_when_nobody_can_come_and_not_in_the_middle_of_work() {
        let connections = Connections::default();
        let busy = connections.enter();
        let dismissed = CancellationToken::new();
        let idle = connections.idle(LIMIT, &dismissed, || false);
        tokio::pin!(idle);
        assert!(timeout(FOR_EVER, &mut idle).await.is_err());
        drop(busy);
        assert!(timeout(Duration::from_secs(1), &mut idle).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_dismissed_ends_with_its_last_connection() {
        let connections = Connections::default();
        let busy = connections.enter();
        let dismissed = CancellationToken::new();
        let idle = connections.idle(LIMIT, &dismissed, || true);
        tokio::pin!(idle);
        dismissed.cancel();
        assert!(timeout(FOR_EVER, &mut idle).await.is_err());
        drop(busy);
        assert!(timeout(2 * LETS_IN, &mut idle).await.is_ok());
    }
}
