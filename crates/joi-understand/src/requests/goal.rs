//! Requests that are a call of `goals` as they stand: "help me plan the trip to Tokyo".
//!
//! In: a request. Out: its action, the goal as it was named, and what is said to it; or nothing where anything else is in it. How
//! people say it stands in the files of the languages. Which goals there are is not known here.
//! Pure: no I/O, no clock.

use serde_json::Value;

use joi_language::Language;
use joi_language::values::deed::{self, Arguments, CallValue, ValueKind};

/// The tool.
pub const GOALS: &str = "goals";

/// Returns the arguments of `asked`.
pub fn arguments(asked: &str, language: &Language) -> Option<Arguments> {
    let asked = asked.trim().trim_end_matches(['.', '!', '?']).replace('’', "'");
    let mut ways = language.goals().flat_map(|words| &words.ways);
    ways.find_map(|way| {
        let said = way.says.captures(&asked)?;
        let part = |name: &str| said.name(name).map(|part| part.as_str().trim().to_owned());
        let rows = [("action", Some(way.action.to_owned())), ("goal", part("goal")), ("text", part("text"))];
        let row = |(name, value): (&str, Option<String>)| Some((name.to_owned(), Value::from(value?)));
        Some(rows.into_iter().filter_map(row).collect())
    })
}

/// Returns the values of a call that the user must have said.
pub fn values(arguments: &Arguments) -> Vec<CallValue> {
    deed::values_of(arguments, &[("goal", ValueKind::Words), ("text", ValueKind::Words)])
}

/// Returns the deed of a call.
pub fn deed(arguments: &Arguments) -> String {
    deed::named(GOALS, arguments, "action")
}

/// Returns whether `asked` is this call as it stands.
pub(crate) fn asks_for(language: &Language, asked: &str, wanted: &str, given: &[CallValue]) -> bool {
    arguments(asked, language).is_some_and(|own| deed(&own) == wanted && values(&own) == given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    fn read(asked: &str, language: &Language) -> String {
        let Some(arguments) = arguments(asked, language) else { return "-".into() };
        let part = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        [part("action"), part("goal"), part("text")].join("|").trim_end_matches('|').to_owned()
    }

    #[test]
    fn english_requests_about_goals_are_read_and_others_are_not() {
        for (asked, expected) in [
            ("Help me plan the trip to Tokyo.", "new|trip to Tokyo"),
            ("could you help me to organise our summer party please", "new|summer party"),
            ("start a new goal called learn to bake", "new|learn to bake"),
            ("How is the Tokyo trip going?", "how|the Tokyo trip"),
            ("how's it going", "how|it"),
            ("what have you found about the trip to Tokyo", "how|the trip to Tokyo"),
            ("work on it", "work|it"),
            ("go on with the Tokyo trip", "work|the Tokyo trip"),
            ("leave it for now", "leave|it"),
            ("put the garden on hold", "leave|the garden"),
            ("we're done with Tokyo", "end|Tokyo"),
            ("tell the Tokyo trip that we want to go in May", "say|Tokyo trip|we want to go in May"),
            ("What happened today?", "today"),
            ("what's new", "news"),
            ("which goals do I have", "list"),
            ("what is the weather like", "-"),
            ("leave the light on", "-"),
            ("how are you", "-"),
            ("help me", "-"),
            ("my sister works on a farm", "-"),
            ("what happened today in Rome", "-"),
        ] {
            assert_eq!(read(asked, english()), expected, "{asked}");
        }
    }

    #[test]
    fn german_requests_about_goals_are_read() {
        for (asked, expected) in [
            ("Hilf mir, die Reise nach Tokio zu planen.", "new|Reise nach Tokio"),
            ("Hilf mir bei der Planung unserer Hochzeit", "new|Hochzeit"),
            ("Wie steht es um die Reise nach Tokio?", "how|die Reise nach Tokio"),
            ("Wie läuft die Hochzeit?", "how|die Hochzeit"),
            ("arbeite daran weiter", "work|daran"),
            ("mach mit der Reise weiter", "work|der Reise"),
            ("lass es erst mal", "leave|es"),
            ("wir sind mit Tokio fertig", "end|Tokio"),
            ("sag der Reise, dass wir im Mai fahren", "say|Reise|wir im Mai fahren"),
            ("Was ist heute passiert?", "today"),
            ("Was gibt es Neues?", "news"),
            ("Welche Vorhaben habe ich?", "list"),
            ("Lass das Licht an", "-"),
        ] {
            assert_eq!(read(asked, german()), expected, "{asked}");
        }
    }

    #[test]
    fn the_words_are_the_consent_to_that_very_call_alone() {
        let own = arguments("help me plan the trip to Tokyo", english()).unwrap();
        let asks = |asked: &str| asks_for(english(), asked, &deed(&own), &values(&own));
        assert!(asks("Help me plan the trip to Tokyo!"));
        assert!(!asks("help me plan the trip to Rome"));
        assert!(!asks("how is the trip to Tokyo going"));
        assert!(!asks("she said help me plan the trip to Tokyo and laughed"));
    }
}
