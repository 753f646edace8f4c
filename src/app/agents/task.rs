//! The task of one agent: the one caller of the effects of its loop.
//!
//! In: time, news of its sensors, requests, what came of effects. Out: effects, each as a future of this task, and events on
//! the bus. Talking with the agent runs beside its loop. Dropping the task drops whatever runs, sensors included.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::effects::{self, AgentDone};
use super::sensing::{self, SensorNews};
use super::shared::{AgentShared, WaitingDeed};
use super::world::{AgentWorld, READINGS};
use joi_agent::model::ChatModel;
use joi_autonomy::agent::approval::AgentApproval;
use joi_autonomy::agent::entry::{AgentEntry, shown};
use joi_autonomy::agent::exchange::{AgentEffect, AgentInput, TurnReport};
use joi_autonomy::agent::hot_state::FieldWrite;
use joi_autonomy::agent::lines::{AgentGauge, AgentRequest, AgentRest, AgentRow, ApprovalRow};
use joi_autonomy::agent::news::AgentNews;
use joi_autonomy::agent::sensor::SensorReading;
use joi_autonomy::agent::yielding;
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_schedule::announce::{
    AnnouncedQuestion, Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority,
};

/// It looks at least this often: the wall clock may have been set.
const LOOKS_EVERY: Duration = Duration::from_secs(30);
/// The readings of a sensor are reported at most this often.
const REPORTS_EVERY: Duration = Duration::from_secs(1);
/// A call that waits for a yes is spoken of no longer than it waits.
const ASKS_FOR: Duration = Duration::from_secs(10 * 60);
/// Calls whose question waits to be announced.
const QUESTIONS: usize = 8;

/// The task.
pub(super) struct AgentTask<M> {
    pub(super) shared: Arc<AgentShared<M>>,
    requests: mpsc::Receiver<AgentRequest>,
    asked: mpsc::Receiver<WaitingDeed>,
    news: mpsc::Receiver<SensorNews>,
    heard: mpsc::Sender<SensorNews>,
    sensors: JoinSet<()>,
    pub(super) working: FuturesUnordered<BoxFuture<'static, AgentDone>>,
    /// Readings of each sensor since its last event, and when that was.
    readings: HashMap<String, (u64, Option<Instant>)>,
    /// The question about each call that waits.
    questions: HashMap<u32, AnnouncementId>,
    is_over: bool,
}

