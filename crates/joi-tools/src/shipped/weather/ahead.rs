//! The weather at home in the next hours, for what joi knows unasked.
//!
//! In: the configured place. Out: what it is like in a few words, the strongest gust and whether there is thunder. It
//! asks the same services as the tool; whoever calls it decides how often.

use serde::Deserialize;

use super::{HttpClient, Units, Weather, WeatherConfig, base, sky, whole};
use crate::ToolError;
use joi_language::{Language, fill};

/// Hours that are looked at: until after the next look.
const HOURS: &str = "6";
/// Miles in a kilometre, the other way round.
const KM_A_MILE: f64 = 1.609_344;

/// The next hours.
#[derive(Debug, Clone, PartialEq)]
pub struct WeatherAhead {
    /// Now, in a few words.
    pub told: String,
    /// The strongest gust in km/h, and its spoken form.
    pub gust: (f64, String),
    /// Thunderstorms in words, where there are any.
    pub thunder: Option<String>,
}

#[derive(Debug, Deserialize)]
struct HoursAhead {
    current: HourNow,
    hourly: Hourly,
}

#[derive(Debug, Deserialize)]
struct HourNow {
    temperature_2m: f64,
    weather_code: u32,
}

#[derive(Debug, Deserialize)]
struct Hourly {
    wind_gusts_10m: Vec<Option<f64>>,
    weather_code: Vec<Option<u32>>,
}

/// Looks once.
///
/// # Errors
/// The service does not answer, or makes no sense: try again later.
pub async fn weather_ahead(
    config: &WeatherConfig,
    http: &HttpClient,
    language: &Language,
) -> Result<WeatherAhead, ToolError> {
    let tool = Weather::new(config, http.clone());
    let place = tool.place(config.place.trim(), language).await?;
    let mut url = base(&config.forecast_url, "/v1/forecast")?;
    let (temperature, wind) = config.units.names();
    url.query_pairs_mut()
        .append_pair("latitude", &place.latitude.to_string())
        .append_pair("longitude", &place.longitude.to_string())
        .append_pair("current", "temperature_2m,weather_code")
        .append_pair("hourly", "wind_gusts_10m,weather_code")
        .append_pair("forecast_hours", HOURS)
        .append_pair("timezone", "auto")
        .append_pair("temperature_unit", temperature)
        .append_pair("wind_speed_unit", wind);
    let hours: HoursAhead = tool.fetched(url).await?;
    Ok(ahead(&hours, config.units, language))
}

/// PURE. What the hours say.
fn ahead(hours: &HoursAhead, units: Units, language: &Language) -> WeatherAhead {
    let say = &language.sentences().weather;
    let (degree, speed) = units.signs();
    let gusts = hours.hourly.wind_gusts_10m.iter().flatten().copied().filter(|gust| gust.is_finite());
    let gust = gusts.fold(0.0, f64::max);
    let km_h = if units == Units::Fahrenheit { gust * KM_A_MILE } else { gust };
    let has_thunder = hours.hourly.weather_code.iter().flatten().any(|code| (95..=99).contains(code));
    WeatherAhead {
        told: format!(
            "{} {degree}, {}",
            whole(hours.current.temperature_2m),
            sky(hours.current.weather_code, &say.skies)
        ),
        gust: (km_h, fill(&say.gusts, &[("speed", &format!("{} {speed}", whole(gust)))])),
        thunder: has_thunder.then(|| say.skies.thunderstorms.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    pub(super) use crate::web::tests::{Does, Served, http};
    use joi_language::testing::{english, german};

    const PLACES: &str =
        r#"{"results":[{"name":"Vienna","latitude":48.2,"longitude":16.4,"country":"Austria"}]}"#;
    const HOURS: &str = r#"{"current":{"time":"x","temperature_2m":-0.4,"weather_code":95},
        "hourly":{"time":["a","b","c"],"wind_gusts_10m":[40.2,118.0,null],"weather_code":[3,95,null]}}"#;

    /// Returns the places, else these hours.
    fn or(path: &str, hours: &str) -> Does {
        let body = if path.starts_with("/v1/search") { PLACES } else { hours };
        Does::Sends("application/json", body.into())
    }

    fn real(path: &str) -> Does {
        or(path, HOURS)
    }

    async fn look(
        route: fn(&str) -> Does,
        units: Units,
        language: &Language,
    ) -> Result<WeatherAhead, ToolError> {
        let served = Served::new(route).await;
        let config = WeatherConfig {
            place: "Vienna".into(),
            units,
            forecast_url: served.url.clone(),
            places_url: served.url.clone(),
        };
        weather_ahead(&config, &http(), language).await
    }

    #[tokio::test]
    async fn the_next_hours_are_spoken_with_their_strongest_gust_and_thunder() {
        let ahead = look(real, Units::Celsius, english()).await.unwrap();
        let expected = WeatherAhead {
            told: "0 °C, thunderstorms".into(),
            gust: (118.0, "gusts of up to 118 km/h".into()),
            thunder: Some("thunderstorms".into()),
        };
        assert_eq!(ahead, expected);
        let german = look(real, Units::Celsius, german()).await.unwrap();
        assert_eq!(german.gust.1, "Böen bis 118 km/h");
        let miles = look(real, Units::Fahrenheit, english()).await.unwrap();
        assert!((189.0..191.0).contains(&miles.gust.0), "{miles:?}");
    }

    #[tokio::test]
    async fn what_makes_no_sense_is_a_failure() {
        let broken: [fn(&str) -> Does; 4] = [
            |path| or(path, "[]"),
            |path| or(path, r#"{"current":{"temperature_2m":1,"weather_code":1},"hourly":{}}"#),
            |_| Does::Babbles,
            |_| Does::Dies,
        ];
        for route in broken {
            let looked = look(route, Units::Celsius, english()).await;
            assert!(looked.is_err(), "{looked:?}");
        }
    }
}
