//! `[goals]` of the configuration: whether goals are worked on, when, and what calls cost.
//!
//! Plain data, immutable after start.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use jiff::civil::time;
use joi_base::problem::Problem;
use joi_schedule::announce::{QuietHours, QuietPeriod};
use serde::{Deserialize, Serialize};

use crate::health::HealthLimits;
use crate::limits::SESSION_OVER;
use crate::usage::ModelPrice;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GoalsConfig {
    /// Whether goals can be opened, and are worked on in the background.
    pub enabled: bool,
    /// Periods of the day in which goals are worked on unasked: "HH:MM-HH:MM", which may cross midnight. Who speaks to a
    /// goal is answered at any time.
    pub active_hours: Vec<QuietPeriod>,
    /// Minutes of silence after which a session with a goal is over and summed up, 1 to 1440. More minutes, longer prompts.
    pub archive_after_min: u32,
    /// Whether the news of the day are collected once a day. It costs a few model calls.
    pub feed: bool,
    /// Tools that goals may call by themselves although they change something, by name. Any other such call waits for a yes,
    /// and after words of strangers each one does.
    pub allow: Vec<String>,
    /// Shorter times of the health monitor, for somebody who develops.
    pub development: bool,
    /// Prices of models by name, for `joi usage`; a model that is not named costs nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, ModelPrice>,
}

impl Default for GoalsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            active_hours: vec![QuietPeriod::daily(time(8, 0, 0, 0), time(23, 0, 0, 0))],
            archive_after_min: u32::try_from(SESSION_OVER.as_mins()).unwrap_or(30),
            feed: true,
            allow: Vec::new(),
            development: false,
            prices: BTreeMap::new(),
        }
    }
}

impl GoalsConfig {
    /// Returns all values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let minutes = f64::from(self.archive_after_min);
        let mut problems: Vec<Problem> =
            Problem::outside("goals.archive_after_min", minutes, 1.0..=1440.0, "min").into_iter().collect();
        for (name, price) in &self.prices {
            let key = format!("goals.prices.\"{name}\"");
            for (part, value) in [("input", price.input), ("output", price.output)] {
                let key = format!("{key}.{part}");
                problems.extend(Problem::outside(&key, value, 0.0..=10_000.0, "for a million tokens"));
            }
        }
        problems
    }

    /// Returns when goals are worked on unasked.
    pub fn hours(&self) -> QuietHours {
        QuietHours::new(self.active_hours.clone())
    }

    /// Returns the silence after which a session is over.
    pub fn silence(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.archive_after_min))
    }

    /// Returns the times of the health monitor.
    pub fn health(&self) -> HealthLimits {
        if self.development { HealthLimits::development() } else { HealthLimits::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_can_be_used_and_what_can_not_is_named() {
        assert_eq!(GoalsConfig::default().check(), []);
        let prices = BTreeMap::from([("gpt".to_owned(), ModelPrice { input: -1.0, output: 1.0 })]);
        let config = GoalsConfig { archive_after_min: 0, prices, ..GoalsConfig::default() };
        let found: Vec<String> = config.check().iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("goals.archive_after_min") && found[1].contains("gpt"), "{found:?}");
        for minutes in [1, 1440] {
            let config = GoalsConfig { archive_after_min: minutes, ..GoalsConfig::default() };
            assert_eq!(config.check(), []);
        }
        let config = GoalsConfig { archive_after_min: 1441, ..GoalsConfig::default() };
        assert_eq!(config.check().len(), 1);
    }
}
