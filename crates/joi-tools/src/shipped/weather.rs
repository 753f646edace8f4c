//! `weather`: now and the next days, from an Open-Meteo.
//!
//! In: a place, or the configured one. Out: numbers in words. Nothing but numbers and the letters of a place's
//! name is taken from the service. Home has the name that its owner gave it; of any other place words that were not asked
//! for are a stranger's; a country that was not asked for is left out.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::clock::PLACE_WORDS;
use crate::config::{Units, WeatherConfig};
use crate::form::FormSource;
use crate::web::{HttpClient, Url};
use crate::{Arguments, Call, Effect, FailureCause, Output, Source, Tool, ToolError, schema};
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::words_of;
use joi_language::{Language, SkyWords, fill};
use joi_schedule::words::date_in;
use joi_understand::intents::{self, Mood};

mod ahead;

pub use ahead::{WeatherAhead, weather_ahead};

/// The name of the tool.
pub(super) const NAME: &str = "weather";
/// The tool.
pub(super) struct Weather {
    config: WeatherConfig,
    http: HttpClient,
}

#[derive(Debug, Deserialize)]
struct Places {
    #[serde(default)]
    results: Vec<WeatherPlace>,
}

#[derive(Debug, Clone, Deserialize)]
struct WeatherPlace {
    name: String,
    #[serde(default)]
    country: String,
    latitude: f64,
    longitude: f64,
}

#[derive(Debug, Deserialize)]
struct Forecast {
    current: CurrentWeather,
    daily: Daily,
}

#[derive(Debug, Deserialize)]
struct CurrentWeather {
    temperature_2m: f64,
    apparent_temperature: f64,
    weather_code: u32,
    wind_speed_10m: f64,
}

#[derive(Debug, Deserialize)]
struct Daily {
    time: Vec<String>,
    weather_code: Vec<u32>,
    temperature_2m_max: Vec<f64>,
    temperature_2m_min: Vec<f64>,
    #[serde(default)]
    precipitation_probability_max: Vec<Option<f64>>,
}

impl Weather {
    /// Asks the services of `config`.
    pub(super) fn new(config: &WeatherConfig, http: HttpClient) -> Self {
        Self { config: config.clone(), http }
    }

    /// Returns whether `place` is the configured one, perhaps without its country.
    fn is_home(&self, place: &str) -> bool {
        let (home, place) = (self.config.place.trim().to_lowercase(), place.trim().to_lowercase());
        let town = home.split(',').next().unwrap_or_default().trim();
        matches!(place.as_str(), "" | "here" | "home") || !home.is_empty() && (place == home || place == town)
    }

    async fn look(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let home = self.config.place.trim();
        let wanted = match call.text("place") {
            place if self.is_home(place) => home,
            place => place,
        };
        if wanted.is_empty() {
            let told = "No place is configured. Ask the user which place is meant.";
            return Err(FailureCause::NoPlace.with(told));
        }
        let language = call.language;
        let place = self.place(wanted, language).await?;
        let forecast = self.forecast(&place).await?;
        let days = usize::from(call.text("day") == "tomorrow");
        let (name, source) = if wanted == home { (home.into(), Source::Own) } else { named(&place, wanted) };
        let (text, sentence) = self.worded(&name, &forecast, days, language);
        Ok(Output::of(source, text).saying(sentence))
    }

    async fn place(&self, name: &str, language: &Language) -> Result<WeatherPlace, ToolError> {
        let mut url = base(&self.config.places_url, "/v1/search")?;
        url.query_pairs_mut()
            .append_pair("name", name)
            .append_pair("count", "1")
            .append_pair("language", language.code())
            .append_pair("format", "json");
        let places: Places = self.fetched(url).await?;
        let found = places
            .results
            .into_iter()
            .find(|place| place.latitude.is_finite() && place.longitude.is_finite());
        found.ok_or_else(|| {
            ToolError::TellModel(format!("There is no place called {name}. Ask the user for a larger one."))
        })
    }

    async fn forecast(&self, place: &WeatherPlace) -> Result<Forecast, ToolError> {
        let mut url = base(&self.config.forecast_url, "/v1/forecast")?;
        let (temperature, wind) = self.config.units.names();
        url.query_pairs_mut()
            .append_pair("latitude", &place.latitude.to_string())
            .append_pair("longitude", &place.longitude.to_string())
            .append_pair("current", "temperature_2m,apparent_temperature,weather_code,wind_speed_10m")
            .append_pair(
                "daily",
                "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max",
            )
            .append_pair("timezone", "auto")
            .append_pair("forecast_days", "4")
            .append_pair("temperature_unit", temperature)
            .append_pair("wind_speed_unit", wind);
        self.fetched(url).await
    }

    async fn fetched<T: serde::de::DeserializeOwned>(&self, url: Url) -> Result<T, ToolError> {
        let body = self.http.get_chosen(url).await?.body;
        serde_json::from_str(&body)
            .map_err(|_| FailureCause::Service.with("The weather service sent something that can't be read."))
    }

