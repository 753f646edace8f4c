//! Text in pieces, each with a tone.
//!
//! Plain data. Pure: no I/O, no clock.

use std::fmt::{Display, Formatter};

use serde::Serialize;

/// How a piece of text is meant: its colour on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Works.
    Good,
    /// Works, with a remark.
    Fair,
    /// Does not work.
    Bad,
    /// Of less interest.
    Quiet,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextPiece {
    /// The words.
    pub text: String,
    /// How they are meant; nothing for plain text.
    pub tone: Option<Tone>,
}

/// A text of several pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReportText(pub Vec<TextPiece>);

impl ReportText {
    /// Creates a text in one tone.
    pub(super) fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self::default().then(tone, text)
    }

    /// Creates a text about something that does not work.
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self::toned(Tone::Bad, text)
    }

    /// Creates a text of less interest.
    pub(super) fn quiet(text: impl Into<String>) -> Self {
        Self::toned(Tone::Quiet, text)
    }

    /// Adds a piece with a tone.
    pub(super) fn then(mut self, tone: Tone, text: impl Into<String>) -> Self {
        self.0.push(TextPiece { text: text.into(), tone: Some(tone) });
        self
    }

    /// Adds plain text.
    pub(super) fn and(mut self, text: impl Into<String>) -> Self {
        self.0.push(TextPiece { text: text.into(), tone: None });
        self
    }

    /// Joins texts with `between`.
    pub(super) fn joined(texts: impl Iterator<Item = Self>, between: &str) -> Self {
        texts.reduce(|all, next| Self([all.and(between).0, next.0].concat())).unwrap_or_default()
    }
}

impl From<String> for ReportText {
    fn from(text: String) -> Self {
        Self::default().and(text)
    }
}

impl From<&str> for ReportText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Display for ReportText {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(&piece.text))
    }
}
