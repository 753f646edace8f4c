//! The services that the weather and the web search ask: `[tools.weather]`, `[tools.search]`.
//!
//! Plain data, any thread; immutable after start.

use serde::{Deserialize, Serialize};

use crate::web::Url;
use joi_base::problem::Problem;

/// Where the weather comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WeatherConfig {
    /// The place when none is named, for example "Vienna", at most 100 characters; "": none. It is sent to the weather
    /// service.
    pub place: String,
    /// "celsius" (with km/h) or "fahrenheit" (with mph).
    pub units: Units,
    /// Where the forecast is asked for, an Open-Meteo.
    pub forecast_url: String,
    /// Where places are looked up, an Open-Meteo.
    pub places_url: String,
}

impl Default for WeatherConfig {
    fn default() -> Self {
        Self {
            place: String::new(),
            units: Units::Celsius,
            forecast_url: "https://api.open-meteo.com".into(),
            places_url: "https://geocoding-api.open-meteo.com".into(),
        }
    }
}

impl WeatherConfig {
    pub(super) fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.place.chars().count() > 100 || self.place.chars().any(char::is_control) {
            problems.push(Problem::new(
                "tools.weather.place",
                &self.place,
                "a place in at most 100 characters",
            ));
        }
        problems.extend(address("tools.weather.forecast_url", &self.forecast_url));
        problems.extend(address("tools.weather.places_url", &self.places_url));
        problems
    }
}

/// Degrees and wind speeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// °C and km/h.
    Celsius,
    /// °F and mph.
    Fahrenheit,
}

impl Units {
    /// Returns how the service calls them: of temperature and wind speed.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Celsius => ("celsius", "kmh"),
            Self::Fahrenheit => ("fahrenheit", "mph"),
        }
    }

    /// Returns how they are written behind a number.
    pub(crate) fn signs(self) -> (&'static str, &'static str) {
        match self {
            Self::Celsius => ("°C", "km/h"),
            Self::Fahrenheit => ("°F", "mph"),
        }
    }
}

/// Where the web is searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// A SearXNG with JSON results, for example `http://192.168.1.5:8080`; "" asks DuckDuckGo instead.
    pub searxng: String,
    /// DuckDuckGo's page without scripts; "" leaves it out.
    pub duckduckgo: String,
    /// The Wikipedia that is asked when nothing else answers, `{language}` being the code of the language that is
    /// spoken; "" leaves it out.
    pub wikipedia: String,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            searxng: String::new(),
            duckduckgo: "https://html.duckduckgo.com/html/".into(),
            wikipedia: "https://{language}.wikipedia.org".into(),
        }
    }
}

impl SearchConfig {
    /// Returns the Wikipedia in a language.
    pub(crate) fn wikipedia_in(&self, code: &str) -> String {
        self.wikipedia.replace("{language}", code)
    }

    pub(super) fn check(&self) -> Vec<Problem> {
        let rows = [
            ("tools.search.searxng", &self.searxng),
            ("tools.search.duckduckgo", &self.duckduckgo),
            ("tools.search.wikipedia", &self.wikipedia_in("en")),
        ];
        rows.into_iter()
            .filter(|(_, url)| !url.is_empty())
            .filter_map(|(key, url)| address(key, url))
            .collect()
    }
}

fn address(key: &str, url: &str) -> Option<Problem> {
    let parsed = Url::parse(url).ok();
    let fits = parsed.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    (!fits).then(|| Problem::new(key, url, "an address that begins with http:// or https://"))
}
