//! What she says and plays without having been asked: rings, missed timers, that she can't hear.
//!
//! Owned by the conversation's task. In: what rings, as the schedule's task has it, and sentences to be told.
//! Out: a tone and a line, again and again, until somebody answers: with "stop", with the wake phrase, or from
//! outside. After each ring the microphone is open for a moment. A ring is never softer than configured.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use jiff::Zoned;

use super::announce::is_night;
use super::deeds::{TONE_RATE, TONE_TAG};
use super::signals::{After, Input};
use super::{Conversation, News};
use crate::audio::{Player, Volume, tone};
use crate::message::{Private, TurnId};
use crate::reply::model::ChatModel;
use crate::schedule::ringer::{Alerts, Ring};
use crate::speak::{Line, Part};

/// How long the microphone is open after each ring.
const WINDOW: Duration = Duration::from_secs(3);
/// At least so long between the end of a ring and the next.
const GAP: Duration = Duration::from_secs(1);
/// The same without a voice: a tone every so often.
const WITHOUT_VOICE: Duration = Duration::from_secs(4);

/// What rings and how.
pub struct Ringing {
    alerts: Option<Alerts>,
    least: Volume,
    /// What rings now; nothing once it was answered here.
    rings: Vec<Ring>,
    told: VecDeque<String>,
    /// The turn that rings.
    turn: Option<TurnId>,
    /// Not before.
    next: Option<Instant>,
    /// The volume from before a ring.
    kept: Option<Volume>,
}

/// What came from the schedule.
pub(super) enum Alert {
    /// Something else rings, or nothing.
    Rings(Vec<Ring>),
    /// This is to be told.
    Told(String),
}

impl Ringing {
    /// What `alerts` tell, never softer than `least` percent. Without any nothing ever rings.
    pub fn new(alerts: Option<Alerts>, least: u8) -> Self {
        Self {
            alerts,
            least: Volume::percent(least),
            rings: Vec::new(),
            told: VecDeque::new(),
            turn: None,
            next: None,
            kept: None,
        }
    }

    /// What comes next from the schedule. Cancel-safe.
    pub(super) async fn alert(&mut self) -> Alert {
        let Some(alerts) = &mut self.alerts else { return std::future::pending().await };
        // Both arms are cancel-safe.
        tokio::select! {
            Ok(()) = alerts.ringing.changed() => Alert::Rings(alerts.ringing.borrow_and_update().clone()),
            Some(told) = alerts.told.recv() => Alert::Told(told),
            else => std::future::pending().await,
        }
    }

    /// When the next ring is due, if something rings.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.rings.is_empty() { None } else { Some(self.next.unwrap_or_else(Instant::now)) }
    }

    /// Whether there is something to ring now, or to say: that can wait until the morning.
    pub(super) fn has_something(&self, now: Instant, clock: &Zoned) -> bool {
        let may_tell = !self.told.is_empty() && !is_night(clock);
        let may_ring = !self.rings.is_empty() && self.next.is_none_or(|next| next <= now);
        may_tell || may_ring
    }

    /// Whether this turn rings.
    pub(super) fn is_turn(&self, turn: TurnId) -> bool {
        self.turn == Some(turn)
    }

    /// Makes sure that it is heard.
    fn raise(&mut self, player: &Player) {
        let volume = player.volume();
        if volume < self.least {
            self.kept.get_or_insert(volume);
            player.set_volume(self.least);
        }
    }

    /// As loud as before, unless somebody has changed that meanwhile.
    fn lower(&mut self, player: &Player) {
        if let Some(volume) = self.kept.take()
            && player.volume() == self.least
        {
            player.set_volume(volume);
        }
    }

    /// What follows a ring.
    pub(super) fn rang(&mut self, at: Instant, is_heard: bool) -> After {
        self.turn = None;
        self.next = Some(at + if is_heard { GAP } else { WITHOUT_VOICE });
        if self.rings.is_empty() { After::Rest } else { After::FollowUp { lasts: WINDOW } }
    }
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// Takes in what the schedule tells.
    pub(super) async fn alerted(&mut self, alert: Alert) {
        match alert {
            Alert::Told(sentence) => {
                self.tell(News::Told(Private(sentence.clone()))).await;
                self.ringing.told.push_back(sentence);
            }
            Alert::Rings(rings) => {
                for ring in rings.iter().filter(|ring| !self.ringing.rings.contains(ring)) {
                    self.tell(News::Rings(ring.says.clone())).await;
                }
                let was_ringing = !self.ringing.rings.is_empty();
                self.ringing.rings = rings;
                if self.ringing.rings.is_empty() {
                    self.ringing.lower(&self.player);
                    self.hush().await;
                } else if !was_ringing {
                    self.ringing.next = None;
                }
            }
        }
        self.speak_up().await;
    }

    /// Ends a ring that plays.
    async fn hush(&mut self) {
        let Some(turn) = self.ringing.turn.take() else { return };
        match &self.mouth {
            Some(mouth) => mouth.stop(),
            None => self.player.flush(),
        }
        self.announcing = None;
        self.step(Input::TurnOver { turn, at: Instant::now(), after: After::Rest }).await;
    }

    /// Somebody has answered what rings, if anything does.
    pub(super) fn answer_ring(&mut self) {
        if self.ringing.rings.is_empty() {
            return;
        }
        self.ringing.rings.clear();
        self.ringing.turn = None;
        self.ringing.lower(&self.player);
        let engine = std::sync::Arc::clone(&self.engine);
        // The disk may take its time, the ear does not.
        tokio::spawn(async move { engine.silence().await });
    }

    /// Whether something waits for silence.
    pub(super) fn has_something_to_say(&self) -> bool {
        self.pending.is_some() || self.ringing.has_something(Instant::now(), &self.clock.now())
    }

    /// Says or rings what has been waiting for silence.
    pub(super) async fn speak_up(&mut self) {
        if self.flow.is_idle() && self.has_something_to_say() {
            self.step(Input::Announcing).await;
        }
    }

    /// Says what is to be said first.
    pub(super) async fn announce(&mut self, turn: TurnId) {
        let may_tell = !is_night(&self.clock.now());
        let told = || if may_tell { self.ringing.told.pop_front() } else { None };
        let words = self.pending.take().map(str::to_owned).or_else(told);
        let ring = self.ringing.rings.first().map(|ring| ring.says.0.clone());
        let is_ring = words.is_none() && ring.is_some();
        let text = words.or(ring);
        if is_ring {
            self.ring(turn).await;
        }
        let (Some(text), Some(mouth)) = (text, &self.mouth) else {
            let after = if is_ring { self.ringing.rang(Instant::now(), false) } else { After::Rest };
            return Box::pin(self.step(Input::TurnOver { turn, at: Instant::now(), after })).await;
        };
        self.announcing = Some(turn);
        let line = Line { turn, index: 0, text, part: Part::Aside };
        if mouth.say(line).await.is_err() || mouth.finish(turn).await.is_err() {
            tracing::debug!("an announcement was stopped before it began");
        }
    }

    /// The tone of a ring; from here on "stop" is heard.
    async fn ring(&mut self, turn: TurnId) {
        self.ringing.turn = Some(turn);
        self.ringing.raise(&self.player);
        if self.player.play_now(TONE_TAG, TONE_RATE, tone::ring(TONE_RATE)).is_err() {
            tracing::warn!("a ring was not played");
        }
        Box::pin(self.step(Input::Speaking(turn))).await;
    }
}
