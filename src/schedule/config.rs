//! `[timers]`: how they ring. Immutable after start.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// How timers, alarms and reminders ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimersConfig {
    /// Least loudness of a ring in percent, 10 to 100, whatever the volume is. Higher wakes deeper sleepers.
    pub least_volume: u8,
    /// Minutes that a ring nobody answers lasts, 1 to 60.
    pub ring_min: u32,
    /// Minutes until a ring that is snoozed comes back, 1 to 60.
    pub snooze_min: u32,
}

impl Default for TimersConfig {
    fn default() -> Self {
        Self { least_volume: 50, ring_min: 15, snooze_min: 10 }
    }
}

impl TimersConfig {
    /// All values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let outside = |key: &str, value: u32, low: f64, high: f64, unit: &str| {
            Problem::outside(&format!("timers.{key}"), f64::from(value), low..=high, unit)
        };
        [
            outside("least_volume", u32::from(self.least_volume), 10.0, 100.0, "percent"),
            outside("ring_min", self.ring_min, 1.0, 60.0, "minutes"),
            outside("snooze_min", self.snooze_min, 1.0, 60.0, "minutes"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
