//! The handle of the agents of this program: what they do, talking with one, deciding about its calls, its events.
//!
//! Any task; clones share it. In: requests, each to the task of one agent. Out: its answers, or why there is none. It is
//! made before the agents run: a request then waits until its agent begins, and there is room for four.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc, oneshot};

use super::bus::AgentBus;
use super::news::AgentEvent;

/// Requests to an agent that wait. When full, further ones are refused.
const REQUESTS: usize = 4;

/// An agent as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// "own pace", "heartbeat" or "when asked".
    pub pace: String,
    /// What it does: waiting, looking, thinking, asleep, paused, ended.
    pub doing: String,
    /// When it looks again, in UTC; nothing: when something happens.
    pub next: Option<String>,
    /// Calls that wait for a yes.
    pub approvals: Vec<ApprovalRow>,
    /// The last call that nobody has answered in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapsed: Option<ApprovalRow>,
}

/// A call that waits for a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRow {
    /// Its number.
    pub approval: u32,
    /// The tool.
    pub tool: String,
    /// The call in words.
    pub deed: String,
}

/// A request to an agent.
pub enum AgentRequest {
    /// Somebody talks with it.
    Talk(String, oneshot::Sender<String>),
    /// The owner has decided about a call.
    Decide {
        /// Its number.
        id: u32,
        /// A yes.
        is_yes: bool,
        /// Takes whether there was such a call.
        was_there: oneshot::Sender<bool>,
    },
    /// It is to rest, or to go on.
    Rest(AgentRest),
}

/// Whether an agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentRest {
    /// It rests until the owner has it go on, also over a restart.
    Pause,
    /// It goes on.
    Resume,
}

/// Reads how an agent is.
pub type AgentGauge = Arc<dyn Fn() -> AgentRow + Send + Sync>;

/// How the running agents are reached: in this program, or in the one that runs beside it.
pub trait AgentsReach: Send + Sync {
    /// Returns how each agent is; an error where none runs.
    fn rows(&self) -> BoxFuture<'_, Result<Vec<AgentRow>, String>>;
    /// Talks with an agent; returns its answer, or one sentence about why there is none.
    fn talk(&self, agent: String, text: String) -> BoxFuture<'_, Result<String, String>>;
    /// Decides about a call of an agent; an error where it does not wait.
    fn decide(&self, agent: String, id: u32, is_yes: bool) -> BoxFuture<'_, Result<(), String>>;
    /// Has an agent rest or go on.
    fn rest(&self, agent: String, rest: AgentRest) -> BoxFuture<'_, Result<(), String>>;
}

/// The line to one agent.
struct AgentLine {
    name: String,
    /// To its task.
    requests: mpsc::Sender<AgentRequest>,
    /// What its task receives, until that takes it.
    waiting: Mutex<Option<mpsc::Receiver<AgentRequest>>>,
    /// Reads how it is, once it is there.
    row: OnceLock<AgentGauge>,
    /// Whether it can be had to rest as a whole.
    rests: bool,
}

impl AgentLine {
    fn to(name: &str, rests: bool) -> Self {
        let (requests, waiting) = mpsc::channel(REQUESTS);
        let waiting = Mutex::new(Some(waiting));
        Self { name: name.to_owned(), requests, waiting, row: OnceLock::new(), rests }
    }
}

/// The agents of this program.
#[derive(Clone)]
pub struct Agents {
    bus: AgentBus,
    lines: Arc<Vec<AgentLine>>,
}

