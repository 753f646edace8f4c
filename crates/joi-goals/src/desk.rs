//! The desk of one run: which tools are on offer, its limits, and what is stored and shown of each step.
//!
//! Runs in the task of the run. In: steps of the turn. Out: rows of the inner history and of usage, events. A step that can't be
//! stored is logged and costs nothing else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_autonomy::agent::approval::{AgentApprovals, ApprovalAsked};
use joi_autonomy::agent::bus::AgentBus;
use joi_autonomy::agent::news::{AgentEvent, AgentNews};
use joi_autonomy::agent::turn::{AgentDesk, TurnFailure, TurnLimits, TurnStep};
use joi_base::clock::Clock;
use joi_base::message::Origin;
use joi_redact::redact;
use joi_store::{InnerStep, Store, UsageRow};
use joi_tools::{Arguments, Effect, Source, Tool, Toolbox, fence};

use crate::config::GoalsConfig;
use crate::goals_tool;
use crate::kind::{AgentType, ToolReach};
use crate::limits::{
    HISTORY_KEPT, IMMEDIATE_PAUSE, IMMEDIATE_RETRIES, LONGEST_TEXT, MOST_REPLIES, RUN_LASTS,
    SAME_TOOL_IN_A_ROW,
};
use crate::tools::SEND_MESSAGE;
use crate::usage::cost_micros;

/// A call of a goal that waits for a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingCall {
    /// Its number.
    pub id: u32,
    /// Whose.
    pub work: i64,
    /// The tool.
    pub tool: String,
    /// The call in words.
    pub in_words: String,
}

/// All calls of goals that wait for a yes, and whose they are.
#[derive(Debug, Default)]
pub struct GoalApprovals {
    /// The calls.
    pub calls: AgentApprovals,
    /// The agent of each, by number.
    pub owners: Vec<(u32, i64)>,
}

/// What all desks share.
pub struct DeskWorld {
    /// The database.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Takes events.
    pub bus: AgentBus,
    /// The settings.
    pub config: GoalsConfig,
    /// Calls that wait for a yes.
    pub approvals: Mutex<GoalApprovals>,
    /// Takes calls that begin to wait; nothing where nobody announces them.
    pub asked: Option<tokio::sync::mpsc::Sender<WaitingCall>>,
}

impl DeskWorld {
    /// Returns the calls that wait.
    pub fn approvals(&self) -> MutexGuard<'_, GoalApprovals> {
        self.approvals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an event; `words` stand apart.
    pub fn report(&self, kind: &str, news: AgentNews, words: Option<String>) {
        let at = self.clock.now().timestamp();
        self.bus.send(AgentEvent { news, agent: kind.to_owned(), at, words });
    }
}

/// The desk.
pub struct RunDesk<'a> {
    world: &'a DeskWorld,
    kind: &'static AgentType,
    /// The agent, the run, and the tools of other programs that are enabled for it.
    about: (i64, i64, &'a [String]),
    own: &'a [Arc<dyn Tool>],
    state: Mutex<DeskState>,
}

#[derive(Debug, Default)]
struct DeskState {
    has_sent: bool,
    failure: Option<TurnFailure>,
    is_foreign: bool,
}

