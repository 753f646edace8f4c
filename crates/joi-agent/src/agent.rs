//! Produces an answer with a model: which tools it may use, whether a plan is worth a call, and the loop that asks the
//! model, runs what it calls and asks again.
//!
//! Runs in the task of one turn. Input: a request, the dialogue and what is remembered. Output: calls of tools, and
//! words to the output. `AgentContext` is all that the loop works with.

use std::sync::Arc;

use crate::config::ReplyConfig;
use crate::model::ModelAccess;
use crate::prompt::head::{HeadSet, Heads};
use crate::session::Session;
use joi_base::clock::Clock;
use joi_store::Store;
use joi_tools::ToolsConfig;
use protocols::Protocols;

pub(crate) mod ask;
pub(crate) mod patience;
pub(crate) mod planner;
pub(crate) mod prompt_kind;
pub(crate) mod protocols;
pub(crate) mod request;
pub(crate) mod router;
pub(crate) mod setup;
pub(crate) mod side_call;
pub(crate) mod talk;
pub(crate) mod tool_loop;

/// Context of the loop of one answer.
pub(crate) struct AgentContext<'a, M> {
    /// Answers.
    pub(crate) model: ModelAccess<'a, M>,
    /// `[reply]`.
    pub(crate) config: &'a ReplyConfig,
    /// `[tools]`.
    pub(crate) rules: &'a ToolsConfig,
    /// Learns which model refuses native tools.
    pub(crate) protocols: &'a Protocols,
    /// Its store.
    pub(crate) store: Option<&'a Store>,
    /// The clock that limits how long a question stays open.
    pub(crate) clock: &'a dyn Clock,
    /// The conversation.
    pub(crate) session: &'a Session,
    /// Its tools and heads.
    pub(crate) heads: &'a Arc<HeadSet>,
}

impl<M> AgentContext<'_, M> {
    /// The heads of the conversation's profile.
    pub(crate) fn heads(&self) -> &Heads {
        self.heads.of_profile(self.session.with(|state| state.caches.profile))
    }

    /// Tools found in this conversation.
    pub(crate) fn grown(&self) -> Vec<String> {
        self.session.with(|state| state.history.grown.clone())
    }
}
