//! A turn of an agent: what it is given, who takes calls that need a yes, what came of it, and its calls.
//!
//! Plain data and a trait; [`TurnCalls`] makes the calls of a turn through the gate. The model is asked elsewhere.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use joi_tools::{Arguments, Source, Tool, Toolbox};

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

/// The limits of a turn, held whatever the model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    /// Most replies of the model.
    pub replies: u32,
    /// Most calls of one tool in a row.
    pub same_in_a_row: u32,
    /// A turn that takes longer is stuck.
    pub lasts: Duration,
    /// How often a model that limits its requests is asked again at once.
    pub immediate_retries: u32,
    /// The pause before that.
    pub immediate_pause: Duration,
}

impl Default for TurnLimits {
    fn default() -> Self {
        let immediate_pause = Duration::from_millis(1_500);
        let lasts = Duration::from_secs(30 * 60);
        Self { replies: 20, same_in_a_row: 5, lasts, immediate_retries: 0, immediate_pause }
    }
}

/// Why a model gave no reply, as far as trying again depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnFailure {
    /// It limits requests.
    RateLimit,
    /// It can't be reached, or broke off.
    Network,
    /// Anything else.
    Other,
}

/// A step of a turn, when it has been made.
#[derive(Debug, Clone, Copy)]
pub enum TurnStep<'a> {
    /// The model has replied.
    Replied {
        /// Its words beside its calls.
        text: &'a str,
        /// The calls it wants.
        calls: usize,
        /// Tokens read and written.
        tokens: (u64, u64),
        /// How long it took.
        took: Duration,
        /// The server and the model.
        by: (&'a str, &'a str),
    },
    /// A call is about to be judged.
    Calls {
        /// The tool.
        tool: &'a str,
        /// Its arguments, as the model wrote them.
        arguments: &'a Arguments,
    },
    /// What came of a call, which a refusal is as well.
    Called {
        /// The tool.
        tool: &'a str,
        /// The text for the model; of a failure its reason.
        outcome: Result<&'a str, &'a str>,
        /// Whose words are in the turn from now on.
        source: Source,
    },
    /// The model gave no reply.
    Failed(TurnFailure),
}

/// Decides and follows what belongs to the owner of a turn: it takes calls that need a yes, and each step of the turn.
pub trait AgentDesk: Send + Sync {
    /// Has a call wait for a yes; returns what the model is to know of it.
    fn ask(&self, tool: &str, arguments: &Arguments, in_words: String) -> String;

    /// Returns the limits of the turn.
    fn limits(&self) -> TurnLimits {
        TurnLimits::default()
    }

    /// Returns the tools of `all` that are on offer in this turn. By default all are.
    fn chosen(&self, all: Toolbox) -> Toolbox {
        all
    }

    /// Returns the name of the use that calls of the model are for; by default they are conversations.
    fn purpose(&self) -> &'static str {
        "chat"
    }

    /// Takes a step of the turn, which goes on when this is over.
    fn step<'a>(&'a self, _step: TurnStep<'a>) -> BoxFuture<'a, ()> {
        async {}.boxed()
    }
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
