//! Questions beside the answer, on the prompt the answer will have: the same system message, tools and dialogue, and an
//! instruction in the last message. The model has read nearly all of it, and reads nothing of the answer's prompt a
//! second time.
//!
//! Runs in the task of the turn. Input: an instruction. Output: what the model wrote, within its time, or nothing.
//! The caller goes on without it then.

use std::time::Duration;

use serde_json::Value;

use crate::agent::side_call::{SideCall, side_call};
use crate::model::{ChatModel, ModelAccess, Room};
use crate::prompt;
use crate::prompt::dialogue::ShownDialogue;
use crate::prompt::head::Head;
use crate::sink::ReplySink;
use joi_llm::{Ask, Length, Message};

/// Something to be asked.
#[derive(Debug)]
pub(crate) struct SideQuery<'a> {
    /// The caller, for the record.
    pub(crate) purpose: &'static str,
    /// The task.
    pub(crate) instruction: &'a str,
    /// The shape of what is written.
    pub(crate) format: Option<Value>,
    /// Most tokens of it.
    pub(crate) tokens: u32,
    /// Its time limit.
    pub(crate) limit: Duration,
    /// Which model of the server; empty: the one that answers.
    pub(crate) model: &'a str,
}

/// The prompt that side queries of one turn share with its answer.
pub(crate) struct SharedPrompt {
    /// The head.
    pub(crate) head: Head,
    /// The dialogue, with what was called.
    pub(crate) dialogue: ShownDialogue,
    /// What a small model has read of the same conversation for talk, where this is for tools.
    pub(crate) talk: Option<(Head, ShownDialogue)>,
    /// The beginning of the prompt of a form, where one is asked.
    pub(crate) form: Vec<Message>,
    /// The model's window.
    pub(crate) room: Room,
}

impl SharedPrompt {
    /// An instruction behind it.
    pub(crate) fn ask(&self, instruction: &str, format: Option<Value>, length: Length) -> Ask {
        let newest = prompt::Newest::auxiliary(instruction.trim());
        let messages = prompt::build(&self.head, self.dialogue.messages.clone(), &newest, self.room);
        Ask { messages, tools: self.head.tools.clone(), format, length, model: None }
    }
}

/// Asks them.
pub(crate) struct SideQueries<'a, M> {
    /// Answers.
    pub(crate) access: ModelAccess<'a, M>,
    /// The shared prompt.
    pub(crate) prompt: SharedPrompt,
    /// The record of costs and decisions.
    pub(crate) sink: &'a ReplySink,
}

impl<M: ChatModel> SideQueries<'_, M> {
    /// Returns the model's reply; `None` if it fails or takes too long.
    pub(crate) async fn ask(&self, query: SideQuery<'_>) -> Option<String> {
        let SideQuery { purpose, instruction, format, tokens, limit, model } = query;
        let model = Some(model.trim().to_owned()).filter(|model| !model.is_empty());
        let ask = Ask { model, ..self.prompt.ask(instruction, format, Length::AtMost(tokens)) };
        side_call(self.access, ask, SideCall { purpose, limit }, self.sink).await
    }
}
