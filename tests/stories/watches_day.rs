//! Twenty watches over a day of a house, in English and German, with the program killed in every phase of their lives: while
//! they are asked for, once they are set, as they act, and once what they say waits to be heard.

use std::collections::BTreeMap;
use std::process::Stdio;

use joi_house_demo::DemoWants;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::watches::Watched;
use crate::support::program::Running;

/// What is watched for: the words, the item, the state that it is to have, and its name in what is said.
type Wish = (&'static str, &'static str, &'static str, &'static str);

const ENGLISH: [Wish; 10] = [
    ("Tell me when the garage opens, please.", "Garage_Door", "0", "Garage door"),
    ("let me know if the front door opens", "Front_Door", "OPEN", "Front door"),
    ("tell me when the bathroom window opens", "Bath_Window", "OPEN", "Bathroom window"),
    ("tell me when the kitchen window is closed", "Kitchen_Window", "CLOSED", "Kitchen window"),
    ("let me know when the television is on", "Living_Television", "ON", "Television"),
    ("tell me once the coffee maker is on", "Kitchen_Coffee", "ON", "Coffee maker"),
    (
        "tell me when it gets below five degrees outside",
        "Outside_Temperature",
        "4.2 °C",
        "Outside temperature",
    ),
    (
        "tell me when it gets warmer than 25 degrees in the living room",
        "Living_Temperature",
        "25.6 °C",
        "Living room",
    ),
    (
        "let me know when the humidity in the bathroom rises above 70 percent",
        "Bath_Humidity",
        "74 %",
        "Humidity",
    ),
    ("warn me when the power goes above three thousand watts", "House_Power", "3200 W", "Power"),
];

const GERMAN: [Wish; 10] = [
    ("Sag mir bitte Bescheid, wenn das Gartentor aufgeht.", "de0", "OPEN", "Gartentor"),
    ("sag mir, wenn das Kellerfenster aufgeht", "de1", "OPEN", "Kellerfenster"),
    ("gib mir Bescheid, wenn das Dachfenster zu ist", "de2", "CLOSED", "Dachfenster"),
    ("falls jemand die Hintertür öffnet, lass es mich wissen", "de3", "OPEN", "Hintertür"),
    ("sag mir Bescheid, wenn die Poolpumpe läuft", "de4", "ON", "Poolpumpe"),
    ("sag mir Bescheid, wenn die Teichpumpe ausgeht", "de5", "OFF", "Teichpumpe"),
    ("sag mir, wenn die Lichterkette an ist", "de6", "ON", "Lichterkette"),
    ("wenn der Deckenventilator läuft, sag mir Bescheid", "de7", "ON", "Deckenventilator"),
    ("gib Bescheid, sobald die Waschmaschine fertig ist", "de8", "Finished", "Waschmaschine"),
    ("sag mir Bescheid, wenn die Heizdecke an ist", "de9", "ON", "Heizdecke"),
];

/// The rows of the house to try, and those that are spoken of in German.
fn rows() -> Vec<Value> {
    let mut rows: Vec<Value> = serde_json::from_str(include_str!("../../assets/home/demo.json")).unwrap();
    let begins = ["CLOSED", "CLOSED", "OPEN", "CLOSED", "OFF", "ON", "OFF", "OFF", "Running", "OFF"];
    for ((_, item, _, label), state) in GERMAN.into_iter().zip(begins) {
        let (kind, category) = match state {
            "OPEN" | "CLOSED" if label.contains("fenster") => ("Contact", "window"),
            "OPEN" | "CLOSED" => ("Contact", "door"),
            "ON" | "OFF" => ("Switch", "switch"),
            _ => ("String", "washingmachine"),
        };
        rows.push(json!({ "name": item, "type": kind, "label": label, "state": state, "category": category,
            "tags": [], "groupNames": [] }));
    }
    rows
}

/// Asks for watches in a typed conversation, which is killed in the middle of the fifth, and asks again for what was not set.
fn asks(watched: &Watched, language: &str, wishes: &[Wish]) {
    let setting = format!("language={language}");
    let talk = |wishes: &[Wish], kills_at: usize| {
        let mut talk =
            Running::start(watched.home.command(&["text", "--set", &setting]).stdin(Stdio::piped()));
        for (at, (words, _, _, name)) in wishes.iter().enumerate() {
            talk.tell(words);
            if at == kills_at {
                talk.signal(Signal::KILL);
                talk.end();
                return;
            }
            talk.until(name);
        }
        talk.terminate();
    };
    talk(wishes, 4);
    let items: Vec<String> = watched.watches().iter().map(|row| row["items"][0].to_string()).collect();
    let is_set = |item: &str| items.contains(&format!("{item:?}"));
    assert!(wishes[..4].iter().all(|(_, item, ..)| is_set(item)), "what was answered is set: {items:?}");
    let rest: Vec<Wish> = wishes.iter().copied().filter(|(_, item, ..)| !is_set(item)).collect();
    talk(&rest, usize::MAX);
}

#[test]
fn twenty_watches_act_once_each_whatever_is_killed_in_between() {
    let watched = Watched::with(DemoWants { items: rows(), ..DemoWants::default() });
    asks(&watched, "en", &ENGLISH);
    asks(&watched, "de", &GERMAN);
    assert_eq!(watched.watches().len(), 20);
    let all: Vec<Wish> = ENGLISH.into_iter().chain(GERMAN).collect();
    let happens = |part: usize| {
        for (_, item, state, _) in all.iter().skip(part).step_by(4) {
            watched.house.set(item, state);
        }
    };
    let killed = |joi: Running| {
        joi.signal(Signal::KILL);
        joi.end();
    };
    // They are set, and nothing has happened.
    killed(watched.run());
    assert_eq!((watched.watches().len(), watched.announced().len()), (20, 0));
    // As they act, before all is said.
    let joi = watched.run();
    happens(0);
    killed(joi);
    // Nobody watches while it happens; then the program is killed as soon as the first is noticed.
    happens(1);
    let joi = watched.run();
    watched.until("the first of them", || !watched.announced().is_empty());
    killed(joi);
    let joi = watched.run();
    watched.until("ten of them", || watched.announced().len() == 10);
    happens(2);
    happens(3);
    watched.until("all of them", || watched.announced().len() == 20);
    killed(joi);
    // What was announced is kept until it is heard, and is not announced again when it happens again.
    let joi = watched.run();
    for (_, item, ..) in &all {
        watched.house.set(item, "UNDEF");
    }
    (0..4).for_each(happens);
    assert_eq!(watched.watches(), Vec::<Value>::new());
    let mut said: BTreeMap<&str, usize> = BTreeMap::new();
    let announced = watched.announced();
    for (_, _, _, name) in &all {
        let about = announced.iter().filter(|text| text.contains(name)).count();
        said.insert(name, about);
    }
    assert!(announced.len() == 20 && said.values().all(|count| *count == 1), "{said:?} {announced:#?}");
    assert_eq!(joi.terminate().code, Some(0));
}
