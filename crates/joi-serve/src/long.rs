//! Answers that go on for longer than a request may take: streams of events.
//!
//! In: what an answer says of itself. Out: when its connection is over. A peer that does not read keeps its connection only
//! until whoever writes to it gives it up.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The time limit of one answer, as an extension of it, in place of [`RequestTimes::whole`](crate::RequestTimes::whole).
#[derive(Debug, Clone)]
pub struct LongAnswer {
    /// How long it may last.
    pub lasts: Duration,
    /// Ends the connection at once, also where the peer does not read.
    pub cut: CancellationToken,
}

/// Waits until a connection is over: after `whole`, or where its answer is a long one, as long as that says.
pub(crate) async fn over(whole: Duration, longer: oneshot::Receiver<LongAnswer>) {
    // Both arms are cancel-safe.
    let long = tokio::select! {
        () = sleep(whole) => return,
        Ok(long) = longer => long,
    };
    tokio::select! {
        () = sleep(long.lasts) => {}
        () = long.cut.cancelled() => {}
    }
}
