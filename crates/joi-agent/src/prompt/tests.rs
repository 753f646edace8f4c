//! Names, and what happens when the dialogue outgrows the model's window.

use super::*;

const ROOM: Room = Room { context_tokens: 4096, reply_tokens: 500 };

#[test]
fn her_name_is_the_wake_phrase_without_its_greeting() {
    let auto = PersonaConfig::default();
    let named = |phrase| name(&auto, Some(phrase));
    let phrases = ["hey joi", "hey jarvis", "friday", "Okay Nabu", "alexa", "hey", " ", "ok élodie marie"];
    let names = ["Joi", "Jarvis", "Friday", "Nabu", "Alexa", "Joi", "Joi", "Élodie Marie"];
    assert_eq!(phrases.map(named), names);
    assert_eq!(name(&auto, None), "Joi");
    let chosen = PersonaConfig { name: " Ada ".into(), ..PersonaConfig::default() };
    assert_eq!(name(&chosen, Some("hey joi")), "Ada");
}

/// `count` exchanges of `bytes` bytes a message, numbered.
fn past(count: usize, bytes: usize) -> Vec<Message> {
    let text = |n: usize| format!("{n:0bytes$}");
    (0..count * 2).map(|n| Message::new([Role::User, Role::Assistant][n % 2], text(n))).collect()
}

fn built(past: Vec<Message>, asked: &str) -> Vec<Message> {
    let newest = Newest {
        asked,
        context: "[Context: now]",
        home: "",
        since: "",
        memory: "",
        plan: "",
        placement: Placement::User,
    };
    build(&Head { system: "The head.".into(), tools: Vec::new() }, past, &newest, ROOM)
}

fn tokens(messages: &[Message]) -> usize {
    messages.iter().map(|m| cost(&m.content)).sum()
}

#[test]
fn a_dialogue_that_fits_is_shown_whole() {
    let messages = built(past(10, 300), "so?");
    assert_eq!(messages[1..21], past(10, 300));
    assert_eq!(messages[21], Message::user("[Context: now]\n\nso?"));
}

#[test]
fn a_dialogue_that_grows_too_long_is_shortened_seldom_and_much() {
    let firsts: Vec<String> = (10..30).map(|n| built(past(n, 400), "so?")[1].content.clone()).collect();
    let mut changes = firsts.clone();
    changes.dedup();
    assert!(changes.len() <= 5, "the beginning changed {} times in 20 turns", changes.len());
    for n in 10..30 {
        assert!(tokens(&built(past(n, 400), "so?")) <= 4096 - 500);
    }
}

#[test]
fn the_longest_question_and_dialogue_still_fit() {
    let asked = "wörter ".repeat(2_000);
    let messages = built(past(20, 5_000), &asked);
    assert!(tokens(&messages) <= 4096 - 500, "{}", tokens(&messages));
    assert!(messages.last().unwrap().content.ends_with('…'));
    let messages = built(past(20, 5_000), "so?");
    assert!(tokens(&messages) <= 4096 - 500 && messages.len() > 8);
    assert!(messages[1..].iter().all(|m| m.content.len() <= EARLIER_MESSAGE_BYTES));
    assert_eq!(messages[1].role, Role::User);
}
