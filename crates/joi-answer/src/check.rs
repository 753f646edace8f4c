//! The last look at a reply before it is sent or spoken.
//!
//! Any thread. In: the whole reply, or one sentence of it. Out: nothing, or why it must not go
//! out. It fails closed and changes nothing.
//! Pure: no I/O, no clock.

use crate::malformed::Malformed;
use crate::sanitize::sanitize;
use crate::vacant::Vacancy;
use joi_language::loops_by_letters;

#[cfg(test)]
mod tests;

/// The most tokens a reply may have.
pub const MAX_TOKENS: usize = 500;

/// Why a reply must not go out. A refused answer to the user becomes the standard apology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyRefusal {
    /// Nothing in it can be read aloud.
    #[error("the reply holds nothing that can be said")]
    Empty,
    /// It is a tool call, data, a fragment of them, or quotes a redaction label.
    #[error("the reply is malformed: {0}")]
    Malformed(#[from] Malformed),
    /// It holds a card number, a key or a token.
    #[error("the reply holds a secret")]
    Secret,
    /// It says that something was done, and no tool has confirmed it.
    #[error("the reply claims a deed that no tool has confirmed")]
    Claim,
    /// The same, after something else was done.
    #[error("the reply claims more deeds than tools have confirmed")]
    FurtherClaim,
    /// It offers a deed for a stranger.
    #[error("the reply offers a deed that the user did not ask for, with words of strangers in the turn")]
    Offer,
    /// It says nothing but what the user has said.
    #[error("the reply only repeats the request")]
    Repeats,
    /// It answers nothing.
    #[error("{0}")]
    Vacant(#[from] Vacancy),
    /// For too long nothing of it could be let out.
    #[error("nothing of what the model wrote could be said for too long")]
    Unsaid,
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
pub fn check(reply: &str, tokens: usize) -> Result<(), ReplyRefusal> {
    if !reply.chars().any(char::is_alphanumeric) {
        return Err(ReplyRefusal::Empty);
    }
    if loops_by_letters(reply) {
        return Err(Malformed::Loops.into());
    }
    if joi_redact::has_label(reply) {
        return Err(Malformed::Label.into());
    }
    // What the sanitizer would still change has never been through it.
    if sanitize(reply)? != reply.trim_start() {
        return Err(Malformed::ReservedTokens.into());
    }
    if joi_redact::has_secret(reply) {
        return Err(ReplyRefusal::Secret);
    }
    if tokens > MAX_TOKENS {
        return Err(ReplyRefusal::TooLong { tokens });
    }
    Ok(())
}

/// Returns a count for when the server gives none: a token for every four characters, and at least one a word.
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4).max(text.split_whitespace().count())
}
