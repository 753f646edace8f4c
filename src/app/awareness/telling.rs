//! Announces dangers at once; storing and sending them goes on beside the watch.
//!
//! Part of the watcher's task. In: what was noticed. Out: announcements in the queue, and a task for the rest of each. The
//! context state is stored after its alarms: a danger that counts as announced is in the database, or is announced again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::HouseWatcher;
use joi_proactive::alert::endpoint::NoticeFate;
use joi_proactive::alert::{Alert, AnnouncedAlert};
use joi_proactive::awareness::{Noticed, ReceivedNotice, Significance};

/// A notice that was not stored and comes again within this time is the same one, not another.
const SAME: Duration = Duration::from_secs(120);
/// So many of them are remembered.
const MOST: usize = 64;

/// Notices whose senders have no confirmation yet, and when each came last; clones share them.
#[derive(Clone, Default)]
pub(super) struct OwedNotices(Arc<Mutex<Vec<(ReceivedNotice, Instant)>>>);

impl OwedNotices {
    fn all(&self) -> MutexGuard<'_, Vec<(ReceivedNotice, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has come; whether it is one of them already.
    fn takes(&self, notice: &ReceivedNotice, now: Instant) -> bool {
        let mut all = self.all();
        all.retain(|(_, came)| now.duration_since(*came) < SAME);
        let before = all.len();
        all.retain(|(other, _)| other != notice);
        let is_known = all.len() < before;
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push((notice.clone(), now));
        is_known
    }

    /// Its sender knows that it is stored: the same text is another notice from now on.
    fn settles(&self, notice: &ReceivedNotice) {
        self.all().retain(|(other, _)| other != notice);
    }
}

impl HouseWatcher {
    /// A notice of another program, which learns whether it is stored.
    pub(super) async fn noticed(&mut self, notice: ReceivedNotice, taken: oneshot::Sender<NoticeFate>) {
        let now = self.awareness.clock.now();
        let event = notice.event("", now.timestamp());
        let alert = Alert::of(&event);
        let mut announced = Vec::new();
        if !self.owed.takes(&notice, Instant::now()) {
            let noticed = self.awareness.state().take(event, self.awareness.rules(), &now);
            announced = self.announce(&[noticed]).await;
        }
        let (alerts, awareness, owed) = (self.alerts.clone(), self.awareness.clone(), self.owed.clone());
        let answer = move |is_stored| {
            if is_stored {
                owed.settles(&notice);
            }
            // Whoever sent it may be gone.
            let _ = taken.send(if is_stored { NoticeFate::Stored } else { NoticeFate::NotStored });
        };
        self.behind.spawn(async move {
            let kept = join_all(announced.into_iter().map(|alert| alerts.keep_announced(alert)));
            let Some(alert) = alert else {
                answer(awareness.save_after(&alerts).await);
                return;
            };
            let (_, is_stored) = tokio::join!(kept, alerts.is_stored(&alert));
            answer(is_stored);
            awareness.save_after(&alerts).await;
        });
        (self.saved, self.is_dirty) = (Instant::now(), false);
    }

    /// Announces dangers, before anything is stored.
    pub(super) async fn announce(&self, found: &[Noticed]) -> Vec<AnnouncedAlert> {
        let critical = found.iter().filter(|noticed| noticed.significance == Significance::Critical);
        let mut announced = Vec::new();
        for alert in critical.filter_map(|noticed| Alert::of(&noticed.event)) {
            announced.extend(self.alerts.announce_new(alert).await);
        }
        announced
    }

    /// Stores and sends what was announced, and stores the context state, beside the watch. None waits for the message of
    /// another one.
    pub(super) fn keep_behind(&mut self, announced: Vec<AnnouncedAlert>) {
        let (alerts, awareness) = (self.alerts.clone(), self.awareness.clone());
        self.behind.spawn(async move {
            join_all(announced.into_iter().map(|alert| alerts.keep_announced(alert))).await;
            awareness.save_after(&alerts).await;
        });
        (self.saved, self.is_dirty) = (Instant::now(), false);
    }
}
