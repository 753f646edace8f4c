//! The last look at a reply before it is sent or spoken.
//!
//! PURE, any thread. In: the whole reply, or one sentence of it. Out: nothing, or why it must not go
//! out. It fails closed and changes nothing.

use super::redact;

/// The most tokens a reply may have.
pub const MAX_TOKENS: usize = 500;

/// Why a reply must not go out. A refused answer to the user becomes the standard apology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing in it can be read aloud.
    #[error("the reply holds nothing that can be said")]
    Empty,
    /// It is a tool call, data or a fragment of them.
    #[error("the reply is malformed: {0}")]
    Malformed(#[from] super::malformed::Malformed),
    /// It quotes a label that redaction put in the place of a secret.
    #[error("the reply quotes a redaction label")]
    Label,
    /// It holds a card number, a key or a token.
    #[error("the reply holds a secret")]
    Secret,
    /// It is longer than [`MAX_TOKENS`].
    #[error("the reply has {tokens} tokens; at most {MAX_TOKENS} are allowed")]
    TooLong {
        /// How many it has.
        tokens: usize,
    },
}

/// Checks `reply`, which has `tokens` tokens by the model server's count or by [`estimated_tokens`].
///
/// # Errors
/// The first reason why it must not go out.
pub fn check(reply: &str, tokens: usize) -> Result<(), Refusal> {
    if !reply.chars().any(char::is_alphanumeric) {
        return Err(Refusal::Empty);
    }
    if super::sanitize::sanitize(reply)? != reply {
        return Err(Refusal::Malformed(super::malformed::Malformed::InternalTokens));
    }
    if redact::has_label(reply) {
        return Err(Refusal::Label);
    }
    if redact::has_secret(reply) {
        return Err(Refusal::Secret);
    }
    if tokens > MAX_TOKENS {
        return Err(Refusal::TooLong { tokens });
    }
    Ok(())
}

/// A count for when the server gives none: a token for every four characters, and at least one a word.
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4).max(text.split_whitespace().count())
}
