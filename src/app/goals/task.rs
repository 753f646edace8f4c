//! The task that works on goals: it decides what is next, runs it, and looks after what is stuck, paused or asked.
//!
//! In: time, nudges, requests, what came of runs. Out: runs, each as a future of this task. One run at a time beside talks with the
//! assistant: a small machine has one model.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::feed::{self, TakesTopics};
use super::handle::{ASSISTANT, GoalsHandle};
use crate::app::granted::granted;
use joi_agent::Engine;
use joi_agent::model::ChatModel;
use joi_autonomy::agent::approval::AgentApproval;
use joi_autonomy::agent::lines::{AgentGauge, AgentRequest, AgentRow, ApprovalRow};
use joi_autonomy::agent::news::{AgentNews, ApprovalDecision};
use joi_autonomy::agent::turn::AgentCaller;
use joi_base::message::Origin;
use joi_goals::desk::WaitingCall;
use joi_goals::health::{self, HealthDeed};
use joi_goals::limits::{HEALTH_EVERY, LONGEST_TEXT, USAGE_KEPT};
use joi_goals::modes::RunMode;
use joi_goals::next::{self, NextFacts, NextRun};
use joi_goals::orchestrator::{Orchestrator, RunOutcome, TYPED};
use joi_goals::owner;
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_redact::redact;
use joi_schedule::announce::{
    AnnouncedQuestion, Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer,
};
use joi_store::{NewCell, RunEnd, StoreError, ThreadCell, WorkChange};
use joi_tools::{Source, fence};

/// It looks at least this often: the wall clock may have been set.
const LOOKS_EVERY: Duration = Duration::from_secs(30);
/// The pause after the database failed.
const STORE_PAUSE: Duration = Duration::from_secs(60);
/// Between two looks for the answer of an assistant that is busy.
const TALK_PAUSE: Duration = Duration::from_secs(1);
/// Looks for it, after which there is none.
const TALK_LOOKS: u32 = 300;
/// A call that waits for a yes is spoken of no longer than it waits.
const ASKS_FOR: Duration = Duration::from_secs(10 * 60);
/// Runs that began earlier decide nothing.
const RUNS_KNOWN: SignedDuration = SignedDuration::from_hours(48);

/// What came of a future of the task.
enum GoalDone {
    Ran,
    Talked,
    Lost(StoreError),
}

/// The task.
pub(super) struct GoalTask<M> {
    orchestrator: Arc<Orchestrator<M>>,
    engine: Arc<Engine<M>>,
    announcer: Announcer,
    handle: GoalsHandle,
    /// Of whoever talks with the assistant; nothing where another agent has its name.
    requests: Option<mpsc::Receiver<AgentRequest>>,
    asked: mpsc::Receiver<WaitingCall>,
    /// Takes the items of the day.
    topics: TakesTopics,
    /// The question about each call that waits.
    questions: HashMap<u32, AnnouncementId>,
    /// What runs, and its agent.
    running: Option<(i64, BoxFuture<'static, GoalDone>)>,
    talks: FuturesUnordered<BoxFuture<'static, GoalDone>>,
    looked: Option<Timestamp>,
}

impl<M: ChatModel + 'static> GoalTask<M> {
    /// A task that waits for its start.
    pub(super) fn new(
        orchestrator: Arc<Orchestrator<M>>,
        (engine, announcer): (Arc<Engine<M>>, Announcer),
        handle: GoalsHandle,
        (requests, asked): (Option<mpsc::Receiver<AgentRequest>>, mpsc::Receiver<WaitingCall>),
        topics: TakesTopics,
    ) -> Self {
        Self {
            orchestrator,
            engine,
            announcer,
            handle,
            requests,
            asked,
            topics,
            questions: HashMap::new(),
            running: None,
            talks: FuturesUnordered::new(),
            looked: None,
        }
    }

