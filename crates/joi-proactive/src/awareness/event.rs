//! Plain data: what can happen in a house.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use joi_language::{SentenceField, SentenceName, SentenceTemplate};

/// A danger at any hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum CriticalId {
    SmokeAlarm,
    FireAlarm,
    GasLeak,
    WaterLeak,
    IntrusionDetected,
    SecurityAlert,
    StormWarning,
    FloodWarning,
}

impl CriticalId {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::SmokeAlarm,
        Self::FireAlarm,
        Self::GasLeak,
        Self::WaterLeak,
        Self::IntrusionDetected,
        Self::SecurityAlert,
        Self::StormWarning,
        Self::FloodWarning,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmokeAlarm => "smoke_alarm",
            Self::FireAlarm => "fire_alarm",
            Self::GasLeak => "gas_leak",
            Self::WaterLeak => "water_leak",
            Self::IntrusionDetected => "intrusion_detected",
            Self::SecurityAlert => "security_alert",
            Self::StormWarning => "storm_warning",
            Self::FloodWarning => "flood_warning",
        }
    }

    /// The one that is written so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.name() == name)
    }

    /// Returns the sentence that reports it.
    pub fn sentence(self) -> SentenceName {
        match self {
            Self::SmokeAlarm => SentenceName::SmokeAlarm,
            Self::FireAlarm => SentenceName::FireAlarm,
            Self::GasLeak => SentenceName::GasLeak,
            Self::WaterLeak => SentenceName::WaterLeak,
            Self::IntrusionDetected => SentenceName::IntrusionDetected,
            Self::SecurityAlert => SentenceName::SecurityAlert,
            Self::StormWarning => SentenceName::StormWarning,
            Self::FloodWarning => SentenceName::FloodWarning,
        }
    }
}

/// An event in the house.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Happening {
    /// A danger.
    Critical {
        /// Which.
        id: CriticalId,
    },
    /// An alert of the house with a priority.
    Notice {
        /// Its text.
        text: String,
        /// High priority.
        is_high: bool,
    },
    /// A warning of the weather service that is none of storm or flood.
    WeatherAlert {
        /// Its text.
        text: String,
    },
    /// The weather has changed.
    WeatherUpdate,
    /// Somebody has come home.
    Arrived {
        /// Seconds for which nobody was at home.
        away_s: i64,
    },
    /// Nobody is at home any more.
    Left,
    /// A door or window was opened.
    Opened,
    /// It was closed.
    Closed,
    /// It is still open.
    LeftOpen {
        /// Seconds since it was opened.
        open_s: i64,
    },
    /// A room has this temperature.
    Warmth {
        /// In °C.
        celsius: f64,
        /// The greatest difference within the last hour, in °C.
        swing: f64,
    },
    /// Something of a kind that is not known.
    Other {
        /// Its own name.
        kind: String,
    },
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HouseEvent {
    /// An event in the house.
    pub happening: Happening,
    /// To what: the label of the item.
    pub what: String,
    /// The item's name; empty where there is none.
    pub item: String,
    /// When.
    pub at: Timestamp,
}

impl HouseEvent {
    /// One of an item without a label.
    pub fn new(happening: Happening, item: &str, at: Timestamp) -> Self {
        Self { happening, what: String::new(), item: item.to_owned(), at }
    }

    /// Two events with one key are about the same thing.
    pub fn key(&self) -> String {
        // A foreign text never stands where the kind does.
        let kind = match &self.happening {
            Happening::Critical { id } => id.name(),
            Happening::Notice { text, .. } => return format!("notice:{text}:{}", self.item),
            Happening::WeatherAlert { text } => return format!("warning:{text}:{}", self.item),
            Happening::WeatherUpdate => "weather",
            Happening::Arrived { .. } => "arrived",
            Happening::Left => "left",
            Happening::Opened | Happening::Closed | Happening::LeftOpen { .. } => "open",
            Happening::Warmth { .. } => "warmth",
            Happening::Other { kind } => kind.as_str(),
        };
        format!("{kind}:{}", self.item)
    }

    /// Returns the sentence that reports it, put into words when it is said; nothing for what is never announced.
    pub fn fact(&self, comfort_high: f64, comfort_low: f64) -> Option<SentenceTemplate> {
        let named = |name: SentenceName| {
            SentenceTemplate::from(name).with("name", SentenceField::Words(self.what.clone()))
        };
        let length = |seconds: i64| SentenceField::Length(rounded_minutes(seconds));
        let degrees = |value: f64| SentenceField::Words(format!("{}", value.round() as i64));
        let text = |name: SentenceName, text: &str| {
            SentenceTemplate::from(name).with("text", SentenceField::Words(text.to_owned()))
        };
        Some(match &self.happening {
            Happening::Critical { id } => named(id.sentence()),
            Happening::Notice { text: told, .. } => text(SentenceName::HouseNotice, told),
            Happening::WeatherAlert { text: told } => text(SentenceName::WeatherAlert, told),
            Happening::Arrived { away_s } => {
                SentenceTemplate::from(SentenceName::Arrived).with("length", length(*away_s))
            }
            Happening::Left => SentenceName::LeftLate.into(),
            Happening::LeftOpen { open_s } => named(SentenceName::LeftOpen).with("length", length(*open_s)),
            Happening::Warmth { celsius, .. } if *celsius > comfort_high => {
                named(SentenceName::TooWarm).with("degrees", degrees(*celsius))
            }
            Happening::Warmth { celsius, .. } if *celsius < comfort_low => {
                named(SentenceName::TooCold).with("degrees", degrees(*celsius))
            }
            Happening::Warmth { swing, .. } => {
                named(SentenceName::WarmthChanged).with("degrees", degrees(*swing))
            }
            Happening::WeatherUpdate | Happening::Opened | Happening::Closed | Happening::Other { .. } => {
                return None;
            }
        })
    }
}

/// Whole minutes, and above two hours whole hours: nobody says "two hours and 3 minutes" unasked.
fn rounded_minutes(seconds: i64) -> u64 {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    let unit = if seconds >= 7200 { 3600 } else { 60 };
    (seconds / unit).max(1) * unit
}
