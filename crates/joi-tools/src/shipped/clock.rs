//! `time`: the time here or in another place of the world.
//!
//! In: a city or a zone. Out: weekday, date and time there. It asks nobody: zones are on this machine.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Zoned;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::{Language, fill};
use joi_schedule::words::{date_in, time_in_full};

/// The name of the tool.
pub(super) const NAME: &str = "time";
/// Most words of a place that stands in a request.
pub(super) const PLACE_WORDS: usize = 3;

/// The tool.
pub(super) struct Time;

impl Tool for Time {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "the time and date in a city, e.g. Tokyo; without a city the time here"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "city": { "type": "string", "maxLength": 60 } }), &[])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let place = said.text(PLACE_WORDS).filter(|_| said.time().is_none());
        place.map(|place| schema::object(json!({ "city": place }), &["city"])).into_iter().collect()
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::values_of(arguments, &[("city", ValueKind::Words)])
    }

    fn ready(&self, asked: &str, language: &Language, _conversation: &str) -> Option<Arguments> {
        let city = language.place_of_time(asked.trim())?.trim();
        zone_of(city, language)?;
        Some(Arguments::from_iter([("city".to_owned(), json!(city))]))
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let say = &language.sentences().tools;
        let city = arguments.get("city").and_then(Value::as_str).unwrap_or(&say.ask_here);
        fill(&say.ask_time, &[("city", city)])
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let language = call.language;
            let city = call.text("city");
            let (there, named) = match city {
                "" | "here" => (call.now.clone(), "here".to_owned()),
                city => {
                    let zone = zone_of(city, language).ok_or_else(|| {
                        ToolError::TellModel(format!(
                            "The time zone of {city} is not known; name a larger city"
                        ))
                    })?;
                    (call.now.with_time_zone(zone), format!("in {city}"))
                }
            };
            let told = there.strftime("%A, %-d %B %Y, %H:%M");
            let sentence = sentence(&there, city, language);
            Ok(Output::own(format!("{named}: {told}")).saying(sentence))
        }
        .boxed()
    }
}

/// Returns what is said of the time in a city, or here.
fn sentence(there: &Zoned, city: &str, language: &Language) -> String {
    let say = &language.sentences().tools;
    let sentence = if matches!(city, "" | "here") { &say.time_here } else { &say.time_in };
    let time = time_in_full(there.time(), language);
    let weekday = date_in("{weekday}", there.date(), language);
    fill(sentence, &[("time", &time), ("weekday", &weekday), ("city", city)])
}

/// Returns the zone of a city, or of a zone's own name.
fn zone_of(city: &str, language: &Language) -> Option<TimeZone> {
    let plain = |name: &str| name.replace(['_', '-'], " ").to_lowercase();
    let wanted = plain(city.split(',').next().unwrap_or(city).trim());
    if let Some(zone) = language.zone(&wanted) {
        return TimeZone::get(zone).ok();
    }
    let known: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
    let is_it = |name: &&String| {
        plain(name) == wanted || name.rsplit('/').next().map(plain).as_deref() == Some(&wanted)
    };
    TimeZone::get(known.iter().find(is_it)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::english;

    async fn run(city: &str) -> Result<Output, ToolError> {
        let now = "2026-11-22T14:05:30+01:00[Europe/Vienna]".parse().expect("a time");
        let arguments = Arguments::from_iter([("city".to_owned(), json!(city))]);
        Time.run(Call {
            arguments: &arguments,
            effect: crate::Effect::Looks,
            now: &now,
            source: crate::Source::Own,
            language: english(),
            conversation: "",
        })
        .await
    }

    #[test]
    fn who_asks_for_the_time_of_a_city_needs_no_model() {
        let german = joi_language::testing::german();
        for (language, asked, city) in [
            (english(), "What time is it in New York?", Some("New York")),
            (english(), "what's the time in London right now", Some("London")),
            (english(), "tell me the time in Tokyo", Some("Tokyo")),
            (english(), "what time is it in the morning", None),
            (english(), "what time is it in Tokyo and in Paris", None),
            (german, "Wie spät ist es in Tokyo?", Some("Tokyo")),
            (german, "wie viel Uhr ist es gerade in London", Some("London")),
            (german, "Wie viel Uhr ist es in Tokio?", Some("Tokio")),
        ] {
            let ready = Time.ready(asked, language, "");
            let told = ready.as_ref().and_then(|all| all.get("city")).and_then(Value::as_str);
            assert_eq!(told, city, "{asked}");
        }
    }

    #[tokio::test]
    async fn cities_are_found_by_name_and_nonsense_is_not() {
        let output = |text: &str, sentence: &str| Ok(Output::own(text).saying(sentence));
        assert_eq!(
            run("Tokyo").await,
            output("in Tokyo: Sunday, 22 November 2026, 22:05", "It's 10:05 PM on Sunday in Tokyo.")
        );
        assert_eq!(
            run("New York, USA").await,
            output(
                "in New York, USA: Sunday, 22 November 2026, 08:05",
                "It's 8:05 AM on Sunday in New York, USA."
            )
        );
        assert_eq!(
            run("").await,
            output("here: Sunday, 22 November 2026, 14:05", "It's 2:05 PM on Sunday here.")
        );
        assert!(matches!(run("Atlantis").await, Err(ToolError::TellModel(_))));
    }
}