    /// Returns how the assistant is, at any later time.
    pub(super) fn row(&self) -> AgentGauge {
        let orchestrator = Arc::clone(&self.orchestrator);
        Arc::new(move || {
            let waiting = orchestrator.world().approvals();
            let approvals = waiting.calls.waiting().iter().map(|one| ApprovalRow {
                approval: one.id,
                tool: one.tool.clone(),
                deed: one.in_words.clone(),
            });
            AgentRow {
                name: ASSISTANT.to_owned(),
                pace: "goals".to_owned(),
                doing: "working on goals".to_owned(),
                next: None,
                approvals: approvals.collect(),
                lapsed: None,
            }
        })
    }

    /// Runs until `stop`.
    pub(super) async fn run(&mut self, stop: CancellationToken) {
        let mut pause = match self.start().await {
            Ok(()) => Duration::ZERO,
            Err(error) => lost(&error),
        };
        loop {
            if pause.is_zero() {
                pause = match self.look().await {
                    Ok(wait) => wait,
                    Err(error) => lost(&error),
                };
            }
            // Every arm is cancel-safe.
            let done = tokio::select! {
                () = stop.cancelled() => break,
                done = running(&mut self.running) => {
                    self.running = None;
                    Some(done)
                }
                Some(done) = self.talks.next() => Some(done),
                Some(request) = next_of(&mut self.requests) => {
                    self.requested(request).await.err().map(GoalDone::Lost)
                }
                Some(call) = self.asked.recv() => {
                    self.asks(call).await;
                    None
                }
                () = self.handle.nudge.notified() => None,
                () = tokio::time::sleep(pause) => None,
            };
            pause = match done {
                Some(GoalDone::Lost(error)) => lost(&error),
                Some(GoalDone::Ran | GoalDone::Talked) | None => Duration::ZERO,
            };
        }
        self.running = None;
    }

    fn now(&self) -> Timestamp {
        self.orchestrator.world().clock.now().timestamp()
    }

    /// Gives back what the last end of the program has cut off.
    async fn start(&mut self) -> Result<(), StoreError> {
        let (store, now) = (&self.orchestrator.world().store, self.now());
        let lost = store.give_back_runs(now).await?;
        if lost > 0 {
            tracing::info!(runs = lost, "runs of goals that the last end has cut off are given back");
        }
        owner::assistant(store, now).await?;
        feed::offer(store, &self.topics, &self.orchestrator.world().clock.now()).await
    }

    /// Looks after everything, and begins what is next; returns how long nothing changes by itself.
    async fn look(&mut self) -> Result<Duration, StoreError> {
        let (world, now) = (self.orchestrator.world(), self.orchestrator.world().clock.now());
        self.handle.known.read(&world.store).await?;
        let is_due = |looked: Timestamp| now.timestamp().duration_since(looked).abs() >= HEALTH_EVERY;
        if self.looked.is_none_or(is_due) {
            self.looked = Some(now.timestamp());
            self.heal().await?;
        }
        self.expire().await?;
        if self.running.is_some() {
            return Ok(LOOKS_EVERY);
        }
        let world = self.orchestrator.world();
        let rows = world.store.work().await?;
        let since = now.timestamp().checked_sub(RUNS_KNOWN).unwrap_or(Timestamp::MIN);
        let runs = world.store.runs_since(since).await?;
        let hours = world.config.hours();
        let types = self.orchestrator.types();
        let facts = NextFacts { types, runs: &runs, hours: &hours, has_feed: world.config.feed };
        if let Some(NextRun { work, mode }) = next::next(&rows, facts, &now)
            && let Some(row) = rows.into_iter().find(|row| row.id == work)
        {
            let (orchestrator, topics) = (Arc::clone(&self.orchestrator), Arc::clone(&self.topics));
            let run = async move {
                let world = orchestrator.world();
                let ran = orchestrator.run(&row, mode, AgentCaller::Nobody).await;
                let done = match ran {
                    Ok(_) if mode == RunMode::Feed => {
                        feed::offer(&world.store, &topics, &world.clock.now()).await
                    }
                    ran => ran.map(drop),
                };
                done.map_or_else(GoalDone::Lost, |()| GoalDone::Ran)
            };
            self.running = Some((work, run.boxed()));
            return Ok(LOOKS_EVERY);
        }
        let retry = next::next_retry(&world.store.work().await?, now.timestamp());
        let until = retry.and_then(|retry| Duration::try_from(retry.duration_since(now.timestamp())).ok());
        Ok(until.unwrap_or(LOOKS_EVERY).clamp(Duration::from_millis(100), LOOKS_EVERY))
    }

