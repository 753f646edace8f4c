//! Recognises replies that must not be delivered: tool calls written as text, data dumps, truncated JSON.
//!
//! PURE, any thread. It judges text; [`super::sanitize`] holds the stream back until a verdict is in.

/// Why a reply is not delivered. The caller says [`APOLOGY_SMALL`] or [`APOLOGY_LARGE`] instead and
/// stores none of the raw text as the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A tool call as text.
    #[error("the model wrote a tool call as text; nothing of it was said")]
    ToolCall,
    /// JSON, XML or a specification instead of an answer.
    #[error("the model answered with data instead of words; nothing of it was said")]
    Data,
    /// JSON that never ends.
    #[error("the model's answer broke off in the middle of data; nothing of it was said")]
    Truncated,
    /// Reserved or internal tokens of the model.
    #[error("the model wrote internal tokens; nothing of them was said")]
    InternalTokens,
}

/// What a small model's malformed reply is replaced by.
pub const APOLOGY_SMALL: &str = "Sorry, I got that muddled. Could you ask again in simpler words?";

/// What a large model's malformed reply is replaced by.
pub const APOLOGY_LARGE: &str = "Sorry, my answer came out wrong. Please ask me once more.";
