//! Questions beside the answer, which share its trunk: the same system message, tools and dialogue as the answer
//! will have, and an instruction in the last message. The model has read nearly all of it, and reads nothing of the
//! answer's prompt a second time.
//!
//! Runs in the task of the turn. In: an instruction. Out: what the model wrote, within its time, or nothing. Whoever
//! asks goes on without it then.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::acting::Prepared;
use super::malformed::balanced_length;
use super::model::ChatModel;
use super::outlet::Outlet;
use super::router::Routed;
use super::{Engine, Turn, ask, dialogue, prompt, tool_loop};
use crate::llm::{Ask, Length, Message};
use crate::message::Channel;
use crate::store::DialogueRow;
use crate::tools::schema;

/// Something to be asked.
#[derive(Debug)]
pub(super) struct Beside<'a> {
    /// Who asks, for the record.
    pub(super) purpose: &'static str,
    /// What is to be done.
    pub(super) instruction: &'a str,
    /// The shape of what is written.
    pub(super) format: Option<Value>,
    /// Most tokens of it.
    pub(super) tokens: u32,
    /// How long it may take.
    pub(super) limit: Duration,
    /// Which model of the server; empty: the one that answers.
    pub(super) model: &'a str,
}

/// The prompts of one turn with a plan, to measure what the shared trunk is worth.
#[derive(Debug, Clone)]
pub(crate) struct Prompts {
    /// The planner's, which shares the answer's trunk.
    pub(crate) shared: Ask,
    /// The planner's with a prompt of its own: the tools, the dialogue and the same instruction, no persona.
    pub(crate) apart: Ask,
    /// The answer's.
    pub(crate) answer: Ask,
}

impl<M: ChatModel> Engine<M> {
    /// The prompts of a turn that asks `asked` after `rows`, made as a turn makes them. Nothing is remembered and
    /// nothing planned yet.
    pub(crate) fn prompts(&self, rows: &[DialogueRow], asked: &str) -> Prompts {
        let now = self.parts.clock.now();
        let past = dialogue::past(rows, Channel::Console, now.timestamp(), &self.parts.reply);
        let (instruction, shape, tokens) = self.planning(asked, &Routed::open());
        let shared = self.ask_beside(&past, &instruction, Some(shape), Length::AtMost(tokens));
        let lines = self.toolbox().offered(&self.grown()).into_iter().map(|tool| schema::line(&**tool));
        let tools = format!("Tools:\n{}", lines.collect::<Vec<_>>().join("\n"));
        let dialogue = shared.messages.iter().skip(1).cloned();
        let apart = Ask {
            messages: std::iter::once(Message::system(tools)).chain(dialogue).collect(),
            tools: Vec::new(),
            ..shared.clone()
        };
        let turn = Turn { channel: Channel::Console, now, asked };
        let begun = self.begin(&turn, &past, Prepared { routed: Routed::open(), ..Prepared::default() });
        Prompts {
            shared,
            apart,
            answer: Ask { messages: begun.messages, tools: begun.native, ..Ask::default() },
        }
    }

    /// An instruction on the trunk that the answer will have.
    fn ask_beside(
        &self,
        past: &dialogue::Past,
        instruction: &str,
        format: Option<Value>,
        length: Length,
    ) -> Ask {
        let (_, size, protocol) = tool_loop::protocol_of(self);
        let head = self.heads().of(size, protocol, &self.grown());
        let newest = prompt::Newest::auxiliary(instruction.trim());
        let messages = prompt::build(&head, past.with_calls(&self.carried()), &newest, self.parts.room);
        Ask { messages, tools: head.tools, format, length, model: None }
    }

    /// What the model writes; nothing when it fails or takes too long.
    pub(super) async fn beside(
        &self,
        past: &dialogue::Past,
        beside: Beside<'_>,
        outlet: &Outlet,
    ) -> Option<String> {
        let Beside { purpose, instruction, format, tokens, limit, model } = beside;
        let model = Some(model.trim().to_owned()).filter(|model| !model.is_empty());
        let ask = Ask { model, ..self.ask_beside(past, instruction, format, Length::AtMost(tokens)) };
        ask::aside(&*self.parts.model, ask, ask::Beside { purpose, limit }, outlet).await
    }
}

/// The JSON object in what a model wrote, fences and words around it aside.
pub(super) fn object<T: DeserializeOwned>(written: &str) -> Option<T> {
    let begun = &written[written.find('{')?..];
    serde_json::from_str(&begun[..balanced_length(begun)?]).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_found_among_words_and_half_of_one_is_none() {
        for written in ["{\"a\": 1}", "```json\n{\"a\": 1}\n```", "Here it is: {\"a\": 1} {\"a\": 2}"] {
            assert_eq!(object::<Value>(written), Some(json!({ "a": 1 })), "{written}");
        }
        for written in ["", "{\"a\": 1", "[1]", "none", "{'a': 1}"] {
            assert_eq!(object::<Value>(written), None, "{written}");
        }
    }
}
