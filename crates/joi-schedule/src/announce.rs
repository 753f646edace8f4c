//! The queue of unsolicited messages, and the arbiter in front of it.
//!
//! Any task. In: announcements of timers, devices, start-up, impulse, agents, alerts: whoever has something to say
//! sends it to an [`Announcer`] and is done. Out: for whoever can speak at a place, the next one to be said there, when
//! `arbiter` says so. What must not be lost is in the database until it was heard. Direct answers to questions do
//! not come here.

mod announcement;
mod arbiter;
mod away;
mod called;
mod config;
mod heard;
mod kept;
mod queue;
mod quiet;
mod rooms;
#[cfg(test)]
mod tests;
mod wish;
mod wording;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp, Zoned};
use tokio::sync::watch;

pub use announcement::{
    AnnouncedQuestion, Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, IfUnheard,
};
pub use arbiter::{Floor, HoldReason, Presence, Situation};
pub use config::AnnounceConfig;
pub use queue::{AnnouncementOutcome, AnnouncementState, Counts, WaitingAnnouncement};
pub use quiet::{NotAPeriod, QuietHours, QuietPeriod};
pub use wording::Wording;

use arbiter::{AnnouncementDecision, Now};
use joi_base::clock::Clock;
use joi_base::message::Place;
use joi_store::{Store, StoreError};
use queue::AnnouncementQueue;
use rooms::AnnouncementRooms;

/// Whoever waits asks again after this time at the latest: the wall clock may have been set.
const AT_LEAST: Duration = Duration::from_secs(60);

/// The next announcement at a place, or how long to wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// This; the caller reports the outcome by [`Announcer::heard`] or [`Announcer::cut_short`].
    Say(AnnouncementId, Announcement),
    /// Nothing for this reason; ask again at that moment, or when something has changed.
    Wait(HoldReason, Option<Instant>),
}

/// The handle of the queue; clones share it.
#[derive(Clone)]
pub struct Announcer {
    shared: Arc<AnnouncerShared>,
}

struct AnnouncerShared {
    queue: Mutex<AnnouncementQueue>,
    changed: watch::Sender<()>,
    quiet: Mutex<QuietHours>,
    /// The wish for quiet is known here alone: the database could not take it.
    is_wish_unstored: AtomicBool,
    /// Nobody is at home.
    is_away: AtomicBool,
    /// Where announcements can be heard.
    rooms: Mutex<AnnouncementRooms>,
    store: Option<Store>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Announcer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Announcer").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Announcer {
    /// An empty queue. Without a store nothing outlives the program.
    pub fn new(config: &AnnounceConfig, store: Option<Store>, clock: Arc<dyn Clock>) -> Self {
        let (queue, changed, quiet) = (Mutex::default(), watch::Sender::new(()), Mutex::new(config.quiet()));
        let (is_wish_unstored, is_away, rooms) = Default::default();
        let shared =
            AnnouncerShared { queue, changed, quiet, is_wish_unstored, is_away, rooms, store, clock };
        Self { shared: Arc::new(shared) }
    }

    /// Takes in what was not heard before the last end of the program.
    ///
    /// # Errors
    /// The database's; the queue is empty then.
    pub async fn restore(&self) -> Result<(), StoreError> {
        let Some(store) = &self.shared.store else { return Ok(()) };
        self.wish(wish::stored(store).await?);
        let rows = store.announcements().await?;
        for row in rows {
            match kept::read(&row.announcement) {
                Ok(kept) => self.push(kept, Some(row.id)).await,
                Err(error) => {
                    tracing::warn!(id = row.id, %error, "an announcement of another version is left alone");
                    continue;
                }
            };
        }
        Ok(())
    }

    /// Has something said as soon as it may be, from now on. When this returns, what is kept is on the disk. Where that
    /// fails, it is said all the same, unless the program ends before.
    pub async fn announce(&self, announcement: Announcement) -> AnnouncementId {
        let to_keep = (announcement.if_unheard == IfUnheard::Keep).then(|| announcement.clone());
        let id = self.push(announcement, None).await;
        if let Some(announcement) = to_keep {
            self.keep(id, &announcement).await;
        }
        id
    }

