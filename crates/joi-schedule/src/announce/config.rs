//! `[announce]`: when nothing is said unasked. Plain data, read once at the start.

use jiff::civil::time;
use serde::{Deserialize, Serialize};

use super::quiet::{QuietHours, QuietPeriod};

/// `[announce]`: unsolicited messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnnounceConfig {
    /// Whether joi says once that it is ready, as soon as microphone, speaker and model work after a start. Nothing is
    /// said in quiet hours, while the microphone is switched off, when the program comes back after a failure, or when
    /// the start takes longer than ten minutes.
    pub awake: bool,
    /// Periods of the day, by the wall clock, in which nothing is announced but what is critical and what the user has
    /// set to ring: "HH:MM-HH:MM", before it the days on which it begins ("sat,sun 22:00-09:00"), if not all. Questions
    /// are answered at any time.
    pub quiet_hours: Vec<QuietPeriod>,
}

impl Default for AnnounceConfig {
    fn default() -> Self {
        Self { awake: true, quiet_hours: vec![QuietPeriod::daily(time(23, 0, 0, 0), time(7, 0, 0, 0))] }
    }
}

impl AnnounceConfig {
    /// All of them.
    pub fn quiet(&self) -> QuietHours {
        QuietHours::new(self.quiet_hours.clone())
    }
}
