//! A subscription to the state that is shown.
//!
//! Belongs to one connection. One that lags behind is lost.

use tokio::sync::broadcast;

use super::status::StateEvent;

/// The present state and every change after it.
pub struct Subscription {
    /// The state at the moment of subscribing.
    pub now: StateEvent,
    changes: broadcast::Receiver<StateEvent>,
}

/// A subscriber was so slow that changes were lost, or the board is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("you read too slowly; connect again")]
pub struct Lagged;

impl Subscription {
    pub(super) fn new(now: StateEvent, changes: broadcast::Receiver<StateEvent>) -> Self {
        Self { now, changes }
    }

    /// The next change. Cancel-safe.
    pub async fn next(&mut self) -> Result<StateEvent, Lagged> {
        self.changes.recv().await.map_err(|_| Lagged)
    }
}
