//! Events of agents: what happened, with names and numbers, and the words of it apart.
//!
//! Plain data. Words of the house and of the model stand in `words` alone, so that they can be left out where only names and
//! numbers may be shown.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::guard::Guardrail;

/// An event of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// Its event.
    #[serde(flatten)]
    pub news: AgentNews,
    /// Its name.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// The words of it; left out where only names and numbers are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

impl AgentEvent {
    /// Returns the event with names and numbers alone.
    #[must_use]
    pub fn without_words(self) -> Self {
        Self { words: None, ..self }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event")]
pub enum AgentNews {
    /// A turn by itself began.
    #[serde(rename = "autonomy:turn_started")]
    TurnStarted {
        /// Its number since the start of the program.
        turn: u64,
    },
    /// It is over.
    #[serde(rename = "autonomy:turn_completed")]
    TurnCompleted {
        /// Its number.
        turn: u64,
        /// How it ended.
        end: TurnEnding,
        /// Tokens read and written.
        tokens: u64,
        /// Calls that changed something or spoke.
        actions: u32,
    },
    /// Changes that were not worth a turn.
    #[serde(rename = "autonomy:precheck_skipped")]
    PrecheckSkipped {
        /// Number of changed fields.
        changes: usize,
    },
    /// A limit was reached.
    #[serde(rename = "autonomy:guardrail_triggered")]
    GuardrailTriggered {
        /// Which.
        guardrail: Guardrail,
        /// Until when it sleeps; nothing: until something happens.
        until: Option<Timestamp>,
    },
    /// A sensor brought readings.
    #[serde(rename = "autonomy:sensor_updated")]
    SensorUpdated {
        /// Which.
        sensor: String,
        /// Readings since its last event.
        readings: u64,
    },
    /// A notification waits for the next turn.
    #[serde(rename = "autonomy:notification_pushed")]
    NotificationPushed {
        /// Its name.
        name: String,
    },
    /// A sensor failed.
    #[serde(rename = "autonomy:sensor_error")]
    SensorError {
        /// Which.
        sensor: String,
        /// Failures in a row.
        failures: u32,
        /// It is tried again after this time, in seconds; 0: it is not.
        retry_s: u64,
    },
    /// A call waits for a yes.
    #[serde(rename = "autonomy:approval_pending")]
    ApprovalPending {
        /// Its number.
        approval: u32,
        /// The tool.
        tool: String,
    },
    /// It was decided.
    #[serde(rename = "autonomy:approval_decided")]
    ApprovalDecided {
        /// Its number.
        approval: u32,
        /// The tool.
        tool: String,
        /// How.
        decision: ApprovalDecision,
    },
    /// A run of a goal, a task or the assistant began.
    #[serde(rename = "goal:run_started")]
    GoalRunStarted {
        /// Its number in `joi goals list`.
        work: i64,
        /// The run.
        run: i64,
        /// Why it runs.
        mode: String,
    },
    /// Its model has replied; the words are what it wrote beside its calls.
    #[serde(rename = "goal:think")]
    GoalThink {
        /// Its number.
        work: i64,
        /// The calls it wants.
        calls: usize,
        /// Tokens read and written.
        tokens: u64,
    },
    /// A call begins.
    #[serde(rename = "goal:tool_started")]
    GoalToolStarted {
        /// Its number.
        work: i64,
        /// The tool.
        tool: String,
    },
    /// It is over.
    #[serde(rename = "goal:tool_completed")]
    GoalToolCompleted {
        /// Its number.
        work: i64,
        /// The tool.
        tool: String,
        /// Whether it has succeeded.
        success: bool,
    },
    /// A message stands in its thread.
    #[serde(rename = "goal:message")]
    GoalMessage {
        /// Its number.
        work: i64,
    },
    /// It is in another state.
    #[serde(rename = "goal:status")]
    GoalStatus {
        /// Its number.
        work: i64,
        /// The state.
        status: String,
    },
    /// The run is over.
    #[serde(rename = "goal:run_completed")]
    GoalRunCompleted {
        /// Its number.
        work: i64,
        /// The run.
        run: i64,
        /// How it ended.
        ending: String,
    },
}

impl AgentNews {
    /// Returns its name, as in the log, on the socket and in metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TurnStarted { .. } => "autonomy:turn_started",
            Self::TurnCompleted { .. } => "autonomy:turn_completed",
            Self::PrecheckSkipped { .. } => "autonomy:precheck_skipped",
            Self::GuardrailTriggered { .. } => "autonomy:guardrail_triggered",
            Self::SensorUpdated { .. } => "autonomy:sensor_updated",
            Self::NotificationPushed { .. } => "autonomy:notification_pushed",
            Self::SensorError { .. } => "autonomy:sensor_error",
            Self::ApprovalPending { .. } => "autonomy:approval_pending",
            Self::ApprovalDecided { .. } => "autonomy:approval_decided",
            Self::GoalRunStarted { .. } => "goal:run_started",
            Self::GoalThink { .. } => "goal:think",
            Self::GoalToolStarted { .. } => "goal:tool_started",
            Self::GoalToolCompleted { .. } => "goal:tool_completed",
            Self::GoalMessage { .. } => "goal:message",
            Self::GoalStatus { .. } => "goal:status",
            Self::GoalRunCompleted { .. } => "goal:run_completed",
        }
    }
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnding {
    /// The model was done.
    Finished,
    /// Somebody talked, and the model was theirs.
    Interrupted,
    /// The model failed.
    Failed,
    /// It wanted to act more often than it may.
    OutOfActions,
    /// It wanted to read or write more than it may.
    OutOfTokens,
}

/// What became of a call that waited for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// The owner said yes.
    Granted,
    /// The owner said no.
    Denied,
    /// Nobody answered in time, which is a no.
    Expired,
}
