//! `[awareness]`: what counts as worth mentioning. Plain data, read once at the start.

use jiff::SignedDuration;
use jiff::civil::time;
use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use joi_schedule::announce::QuietPeriod;

/// Which items count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeaningSource {
    /// Those of `[home.meaning]`.
    #[default]
    Configured,
    /// Those, and what `joi home meanings` proposes for the rest.
    Proposed,
}

/// What counts as worth mentioning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AwarenessConfig {
    /// Which items mean something: "configured": those of `[home.meaning]`; "proposed": also what `joi home meanings`
    /// guesses from semantic tags, icons and names. A guess may be wrong: look at it first.
    pub meanings: MeaningSource,
    /// Temperature in °C below which a room is too cold, -30 to 50. Higher: the cold is mentioned earlier.
    pub comfort_low: f64,
    /// Temperature in °C above which a room is too warm, -30 to 50. Higher: warmth is mentioned later.
    pub comfort_high: f64,
    /// A temperature that changes by more than so many °C within `swing_min` is worth mentioning, 0.5 to 30. Higher:
    /// fewer mentions.
    pub swing: f64,
    /// Minutes within which a temperature changes by `swing`, 10 to 720. Higher: slower changes count, too.
    pub swing_min: u32,
    /// A door or window that is open for more than so many minutes is worth mentioning, 1 to 1440. Higher: later.
    pub open_min: u32,
    /// Somebody who comes home after more than so many minutes is worth a word, 1 to 10080. Higher: only after longer
    /// absences.
    pub away_min: u32,
    /// Foretold gusts of so many km/h within hours are worth mentioning, 20 to 300. Higher: fewer mentions.
    pub gust_kmh: f64,
    /// Foretold gusts of so many km/h within hours are a storm warning, announced at any hour, 20 to 300; 0: never.
    pub storm_kmh: f64,
    /// Hours in which it is unusual to leave the house, as "HH:MM-HH:MM".
    pub unusual_hours: QuietPeriod,
    /// Hours after which a topic is of no interest any more, 1 to 168. Higher: older news are still mentioned.
    pub topic_hours: u32,
    /// Hours within which what was mentioned does not become a topic again, 1 to 168. Higher: fewer repetitions.
    pub again_hours: u32,
    /// Hours that events are remembered for, 6 to 168.
    pub event_hours: u32,
    /// Most topics that wait, 1 to 50; a further one drives out the least significant, then the oldest.
    pub most_topics: usize,
}

impl Default for AwarenessConfig {
    fn default() -> Self {
        Self {
            meanings: MeaningSource::Configured,
            comfort_low: 17.0,
            comfort_high: 27.0,
            swing: 5.0,
            swing_min: 60,
            open_min: 30,
            away_min: 60,
            gust_kmh: 75.0,
            storm_kmh: 105.0,
            unusual_hours: QuietPeriod::daily(time(23, 0, 0, 0), time(6, 0, 0, 0)),
            topic_hours: 24,
            again_hours: 24,
            event_hours: 24,
            most_topics: 10,
        }
    }
}

impl AwarenessConfig {
    /// Returns how long a door may be open.
    pub fn open_for(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.open_min))
    }

    /// Returns how long somebody must have been away.
    pub fn away_for(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.away_min))
    }

    /// Within which a temperature changes much.
    pub fn swing_within(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.swing_min))
    }

    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<Problem> {
        let outside = |key: &str, value: f64, range, unit| {
            Problem::outside(&format!("awareness.{key}"), value, range, unit)
        };
        let mut problems: Vec<Problem> = [
            outside("comfort_low", self.comfort_low, -30.0..=50.0, "°C"),
            outside("comfort_high", self.comfort_high, -30.0..=50.0, "°C"),
            outside("swing", self.swing, 0.5..=30.0, "°C"),
            outside("swing_min", self.swing_min.into(), 10.0..=720.0, "minutes"),
            outside("open_min", self.open_min.into(), 1.0..=1440.0, "minutes"),
            outside("away_min", self.away_min.into(), 1.0..=10_080.0, "minutes"),
            outside("gust_kmh", self.gust_kmh, 20.0..=300.0, "km/h"),
            outside("storm_kmh", self.storm_kmh, 0.0..=300.0, "km/h"),
            outside("topic_hours", self.topic_hours.into(), 1.0..=168.0, "hours"),
            outside("again_hours", self.again_hours.into(), 1.0..=168.0, "hours"),
            outside("event_hours", self.event_hours.into(), 6.0..=168.0, "hours"),
            outside("most_topics", self.most_topics as f64, 1.0..=50.0, "topics"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if problems.is_empty() && self.comfort_low >= self.comfort_high {
            let allowed = format!("less than awareness.comfort_high ({})", self.comfort_high);
            problems.push(Problem::new("awareness.comfort_low", self.comfort_low, allowed));
        }
        problems
    }
}
