//! What a form offers for some words.

use joi_language::testing::{english, german};
use serde_json::json;

use super::*;
use crate::testing::shipped;

#[test]
fn a_time_is_found_in_the_users_own_words() {
    let english = |asked| FormSource::of(asked, english()).time().map(|(said, _)| said.to_owned());
    for (asked, time) in [
        ("give me a shout when the pasta's had its eleven minutes", Some("eleven minutes")),
        ("let me know once a quarter of an hour has gone by", Some("quarter of an hour")),
        ("I have to be up by seven, see to it", Some("seven")),
        ("get me out of bed at half past six tomorrow", Some("half past six tomorrow")),
        ("could you bug me about the tax form on Friday at noon", Some("Friday at noon")),
        ("the pasta's done early, you can call that one off", None),
        ("make a mental note that Clara is allergic to nuts", None),
        ("file away that my shoe size is 43", None),
        ("could you see what hour it is for my sister in Toronto", None),
        ("work out what each of us owes, three people and eighty-four euros", None),
        ("let me know whether I'll want a scarf this afternoon", None),
    ] {
        assert_eq!(english(asked).as_deref(), time, "{asked}");
    }
    let german = FormSource::of("sag Bescheid, wenn die Nudeln elf Minuten hatten", german());
    assert_eq!(german.time().map(|(said, _)| said), Some("elf Minuten"));
}

#[test]
fn texts_are_stretches_of_what_was_said_without_the_time() {
    let source = FormSource::of("nudge me to water the ferns tomorrow at nine", english());
    assert_eq!(source.texts(3), ["nudge", "water", "water the ferns", "ferns"]);
    assert_eq!(source.text(1), Some(json!({ "enum": ["nudge", "water", "ferns"] })));
    assert_eq!(FormSource::of("the", english()).text(3), None);
}

/// The names of the calls in a form for `asked`, with their action.
fn offered(asked: &str, scope: FormScope) -> Vec<String> {
    let toolbox = shipped(None);
    let tools: Vec<&dyn Tool> = toolbox.all().iter().map(|tool| &**tool).collect();
    let form = of_words(&tools, scope, &FormSource::of(asked, english()));
    let options = form["anyOf"].as_array().cloned().unwrap_or_default();
    let name = |option: &Value| {
        let action = option.pointer("/properties/arguments/properties/action/const").and_then(Value::as_str);
        [option["properties"]["name"]["const"].as_str(), action]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    };
    options.iter().map(name).collect()
}

#[test]
fn a_form_offers_what_the_words_can_fill_and_none() {
    let has = |asked: &str, call: &str| offered(asked, FormScope::Everything).iter().any(|name| name == call);
    let pasta = "give me a shout when the pasta's had its eleven minutes";
    assert!(has(pasta, "timers set") && has(pasta, NONE) && !has(pasta, "setVolume"));
    let oil = "we've run out of olive oil, make sure I pick some up";
    assert!(has(oil, "lists add") && has(oil, NONE));
    assert!(!has(oil, "timers set") && !has(oil, "calculate"), "neither a time nor a number was said");
    assert!(has("could you split 240 evenly among six folks for me", "calculate"));
    let looks = offered(oil, FormScope::Looks);
    assert!(!looks.iter().any(|name| name == "lists add" || name == "setVolume"), "{looks:?}");
    assert!(looks.iter().any(|name| name == "lists read"), "{looks:?}");
}

#[test]
fn an_example_is_a_call_only_in_the_users_own_words() {
    let arguments = |city: &str| Arguments::from_iter([("city".to_owned(), json!(city))]);
    let of = |asked, city| is_example("time", &arguments(city), &FormSource::of(asked, english()));
    assert!(of("check how late it is in Sydney", "Lima"));
    assert!(!of("check how late it is in Lima", "Lima"));
    assert!(!of("check how late it is in Sydney", "Sydney"));
}
