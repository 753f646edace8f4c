//! Phrases about the house, and what is said to them while there is none.

use super::phrases::{FRAMES, all_are_understood, none_acts, rows};
use super::*;

const ENGLISH: &str = include_str!("../../../../../tests/data/intents/home.en.tsv");
const GERMAN: &str = include_str!("../../../../../tests/data/intents/home.de.tsv");

/// Returns an order in a form that a table can hold: `30 % light "kitchen light"`.
pub(super) fn shown(order: &HomeOrder) -> String {
    let deed = match order.deed {
        HomeDeed::Percent(percent) => format!("{percent} %"),
        HomeDeed::Degrees(tenths) => format!("{}.{}°", tenths / 10, tenths % 10),
        deed => format!("{deed:?}").to_lowercase(),
    };
    let many = if order.many == Many::All { " all" } else { "" };
    format!("{deed}{many} {} \"{}\"", format!("{:?}", order.device).to_lowercase(), order.thing)
}

#[test]
fn every_phrase_about_the_house_is_understood_word_for_word() {
    all_are_understood(english(), ENGLISH, 80);
    all_are_understood(german(), GERMAN, 40);
}

#[test]
fn negations_questions_and_talk_about_the_house_never_act() {
    let orders = || rows(ENGLISH).filter(|(_, expected)| *expected != "-").map(|(phrase, _)| phrase);
    none_acts(orders(), &FRAMES);
    none_acts(orders(), &["I always …", "… or I will be cross"]);
}

// Without a house nothing is said to have been done in one
#[test]
fn without_a_home_the_answer_names_what_is_missing() {
    let answer = |language: &Language, text: &str| match intents::match_intent(language, text)
        .map(|quick| quick.what)
    {
        Some(Intent::Home(order)) => not_connected(language, &order),
        other => panic!("{text}: {other:?}"),
    };
    for (text, said) in [
        (
            "turn on the kitchen light",
            "I'm not connected to the house yet, so I can't turn on the kitchen light.",
        ),
        ("Blinds down!", "I'm not connected to the house yet, so I can't close the blinds."),
        ("dim the lamp to 30%", "I'm not connected to the house yet, so I can't set the lamp to 30 percent."),
        (
            "set the thermostat to 21.5 degrees",
            "I'm not connected to the house yet, so I can't set the thermostat to 21.5 degrees.",
        ),
    ] {
        assert_eq!(answer(english(), text), said);
    }
    let expected = "Ich bin noch nicht mit dem Haus verbunden, deshalb kann ich das nicht einschalten.";
    assert_eq!(answer(german(), "Mach das Licht an"), expected);
    for (language, table) in [(english(), ENGLISH), (german(), GERMAN)] {
        for (phrase, _) in rows(table).filter(|(_, expected)| *expected != "-") {
            let said = answer(language, phrase);
            assert!(!said.contains(['{', '}']), "{said}");
        }
    }
}

#[test]
fn what_lets_somebody_in_is_never_guessed() {
    let near = |text: &str| near(text).into_iter().map(|reading| reading.text).collect::<Vec<_>>();
    assert!(near("turn of the kitchen light").contains(&"turn off the kitchen light".to_owned()));
    assert_eq!(near("unlook the front door"), [""; 0]);
    assert_eq!(near("opal the garage door"), [""; 0]);
}