impl Agents {
    /// A handle of the agents of these names, of which none runs yet.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a String>) -> Self {
        Self::of(names.into_iter().map(|name| AgentLine::to(name, true)).collect())
    }

    /// The same with the assistant above the goals behind them, whose goals rest one by one. An agent of the same name keeps
    /// it.
    pub fn with_assistant<'a>(names: impl IntoIterator<Item = &'a String>, assistant: &str) -> Self {
        let mut lines: Vec<AgentLine> = names.into_iter().map(|name| AgentLine::to(name, true)).collect();
        if lines.iter().all(|line| line.name != assistant) {
            lines.push(AgentLine::to(assistant, false));
        }
        Self::of(lines)
    }

    fn of(lines: Vec<AgentLine>) -> Self {
        Self { bus: AgentBus::default(), lines: Arc::new(lines) }
    }

    /// Returns the bus of their events.
    pub fn bus(&self) -> &AgentBus {
        &self.bus
    }

    /// Returns the requests to the agent of this name, once: for its task.
    pub fn requests(&self, name: &str) -> Option<mpsc::Receiver<AgentRequest>> {
        self.line(name)?.waiting.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// From now on `row` reads how the agent of this name is.
    pub fn shows(&self, name: &str, row: AgentGauge) {
        if let Some(line) = self.line(name) {
            // A second one of the same name does not exist.
            let _ = line.row.set(row);
        }
    }

    /// Returns how each agent is.
    pub fn rows(&self) -> Vec<AgentRow> {
        self.lines.iter().filter_map(|line| Some(line.row.get()?())).collect()
    }

    /// Reads the events of all agents from now on.
    pub fn follow(&self) -> broadcast::Receiver<AgentEvent> {
        self.bus.subscribe()
    }

    /// Returns how many events of each name there were.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.bus.counts().into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    }

    /// Talks with an agent; returns its answer. Dropping it ends the talk.
    ///
    /// # Errors
    /// There is no such agent, or it can't answer now; one sentence.
    pub async fn talk(&self, name: &str, text: &str) -> Result<String, String> {
        let (answer, answered) = oneshot::channel();
        self.send(name, AgentRequest::Talk(text.to_owned(), answer))?;
        answered
            .await
            .map_err(|_| format!("the agent {name} is not running any more; `joi doctor` shows why"))
    }

    /// Decides about a call of an agent that waits for a yes.
    ///
    /// # Errors
    /// There is no such agent or call; one sentence.
    pub async fn decide(&self, name: &str, id: u32, is_yes: bool) -> Result<(), String> {
        let (was_there, known) = oneshot::channel();
        self.send(name, AgentRequest::Decide { id, is_yes, was_there })?;
        match known.await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(format!(
                "no call {id} of the agent {name} waits for a yes; `joi agents list` shows those that do"
            )),
        }
    }

    /// Has an agent rest or go on.
    ///
    /// # Errors
    /// There is no such agent, or it can't take that now; one sentence.
    pub fn rest(&self, name: &str, rest: AgentRest) -> Result<(), String> {
        if self.line(name).is_some_and(|line| !line.rests) {
            return Err(format!(
                "the agent {name} works on the goals; `joi goals pause` has one of them rest"
            ));
        }
        self.send(name, AgentRequest::Rest(rest))
    }

    fn line(&self, name: &str) -> Option<&AgentLine> {
        self.lines.iter().find(|line| line.name == name)
    }

    fn send(&self, name: &str, request: AgentRequest) -> Result<(), String> {
        let Some(line) = self.line(name) else {
            let known: Vec<&str> = self.lines.iter().map(|line| line.name.as_str()).collect();
            return Err(format!("there is no agent {name}; the agents are: {}", known.join(", ")));
        };
        let busy = |_| format!("the agent {name} can't take that now; try again later");
        line.requests.try_send(request).map_err(busy)
    }
}

impl AgentsReach for Agents {
    fn rows(&self) -> BoxFuture<'_, Result<Vec<AgentRow>, String>> {
        async { Ok(Self::rows(self)) }.boxed()
    }

    fn talk(&self, agent: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        async move { Self::talk(self, &agent, &text).await }.boxed()
    }

    fn decide(&self, agent: String, id: u32, is_yes: bool) -> BoxFuture<'_, Result<(), String>> {
        async move { Self::decide(self, &agent, id, is_yes).await }.boxed()
    }

    fn rest(&self, agent: String, rest: AgentRest) -> BoxFuture<'_, Result<(), String>> {
        async move { Self::rest(self, &agent, rest) }.boxed()
    }
}
