//! The task that waits for what is due and says what rings.
//!
//! One task per program that rings. In: the schedule, the clock, changes. Out: announcements of what rings and of what
//! was missed, and what rings as a value that is always the newest. It makes no sound itself. It never sleeps for
//! longer than a minute, so that a clock that was set, or a change nobody told of, is noticed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::watch::Seen;
use super::{EntryId, Schedule, Trust, words};
use crate::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer, IfUnheard, Wording,
};
use crate::language::{Language, SentenceName};
use crate::message::Private;
use crate::pulse::Heart;

/// It looks at least this often.
pub const AT_LEAST: Duration = Duration::from_secs(60);
/// At least so long between the end of a ring and the next.
const GAP: Duration = Duration::from_secs(1);

/// One thing that rings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    /// Which entry.
    pub id: EntryId,
    /// What is said of it.
    pub says: Private<String>,
}

/// What the task is made of.
pub struct Ringer {
    schedule: Schedule,
    ringing: watch::Sender<Vec<Ring>>,
    announcer: Announcer,
    /// The announcements of what rings; a task that follows one that failed goes on with them.
    announced: Arc<Mutex<Vec<(EntryId, AnnouncementId)>>>,
    heart: Heart,
    anchor: Option<Anchor>,
    is_first: bool,
    has_failed: bool,
    has_doubted: bool,
}

/// What the clock showed at the last look.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    shown: Timestamp,
    at: Instant,
    trust: Trust,
}

impl Ringer {
    /// A task for `schedule` that announces to `announcer`, and what rings, the longest first. Nothing runs yet.
    pub fn new(schedule: Schedule, announcer: Announcer, heart: Heart) -> (Self, watch::Receiver<Vec<Ring>>) {
        let (ringing, rings) = watch::channel(Vec::new());
        let ringer = Self {
            schedule,
            ringing,
            announcer,
            announced: Arc::default(),
            heart,
            anchor: None,
            is_first: true,
            has_failed: false,
            has_doubted: false,
        };
        (ringer, rings)
    }

    /// Another task for the same schedule and the same listeners: the one to start after this one failed.
    #[must_use]
    pub fn again(&self, heart: Heart) -> Self {
        Self {
            schedule: self.schedule.clone(),
            ringing: self.ringing.clone(),
            announcer: self.announcer.clone(),
            announced: Arc::clone(&self.announced),
            heart,
            anchor: None,
            is_first: true,
            has_failed: false,
            has_doubted: false,
        }
    }

    /// Watches until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            let wait = self.look().await;
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.schedule.changed.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Looks once, and says how long nothing will change.
    async fn look(&mut self) -> Duration {
        self.heart.beat();
        // Before the clock is read: what comes between must not look like a jump.
        let at = Instant::now();
        let looked = self.schedule.look(self.jump(), self.is_first).await;
        let (seen, trust, now) = match looked {
            Ok(looked) => looked,
            Err(error) => {
                if !std::mem::replace(&mut self.has_failed, true) {
                    tracing::error!(%error, "timers can't be read, so none rings");
                    self.announce(IfUnheard::Drop, SentenceName::TimersUnreadable).await;
                }
                return AT_LEAST;
            }
        };
        (self.is_first, self.has_failed) = (false, false);
        self.anchor = Some(Anchor { shown: now.timestamp(), at, trust });
        if trust == Trust::Behind && !std::mem::replace(&mut self.has_doubted, true) {
            tracing::warn!("the clock shows less than it did before, so alarms wait");
            self.announce(IfUnheard::Drop, SentenceName::WrongClock).await;
        }
        if !seen.missed.is_empty() {
            self.announce(IfUnheard::Keep, words::missed(&seen.missed, now.time_zone())).await;
        }
        self.publish(&seen, &now).await;
        let until = seen.next.map(|next| next.duration_since(now.timestamp()));
        until.and_then(|until| Duration::try_from(until).ok()).unwrap_or(AT_LEAST).min(AT_LEAST)
    }

    async fn publish(&mut self, seen: &Seen, now: &jiff::Zoned) {
        let language = self.language();
        let rings: Vec<Ring> = seen
            .ringing
            .iter()
            .map(|entry| Ring { id: entry.id, says: Private(words::rings(entry, now, &language)) })
            .collect();
        self.announce_rings(&rings).await;
        let ids = |rings: &[Ring]| rings.iter().map(|ring| ring.id).collect::<Vec<_>>();
        self.ringing.send_if_modified(|shown| {
            let is_new = ids(shown) != ids(&rings);
            *shown = rings;
            is_new
        });
    }

    fn language(&self) -> Arc<Language> {
        self.schedule.parts.languages.get()
    }

    /// How far a clock that was wrong was put forward since the last look.
    fn jump(&self) -> SignedDuration {
        let Some(Anchor { shown, at, trust: Trust::Behind }) = self.anchor else {
            return SignedDuration::ZERO;
        };
        let passed = SignedDuration::try_from(at.elapsed()).unwrap_or_default();
        self.schedule.parts.clock.now().timestamp().duration_since(shown) - passed
    }

    /// Announces what rings from here on, and withdraws what does not ring any more.
    async fn announce_rings(&mut self, rings: &[Ring]) {
        let rings_still = |id: EntryId| rings.iter().any(|ring| ring.id == id);
        let over: Vec<_> = self.announced().extract_if(.., |(id, _)| !rings_still(*id)).collect();
        for (_, announcement) in over {
            self.announcer.withdraw(announcement).await;
        }
        for ring in rings {
            let is_new = self.announced().iter().all(|(id, _)| *id != ring.id);
            if is_new {
                let text = ring.says.0.clone();
                let announcement = Announcement {
                    if_unheard: IfUnheard::Repeat(GAP),
                    ..Announcement::new(AnnouncementOrigin::Timer, AnnouncementPriority::Ring, text)
                };
                let announced = self.announcer.announce(announcement).await;
                self.announced().push((ring.id, announced));
            }
        }
    }

    fn announced(&self) -> MutexGuard<'_, Vec<(EntryId, AnnouncementId)>> {
        self.announced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn announce(&self, if_unheard: IfUnheard, wording: impl Into<Wording>) {
        let announcement =
            Announcement::new(AnnouncementOrigin::Timer, AnnouncementPriority::Reminder, wording);
        self.announcer.announce(Announcement { if_unheard, ..announcement }).await;
    }
}
