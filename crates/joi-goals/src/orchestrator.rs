//! One run of an agent, from the claim to the release: the one caller of what the pure parts have decided.
//!
//! Futures of the service's task; dropping one leaves a lock, which the next start or the health monitor releases. In: an
//! agent and a mode. Out: rows, announcements, events. Every path out of a run ends it in the database.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use joi_agent::Engine;
use joi_agent::model::ChatModel;
use joi_autonomy::agent::news::{AgentNews, TurnEnding};
use joi_autonomy::agent::turn::{AgentCaller, AgentTurn, AgentTurnDone, TurnFailure};
use joi_base::message::Origin;
use joi_llm::ModelPurpose;
use joi_redact::redact;
use joi_schedule::announce::Announcer;
use joi_store::{NewCell, NewWorkNote, RunEnd, StoreError, ThreadCell, WorkChange, WorkRow};
use joi_tools::{Arguments, Call, Effect, Source, Tool, fence};
use tokio_util::sync::CancellationToken;

use crate::desk::{DeskWorld, RunDesk};
use crate::kind::{self, AgentType, OwnTool};
use crate::limits::{INTERRUPTED_PAUSE, LONGEST_TEXT, NOTES_KEPT, RUN_ACTIONS, RUN_TOKENS, SUMMARY_WITHIN};
use crate::limits::{SUMMARY_TOKENS, TASK_HISTORY, THREAD_SHOWN};
use crate::modes::RunMode;
use crate::prompt::recites;
use crate::retry::{self, AfterFailure};
use crate::status::{WorkEvent, WorkStatus};
use crate::tools::{AgentTool, RunTools, SEND_MESSAGE};
use crate::{archive, told};

mod brief;

/// The channel of messages that are answered where they were typed, and not aloud.
pub const TYPED: &str = "typed";

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// It is over; the last words of the model.
    Over(String),
    /// It runs already.
    Refused,
    /// The model was somebody else's; it goes on later.
    Interrupted,
    /// It has failed; it is tried again, or not.
    Failed,
}

/// Runs agents.
pub struct Orchestrator<M> {
    engine: Arc<Engine<M>>,
    announcer: Announcer,
    world: DeskWorld,
    types: &'static [&'static AgentType],
}

/// A run that was claimed.
struct ClaimedRun {
    row: WorkRow,
    kind: &'static AgentType,
    run: i64,
    mode: RunMode,
}

