//! The impulse while the program runs: looks every so often, decides, has words made, and sends them.
//!
//! One task. In: the context state, the user's turns, the queue of announcements, chance. Out: one announcement or message
//! at most at a time, every decision in the database. What is not said is not lost: its topic stays. What is decided is
//! decided in `joi_proactive::impulse`; this is the one caller that acts.

mod dangers;
mod deliver;
mod recall;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp, Zoned};
use tokio_util::sync::CancellationToken;

use super::awareness::Awareness;
use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use deliver::WaitingWords;
use joi_agent::Engine;
use joi_agent::model::ChatModel;
use joi_base::clock::Clock;
use joi_base::trace::TurnRecord;
use joi_language::Languages;
use joi_messages::outbound::Outbox;
use joi_proactive::awareness::{HourOfWeek, Topic};
use joi_proactive::impulse::record::ImpulseOutcome;
use joi_proactive::impulse::rhythm::{Rhythm, RhythmDue};
use joi_proactive::impulse::{
    ImpulseConfig, ImpulseInput, ImpulseRecord, ImpulseVerdict, ScoreInput, decide,
};
use joi_schedule::announce::Announcer;
use joi_store::Store;

/// It looks at the clock and the queue at least this often.
const AT_LEAST: Duration = Duration::from_secs(60);
/// Turns that are looked through for one of the user's.
const TURNS: u32 = 8;
/// Interval between two removals of old decisions.
const PURGED_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// The parts that the impulse works with.
pub(super) struct ImpulseParts<M> {
    pub(super) engine: Arc<Engine<M>>,
    pub(super) awareness: Awareness,
    pub(super) announcer: Announcer,
    pub(super) outbox: Outbox,
    pub(super) store: Option<Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) languages: Languages,
    pub(super) config: ImpulseConfig,
}

impl<M> Clone for ImpulseParts<M> {
    fn clone(&self) -> Self {
        Self {
            engine: Arc::clone(&self.engine),
            awareness: self.awareness.clone(),
            announcer: self.announcer.clone(),
            outbox: self.outbox.clone(),
            store: self.store.clone(),
            clock: Arc::clone(&self.clock),
            languages: self.languages.clone(),
            config: self.config.clone(),
        }
    }
}

/// Returns the service; nothing where joi is not to speak unasked.
pub(super) fn impulse(brain: &Brain, config: &Config) -> Option<Service> {
    let parts = ImpulseParts {
        engine: Arc::clone(&brain.engine),
        awareness: brain.awareness.clone(),
        announcer: brain.announcer.clone(),
        outbox: brain.outbox.clone(),
        store: brain.store.clone(),
        clock: Arc::clone(&brain.clock),
        languages: brain.languages.clone(),
        config: config.impulse.clone(),
    };
    let run = move |context: ServiceContext| {
        let speaker = ImpulseSpeaker::new(parts.clone(), fastrand::Rng::new());
        async move {
            speaker.run(context.stop).await;
            Ok(())
        }
    };
    config.impulse.enabled.then(|| Service::new("impulse", "joi does not speak unasked", run))
}

/// The task.
pub(super) struct ImpulseSpeaker<M> {
    parts: ImpulseParts<M>,
    chance: fastrand::Rng,
    due: RhythmDue,
    /// Topics that wait for a quiet moment.
    waiting: Option<WaitingWords>,
    /// Messages that a model called urgent.
    escalated: Vec<Timestamp>,
    /// When decisions of long ago were last removed.
    purged: Option<Timestamp>,
    /// The newest danger that is on record.
    dangers_until: Timestamp,
    /// What an earlier run of the program has posted is known.
    is_recalled: bool,
}

/// The subject of a decision.
#[derive(Debug, Clone, Copy)]
enum ImpulseSubject {
    /// The topic that is next, if there is one.
    Next,
    /// A danger, which was announced already.
    Danger(&'static str),
}

impl<M: ChatModel> ImpulseSpeaker<M> {
    pub(super) fn new(parts: ImpulseParts<M>, mut chance: fastrand::Rng) -> Self {
        let now = parts.clock.now().timestamp();
        let due = RhythmDue::after(rhythm(&parts.config), now, chance.f64());
        Self {
            parts,
            chance,
            due,
            waiting: None,
            escalated: Vec::new(),
            purged: None,
            dangers_until: now,
            is_recalled: false,
        }
    }

