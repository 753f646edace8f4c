//! The weather at home, as a service foretells it: what is known of it, and what of it is worth a word.
//!
//! In: the next hours. Out: events. A storm is announced once, when it is foretold first, and again only after it was
//! over; the same holds for what is only worth mentioning.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp, Zoned};

use super::{ContextState, Noticed};
use crate::awareness::observe::danger_in;
use crate::awareness::{AwarenessConfig, CriticalId, Happening, HouseEvent};

/// Stands for an item in events of the forecast.
const FORECAST: &str = "forecast";
/// A forecast is announced as true for so long.
const TRUE_FOR: SignedDuration = SignedDuration::from_hours(8);

/// A text with the danger of the last one of its item is the same warning, amended, for so long.
const SAME_WARNING: SignedDuration = SignedDuration::from_hours(6);

/// The next hours.
#[derive(Debug, Clone, PartialEq)]
pub struct WeatherOutlook {
    /// The weather now, in a few words.
    pub told: String,
    /// The strongest gust in km/h, and how it is announced.
    pub gust: (f64, String),
    /// Thunderstorms in words, where there are any.
    pub thunder: Option<String>,
}

impl ContextState {
    /// Takes in the forecast; what was noticed because of it.
    pub fn take_forecast(
        &mut self,
        outlook: &WeatherOutlook,
        rules: &AwarenessConfig,
        now: &Zoned,
    ) -> Vec<Noticed> {
        let at = now.timestamp();
        let is_other = self.weather.replace(outlook.told.clone()).as_ref() != Some(&outlook.told);
        self.weather_at = Some(at);
        let (gust, gust_told) = &outlook.gust;
        let is_storm = rules.storm_kmh > 0.0 && *gust >= rules.storm_kmh;
        let mut happened = Vec::new();
        if let Some(danger) = self.danger(FORECAST, CriticalId::StormWarning, is_storm) {
            happened.push((danger, gust_told.clone()));
        }
        let is_windy = !is_storm && *gust >= rules.gust_kmh;
        let worth = [is_windy.then_some(gust_told), outlook.thunder.as_ref()];
        // How strong it is changes with each forecast: only another kind of weather is news.
        let kinds = worth.map(|worth| worth.is_some()).map(u8::from).map(|is| is.to_string()).concat();
        let before = self.warnings.insert(FORECAST.to_owned(), kinds.clone());
        if kinds != "00" && before.as_ref() != Some(&kinds) {
            let text = worth.into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
            happened.push((Happening::WeatherAlert { text }, String::new()));
        }
        if happened.is_empty() && is_other {
            happened.push((Happening::WeatherUpdate, String::new()));
        }
        let event = |(happening, what)| HouseEvent { happening, what, item: FORECAST.to_owned(), at };
        happened.into_iter().map(event).map(|event| self.take(event, rules, now)).collect()
    }

    /// Returns what the weather service warns of, as an item reports it.
    pub(super) fn warned(&mut self, item: &str, text: &str, at: Timestamp) -> Option<Happening> {
        let before = self.warnings.insert(item.to_owned(), text.to_owned());
        if before.as_deref() == Some(text) {
            return None;
        }
        if let Some(before) = &before {
            self.topics.withdraw(&HouseEvent::new(weather_alert(before), item, at).key());
        }
        if text.is_empty() {
            return before.is_some().then_some(Happening::WeatherUpdate);
        }
        Some(match danger_in(text) {
            // Services amend the text of a warning while it is in force.
            Some(id) if self.was_announced(item, id, at) => Happening::WeatherUpdate,
            Some(id) => Happening::Critical { id },
            None => weather_alert(text),
        })
    }

    /// Returns whether this item has reported the danger within the last hours.
    fn was_announced(&self, item: &str, id: CriticalId, at: Timestamp) -> bool {
        let of_it = |noticed: &&Noticed| {
            noticed.event.item == item && noticed.event.happening == Happening::Critical { id }
        };
        self.events.iter().filter(of_it).any(|noticed| at.duration_since(noticed.event.at) < SAME_WARNING)
    }

    /// Returns the weather, as long as the forecast is true.
    pub fn weather(&self, now: Timestamp) -> Option<&str> {
        let is_true = self.weather_at.is_some_and(|at| now.duration_since(at).abs() < TRUE_FOR);
        self.weather.as_deref().filter(|_| is_true)
    }
}

fn weather_alert(text: &str) -> Happening {
    Happening::WeatherAlert { text: text.trim_end_matches('.').to_owned() }
}