    /// For the model, and in a sentence.
    fn worded(
        &self,
        name: &str,
        forecast: &Forecast,
        first_day: usize,
        language: &Language,
    ) -> (String, String) {
        let (degree, speed) = self.config.units.signs();
        let say = &language.sentences().weather;
        let now = &forecast.current;
        let warmth = format!("{} {degree}", whole(now.temperature_2m));
        let (felt, wind) = (whole(now.apparent_temperature), whole(now.wind_speed_10m));
        let sky = sky(now.weather_code, &say.skies);
        let mut lines =
            vec![format!("{name} now: {warmth}, feels like {felt} {degree}, {sky}, wind {wind} {speed}")];
        let days: Vec<ForecastDay> = (0..forecast.daily.time.len())
            .filter_map(|at| day(&forecast.daily, at, degree, language))
            .collect();
        lines.extend(days.iter().map(|day| format!("{}: {}", day.when, day.told)));
        let sentence = match (first_day, days.get(first_day)) {
            (0, Some(_)) => &say.now_and_today,
            (_, Some(_)) => &say.later,
            (_, None) => &say.now,
        };
        let (when, told) = days.get(first_day).map_or(("", ""), |day| (&*day.when, &*day.told));
        let values = [("place", name), ("warmth", &warmth), ("sky", sky), ("when", when), ("day", told)];
        (lines.join("\n"), fill(sentence, &values))
    }
}

impl Tool for Weather {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "the weather now and in the next days; without a place it is for home"
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "place": { "type": "string", "maxLength": 80 },
            "day": { "type": "string", "enum": ["today", "tomorrow"] },
        });
        schema::object(properties, &[])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let mut properties = json!({});
        if let Some(place) = said.text(PLACE_WORDS) {
            properties["place"] = place;
        }
        properties["day"] = json!({ "enum": ["today", "tomorrow"] });
        vec![schema::object(properties, &[])]
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Fetches
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        // The configured place need not be said.
        match arguments.get("place").and_then(Value::as_str) {
            Some(place) if self.is_home(place) => Vec::new(),
            _ => deed::values_of(arguments, &[("place", ValueKind::Words)]),
        }
    }

    fn ready(&self, asked: &str, language: &Language, _conversation: &str) -> Option<Arguments> {
        let wanted = language.weather_asked(asked)?;
        let is_question = asked.trim_end().ends_with('?') || intents::mood(language, asked) == Mood::Question;
        let day = if wanted.is_tomorrow { "tomorrow" } else { "today" };
        (is_question || wanted.is_named && !intents::is_statement(language, asked))
            .then(|| Arguments::from_iter([("day".to_owned(), day.into())]))
    }

    fn query<'a>(&self, arguments: &'a Arguments) -> Option<&'a str> {
        arguments.get("place").and_then(Value::as_str).filter(|place| !self.is_home(place))
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let say = &language.sentences().tools;
        match arguments.get("place").and_then(Value::as_str) {
            Some(place) if !matches!(place, "" | "here") => fill(&say.ask_weather, &[("place", place)]),
            _ => say.ask_weather_here.clone(),
        }
    }

    fn time_limit(&self) -> Duration {
        Duration::from_secs(15)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.look(call).boxed()
    }
}

pub(super) fn base(address: &str, path: &str) -> Result<Url, ToolError> {
    let whole = format!("{}{path}", address.trim_end_matches('/'));
    Url::parse(&whole).map_err(|_| FailureCause::Service.with("The address of the service is wrong."))
}

/// Returns the name of a place, letters only and few of them, and whose words it is made of. A country that was not
/// asked for is left out; a name that was not can be anything.
fn named(place: &WeatherPlace, wanted: &str) -> (String, Source) {
    let clean = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'')).take(40).collect()
    };
    let asked = words_of(wanted);
    let is_asked = |name: &str| words_of(name).iter().all(|word| asked.contains(word));
    let (name, country) = (clean(&place.name), clean(&place.country));
    let country =
        Some(country).filter(|country| !country.is_empty() && (!is_asked(&name) || is_asked(country)));
    let source = if is_asked(&name) { Source::Own } else { Source::Foreign };
    (country.map_or(name.clone(), |country| format!("{name}, {country}")), source)
}

/// A day: what it is called, and its weather.
struct ForecastDay {
    when: String,
    told: String,
}

/// One day in words.
fn day(daily: &Daily, at: usize, degree: &str, language: &Language) -> Option<ForecastDay> {
    let sentences = language.sentences();
    let say = &sentences.weather;
    let date: jiff::civil::Date = daily.time.get(at)?.parse().ok()?;
    let weekday = date_in("{weekday}", date, language);
    let when = match at {
        0 => sentences.time.today.clone(),
        1 => fill(&say.tomorrow, &[("weekday", &weekday)]),
        _ => weekday,
    };
    let low = whole(*daily.temperature_2m_min.get(at)?);
    let high = format!("{} {degree}", whole(*daily.temperature_2m_max.get(at)?));
    let sky = sky(*daily.weather_code.get(at)?, &say.skies);
    let rain = daily.precipitation_probability_max.get(at).copied().flatten();
    let rain = rain.map(|percent| fill(&say.rain, &[("percent", &whole(percent))])).unwrap_or_default();
    let told = fill(&say.day, &[("low", &low), ("high", &high), ("sky", sky)]);
    Some(ForecastDay { when, told: told + &rain })
}

/// Returns a measurement as it is spoken: without decimals, and never "-0".
fn whole(value: f64) -> String {
    (value.round() + 0.0).to_string()
}

/// Returns the sky by the weather codes of the World Meteorological Organization.
fn sky(code: u32, words: &SkyWords) -> &str {
    match code {
        0 => &words.clear,
        1 | 2 => &words.clouds,
        3 => &words.overcast,
        45 | 48 => &words.fog,
        51..=57 => &words.drizzle,
        61..=67 => &words.rain,
        71..=77 => &words.snow,
        80..=82 => &words.showers,
        85 | 86 => &words.snow_showers,
        95..=99 => &words.thunderstorms,
        _ => &words.changing,
    }
}

#[cfg(test)]
mod tests;
