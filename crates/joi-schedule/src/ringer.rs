//! The task that waits for due entries and announces them.
//!
//! One task per program that rings. In: the schedule, the clock, changes. Out: announcements of what rings and of what
//! was missed, and what rings as a value that is always the newest. It makes no sound itself. It never sleeps for
//! longer than a minute, so that an unannounced change is noticed, and compares the clock on the wall with the steady
//! one each second while something waits for a length of time: that is counted, and moves with a clock that is set.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::watch::{ClockJump, Seen};
use super::{Entry, EntryId, HouseHand, LaterOutcome, Schedule, ScheduleOrder, Trust, words};
use crate::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer, IfUnheard, Wording,
};
use joi_base::message::{Place, Private};
use joi_base::pulse::Heart;
use joi_language::{Language, SentenceField, SentenceName, SentenceTemplate};

/// It looks at least this often.
pub const LOOKS_EVERY: Duration = Duration::from_secs(60);
/// At the end, what was sent to the house is waited for this long.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// At least so long between the end of a ring and the next.
const GAP: Duration = Duration::from_secs(1);
/// While something waits for a length of time the clocks are compared this often. What is set between a jump and its
/// detection may be counted wrongly by the jump.
const COMPARED_EVERY: Duration = Duration::from_secs(1);
/// A smaller difference between the clocks is let grow: each correction is a write.
const LEAST_JUMP: SignedDuration = SignedDuration::from_secs(2);
/// A smaller one is not worth a word.
const TOLD_JUMP: SignedDuration = SignedDuration::from_secs(60);

/// One thing that rings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    /// Which entry.
    pub id: EntryId,
    /// The words of its announcement.
    pub says: Private<String>,
    /// The room in which it was set.
    pub place: Option<Place>,
}

/// What the task is made of.
pub struct Ringer {
    schedule: Schedule,
    ringing: watch::Sender<Vec<Ring>>,
    announcer: Announcer,
    /// The announcements of what rings; a task that follows one that failed goes on with them.
    announced: Arc<Mutex<Vec<(EntryId, AnnouncementId)>>>,
    /// Carries out what is due in the house, where there is one.
    hand: Option<Arc<dyn HouseHand>>,
    /// Commands to the house that are being carried out.
    due: Vec<Entry>,
    heart: Heart,
    anchor: Option<Anchor>,
    /// Something waits for a length of time, or may go on to.
    counts: bool,
    /// The newest entry at the last look.
    newest: Option<EntryId>,
    is_first: bool,
    has_failed: bool,
    has_doubted: bool,
}

