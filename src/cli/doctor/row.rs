//! A finding of `joi doctor`, and the time limit of a check.
//!
//! Plain data. Pure: no I/O, no clock.

use std::time::Duration;

use crate::cli::show::Tone;

/// Time limit for a device or a model server to come up.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// One finding.
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) mood: Tone,
    pub(super) told: String,
    /// The remedy; empty when all is well.
    pub(super) remedy: String,
}

impl Row {
    pub(super) fn good(what: &'static str, told: impl Into<String>) -> Self {
        Self { what, mood: Tone::Good, told: told.into(), remedy: String::new() }
    }

    pub(super) fn fair(what: &'static str, told: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, mood: Tone::Fair, told: told.into(), remedy: remedy.into() }
    }

    pub(super) fn bad(what: &'static str, told: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, mood: Tone::Bad, told: told.into(), remedy: remedy.into() }
    }

    pub(super) fn verdict(&self) -> &'static str {
        match self.mood {
            Tone::Good | Tone::Quiet => "good",
            Tone::Fair => "fair",
            Tone::Bad => "bad",
        }
    }
}