impl<M: ChatModel + 'static> AgentTask<M> {
    /// A task that waits for its start.
    pub(super) fn new(
        world: Arc<AgentWorld<M>>,
        name: &str,
        entry: AgentEntry,
        requests: mpsc::Receiver<AgentRequest>,
    ) -> Self {
        let (ask, asked) = mpsc::channel(QUESTIONS);
        let (heard, news) = mpsc::channel(READINGS);
        let shared = AgentShared::new(world, name, entry, ask);
        Self {
            shared: Arc::new(shared),
            requests,
            asked,
            news,
            heard,
            sensors: JoinSet::new(),
            working: FuturesUnordered::new(),
            readings: HashMap::new(),
            questions: HashMap::new(),
            is_over: false,
        }
    }

    /// Returns how the agent is, at any later time.
    pub(super) fn row(&self) -> AgentGauge {
        let shared = Arc::clone(&self.shared);
        Arc::new(move || {
            let (entry, state) = (&shared.entry, shared.state());
            let pace = match (entry.autonomy.enabled, entry.heartbeat.every_min) {
                (true, _) => "own pace",
                (false, 0) => "when asked",
                (false, _) => "heartbeat",
            };
            let deed = |one: &AgentApproval| ApprovalRow {
                approval: one.id,
                tool: one.tool.clone(),
                deed: one.in_words.clone(),
            };
            AgentRow {
                name: shared.name.clone(),
                pace: pace.to_owned(),
                doing: state.doing().to_owned(),
                next: state.next().map(|at| at.to_string()),
                approvals: state.approvals().iter().map(deed).collect(),
                lapsed: state.lapsed().map(deed),
            }
        })
    }

    /// Runs until `stop`.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        self.go_on().await;
        self.start_sensors();
        self.step(AgentInput::Tick).await;
        loop {
            let wait = self.wait();
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                Some(news) = self.news.recv() => self.sensed(news).await,
                Some(request) = self.requests.recv() => self.requested(request).await,
                Some(deed) = self.asked.recv() => self.asks(deed).await,
                Some(done) = self.working.next() => self.done(done).await,
                () = tokio::time::sleep(wait) => self.step(AgentInput::Tick).await,
            }
        }
        self.step(AgentInput::Stop).await;
    }

    fn start_sensors(&mut self) {
        let (usable, _) = self.shared.entry.sensors(&self.shared.name);
        for (name, entry) in usable {
            match sensing::made(&self.shared.world, &entry) {
                Ok(sensor) => {
                    let world = Arc::clone(&self.shared.world);
                    self.sensors.spawn(sensing::drive(world, name, entry, sensor, self.heard.clone()));
                }
                Err(fault) => {
                    let news = AgentNews::SensorError { sensor: name, failures: 1, retry_s: 0 };
                    self.shared.report(news, Some(fault.to_string()));
                }
            }
        }
    }

    /// Returns how long nothing changes by itself.
    fn wait(&self) -> Duration {
        let now = self.shared.world.clock.now().timestamp();
        let left = |at: Timestamp| at.duration_since(now).max(SignedDuration::ZERO);
        let next = self.shared.state().next();
        let next = next.and_then(|at| Duration::try_from(left(at)).ok()).unwrap_or(LOOKS_EVERY);
        next.min(LOOKS_EVERY)
    }

    /// Takes one input of the loop, and begins what comes of it.
    async fn step(&mut self, input: AgentInput) {
        let words = match &input {
            AgentInput::Notified(one) | AgentInput::Ran(_, one) => Some(one.text.clone()),
            _ => None,
        };
        let now = self.shared.world.clock.now();
        let effects = self.shared.state().step(input, &self.shared.hot(), &now);
        // Before a granted call runs, it is on the disk that it does: it is never made twice.
        let is_kept = self.keep().await;
        for effect in effects {
            match effect {
                AgentEffect::Run(call) if !is_kept => self.leave(&call),
                effect => self.begin(effect, words.as_ref()).await,
            }
        }
    }

    async fn begin(&mut self, effect: AgentEffect, words: Option<&String>) {
        let shared = Arc::clone(&self.shared);
        match effect {
            AgentEffect::Refresh(fields) => self.working.push(effects::refresh(shared, fields).boxed()),
            AgentEffect::Precheck(changes) => self.working.push(effects::precheck(shared, changes).boxed()),
            AgentEffect::Think(brief) => self.working.push(effects::think(shared, brief).boxed()),
            AgentEffect::Run(approval) => self.working.push(effects::run(shared, approval).boxed()),
            AgentEffect::Report(news) => {
                if let AgentNews::ApprovalDecided { approval, .. } = &news
                    && let Some(question) = self.questions.remove(approval)
                {
                    self.shared.world.announcer.withdraw(question).await;
                }
                let is_pushed = matches!(news, AgentNews::NotificationPushed { .. });
                self.shared.report(news, words.filter(|_| is_pushed).cloned());
            }
            AgentEffect::End if !self.is_over => {
                self.is_over = true;
                self.sensors.shutdown().await;
            }
            AgentEffect::End => {}
        }
    }

    async fn sensed(&mut self, news: SensorNews) {
        match news {
            SensorNews::Spent(tokens) => self.step(AgentInput::Spent(tokens)).await,
            SensorNews::Fired(notification) => self.step(AgentInput::Notified(notification)).await,
            SensorNews::Failed { sensor, failures, retry, why } => {
                self.shared
                    .report(AgentNews::SensorError { sensor, failures, retry_s: retry.as_secs() }, Some(why));
            }
            SensorNews::Read { sensor, updates, reading } => {
                let has_changed = self.write(&sensor, &updates, &reading);
                self.count(sensor);
                if has_changed {
                    self.step(AgentInput::Changed).await;
                }
            }
        }
    }

    /// Writes a reading into its fields; returns whether one of them has another value.
    fn write(&self, sensor: &str, updates: &[String], reading: &SensorReading) -> bool {
        let now = self.shared.world.clock.now().timestamp();
        let mut has_changed = false;
        for field in updates {
            let written = self.shared.hot().read(field, &reading.value, reading.source, now);
            match written {
                Ok(written) => has_changed |= written == FieldWrite::Changed,
                Err(refusal) => {
                    tracing::warn!(agent = self.shared.name, sensor, field, %refusal, "a reading is left out")
                }
            }
        }
        has_changed
    }

    fn count(&mut self, sensor: String) {
        let (readings, last) = self.readings.entry(sensor.clone()).or_default();
        *readings += 1;
        if last.is_none_or(|last| last.elapsed() >= REPORTS_EVERY) {
            *last = Some(Instant::now());
            let readings = std::mem::take(readings);
            self.shared.report(AgentNews::SensorUpdated { sensor, readings }, None);
        }
    }

    async fn requested(&mut self, request: AgentRequest) {
        match request {
            AgentRequest::Talk(text, answer) => {
                self.working.push(effects::talk(Arc::clone(&self.shared), text, answer).boxed());
            }
            AgentRequest::Rest(rest) => {
                if rest == AgentRest::Pause {
                    self.shared.end_turn();
                }
                self.step(AgentInput::Rest(rest)).await;
            }
            AgentRequest::Decide { id, is_yes, was_there } => {
                let is_there = self.shared.state().approvals().iter().any(|one| one.id == id);
                self.step(AgentInput::Decided { id, is_yes }).await;
                // Whoever asked may be gone.
                let _ = was_there.send(is_there);
            }
        }
    }

    /// Announces that a call waits for a yes.
    async fn asks(&mut self, WaitingDeed { id, tool, in_words }: WaitingDeed) {
        self.keep().await;
        self.shared.report(AgentNews::ApprovalPending { approval: id, tool }, Some(in_words.clone()));
        let words = |text: &str| SentenceField::Words(text.to_owned());
        let sentence = SentenceTemplate::from(SentenceName::AgentMay)
            .with("name", words(&shown(&self.shared.name)))
            .with("text", words(&in_words));
        let announcer = &self.shared.world.announcer;
        let (origin, priority) = (AnnouncementOrigin::Agent, AnnouncementPriority::Notice);
        let expires = announcer.moment_after(ASKS_FOR);
        let question = Some(AnnouncedQuestion { agent: self.shared.name.clone(), call: id });
        let question = Announcement { expires, question, ..Announcement::new(origin, priority, sentence) };
        self.questions.insert(id, announcer.announce(question).await);
    }

    async fn done(&mut self, done: AgentDone) {
        match done {
            AgentDone::Refreshed => self.step(AgentInput::Refreshed).await,
            AgentDone::Prechecked(verdict, tokens) => {
                self.step(AgentInput::Spent(tokens)).await;
                self.step(AgentInput::Prechecked(verdict)).await;
            }
            AgentDone::Thought(done) => {
                let order = done.ended_by.as_ref().and_then(|arguments| yielding::order(arguments).ok());
                let (end, tokens, actions) = (done.end, done.tokens, done.actions);
                self.step(AgentInput::TurnOver(TurnReport { end, tokens, actions, order })).await;
            }
            AgentDone::Ran(id, notification) => self.step(AgentInput::Ran(id, notification)).await,
            AgentDone::Talked { answer, text, tokens } => {
                self.step(AgentInput::Spent(tokens)).await;
                self.step(AgentInput::Talked).await;
                // Whoever asked may be gone.
                let _ = answer.send(text);
            }
        }
    }
}
