//! What several rooms show of the program, and why it did not do something.
//!
//! Pure: no I/O, no clock.

use std::fmt;

/// Why something was not done, for the person who asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageFault {
    /// The microphone is switched off.
    Muted,
    /// The part that would do it is starting, busy or not there.
    NotYet,
    /// No speaker is open.
    NoSpeaker,
    /// It is not there any more.
    Gone,
    /// The text holds a secret, which is not stored.
    Secret,
    /// There is no text.
    Empty,
    /// No words were understood.
    Unclear,
    /// A wake phrase is being recorded.
    Recording,
    /// There are as many recordings as there may be.
    Enough,
    /// The text is neither a length nor a time.
    NoTime,
    /// Another reason, in one sentence.
    Because(String),
}

impl PageFault {
    /// The reason that an error gives.
    pub fn of(error: impl fmt::Display) -> Self {
        Self::Because(error.to_string())
    }
}

/// A microphone or a speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceView {
    /// It has not been opened yet.
    Pending,
    /// This one works.
    Works(String),
    /// It does not, for this reason.
    Fault(String),
}