    /// Drops an announcement that is no longer true, or was answered. A speaker that is saying it now sees the change.
    pub async fn withdraw(&self, id: AnnouncementId) {
        let gone = self.queue().remove(id, AnnouncementOutcome::Withdrawn);
        self.shared.changed.send_replace(());
        self.forget(gone).await;
    }

    /// Decides the next announcement in this situation, and hands it to this caller alone.
    pub async fn next(&self, situation: &Situation<'_>) -> Next {
        loop {
            let situation = &self.with_presence(situation);
            let now = Now { clock: self.shared.clock.now(), at: Instant::now() };
            let decided = {
                let mut queue = self.queue();
                let waiting = self.meant_for(situation.place, queue.waiting());
                match arbiter::decide(&waiting, situation, &self.quiet(), &now) {
                    AnnouncementDecision::Speak(id) => Err(id),
                    AnnouncementDecision::Wait(hold, until) => {
                        return Next::Wait(hold, until.map(|until| until.min(now.at + AT_LEAST)));
                    }
                    AnnouncementDecision::Expire(ids) => {
                        Ok(ids.into_iter().map(|id| queue.expire(id)).collect::<Vec<_>>())
                    }
                }
            };
            let expired = match decided {
                Ok(expired) => expired,
                Err(id) if self.was_erased(id).await => {
                    vec![self.queue().remove(id, AnnouncementOutcome::Withdrawn)]
                }
                Err(id) => match self.queue().begin(id) {
                    Some(announcement) => return Next::Say(id, announcement),
                    None => continue,
                },
            };
            for gone in expired {
                if let Some(WaitingAnnouncement { announcement, .. }) = &gone {
                    let Announcement { origin, priority, .. } = announcement;
                    tracing::info!(?origin, ?priority, "an announcement expired before it could be said");
                }
                self.forget(gone).await;
            }
        }
    }

    /// It was heard, and its last sample sounded at `at`.
    pub async fn heard(&self, id: AnnouncementId, at: Instant) {
        let gone = self.queue().heard(id, at);
        self.shared.changed.send_replace(());
        self.forget(gone).await;
    }

    /// It was cut short.
    pub async fn cut_short(&self, id: AnnouncementId) {
        let gone = self.queue().cut_short(id);
        self.shared.changed.send_replace(());
        self.forget(gone).await;
    }

    /// It could not be heard, since the loudspeaker was missing: it is as if it had not been said.
    pub fn unheard(&self, id: AnnouncementId) {
        self.queue().unheard(id);
        self.shared.changed.send_replace(());
    }

    /// Returns how an announcement ended; `None` while it waits, or long after.
    pub fn outcome(&self, id: AnnouncementId) -> Option<AnnouncementOutcome> {
        self.queue().outcome(id)
    }

    /// Whether it waits to be said, or is being said.
    pub fn is_waiting(&self, id: AnnouncementId) -> bool {
        self.queue().waiting().iter().any(|waiting| waiting.id == id)
    }

    /// Whether one more may wait without another one being given up for it.
    pub fn has_room(&self) -> bool {
        self.queue().has_room()
    }

    /// The present moment.
    pub fn now(&self) -> Zoned {
        self.shared.clock.now()
    }

    /// The moment so long after now, for an announcement that expires.
    pub fn moment_after(&self, time: Duration) -> Option<Timestamp> {
        let time = SignedDuration::try_from(time).ok()?;
        self.shared.clock.now().timestamp().checked_add(time).ok()
    }

    /// Watches the changes of the queue.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.shared.changed.subscribe()
    }

    /// All that waits, the oldest first.
    pub fn waiting(&self) -> Vec<WaitingAnnouncement> {
        self.queue().waiting().to_vec()
    }

    /// Returns how many ended in which way.
    pub fn counts(&self) -> Counts {
        self.queue().counts()
    }

    async fn push(&self, announcement: Announcement, row: Option<i64>) -> AnnouncementId {
        let announcement = self.heard_somewhere(announcement);
        let (id, dropped) = self.queue().push(announcement, row, Instant::now());
        if dropped.is_some() {
            tracing::warn!("an announcement is given up: too many wait to be said");
        }
        self.shared.changed.send_replace(());
        self.forget(dropped).await;
        id
    }

    fn queue(&self) -> MutexGuard<'_, AnnouncementQueue> {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
