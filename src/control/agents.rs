//! The handle of the running agents: what they do, talking with one, deciding about its calls, its events.
//!
//! Any task; clones share it. In: requests, each to the task of one agent. Out: its answers, or why there is none.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc, oneshot};

use joi_autonomy::agent::bus::AgentBus;
use joi_autonomy::agent::news::AgentEvent;

/// An agent as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// "own pace", "heartbeat" or "when asked".
    pub pace: String,
    /// What it does: waiting, looking, thinking, asleep, ended.
    pub doing: String,
    /// When it looks again, in UTC; nothing: when something happens.
    pub next: Option<String>,
    /// Calls that wait for a yes.
    pub approvals: Vec<ApprovalRow>,
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
}

/// Reads how an agent is.
pub type AgentGauge = Arc<dyn Fn() -> AgentRow + Send + Sync>;

/// The line to one agent.
pub struct AgentLine {
    /// Its name.
    pub name: String,
    /// To its task.
    pub requests: mpsc::Sender<AgentRequest>,
    /// Reads how it is.
    pub row: AgentGauge,
}

/// The running agents.
#[derive(Clone)]
pub struct Agents {
    bus: AgentBus,
    lines: Arc<Vec<AgentLine>>,
}

impl Agents {
    /// A handle of the agents at the end of these lines.
    pub fn new(bus: AgentBus, lines: Vec<AgentLine>) -> Self {
        Self { bus, lines: Arc::new(lines) }
    }

    /// Returns how each agent is.
    pub fn rows(&self) -> Vec<AgentRow> {
        self.lines.iter().map(|line| (line.row)()).collect()
    }

    /// Reads the events of all agents from now on.
    pub fn follow(&self) -> broadcast::Receiver<AgentEvent> {
        self.bus.subscribe()
    }

    /// Returns how many events of each name there were.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.bus.counts().into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    }

    /// Talks with an agent; returns its answer.
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

    fn send(&self, name: &str, request: AgentRequest) -> Result<(), String> {
        let Some(line) = self.lines.iter().find(|line| line.name == name) else {
            let known: Vec<&str> = self.lines.iter().map(|line| line.name.as_str()).collect();
            return Err(format!("there is no agent {name}; the agents are: {}", known.join(", ")));
        };
        let busy = |_| format!("the agent {name} can't take that now; try again later");
        line.requests.try_send(request).map_err(busy)
    }
}