/// What the clock showed at the last look.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    shown: Timestamp,
    at: Duration,
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
            hand: None,
            due: Vec::new(),
            heart,
            anchor: None,
            counts: false,
            newest: None,
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
            hand: self.hand.clone(),
            due: Vec::new(),
            heart,
            anchor: None,
            counts: false,
            newest: None,
            is_first: true,
            has_failed: false,
            has_doubted: false,
        }
    }

    /// The same, with somebody who carries out what is due in the house.
    #[must_use]
    pub fn with_hand(self, hand: Option<Arc<dyn HouseHand>>) -> Self {
        Self { hand, ..self }
    }

    /// Watches until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut working = FuturesUnordered::new();
        loop {
            let wait = self.look().await;
            working.extend(std::mem::take(&mut self.due).into_iter().map(|entry| self.work(entry)));
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.schedule.changed.notified() => {}
                Some((entry, outcome)) = working.next() => self.finish(&entry, outcome).await,
                () = self.wait(wait) => {}
            }
        }
        // The outcome of a sent command is soon known; otherwise it is announced at the next start.
        let rest = async {
            while let Some((entry, outcome)) = working.next().await {
                self.finish(&entry, outcome).await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, rest).await;
    }

    /// Commands to the house were carried out, or were not.
    async fn finish(&self, entry: &Entry, outcome: LaterOutcome) {
        if let Err(error) = self.schedule.obey(ScheduleOrder::Finish(entry.id)).await {
            tracing::error!(%error, id = %entry.id, "a command to the house that was sent is still in the schedule");
        }
        let sentence = match outcome {
            LaterOutcome::Done => return,
            LaterOutcome::Failed => SentenceName::HouseFailed,
            LaterOutcome::Unknown => SentenceName::HouseUnknown,
        };
        self.announce_not_done(sentence, std::slice::from_ref(entry)).await;
    }

    async fn announce_not_done(&self, sentence: SentenceName, entries: &[Entry]) {
        if !entries.is_empty() {
            let zone = self.schedule.parts.clock.now().time_zone().clone();
            self.announce(IfUnheard::Keep, words::not_done(sentence, entries, &zone)).await;
        }
    }

    /// Carries out what is due in the house.
    fn work(&self, entry: Entry) -> BoxFuture<'static, (Entry, LaterOutcome)> {
        match &self.hand {
            Some(hand) => {
                let work = hand.obey(entry.does.clone());
                Box::pin(async move { (entry, work.await) })
            }
            None => Box::pin(std::future::ready((entry, LaterOutcome::Failed))),
        }
    }

    /// Looks once, and says how long nothing will change.
    async fn look(&mut self) -> Duration {
        self.heart.beat();
        let (jump, anchor) = self.jump();
        let looked = self.schedule.look(jump, self.is_first).await;
        let (seen, trust, now) = match looked {
            Ok(looked) => looked,
            Err(error) => {
                if !std::mem::replace(&mut self.has_failed, true) {
                    tracing::error!(%error, "timers can't be read, so none rings");
                    self.announce(IfUnheard::Drop, SentenceName::TimersUnreadable).await;
                }
                return LOOKS_EVERY;
            }
        };
        (self.is_first, self.has_failed) = (false, false);
        self.anchor = Some(Anchor { trust, ..anchor });
        (self.counts, self.newest) = (seen.counts, seen.newest);
        self.announce_jump(jump, trust).await;
        if trust == Trust::Behind && !std::mem::replace(&mut self.has_doubted, true) {
            tracing::warn!("the clock shows less than it did before, so alarms wait");
            self.announce(IfUnheard::Drop, SentenceName::WrongClock).await;
        }
        if !seen.missed.is_empty() {
            self.announce(IfUnheard::Keep, words::missed(&seen.missed, now.time_zone())).await;
        }
        self.announce_not_done(SentenceName::HouseMissed, &seen.late).await;
        self.announce_not_done(SentenceName::HouseUnknown, &seen.unknown).await;
        self.publish(&seen, &now).await;
        self.due.extend(seen.due);
        let until = seen.next.map(|next| next.duration_since(now.timestamp()));
        until.and_then(|until| Duration::try_from(until).ok()).unwrap_or(LOOKS_EVERY).min(LOOKS_EVERY)
    }

    async fn publish(&mut self, seen: &Seen, now: &jiff::Zoned) {
        let language = self.language();
        let ring = |entry: &Entry| Ring {
            id: entry.id,
            says: Private(words::rings(entry, now, &language)),
            place: entry.place.as_deref().map(Place::named),
        };
        let rings: Vec<Ring> = seen.ringing.iter().map(ring).collect();
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

    /// How far the clock was set since the anchor, and where the next jump is measured from.
    fn jump(&self) -> (ClockJump, Anchor) {
        let clock = &self.schedule.parts.clock;
        let (shown, at) = (clock.now().timestamp(), clock.steady());
        let Some(anchor) = self.anchor else {
            return (ClockJump::NONE, Anchor { shown, at, trust: Trust::Right });
        };
        let passed = SignedDuration::try_from(at.saturating_sub(anchor.at)).unwrap_or_default();
        let by = shown.duration_since(anchor.shown) - passed;
        if by.abs() < LEAST_JUMP {
            return (ClockJump::NONE, anchor);
        }
        (
            ClockJump { by, before: anchor.trust, through: self.newest },
            Anchor { shown, at, trust: anchor.trust },
        )
    }

    /// Waits for so long, or until the clock was set while something waits for a length of time. Cancel-safe.
    async fn wait(&self, wait: Duration) {
        let until = Instant::now() + wait;
        while self.counts && until > Instant::now() + COMPARED_EVERY {
            tokio::time::sleep(COMPARED_EVERY).await;
            if self.jump().0 != ClockJump::NONE {
                return;
            }
        }
        tokio::time::sleep_until(until).await;
    }

    /// Says that the clock was set, where it is believed now and the difference matters.
    async fn announce_jump(&self, jump: ClockJump, trust: Trust) {
        if jump == ClockJump::NONE {
            return;
        }
        let by_s = jump.by.as_secs();
        tracing::warn!(by_s, "the clock was set; timers go on as they were, alarms follow it");
        if jump.by.abs() < TOLD_JUMP || jump.before != Trust::Right || trust != Trust::Right {
            return;
        }
        let sentence = if by_s > 0 { SentenceName::ClockForward } else { SentenceName::ClockBack };
        let length = SentenceField::Length(by_s.unsigned_abs());
        self.announce(IfUnheard::Drop, SentenceTemplate::from(sentence).with("length", length)).await;
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
                    // A room that is not there any more must not keep it from ringing.
                    place: ring.place.clone().filter(|place| self.announcer.is_attended(place)),
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