impl<'a> RunDesk<'a> {
    /// The desk of a run that begins.
    pub fn new(
        world: &'a DeskWorld,
        kind: &'static AgentType,
        about: (i64, i64, &'a [String]),
        own: &'a [Arc<dyn Tool>],
        is_foreign: bool,
    ) -> Self {
        let state = Mutex::new(DeskState { is_foreign, ..DeskState::default() });
        Self { world, kind, about, own, state }
    }

    fn state(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a message was sent.
    pub fn has_sent(&self) -> bool {
        self.state().has_sent
    }

    /// Returns why the model gave no reply; nothing where it did, and the run took too long.
    pub fn failure(&self) -> Option<TurnFailure> {
        self.state().failure
    }

    /// Returns whether a tool is on offer to this type of agent.
    fn offers(&self, tool: &dyn Tool) -> bool {
        if self.own.iter().any(|own| own.name() == tool.name()) {
            return true;
        }
        // What the user talks with is not for agents: they would open goals of their own.
        if tool.name() == goals_tool::NAME {
            return false;
        }
        let is_enabled = !tool.hands_out() || self.about.2.iter().any(|name| name == tool.name());
        match self.kind.reach {
            ToolReach::All => true,
            ToolReach::Enabled => is_enabled,
            ToolReach::LooksOnly => is_enabled && only_looks(tool),
        }
    }

    async fn keep(&self, role: &str, text: &str, origin: Origin) {
        let (work, run, _) = self.about;
        let at = self.world.clock.now().timestamp();
        let text = fence::shortened(&redact(text).into_string(), LONGEST_TEXT);
        let step = InnerStep { run, at, role: role.to_owned(), text, origin };
        if let Err(error) = self.world.store.add_step(work, step, HISTORY_KEPT).await {
            tracing::warn!(%error, "a step of a run is not stored");
        }
    }

    async fn count(&self, tokens: (u64, u64), took_ms: u64, (provider, model): (&str, &str)) {
        let usage = UsageRow {
            at: self.world.clock.now().timestamp(),
            work: self.about.0,
            agent: self.kind.name.to_owned(),
            purpose: self.kind.purpose.to_owned(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            tokens_in: tokens.0,
            tokens_out: tokens.1,
            took_ms,
            cost_micros: cost_micros(&self.world.config.prices, (provider, model), tokens),
        };
        if let Err(error) = self.world.store.add_usage(usage).await {
            tracing::warn!(%error, "a call of the model is not counted");
        }
    }
}

/// Returns whether a tool does nothing but look, whatever its arguments: one that may change something is taken to.
fn only_looks(tool: &dyn Tool) -> bool {
    matches!(tool.effect(&Arguments::new()), Effect::Looks | Effect::Fetches)
}

impl AgentDesk for RunDesk<'_> {
    fn ask(&self, tool: &str, arguments: &Arguments, in_words: String) -> String {
        if self.kind.reach == ToolReach::LooksOnly {
            return "You can only look. This call is not made.".to_owned();
        }
        let now = self.world.clock.now().timestamp();
        let (work, mut waiting) = (self.about.0, self.world.approvals());
        match waiting.calls.ask(tool, arguments, in_words.clone(), now) {
            ApprovalAsked::Pending(id) => {
                waiting.owners.push((id, work));
                drop(waiting);
                let news = AgentNews::ApprovalPending { approval: id, tool: tool.to_owned() };
                self.world.report(self.kind.name, news, Some(in_words.clone()));
                if let Some(asked) = &self.world.asked {
                    // A full queue is one that the owner does not listen to; the call expires as denied.
                    let _ = asked.try_send(WaitingCall { id, work, tool: tool.to_owned(), in_words });
                }
                format!(
                    "Call {id} waits for the owner's yes. Its result will stand in the thread. Do not repeat it."
                )
            }
            ApprovalAsked::Same(id) => format!("The same call waits already, as call {id}."),
            ApprovalAsked::Full => "Too many calls wait. This one was denied.".to_owned(),
        }
    }

    fn limits(&self) -> TurnLimits {
        TurnLimits {
            replies: MOST_REPLIES,
            same_in_a_row: SAME_TOOL_IN_A_ROW,
            lasts: RUN_LASTS,
            immediate_retries: IMMEDIATE_RETRIES,
            immediate_pause: IMMEDIATE_PAUSE,
        }
    }

    fn chosen(&self, all: Toolbox) -> Toolbox {
        all.filtered(|tool| self.offers(tool))
    }

    fn purpose(&self) -> &'static str {
        self.kind.purpose
    }

    fn step<'a>(&'a self, step: TurnStep<'a>) -> BoxFuture<'a, ()> {
        let (work, kind) = (self.about.0, self.kind.name);
        async move {
            match step {
                TurnStep::Replied { text, calls, tokens, took, by } => {
                    self.count(tokens, u64::try_from(took.as_millis()).unwrap_or(u64::MAX), by).await;
                    if calls > 0 && !text.is_empty() {
                        let origin = if self.state().is_foreign { Origin::Stranger } else { Origin::Ours };
                        self.keep("thought", text, origin).await;
                    }
                    let news = AgentNews::GoalThink { work, calls, tokens: tokens.0 + tokens.1 };
                    self.world.report(kind, news, Some(text.to_owned()).filter(|text| !text.is_empty()));
                }
                TurnStep::Calls { tool, arguments } => {
                    let written = serde_json::to_string(arguments).unwrap_or_default();
                    let origin = if self.state().is_foreign { Origin::Stranger } else { Origin::Ours };
                    self.keep("call", &format!("{tool} {written}"), origin).await;
                    let news = AgentNews::GoalToolStarted { work, tool: tool.to_owned() };
                    self.world.report(kind, news, Some(written));
                }
                TurnStep::Called { tool, outcome, source } => {
                    let origin = if source == Source::Foreign { Origin::Stranger } else { Origin::Ours };
                    {
                        let mut state = self.state();
                        state.is_foreign |= source == Source::Foreign;
                        state.has_sent |= tool == SEND_MESSAGE && outcome.is_ok();
                    }
                    let (Ok(text) | Err(text)) = outcome;
                    let role = if outcome.is_ok() { "result" } else { "refused" };
                    self.keep(role, text, origin).await;
                    let news = AgentNews::GoalToolCompleted {
                        work,
                        tool: tool.to_owned(),
                        success: outcome.is_ok(),
                    };
                    self.world.report(kind, news, Some(fence::shortened(text, LONGEST_TEXT)));
                }
                TurnStep::Failed(failure) => self.state().failure = Some(failure),
            }
        }
        .boxed()
    }
}
