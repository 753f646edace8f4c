//! Alarms on their way into the database.
//!
//! Any task. In: what [`AlertRows`] wants to have written. Out: rows. Nobody who acknowledges an alarm waits for a
//! database that hangs for longer than [`BRIEFLY`], no message for longer than [`BEFORE_MESSAGE`]; what it did not take
//! is tried again, and an alarm is added once however often it is tried.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::rows::{AlertRows, AlertWrite};
use super::{AcknowledgedBy, Alert, Alerts, PATIENCE};
use joi_store::{Store, StoreError};

/// Whoever acknowledges waits for the database no longer than this.
const BRIEFLY: Duration = Duration::from_millis(500);
/// A message waits for its alarm to be stored no longer than this: the voice has announced it already.
pub(super) const BEFORE_MESSAGE: Duration = Duration::from_secs(2);
/// The time after which a failed write is tried again.
pub(super) const AGAIN: Duration = Duration::from_secs(30);

impl Alerts {
    /// Returns whether every alarm that reports the same as this one is in the database, at the latest after
    /// [`PATIENCE`]; what is not is written now. Without a database nothing is.
    pub async fn is_stored(&self, alert: &Alert) -> bool {
        self.store_within(PATIENCE).await;
        self.shared.parts.store.is_some() && self.rows().is_stored(alert)
    }

    /// Returns whether the database has all alarms: what is known of the house may be stored then, since a danger that
    /// counts as announced must not be lost.
    pub fn are_stored(&self) -> bool {
        self.rows().are_stored()
    }

    /// Writes what the database does not know yet; what takes longer is announced, and goes on there.
    pub(super) async fn store_within(&self, limit: Duration) {
        let Some(store) = &self.shared.parts.store else { return };
        if self.rows().next().is_none() {
            return;
        }
        match tokio::time::timeout(limit, self.write_all(store)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "an alarm is not stored, which is tried again"),
            Err(_) => tracing::error!("an alarm is not stored in time, which is tried again"),
        }
    }

    /// Somebody has heard these; what the database does not take at once it gets later.
    pub(super) async fn store_heard(&self, heard: &[Alert], by: AcknowledgedBy) {
        let now = self.now();
        for alert in heard {
            self.rows().heard(alert, now, by);
        }
        self.store_within(BRIEFLY).await;
    }

    /// Returns whether there is something to be written.
    pub(super) fn is_behind(&self) -> bool {
        self.shared.parts.store.is_some() && self.rows().next().is_some()
    }

    async fn write_all(&self, store: &Store) -> Result<(), StoreError> {
        // Whoever else writes knows rows that are not known here.
        let _writes = self.shared.writing.lock().await;
        loop {
            let Some(write) = self.rows().next() else { return Ok(()) };
            let text = |alert: &Alert| {
                serde_json::to_string(alert).map_err(|error| StoreError::Record(error.to_string()))
            };
            let id = match &write {
                AlertWrite::Add(alert) => store.add_alert(alert.at, text(alert)?).await?,
                AlertWrite::Amend(id, alert) => {
                    store.amend_alert(*id, text(alert)?).await?;
                    *id
                }
            };
            self.rows().written(&write, id);
        }
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, AlertRows> {
        self.shared.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
