//! Immutable input of every step of one turn.
//!
//! Plain data. Input: the turn, the dialogue, the conversation's tools and the model that answers.

use crate::agent::prompt_kind::PromptKind;
use crate::agent::protocols::Answering;
use crate::prompt::dialogue::Past;
use crate::turn::Turn;
use joi_answer::tool_list::ToolList;
use joi_llm::Message;

/// One request and what is known about it.
pub(crate) struct TurnRequest<'a> {
    /// The words, where and when they were said.
    pub(crate) turn: &'a Turn<'a>,
    /// The dialogue so far.
    pub(crate) past: &'a Past,
    /// Calls of earlier answers, by the row of the answer.
    pub(crate) called: Vec<(i64, Vec<Message>)>,
    /// The tools on offer.
    pub(crate) tools: ToolList,
    /// Names of all tools there are: their calls are recognised.
    pub(crate) known: Vec<String>,
    /// The model that answers.
    pub(crate) answering: Answering,
    /// Nothing but the form of the words speaks for a tool: the model guesses which, or that there is none.
    pub(crate) is_guess: bool,
    /// The dialogue shown to it.
    pub(crate) prompt: PromptKind,
}
