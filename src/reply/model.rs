//! What the reply engine needs of a language model, and no more.
//!
//! `llm` provides it; tests script it. Which server answers, under which name and with which
//! options is not the engine's business: it hands in messages and gets words.

use std::future::Future;

use futures_util::Stream;

use crate::trace::ModelUse;

/// A chat model, wherever it runs.
pub trait ChatModel: Send + Sync {
    /// The words of one answer. Dropping it aborts the generation.
    type Words: Stream<Item = Result<Delta, Fault>> + Send + Unpin;

    /// Whether it can answer now.
    fn state(&self) -> ModelState;

    /// Waits until the state is no longer [`ModelState::Starting`]. Dropping the future is safe.
    fn settled(&self) -> impl Future<Output = ModelState> + Send;

    /// How much fits into one call.
    fn room(&self) -> Room;

    /// Begins an answer; the model's options are the same on every call.
    fn ask(
        &self,
        messages: Vec<Message>,
        length: Length,
    ) -> impl Future<Output = Result<Self::Words, Fault>> + Send;
}

/// Whether a model can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelState {
    /// It is loading, or reading the unchanging part of the prompt.
    Starting,
    /// It answers.
    Ready(ModelSize),
    /// It does not answer and is not about to; `why` and `remedy` are for the owner.
    Down {
        /// What happened, one sentence.
        why: String,
        /// What to do about it, one sentence.
        remedy: String,
    },
}

/// How far a model can be trusted with hard wording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSize {
    /// At most 7 B parameters.
    Small,
    /// More.
    Large,
}

/// The model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Tokens of prompt and answer together.
    pub context_tokens: u32,
    /// Most tokens of one answer.
    pub reply_tokens: u32,
}

/// How long an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// A whole answer.
    Reply,
    /// One token: the call is made for the prompt to be read ahead of time.
    ReadAhead,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The rules of the conversation.
    System,
    /// The person.
    User,
    /// Joi.
    Assistant,
}

/// One message of a prompt.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub from: Speaker,
    /// What is said.
    pub text: String,
}

impl Message {
    /// A message.
    pub fn new(from: Speaker, text: impl Into<String>) -> Self {
        Self { from, text: text.into() }
    }
}

impl std::fmt::Debug for Message {
    /// Without the words: prompts must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({} bytes)", self.from, self.text.len())
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// Words, as they come.
    Text(String),
    /// The end; nothing follows.
    Done {
        /// The answer hit its length limit.
        cut: bool,
        /// What it cost.
        used: ModelUse,
    },
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It may go better a second time.
    #[error("{0}")]
    Passing(String),
    /// It will not go better until the owner acts; the text says how.
    #[error("{0}")]
    Lasting(String),
}
