//! A turn of an agent: what it is given, who takes calls that need a yes, what came of it, and its calls.
//!
//! Plain data and a trait; [`TurnCalls`] makes the calls of a turn through the gate. The model is asked elsewhere.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use joi_tools::{Arguments, Tool};

use super::news::TurnEnding;

mod call;

pub use call::{CallEnd, TurnCalls};

/// Who waits for the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentCaller {
    /// Nobody.
    Nobody,
    /// Somebody who talks with the agent.
    User,
}

/// A turn of an agent.
pub struct AgentTurn<'a> {
    /// Who waits.
    pub caller: AgentCaller,
    /// The newest message: what the agent is for, its state, what has happened, what is asked.
    pub instruction: &'a str,
    /// The tools that are the agent's own.
    pub tools: &'a [Arc<dyn Tool>],
    /// Own tools whose calls are actions although they change nothing outside.
    pub speaks: &'a [&'a str],
    /// The tool whose call ends the turn.
    pub ends: Option<&'a str>,
    /// Tools with a standing permission.
    pub allow: &'a [String],
    /// Words of strangers are in the instruction.
    pub is_tainted: bool,
    /// Tokens it may read and write.
    pub tokens_left: u64,
    /// Actions it may do.
    pub actions_left: u32,
    /// Ends the turn early: whoever asked is gone, or the owner has the agent rest.
    pub gives_up: CancellationToken,
}

/// Takes calls that need a yes.
pub trait AgentDesk: Send + Sync {
    /// Has a call wait for a yes; returns what the model is to know of it.
    fn ask(&self, tool: &str, arguments: &Arguments, in_words: String) -> String;
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentTurnDone {
    /// How it ended.
    pub end: TurnEnding,
    /// Tokens read and written.
    pub tokens: u64,
    /// Actions done.
    pub actions: u32,
    /// The arguments of the call that ended it.
    pub ended_by: Option<Arguments>,
    /// The last words of the model.
    pub text: String,
    /// The calls, each with its result in one line.
    pub calls: Vec<String>,
    /// Words of strangers came up in it, or were in it from the start.
    pub is_foreign: bool,
}
