//! Dangers are told at once; what of it waits for the database or a messenger is done while the house is watched on.
//!
//! Part of the watcher's task. In: what was noticed. Out: announcements in the queue, and a task for the rest of each.

use futures_util::future::join_all;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::HouseWatcher;
use crate::alert::{Alert, AnnouncedAlert};
use crate::awareness::{Noticed, ReceivedNotice, Significance};

impl HouseWatcher {
    /// Whoever sent it is answered once it is told and stored.
    pub(super) async fn noticed(&mut self, notice: &ReceivedNotice, taken: oneshot::Sender<()>) {
        let now = self.awareness.clock.now();
        let event = notice.event("", now.timestamp());
        let noticed = self.awareness.state().take(event, self.awareness.rules(), &now);
        let told = self.tell(&[noticed]).await;
        self.keep_behind(told, Some(taken));
    }

    /// Dangers are told before anything is stored.
    pub(super) async fn tell(&self, found: &[Noticed]) -> Vec<AnnouncedAlert> {
        let critical = found.iter().filter(|noticed| noticed.significance == Significance::Critical);
        let mut told = Vec::new();
        for alert in critical.filter_map(|noticed| Alert::of(&noticed.event)) {
            told.extend(self.alerts.announce_new(alert).await);
        }
        told
    }

    /// Stores and sends what was told, and stores what is known, while the house is watched on. None waits for the message
    /// of another one.
    pub(super) fn keep_behind(&mut self, told: Vec<AnnouncedAlert>, taken: Option<oneshot::Sender<()>>) {
        let (alerts, awareness) = (self.alerts.clone(), self.awareness.clone());
        self.behind.spawn(async move {
            join_all(told.into_iter().map(|alert| alerts.keep_announced(alert))).await;
            awareness.save().await;
            // Whoever sent it may be gone.
            let _ = taken.map(|taken| taken.send(()));
        });
        (self.saved, self.is_dirty) = (Instant::now(), false);
    }
}
