//! A question to the model, and what makes the beginnings of questions.
//!
//! Plain data. In: messages, tools, the format and the length that are wanted. It names no server.

use std::sync::Arc;

use serde_json::Value;

use crate::model_size::ModelSize;
use crate::wire::Message;

/// A question to the model, without what never changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools on offer, as JSON schemas.
    pub tools: Vec<Value>,
    /// "json" or a JSON schema that the reply must follow.
    pub format: Option<Value>,
    /// How long an answer is wanted.
    pub length: Length,
    /// Another model than the one in use, where Ollama serves; the embedded server has one only.
    pub model: Option<String>,
}

/// How long an answer is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Length {
    /// A whole one.
    #[default]
    Whole,
    /// One token: the question is asked to have its prompt read ahead of time.
    OneToken,
    /// At most so many tokens: a note, a choice.
    AtMost(u32),
}

/// Makes what a model of this name and size, which says that it can call tools or not, is to read before
/// the first question: the beginnings that questions have, the likeliest last. They are evaluated once, so that no
/// question waits for it; a server that keeps one prompt reads the last one only.
pub type HeadMaker = Arc<dyn Fn(&str, ModelSize, Option<bool>) -> Vec<Ask> + Send + Sync>;
