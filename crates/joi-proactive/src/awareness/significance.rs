//! How much an event matters.
//!
//! In: an event, `[awareness]`, the civil time. Out: a [`Significance`]. What is not known is routine; what is dangerous
//! is critical whatever else holds.
//! Pure: no I/O, no clock.

use jiff::Zoned;
use serde::{Deserialize, Serialize};

use super::config::AwarenessConfig;
use super::event::{Happening, HouseEvent};
use joi_schedule::announce::QuietHours;

/// How much it matters; what matters more is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Significance {
    /// It changes what is known, and is never announced.
    Routine,
    /// It is worth a word.
    Significant,
    /// It is announced at once, at any hour.
    Critical,
}

/// Returns how much `event` matters at `now`.
pub fn significance(event: &HouseEvent, rules: &AwarenessConfig, now: &Zoned) -> Significance {
    let worth = |is_worth: bool| if is_worth { Significance::Significant } else { Significance::Routine };
    match &event.happening {
        Happening::Critical { .. } | Happening::Notice { is_high: true, .. } => Significance::Critical,
        Happening::Notice { is_high: false, .. } | Happening::WeatherAlert { .. } => {
            Significance::Significant
        }
        Happening::WeatherUpdate | Happening::Opened | Happening::Closed | Happening::Other { .. } => {
            Significance::Routine
        }
        Happening::Arrived { away_s } => worth(*away_s > rules.away_for().as_secs()),
        Happening::Left => worth(QuietHours::new(vec![rules.unusual_hours.clone()]).until(now).is_some()),
        Happening::LeftOpen { open_s } => worth(*open_s > rules.open_for().as_secs()),
        Happening::Warmth { celsius, swing } => {
            let is_comfortable = (rules.comfort_low..=rules.comfort_high).contains(celsius);
            worth(*swing > rules.swing || !is_comfortable)
        }
    }
}
