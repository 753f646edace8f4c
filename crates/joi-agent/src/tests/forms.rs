//! Wishes in words that nothing else understands: the model fills in a form, and what it guesses is asked about.

use serde_json::{Value, json};

use super::scripted::{answers, writes};
use super::tools::chooses;
use super::*;
use joi_llm::Role;

/// A wish for a timer without a word that points at one.
const PASTA: &str = "give me a shout when the pasta's had its eleven minutes";
/// One that no tool serves.
const CAT: &str = "could you fold the napkins for me";

fn none() -> Vec<Step> {
    writes(&json!({ "name": "none" }))
}

/// The names in the form of a request, each once.
fn offered(format: &Value) -> Vec<String> {
    let options = format["anyOf"].as_array().cloned().unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for option in options {
        let name = option["properties"]["name"]["const"].as_str().unwrap_or_default().to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[tokio::test]
async fn a_guess_at_a_deed_is_asked_about_and_done_after_a_yes() {
    let arguments = r#"{"action":"set","kind":"timer","when":"eleven minutes","name":"pasta"}"#;
    let bench = Bench::shipped(vec![chooses("timers", arguments)]);
    let ran = bench.say(PASTA).await;
    assert_eq!(ran.called(), [("timers", "asked")]);
    assert!(ran.shown().contains("eleven minutes") && ran.shown().ends_with('?'), "{}", ran.shown());
    let ask = &bench.model.asks()[0];
    let form = ask.format.clone().unwrap();
    assert!(offered(&form).contains(&"timers".to_owned()) && offered(&form).contains(&"none".to_owned()));
    assert!(!form.to_string().contains("eleven minutes at"), "only the user's own words");
    // The beginning is the same for every request: only the words themselves are new.
    assert_eq!(ask.messages.last().unwrap(), &Message::user(PASTA));
    assert!(ask.messages.iter().filter(|message| message.role == Role::Assistant).count() > 5);
    let ran = bench.say("yes").await;
    assert_eq!(ran.called(), [("timers", "done")]);
}

#[tokio::test]
async fn a_guess_in_words_that_nobody_said_or_of_an_unknown_tool_comes_to_nothing() {
    for reply in [
        chooses("timers", r#"{"action":"set","kind":"alarm","when":"6 am","name":"laundry"}"#),
        chooses("lists", r#"{"action":"add","list":"shopping","text":"strawberries"}"#),
        // An example of the form.
        chooses("timers", r#"{"action":"set","kind":"timer","when":"thirty minutes","name":"bread"}"#),
        chooses("launchRocket", "{}"),
        chooses("timers", r#"{"deed":"set"}"#),
        answers("{\"name\": \"timers\", \"argum"),
    ] {
        let bench = Bench::shipped(vec![reply]);
        bench.model.follows(Box::new(|ask| match ask.format {
            Some(_) => none(),
            None => answers("Pasta is done when it is firm to the bite."),
        }));
        let ran = bench.say(PASTA).await;
        assert!(
            !ran.called().iter().any(|(_, outcome)| matches!(*outcome, "done" | "asked")),
            "{:?} {:?}",
            ran.called(),
            ran.shown()
        );
        assert!(!ran.shown().contains('{') && !ran.shown().contains("tool"), "{}", ran.shown());
    }
}

#[tokio::test]
async fn where_no_tool_serves_the_wish_it_is_talk() {
    let bench = Bench::shipped(vec![none(), answers("Napkins fold best along the middle.")]);
    let ran = bench.say(CAT).await;
    assert_eq!(
        (ran.called(), ran.shown().as_str()),
        (vec![], "Napkins fold best along the middle."),
        "{:?}",
        ran.events
    );
    let asks = bench.model.asks();
    assert_eq!(asks.len(), 2);
    assert!(asks[1].format.is_none());
    let system = &asks[1].messages[0].content;
    assert!(!system.contains("tool"), "the prompt of talk has no tools: {system}");
}

#[tokio::test]
async fn talk_costs_no_form() {
    for asked in
        ["why is the sky blue", "tell me a joke about cats", "eggs on", "coat on", "I had a long day"]
    {
        let bench = Bench::shipped(vec![answers("Let me think about that for a while.")]);
        let ran = bench.say(asked).await;
        assert_eq!(ran.called(), [], "{asked}");
        assert!(bench.model.asks().iter().all(|ask| ask.format.is_none()), "{asked}");
    }
}

#[tokio::test]
async fn a_look_up_that_was_guessed_runs_and_is_answered() {
    let bench = Bench::shipped(vec![chooses("time", r#"{"city":"Sydney"}"#)]);
    let ran = bench.say("check how late they've got over in Sydney").await;
    assert_eq!(ran.called(), [("time", "done")]);
    assert!(ran.shown().contains("Sydney"), "{}", ran.shown());
}
