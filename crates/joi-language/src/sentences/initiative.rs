//! What is said unasked of the house, and what is answered to wishes for quiet: `[wind]` and `[alert]` of `sentences.toml`.
//!
//! Plain data, read once.

use serde::Deserialize;

/// Facts worth mentioning, what they begin with, and answers to wishes for quiet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct WindSentences {
    pub openings: Vec<String>,
    pub left_open: String,
    pub too_warm: String,
    pub too_cold: String,
    pub warmth_changed: String,
    pub arrived: String,
    pub left_late: String,
    pub weather_alert: String,
    pub notice: String,
    pub not_now: String,
    pub quiet_until: String,
    pub sleep_well: String,
    pub talks_again: String,
}

/// Alarms: fixed texts, one for each danger.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct AlertSentences {
    pub smoke_alarm: String,
    pub fire_alarm: String,
    pub gas_leak: String,
    pub water_leak: String,
    pub intrusion_detected: String,
    pub security_alert: String,
    pub storm_warning: String,
    pub flood_warning: String,
    pub high: String,
    pub test: String,
    pub house_lost: String,
    pub house_back: String,
    pub acknowledged: String,
    pub none: String,
}
