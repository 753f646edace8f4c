//! The task that waits for what is due and says what rings.
//!
//! One task per program that rings. In: the schedule, the clock, changes. Out: what rings, as a value that is
//! always the newest, and sentences to be told. It makes no sound itself. It never sleeps for longer than a
//! minute, so that a clock that was set, or a change nobody told of, is noticed.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::watch::Seen;
use super::{EntryId, Schedule, Trust, words};
use crate::message::Private;
use crate::pulse::Heart;

/// It looks at least this often.
pub const AT_LEAST: Duration = Duration::from_secs(60);
/// Sentences nobody has taken yet. When full, further ones are in the log only.
const TOLD: usize = 8;

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
    told: mpsc::Sender<String>,
    heart: Heart,
    anchor: Option<Anchor>,
    is_first: bool,
    has_failed: bool,
    has_doubted: bool,
}

/// What it says.
pub struct Alerts {
    /// What rings, the longest first.
    pub ringing: watch::Receiver<Vec<Ring>>,
    /// What is to be said once.
    pub told: mpsc::Receiver<String>,
}

/// What the clock showed at the last look.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    shown: Timestamp,
    at: Instant,
    trust: Trust,
}

impl Ringer {
    /// A task for `schedule`, and what it says. Nothing runs yet.
    pub fn new(schedule: Schedule, heart: Heart) -> (Self, Alerts) {
        let (ringing, rings) = watch::channel(Vec::new());
        let (told, tells) = mpsc::channel(TOLD);
        let ringer = Self {
            schedule,
            ringing,
            told,
            heart,
            anchor: None,
            is_first: true,
            has_failed: false,
            has_doubted: false,
        };
        (ringer, Alerts { ringing: rings, told: tells })
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
                    self.tell("I can't read my timers, so none will ring.".to_owned());
                }
                return AT_LEAST;
            }
        };
        (self.is_first, self.has_failed) = (false, false);
        self.anchor = Some(Anchor { shown: now.timestamp(), at, trust });
        if trust == Trust::Behind && !std::mem::replace(&mut self.has_doubted, true) {
            tracing::warn!("the clock shows less than it did before, so alarms wait");
            self.tell(words::WRONG_CLOCK.to_owned());
        }
        if !seen.missed.is_empty() {
            self.tell(words::missed(&seen.missed, &now));
        }
        self.publish(&seen, &now);
        let until = seen.next.map(|next| next.duration_since(now.timestamp()));
        until.and_then(|until| Duration::try_from(until).ok()).unwrap_or(AT_LEAST).min(AT_LEAST)
    }

    fn publish(&self, seen: &Seen, now: &jiff::Zoned) {
        let rings: Vec<Ring> = seen
            .ringing
            .iter()
            .map(|entry| Ring { id: entry.id, says: Private(words::rings(entry, now)) })
            .collect();
        let ids = |rings: &[Ring]| rings.iter().map(|ring| ring.id).collect::<Vec<_>>();
        self.ringing.send_if_modified(|shown| {
            let is_new = ids(shown) != ids(&rings);
            *shown = rings;
            is_new
        });
    }

    /// How far a clock that was wrong was put forward since the last look.
    fn jump(&self) -> SignedDuration {
        let Some(Anchor { shown, at, trust: Trust::Behind }) = self.anchor else {
            return SignedDuration::ZERO;
        };
        let passed = SignedDuration::try_from(at.elapsed()).unwrap_or_default();
        self.schedule.parts.clock.now().timestamp().duration_since(shown) - passed
    }

    fn tell(&self, sentence: String) {
        if self.told.try_send(sentence).is_err() {
            tracing::warn!("something about timers was not said: too much waits to be said");
        }
    }
}