impl<M: ChatModel> Orchestrator<M> {
    /// An orchestrator of agents of these types.
    pub fn new(
        engine: Arc<Engine<M>>,
        announcer: Announcer,
        world: DeskWorld,
        types: &'static [&'static AgentType],
    ) -> Self {
        Self { engine, announcer, world, types }
    }

    /// Returns what all runs share.
    pub fn world(&self) -> &DeskWorld {
        &self.world
    }

    /// Returns all types of agents.
    pub fn types(&self) -> &'static [&'static AgentType] {
        self.types
    }

    fn now(&self) -> Timestamp {
        self.world.clock.now().timestamp()
    }

    /// Runs an agent once.
    ///
    /// # Errors
    /// The database's; the run is given back at the next start or by the health monitor.
    pub async fn run(
        &self,
        row: &WorkRow,
        mode: RunMode,
        caller: AgentCaller,
    ) -> Result<RunOutcome, StoreError> {
        let Some(kind) = kind::called(self.types, &row.kind) else { return Ok(RunOutcome::Refused) };
        let store = &self.world.store;
        let Some(run) = store.claim_work(row.id, mode.name().to_owned(), self.now()).await? else {
            return Ok(RunOutcome::Refused);
        };
        let claimed = ClaimedRun { row: row.clone(), kind, run, mode };
        let news = AgentNews::GoalRunStarted { work: row.id, run, mode: mode.name().to_owned() };
        self.world.report(kind.name, news, None);
        let made = self.turn(&claimed, caller).await;
        let (outcome, end) = match made {
            Ok(made) => made,
            Err(error) => {
                let end = RunEnd { run, ending: "lost".into(), gives_back: true, changes: Vec::new() };
                store.end_run(end, self.now()).await?;
                return Err(error);
            }
        };
        let (ending, status) = (end.ending.clone(), status_of(&end.changes));
        store.end_run(end, self.now()).await?;
        if let Some(status) = status.filter(|status| *status != row.status) {
            self.world.report(kind.name, AgentNews::GoalStatus { work: row.id, status }, None);
        }
        self.world.report(kind.name, AgentNews::GoalRunCompleted { work: row.id, run, ending }, None);
        Ok(outcome)
    }

    /// Makes the turn of a claimed run; returns what came of it and how it is to end.
    async fn turn(
        &self,
        claimed: &ClaimedRun,
        caller: AgentCaller,
    ) -> Result<(RunOutcome, RunEnd), StoreError> {
        let store = &self.world.store;
        let cells: Vec<ThreadCell> = store.cells(claimed.row.id, 0, 500).await?;
        let cells: Vec<ThreadCell> = cells.into_iter().filter(|cell| !cell.is_archived).collect();
        let fresh = cells.iter().position(|cell| cell.run == Some(claimed.run)).unwrap_or(cells.len());
        let cells = if self.archived(claimed, &cells[..fresh], "silence").await? {
            cells[fresh..].to_vec()
        } else {
            cells
        };
        let said: Vec<&ThreadCell> =
            cells.iter().filter(|cell| cell.run == Some(claimed.run) && cell.author == "user").collect();
        let is_typed = !said.is_empty() && said.iter().all(|cell| cell.channel == TYPED);
        let run_tools = Arc::new(RunTools {
            store: store.clone(),
            announcer: self.announcer.clone(),
            bus: self.world.bus.clone(),
            row: claimed.row.clone(),
            run: claimed.run,
            is_spoken: !is_typed && claimed.kind.is_conversational(),
            task: self.types.iter().copied().find(|kind| kind.reports_to_parent()),
        });
        let own = self.own_tools(claimed, &run_tools).await?;
        let prompt = self.prompt(claimed, &cells, &own).await?;
        let about = (claimed.row.id, claimed.run, claimed.row.tools.as_slice());
        let desk = RunDesk::new(&self.world, claimed.kind, about, &own, prompt.is_foreign);
        let turn = AgentTurn {
            caller,
            instruction: &prompt.text,
            tools: &own,
            speaks: &[SEND_MESSAGE],
            ends: Some(SEND_MESSAGE),
            allow: &self.world.config.allow,
            is_tainted: prompt.is_foreign,
            tokens_left: RUN_TOKENS,
            actions_left: RUN_ACTIONS,
            // Whoever ends a run drops it.
            gives_up: CancellationToken::new(),
        };
        let done = self.engine.agent_turn(&turn, &desk).await;
        match (done.end, desk.failure()) {
            (TurnEnding::Interrupted, _) => Ok((RunOutcome::Interrupted, self.interrupted(claimed))),
            (TurnEnding::Failed, Some(failure)) => {
                Ok((RunOutcome::Failed, self.failed(claimed, failure).await?))
            }
            // A run that took too long ends with what it has.
            (TurnEnding::Failed, None)
            | (TurnEnding::Finished | TurnEnding::OutOfActions | TurnEnding::OutOfTokens, _) => {
                let is_due = !said.is_empty() && !desk.has_sent();
                self.finished(claimed, &run_tools, done, is_due).await
            }
        }
    }

    /// Archives the session of these cells where it is over; returns whether that was done.
    async fn archived(
        &self,
        claimed: &ClaimedRun,
        cells: &[ThreadCell],
        reason: &str,
    ) -> Result<bool, StoreError> {
        let is_over = archive::is_over(cells, self.world.config.silence(), self.now());
        if !claimed.kind.has_archive() || !is_over {
            return Ok(false);
        }
        let steps = self.world.store.steps(claimed.row.id, crate::limits::HISTORY_KEPT).await?;
        let question = archive::question(cells);
        let began = self.now();
        let use_of = (ModelPurpose::Summaries, "");
        let (written, tokens) =
            self.engine.ask_beside(use_of, &question, SUMMARY_TOKENS, SUMMARY_WITHIN).await;
        if tokens != (0, 0) {
            self.summed_up(claimed, tokens, self.now().duration_since(began)).await?;
        }
        let summary = archive::written(written.as_deref()).map(|text| redact(&text).into_string());
        let summary = summary.unwrap_or_else(|| archive::quoted(cells));
        match archive::archive(claimed.row.id, (cells, &steps), summary, reason) {
            Some(new) => self.world.store.archive_session(new).await,
            None => Ok(false),
        }
    }

    /// Counts the model call of a summary.
    async fn summed_up(
        &self,
        claimed: &ClaimedRun,
        tokens: (u64, u64),
        took: SignedDuration,
    ) -> Result<(), StoreError> {
        let (provider, model) = self.engine.named(ModelPurpose::Summaries);
        let cost_micros = crate::usage::cost_micros(&self.world.config.prices, (&provider, &model), tokens);
        let usage = joi_store::UsageRow {
            at: self.now(),
            work: claimed.row.id,
            agent: claimed.kind.name.to_owned(),
            purpose: ModelPurpose::Summaries.name().to_owned(),
            provider,
            model,
            tokens_in: tokens.0,
            tokens_out: tokens.1,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(0),
            cost_micros,
        };
        self.world.store.add_usage(usage).await
    }

    async fn own_tools(
        &self,
        claimed: &ClaimedRun,
        run: &Arc<RunTools>,
    ) -> Result<Vec<Arc<dyn Tool>>, StoreError> {
        // There is nothing to search where nothing is archived.
        let has_sessions = !self.world.store.archived_sessions(claimed.row.id, 1).await?.is_empty();
        let is_offered = |tool: &&OwnTool| match tool {
            OwnTool::SearchHistory => has_sessions,
            OwnTool::AddFeedItem => claimed.mode == RunMode::Feed,
            OwnTool::CreateTask => claimed.row.parent == 0 && claimed.mode != RunMode::Feed,
            OwnTool::SendMessage => claimed.mode != RunMode::Feed,
            OwnTool::CreateNote | OwnTool::ReadNotes | OwnTool::ManageLearning => true,
        };
        let tool = |which: &OwnTool| Arc::new(AgentTool::new(*which, Arc::clone(run))) as Arc<dyn Tool>;
        Ok(claimed.kind.own_tools.iter().filter(is_offered).map(tool).collect())
    }

    fn interrupted(&self, claimed: &ClaimedRun) -> RunEnd {
        let failure = WorkChange::Failed {
            failure: claimed.row.failure.clone(),
            attempts: claimed.row.attempts,
            retry: self.now().checked_add(INTERRUPTED_PAUSE).ok(),
        };
        let mut changes = vec![failure];
        changes.extend(claimed.row.is_woken.then_some(WorkChange::Woken(true)));
        RunEnd { run: claimed.run, ending: "interrupted".into(), gives_back: true, changes }
    }

    /// Decides what follows a failure; one that is final stands in the thread.
    async fn failed(&self, claimed: &ClaimedRun, failure: TurnFailure) -> Result<RunEnd, StoreError> {
        let attempts = claimed.row.attempts + 1;
        let status = WorkStatus::called(&claimed.row.status);
        let after = |event: Option<WorkEvent>| {
            event.map(|event| WorkChange::Status(status.after(event).name().to_owned()))
        };
        let name = retry::name(failure).to_owned();
        let mut changes = Vec::new();
        let (gives_back, ending) = match retry::after(failure, attempts, fastrand::f64(), self.now()) {
            AfterFailure::Retry(at) => {
                changes.push(WorkChange::Failed { failure: name, attempts, retry: Some(at) });
                changes.extend(after(claimed.kind.on_postponed));
                changes.extend(claimed.row.is_woken.then_some(WorkChange::Woken(true)));
                (true, "failed")
            }
            AfterFailure::GivenUp => {
                let text = format!("Failed permanently: {name}, after {attempts} attempts.");
                let (work, run) = (claimed.row.id, claimed.run);
                let cell = told::cell("error", &text, Origin::Ours, run);
                self.world.store.add_cell(work, cell, self.now()).await?;
                self.world.report(claimed.kind.name, AgentNews::GoalMessage { work }, Some(text));
                changes.push(WorkChange::Failed { failure: name, attempts: 0, retry: None });
                changes.extend(after(claimed.kind.on_failure));
                (false, "given up")
            }
        };
        Ok(RunEnd { run: claimed.run, ending: ending.into(), gives_back, changes })
    }

    /// Ends a run that went well: what a task has found becomes a note of its goal, and what a model wrote in place of a message
    /// becomes one where somebody waits for it.
    async fn finished(
        &self,
        claimed: &ClaimedRun,
        run_tools: &RunTools,
        done: AgentTurnDone,
        is_due: bool,
    ) -> Result<(RunOutcome, RunEnd), StoreError> {
        let (now, language) = (self.world.clock.now(), self.engine.language());
        let source = if done.is_foreign { Source::Foreign } else { Source::Own };
        let text = fence::shortened(&redact(done.text.trim()).into_string(), LONGEST_TEXT);
        let text = if recites(&text, claimed.kind) { String::new() } else { text };
        if claimed.kind.reports_to_parent() {
            self.reported(claimed, &text, source).await?;
        } else if is_due && claimed.kind.is_conversational() {
            let text = if text.is_empty() { language.sentences().reply.unwell.clone() } else { text.clone() };
            let arguments = Arguments::new();
            let call = Call {
                arguments: &arguments,
                effect: Effect::Looks,
                now: &now,
                source,
                language: &language,
                conversation: "",
            };
            // What can't be stored is given back with the run.
            let sent = crate::tools::deliver(run_tools, &text, &call).await;
            sent.map_err(|error| StoreError::Record(error.to_string()))?;
        }
        let status = WorkStatus::called(&claimed.row.status);
        let mut changes = vec![WorkChange::Failed { failure: String::new(), attempts: 0, retry: None }];
        changes.extend(
            claimed.kind.on_finish.map(|event| WorkChange::Status(status.after(event).name().to_owned())),
        );
        let end = RunEnd { run: claimed.run, ending: "finished".into(), gives_back: false, changes };
        Ok((RunOutcome::Over(text), end))
    }

    /// Keeps what a task has found as a note of its goal, and wakes that.
    async fn reported(&self, claimed: &ClaimedRun, text: &str, source: Source) -> Result<(), StoreError> {
        let (store, row, now) = (&self.world.store, &claimed.row, self.now());
        let is_foreign = source == Source::Foreign || row.origin == Origin::Stranger;
        let origin = if is_foreign { Origin::Stranger } else { Origin::Ours };
        let found = if text.is_empty() { "nothing was found" } else { text };
        let note = NewWorkNote {
            work: row.parent,
            kind: "note",
            text: found.to_owned(),
            source: format!("task {}: {}", row.id, row.name),
            origin,
        };
        let id = store.add_work_note(note, NOTES_KEPT, now).await?;
        let shown = NewCell {
            kind: "tool",
            ..told::cell(
                "agent",
                &format!("task {} has brought note {id}", row.id),
                Origin::Ours,
                claimed.run,
            )
        };
        store.add_cell(row.parent, shown, now).await?;
        store.change_work(row.parent, vec![WorkChange::Woken(true)], now).await
    }
}

/// Returns the state that these changes lead to.
fn status_of(changes: &[WorkChange]) -> Option<String> {
    changes.iter().rev().find_map(|change| match change {
        WorkChange::Status(status) => Some(status.clone()),
        _ => None,
    })
}

/// Messages and steps that a prompt shows.
const fn shown(kind_reports: bool) -> (u32, u32) {
    if kind_reports { (0, TASK_HISTORY) } else { (THREAD_SHOWN, TASK_HISTORY) }
}