    async fn run(mut self, stop: CancellationToken) {
        let mut changes = self.parts.announcer.changes();
        loop {
            tokio::select! {
                // A look that is dropped has sent nothing, or is in the database.
                () = stop.cancelled() => return,
                () = self.step() => {}
            }
            let left = self.due.at().duration_since(self.parts.clock.now().timestamp());
            let wait = Duration::try_from(left).unwrap_or_default().clamp(Duration::from_secs(1), AT_LEAST);
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => return,
                changed = changes.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// What has become of the last words, whether the user spoke, and a look if it is time.
    pub(super) async fn step(&mut self) {
        self.recall().await;
        self.settle_waiting().await;
        self.note_dangers().await;
        let now = self.parts.clock.now();
        if self.due.is_due(now.timestamp()) {
            self.parts.announcer.read_wish().await;
            self.note_user(&now).await;
            self.look(&now).await;
            let draw = self.chance.f64();
            self.due.done(self.parts.clock.now().timestamp(), draw);
        }
    }

    /// Decides once, keeps the decision, and acts on it.
    pub(super) async fn look(&mut self, now: &Zoned) {
        let (topic, record) = self.decided(now, ImpulseSubject::Next);
        tracing::info!(total = record.score.total, decided = record.verdict.name(), "impulse");
        let row = self.keep(&record).await;
        if let (ImpulseVerdict::Speak { .. }, Some(topic)) = (record.verdict, topic) {
            self.deliver(topic, record, row, now).await;
        }
    }

    fn decided(&mut self, now: &Zoned, subject: ImpulseSubject) -> (Option<Topic>, ImpulseRecord) {
        let (config, at) = (&self.parts.config, now.timestamp());
        let rules = &config.score;
        let hours = |hours: u32| SignedDuration::from_hours(hours.into());
        let posted = self.parts.outbox.last_counts().direct as usize;
        let is_quiet = self.parts.announcer.quiet_until(now).is_some();
        let mut state = self.parts.awareness.state();
        state.forget_old(self.parts.awareness.rules(), at);
        let silence = state.last_interaction.map(|last| at.duration_since(last));
        let pattern = if config.patterns {
            state.patterns.shift(HourOfWeek::of(now), at, &rules.patterns())
        } else {
            0.0
        };
        // While the house is not connected nobody knows whether somebody has come home.
        let is_away = self.parts.announcer.is_away();
        let topic = state.topics.next().cloned();
        let (number, about) = match subject {
            ImpulseSubject::Next => (topic.as_ref().map(|topic| topic.id), topic.as_ref().map(Topic::kind)),
            ImpulseSubject::Danger(name) => (Some(0), Some(name)),
        };
        let input = ImpulseInput {
            score: ScoreInput {
                now,
                silence: silence.and_then(|silence| silence.try_into().ok()),
                topics: state.topics.len(),
                events: state.interesting(at, hours(rules.event_hours)),
                is_away,
                draw: self.chance.f64(),
                outbound: state.sent_within(at, hours(rules.damper_hours)),
                pattern,
                is_critical: matches!(subject, ImpulseSubject::Danger(_)),
            },
            topic: number,
            is_quiet,
            direct: posted.max(state.sent_within(at, hours(1))),
            is_waiting: self.waiting.is_some(),
            can_reach: !is_away || self.parts.outbox.has_carriers(),
        };
        let (verdict, score) = decide(&input, config);
        let record = ImpulseRecord {
            at,
            score,
            threshold: config.threshold,
            verdict,
            topics: input.score.topics,
            events: input.score.events,
            outbound: input.score.outbound,
            direct: input.direct,
            silence_h: silence.map(|silence| (silence.as_secs_f64() / 36.0).round() / 100.0),
            about: about.map(str::to_owned),
            outcome: None,
            why: None,
        };
        (topic, record)
    }

    /// Reads when the user last spoke with joi, and whether that answers what joi said.
    async fn note_user(&mut self, now: &Zoned) {
        let Some(store) = &self.parts.store else { return };
        let turns = store.turns_of_user(TURNS).await.unwrap_or_default();
        let spoken = turns.iter().filter(|turn| !turn.heard.is_empty());
        // An answer over the last words ends before they do.
        let spoken: Vec<Timestamp> = spoken.filter_map(TurnRecord::ended).collect();
        let mut state = self.parts.awareness.state();
        if let Some(last) = spoken.iter().max().map(|last| (*last).min(now.timestamp())) {
            state.last_interaction = state.last_interaction.max(Some(last));
        }
        let config = &self.parts.config;
        state.note_answers(&spoken, config.answered_within(), now, &config.score.patterns());
    }

    /// Keeps a decision; its number.
    async fn keep(&mut self, record: &ImpulseRecord) -> Option<i64> {
        self.purge(record.at).await;
        let json = serde_json::to_string(record).ok()?;
        let store = self.parts.store.as_ref()?;
        store
            .add_impulse(record.at, json)
            .await
            .inspect_err(|error| tracing::warn!(%error, "a decision of the impulse is not stored"))
            .ok()
    }

    /// Removes what is too old, once a day: each removal is a write.
    async fn purge(&mut self, now: Timestamp) {
        let Some(store) = &self.parts.store else { return };
        if self.purged.is_some_and(|last| now.duration_since(last).abs() < PURGED_EVERY) {
            return;
        }
        let kept = SignedDuration::from_hours(24 * i64::from(self.parts.config.kept_days));
        let Ok(cutoff) = now.checked_sub(kept) else { return };
        match store.purge_impulses(cutoff).await {
            Ok(_) => self.purged = Some(now),
            Err(error) => tracing::warn!(%error, "old decisions of the impulse were not removed"),
        }
    }

    /// Records the outcome of a decision.
    async fn amend(
        &self,
        row: Option<i64>,
        mut record: ImpulseRecord,
        became: (ImpulseOutcome, Option<String>),
    ) {
        (record.outcome, record.why) = (Some(became.0), became.1);
        let (Some(store), Some(row)) = (&self.parts.store, row) else { return };
        if let Ok(json) = serde_json::to_string(&record)
            && let Err(error) = store.amend_impulse(row, json).await
        {
            tracing::warn!(%error, "what became of a decision is not stored");
        }
    }
}

/// Interval between two looks.
fn rhythm(config: &ImpulseConfig) -> Rhythm {
    let minutes = |minutes: f64| SignedDuration::from_secs_f64(minutes * 60.0);
    Rhythm { every: minutes(config.check_min), spread: minutes(config.check_spread_min) }
}

#[cfg(test)]
mod tests;