    /// Does what the health monitor has found.
    async fn heal(&mut self) -> Result<(), StoreError> {
        let (orchestrator, now) = (Arc::clone(&self.orchestrator), self.now());
        let world = orchestrator.world();
        let rows = world.store.work().await?;
        for deed in health::look(&rows, world.config.health(), now) {
            tracing::info!(?deed, "the health monitor acts");
            match deed {
                HealthDeed::Release { work, run, to } => {
                    if self.running.as_ref().is_some_and(|(running, _)| *running == work) {
                        self.running = None;
                    }
                    let changes = vec![WorkChange::Status(to.name().to_owned())];
                    let end = RunEnd { run, ending: "stuck".into(), gives_back: true, changes };
                    world.store.end_run(end, now).await?;
                }
                HealthDeed::Become { work, to } => {
                    let status = to.name().to_owned();
                    world.store.change_work(work, vec![WorkChange::Status(status.clone())], now).await?;
                    let kind = rows.iter().find(|row| row.id == work).map_or("", |row| row.kind.as_str());
                    world.report(kind, AgentNews::GoalStatus { work, status }, None);
                }
                HealthDeed::Remove(work) => world.store.remove_work(work).await?,
            }
        }
        let cutoff = now.checked_sub(USAGE_KEPT).unwrap_or(Timestamp::MIN);
        world.store.purge_usage(cutoff).await?;
        Ok(())
    }

    /// Denies calls that nobody has answered in time.
    async fn expire(&mut self) -> Result<(), StoreError> {
        let now = self.now();
        let expired = self.orchestrator.world().approvals().calls.expired(now);
        for call in expired {
            self.decided(call, ApprovalDecision::Expired).await?;
        }
        Ok(())
    }

    /// Carries out a decision about a call; what came of it stands in the thread of the goal, which it wakes.
    async fn decided(&mut self, call: AgentApproval, decision: ApprovalDecision) -> Result<(), StoreError> {
        let AgentApproval { id, tool, arguments, .. } = call;
        if let Some(question) = self.questions.remove(&id) {
            self.announcer.withdraw(question).await;
        }
        let world = self.orchestrator.world();
        let owner = {
            let mut waiting = world.approvals();
            let at = waiting.owners.iter().position(|(number, _)| *number == id);
            at.map(|at| waiting.owners.swap_remove(at).1)
        };
        world.report("goal", AgentNews::ApprovalDecided { approval: id, tool: tool.clone(), decision }, None);
        let Some(work) = owner else { return Ok(()) };
        let (text, source) = match decision {
            ApprovalDecision::Granted => {
                match granted(&self.engine, &*world.clock, (&tool, &arguments)).await {
                    Ok((text, source)) => {
                        (format!("{tool} (call {id}) was granted and done: {text}"), source)
                    }
                    Err(why) => (format!("{tool} (call {id}) was granted and failed: {why}"), Source::Own),
                }
            }
            ApprovalDecision::Denied => (format!("{tool} (call {id}) was denied"), Source::Own),
            ApprovalDecision::Expired => {
                (format!("{tool} (call {id}) was not answered in time"), Source::Own)
            }
        };
        let origin = if source == Source::Foreign { Origin::Stranger } else { Origin::Ours };
        let text = fence::shortened(&redact(&text).into_string(), LONGEST_TEXT);
        let (channel, run) = (String::new(), None);
        let cell = NewCell { author: "agent", kind: "tool", text, origin, channel, run };
        world.store.add_cell(work, cell, world.clock.now().timestamp()).await?;
        world.store.change_work(work, vec![WorkChange::Woken(true)], world.clock.now().timestamp()).await
    }

