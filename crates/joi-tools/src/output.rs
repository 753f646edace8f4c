//! The result of a call: text for the model, a sentence for the user, deeds for the channel; or a failure.
//!
//! Any thread. Pure: no I/O, no clock.

use super::effect::{Deed, Source};
use super::way_back::WayBack;
use joi_language::Language;

/// A web page, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPage {
    /// Its address.
    pub url: String,
    /// Its title; empty when unknown.
    pub title: String,
    /// The part that was read, verbatim.
    pub text: String,
}

/// The result of a call that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Text for the model.
    pub text: String,
    /// The author of `text`.
    pub source: Source,
    /// A whole sentence that answers a plain request, so that a small model need not phrase the result.
    pub sentence: Option<String>,
    /// The deed for the channel.
    pub deed: Option<Deed>,
    /// Names of tools that are on offer from now on.
    pub offers: Vec<String>,
    /// Pages that were found or read; of those found one may be followed.
    pub pages: Vec<FoundPage>,
    /// The way to undo the call.
    pub back: Option<WayBack>,
}

impl Output {
    /// Creates an output of the owner's own data.
    pub fn own(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            source: Source::Own,
            sentence: None,
            deed: None,
            offers: Vec::new(),
            pages: Vec::new(),
            back: None,
        }
    }

    /// Creates an output of a stranger's words.
    pub fn foreign(text: impl Into<String>) -> Self {
        Self { source: Source::Foreign, ..Self::own(text) }
    }

    /// Creates an output of words by `source`.
    pub fn of(source: Source, text: impl Into<String>) -> Self {
        Self { source, ..Self::own(text) }
    }

    /// Adds a sentence that can be spoken unchanged.
    #[must_use]
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.sentence = Some(sentence.into());
        self
    }

    /// Adds the way to undo the call.
    #[must_use]
    pub fn undone_by(mut self, back: Option<WayBack>) -> Self {
        self.back = back;
        self
    }

    /// Adds a deed for the channel.
    #[must_use]
    pub fn doing(mut self, deed: Deed) -> Self {
        self.deed = Some(deed);
        self
    }
}

/// The failure of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The model gets this text, and may try something else.
    #[error("{0}")]
    TellModel(String),
    /// The arguments don't fit, in joi's own words; nothing was done. The model may correct them.
    #[error("{0}")]
    Correct(String),
    /// The turn ends, and this sentence is spoken.
    #[error("{0}")]
    EndTurn(String),
    /// What the call needs isn't there. The model gets `why`; where it words badly, the cause is said in its place.
    #[error("{why}")]
    Failed {
        /// For the model and the record.
        why: String,
        /// For the user.
        cause: FailureCause,
    },
}

/// Why a call came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCause {
    /// No place is configured, and none was named.
    NoPlace,
    /// The service can't be reached.
    Network,
    /// It answered something that can't be used.
    Service,
    /// It took too long.
    Slow,
    /// The tool broke down.
    Broken,
}

impl FailureCause {
    /// Returns the failure, with what the model reads of it.
    pub(crate) fn with(self, why: impl Into<String>) -> ToolError {
        ToolError::Failed { why: why.into(), cause: self }
    }

    /// Returns what the user hears of it.
    pub fn sentence(self, language: &Language) -> &str {
        let say = &language.sentences().reply;
        match self {
            Self::NoPlace => &say.failed_no_place,
            Self::Network => &say.failed_network,
            Self::Service => &say.failed_service,
            Self::Slow => &say.failed_slow,
            Self::Broken => &say.failed_broken,
        }
    }
}
