//! Questions about the weather: looked up without consent, and answered by the cause where that fails.

use serde_json::json;

use super::server::Server;
use super::tools::chooses;
use super::*;
use joi_tools::testing::http;
use joi_tools::{ToolServices, builtin};

fn served(path: &str) -> (&'static str, String) {
    let place = json!({ "results": [{ "name": "Vienna", "latitude": 48.2, "longitude": 16.4, "country": "Austria" }] });
    let forecast = json!({
        "current": { "temperature_2m": 3.6, "apparent_temperature": 1.0, "weather_code": 3, "wind_speed_10m": 5.0 },
        "daily": { "time": ["2026-11-22", "2026-11-23"], "weather_code": [3, 61], "temperature_2m_max": [5.2, 7.9],
                   "temperature_2m_min": [0.4, 2.1], "precipitation_probability_max": [10, 85] },
    });
    ("application/json", if path.starts_with("/v1/search") { place } else { forecast }.to_string())
}

/// A small model whose weather is that of `url` for `place`.
fn bench(url: &str, place: &str, script: Vec<Vec<Step>>) -> Bench {
    Bench::shipped(script).rebuilt(|parts| {
        let means = ToolServices {
            store: parts.store.clone(),
            schedule: parts.schedule.clone(),
            reads_when: intents::when,
            clock: Arc::clone(&parts.clock),
            home: None,
            http: Some(http()),
        };
        let mut config = parts.tool_rules.clone();
        config.weather.place = place.into();
        (config.weather.forecast_url, config.weather.places_url) = (url.into(), url.into());
        parts.tools = builtin(&config, &means).into();
    })
}

#[tokio::test]
async fn the_weather_of_this_evening_is_looked_up_without_a_model() {
    let server = Server::new(served).await;
    let bench = bench(&format!("http://{}", server.host), "Vienna", vec![]);
    for (asked, told) in
        [("What's the weather for this evening?", "Today: 0 to 5"), ("Will it rain tomorrow?", "2 to 8")]
    {
        let ran = bench.say(asked).await;
        assert_eq!(ran.called(), [("weather", "done")], "{asked}: {}", ran.shown());
        assert!(ran.shown().contains("Vienna") && ran.shown().contains(told), "{asked}: {}", ran.shown());
    }
    assert!(bench.model.requests().is_empty());
}

// The model names a place that nobody spoke of: it is the configured one
#[tokio::test]
async fn a_place_that_a_model_adds_is_left_out() {
    let server = Server::new(served).await;
    for place in ["London", "Vienna", "home"] {
        let call = chooses("weather", &format!("{{\"place\":\"{place}\",\"day\":\"tomorrow\"}}"));
        let bench = bench(&format!("http://{}", server.host), "Vienna", vec![call]);
        let ran = bench.say("Will there be much snow for the children tomorrow?").await;
        assert_eq!(ran.called(), [("weather", "done")], "{place}: {}", ran.shown());
        assert!(ran.shown().contains("In Vienna"), "{place}: {}", ran.shown());
    }
    assert!(!server.paths().iter().any(|path| path.contains("London")), "{:?}", server.paths());
}

#[tokio::test]
async fn what_failed_is_said_by_its_cause() {
    let (down, babbles) = ("http://127.0.0.1:9", Server::new(|_| ("application/json", "{".into())).await);
    let babbling = format!("http://{}", babbles.host);
    for (url, place, cause) in [
        (down, "", &say().failed_no_place),
        (down, "Vienna", &say().failed_network),
        (babbling.as_str(), "Vienna", &say().failed_service),
    ] {
        let bench = bench(url, place, vec![]);
        let ran = bench.say("What's the weather like?").await;
        assert_eq!((&ran.shown(), ran.outcome.ended), (cause, Ended::Apologised));
        assert!(bench.model.requests().is_empty(), "no model invents it");
    }
    // Network off: the tool is not there.
    let bench = Bench::shipped(vec![]).rebuilt(|parts| {
        let means = ToolServices {
            store: parts.store.clone(),
            schedule: parts.schedule.clone(),
            reads_when: intents::when,
            clock: Arc::clone(&parts.clock),
            home: None,
            http: None,
        };
        parts.tools = builtin(&parts.tool_rules, &means).into();
    });
    let ran = bench.say("What's the weather like?").await;
    assert!(ran.shown().starts_with("I can't check the weather: "), "{}", ran.shown());
}