    async fn requested(&mut self, request: AgentRequest) -> Result<(), StoreError> {
        match request {
            AgentRequest::Talk(text, answer) => {
                let (orchestrator, engine) = (Arc::clone(&self.orchestrator), Arc::clone(&self.engine));
                self.talks.push(talk(orchestrator, engine, text, answer).boxed());
            }
            // It is not offered: a goal rests alone.
            AgentRequest::Rest(_) => {}
            AgentRequest::Decide { id, is_yes, was_there } => {
                let call = self.orchestrator.world().approvals().calls.decided(id);
                // Whoever asked may be gone.
                let _ = was_there.send(call.is_some());
                if let Some(call) = call {
                    let decision = if is_yes { ApprovalDecision::Granted } else { ApprovalDecision::Denied };
                    self.decided(call, decision).await?;
                }
            }
        }
        Ok(())
    }

    /// Announces that a call waits for a yes.
    async fn asks(&mut self, WaitingCall { id, work, in_words, .. }: WaitingCall) {
        let rows = self.orchestrator.world().store.work().await.unwrap_or_default();
        let name = rows.into_iter().find(|row| row.id == work).map_or_else(String::new, |row| row.name);
        let words = |text: &str| SentenceField::Words(text.to_owned());
        let sentence = SentenceTemplate::from(SentenceName::AgentMay)
            .with("name", words(&name))
            .with("text", words(&in_words));
        let (origin, priority) = (AnnouncementOrigin::Agent, AnnouncementPriority::Notice);
        let expires = self.announcer.moment_after(ASKS_FOR);
        let question = Some(AnnouncedQuestion { agent: ASSISTANT.to_owned(), call: id });
        let question = Announcement { expires, question, ..Announcement::new(origin, priority, sentence) };
        self.questions.insert(id, self.announcer.announce(question).await);
    }
}

/// Waits for the next request; for ever where nobody can send one.
async fn next_of(requests: &mut Option<mpsc::Receiver<AgentRequest>>) -> Option<AgentRequest> {
    match requests {
        Some(requests) => requests.recv().await,
        None => std::future::pending().await,
    }
}

/// Talks with the assistant; its answer is the newest message of the run.
async fn talk<M: ChatModel + 'static>(
    orchestrator: Arc<Orchestrator<M>>,
    engine: Arc<Engine<M>>,
    text: String,
    answer: oneshot::Sender<String>,
) -> GoalDone {
    let unwell = engine.language().sentences().reply.unwell.clone();
    let said = async {
        let world = orchestrator.world();
        let now = world.clock.now().timestamp();
        let assistant = owner::assistant(&world.store, now).await?;
        let last = owner::say(&world.store, assistant, &text, (Origin::Typing, TYPED), now).await?;
        let rows = world.store.work().await?;
        let Some(row) = rows.into_iter().find(|row| row.id == assistant) else { return Ok(None) };
        let answered = async || {
            let cells = world.store.cells(assistant, last, 20).await?;
            let is_answer = |cell: &ThreadCell| cell.author == "agent" && cell.kind == "text";
            Ok::<_, StoreError>(cells.into_iter().rev().find(is_answer))
        };
        if orchestrator.run(&row, RunMode::Chat, AgentCaller::User).await? != RunOutcome::Refused {
            return answered().await;
        }
        // It runs already; the words wait for the next run, which comes by itself.
        for _ in 0..TALK_LOOKS {
            tokio::time::sleep(TALK_PAUSE).await;
            if let Some(answer) = answered().await? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    };
    let (text, done) = match said.await {
        Ok(cell) => (cell.map_or(unwell, |cell| cell.text), GoalDone::Talked),
        Err(error) => (unwell, GoalDone::Lost(error)),
    };
    // Whoever asked may be gone.
    let _ = answer.send(text);
    done
}

async fn running(running: &mut Option<(i64, BoxFuture<'static, GoalDone>)>) -> GoalDone {
    match running {
        Some((_, run)) => run.await,
        None => std::future::pending().await,
    }
}

/// Logs that the database failed; returns the pause before it is tried again.
fn lost(error: &StoreError) -> Duration {
    tracing::warn!(%error, "goals can't be worked on; the database is tried again in a minute");
    STORE_PAUSE
}
