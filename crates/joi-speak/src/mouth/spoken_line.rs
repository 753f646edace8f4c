//! One line of speech: a segment of an answer, with its place in the turn.
//!
//! Plain data, passed from the channels to the voice thread and back in its events.

use joi_base::message::TurnId;
use joi_language::LanguageCode;

/// A segment of an answer, as [`Segmenter`](crate::Segmenter) cuts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenLine {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Its place in the turn, counted by the caller.
    pub index: u32,
    /// The text as it was written, markdown included.
    pub text: String,
    /// Its role in the answer.
    pub part: LineRole,
    /// The language of the text.
    pub language: LanguageCode,
}

/// The role of a line in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRole {
    /// Part of the answer.
    Answer,
    /// Spoken in addition ("one moment ...").
    Aside,
}
