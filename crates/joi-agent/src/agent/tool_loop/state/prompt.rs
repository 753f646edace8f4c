//! The prompt of one answer, as it grows: what the model reads, and which model that is.
//!
//! Belongs to the task of one turn. Messages are only added at the end, and the system message stays: the model's cache
//! and native calls both depend on it. It changes only when tools are given up.

use crate::agent::ask::WrittenCalls;
use crate::agent::protocols::Answering;
use crate::prompt::head::Heads;
use joi_answer::protocol::{self, Protocol, WrittenCall};
use joi_llm::{Message, ModelSize, Role};

/// Placement of a result: a message of its own, or the message of the result before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultMessage {
    Shared,
    Own,
}

/// The prompt of the model.
#[derive(Debug, Clone)]
pub(crate) struct LoopPrompt {
    /// The prompt and everything since.
    pub(crate) messages: Vec<Message>,
    /// The same question behind what the model has read for talk, where it is a small one that was asked with tools.
    pub(crate) talk: Option<Vec<Message>>,
    /// The prompt of a form, without the request; empty where a choice is made behind the prompt itself.
    pub(crate) form: Vec<Message>,
    /// The tools of the request, in the native protocol.
    pub(crate) native: Vec<serde_json::Value>,
    /// Which model answers, how much may be asked of it, and how it calls tools.
    pub(crate) answering: Answering,
}

impl LoopPrompt {
    /// Returns how much may be asked of the model.
    pub(crate) fn size(&self) -> ModelSize {
        self.answering.size
    }

    /// The form of the model's tool calls.
    pub(crate) fn protocol(&self) -> Protocol {
        self.answering.protocol
    }

    /// Whether a small model calls nothing but the example of its prompt, of which nobody spoke.
    pub(in crate::agent::tool_loop) fn is_example(&self, wanted: &WrittenCalls) -> bool {
        let user = || self.messages.iter().filter(|message| message.role == Role::User);
        let is_it = |made: &WrittenCall| {
            joi_answer::example::is_it(made, user().map(|message| message.content.as_str()))
        };
        self.size() == ModelSize::Small && !wanted.calls.is_empty() && wanted.calls.iter().all(is_it)
    }

    /// Adds a word of ours; speakers stay in turn.
    pub(crate) fn hint(&mut self, hint: &str) {
        match self.messages.last_mut().filter(|last| last.role == Role::User) {
            Some(last) => last.content = format!("{}\n\n{hint}", last.content),
            None => self.messages.push(Message::user(hint)),
        }
    }

    /// Returns where the next result goes: in text mode the results of one reply share a message, so that speakers
    /// alternate.
    pub(super) fn next_result(&self) -> ResultMessage {
        let joins = self.protocol() == Protocol::Text && self.messages.last().is_some_and(is_result);
        if joins { ResultMessage::Shared } else { ResultMessage::Own }
    }

    /// Adds the message of a result.
    pub(super) fn append_result(&mut self, result: Message) {
        let goes = self.next_result();
        match self.messages.last_mut().filter(|_| goes == ResultMessage::Shared) {
            Some(last) => last.content = format!("{}\n\n{}", last.content, result.content),
            None => self.messages.push(result),
        }
    }

    /// Goes on with tools as text; what was native so far is not called again.
    pub(crate) fn speak_text(&mut self, heads: &Heads, grown: &[String]) {
        self.answering.protocol = Protocol::Text;
        let native = std::mem::take(&mut self.native);
        let before = heads.of(self.size(), Protocol::Native, grown).system;
        let after = heads.of(self.size(), Protocol::Text, grown).system;
        if let Some(system) = self.messages.first_mut().filter(|_| !native.is_empty()) {
            system.content = system.content.replace(&before, &after);
        }
    }

    /// Goes on with the prompt of talk, which the model knows but for the question, where there is one.
    pub(super) fn talk(&mut self) -> bool {
        let talk = self.talk.take();
        let is_there = talk.is_some();
        self.messages = talk.unwrap_or_else(|| std::mem::take(&mut self.messages));
        is_there
    }

    /// Goes on without tools in the system message.
    pub(super) fn drop_tools(&mut self, heads: &Heads, grown: &[String]) {
        let before = heads.of(self.size(), self.protocol(), grown).system;
        let after = heads.talk(self.size()).system;
        if let Some(system) = self.messages.first_mut() {
            system.content = system.content.replace(&before, &after);
        }
        self.native.clear();
    }
}

/// Returns whether a message is a result in text mode.
pub(super) fn is_result(message: &Message) -> bool {
    message.role == Role::User && message.content.starts_with(protocol::RESULT_START)
}
