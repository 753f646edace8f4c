//! What goes into the loop of an agent and what comes out of it.
//!
//! Plain data.

use joi_tools::Source;

use super::approval::AgentApproval;
use super::hot_state::FieldChange;
use super::lines::AgentRest;
use super::news::{AgentNews, TurnEnding};
use super::precheck::PrecheckVerdict;
use super::yielding::YieldOrder;

/// The name of the notification of what became of a call that waited for a yes: it ends every sleep of the agent's own.
pub const APPROVAL: &str = "approval";

/// Something that the next turn is to know first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// By which a sleep can wait for it.
    pub name: String,
    /// The words.
    pub text: String,
    /// Whose words.
    pub source: Source,
}

/// An input of the loop.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentInput {
    /// Time has passed.
    Tick,
    /// The due fields were brought anew, or could not be.
    Refreshed,
    /// A field has another value.
    Changed,
    /// A notification for the next turn.
    Notified(Notification),
    /// The gate has answered.
    Prechecked(PrecheckVerdict),
    /// The turn is over.
    TurnOver(TurnReport),
    /// The granted call of this number is over.
    Ran(u32, Notification),
    /// Tokens were spent beside a turn.
    Spent(u64),
    /// Somebody has talked with the agent.
    Talked,
    /// The owner has decided about a call that waits.
    Decided {
        /// Its number.
        id: u32,
        /// A yes.
        is_yes: bool,
    },
    /// The owner has it rest, or go on.
    Rest(AgentRest),
    /// It is to end.
    Stop,
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnReport {
    /// How it ended.
    pub end: TurnEnding,
    /// Tokens read and written.
    pub tokens: u64,
    /// Calls that changed something or spoke.
    pub actions: u32,
    /// How the model wants to go on; nothing where it did not say.
    pub order: Option<YieldOrder>,
}

/// What a turn begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnBrief {
    /// Its number.
    pub turn: u64,
    /// What it is to know first.
    pub notifications: Vec<Notification>,
    /// What has changed since the last one.
    pub changes: Vec<FieldChange>,
    /// Tokens it may read and write.
    pub tokens_left: u64,
    /// Calls that change something or speak which it may make.
    pub actions_left: u32,
}

/// Something for the caller to do.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEffect {
    /// Bring these fields anew, then [`AgentInput::Refreshed`].
    Refresh(Vec<String>),
    /// Ask the gate about these changes, then [`AgentInput::Prechecked`].
    Precheck(Vec<FieldChange>),
    /// Run a turn, then [`AgentInput::TurnOver`].
    Think(TurnBrief),
    /// Run a call that was granted.
    Run(AgentApproval),
    /// Report an event.
    Report(AgentNews),
    /// End the agent with its sensors.
    End,
}
