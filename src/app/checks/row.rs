//! A finding, and the time limit of a check.
//!
//! Plain data. Pure: no I/O, no clock.

use std::time::Duration;

use crate::control::Tone;

/// Time limit for a device or a model server to come up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// One finding.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) mood: Tone,
    pub(crate) told: String,
    /// The remedy; empty when all is well.
    pub(crate) remedy: String,
}

impl Row {
    pub(crate) fn good(what: &'static str, told: impl Into<String>) -> Self {
        Self { what, mood: Tone::Good, told: told.into(), remedy: String::new() }
    }

    pub(crate) fn fair(what: &'static str, told: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, mood: Tone::Fair, told: told.into(), remedy: remedy.into() }
    }

    pub(crate) fn bad(what: &'static str, told: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, mood: Tone::Bad, told: told.into(), remedy: remedy.into() }
    }

    pub(crate) fn verdict(&self) -> &'static str {
        match self.mood {
            Tone::Good | Tone::Quiet => "good",
            Tone::Fair => "fair",
            Tone::Bad => "bad",
        }
    }
}
