//! The fetched templates of every language.

use std::collections::BTreeMap;

use super::*;
use crate::LONGEST_SENTENCE;

/// Kinds of things that templates ask for.
const DOMAINS: [&str; 23] = [
    "light",
    "switch",
    "fan",
    "media_player",
    "input_boolean",
    "climate",
    "cover",
    "valve",
    "lock",
    "binary_sensor",
    "sensor",
    "todo",
    "vacuum",
    "person",
    "weather",
    "scene",
    "script",
    "lawn_mower",
    "button",
    "input_button",
    "humidifier",
    "camera",
    "siren",
];

/// A house with one thing of each kind, named by made-up words that no language has.
fn any_house() -> SlotLists {
    let things = DOMAINS.iter().zip(0..).map(|(domain, number)| {
        let sounds = ["xu", "qo", "zy", "wix", "vok"];
        let name = format!("{}{}{}", sounds[number % 5], sounds[number / 5], sounds[(number + 2) % 5]);
        ListValue::new(name).context("domain", *domain)
    });
    SlotLists::new()
        .with("name", things)
        .with("area", ["Qyxwa", "Zuvqo"].map(ListValue::new))
        .with("floor", ["Wyqxi", "Xozqu"].map(ListValue::new))
}

#[derive(Debug, Default)]
struct Tally {
    sentences: usize,
    found: usize,
    best: usize,
    missed: Vec<String>,
}

fn tally(templates: &SentenceTemplates, lists: &SlotLists) -> Tally {
    let context = MatchContext::new().with("area", "Qyxwa");
    let words = ["qixo vuzy", "zaqxu", "wuxqi zok vyx"].map(str::to_owned).to_vec();
    let mut sampler = templates.sampler(lists, &context, 46).wildcards(words);
    let mut tally = Tally::default();
    for intent in templates.intents() {
        for _ in 0..3 {
            let Some(sample) = sampler.sentence(intent) else {
                tally.missed.push(format!("{intent}: no sentence can be made"));
                continue;
            };
            tally.sentences += 1;
            let found = templates.recognise(&sample.sentence, lists, &context).unwrap_or_default();
            let is_right = |found: &IntentMatch| {
                let said = found.slots.iter().filter(|slot| slot.span.is_some());
                let said: Vec<_> = said.map(|slot| (slot.name.clone(), slot.value.clone())).collect();
                found.intent == intent && said == sample.slots
            };
            tally.best += usize::from(found.first().is_some_and(|best| best.intent == intent));
            if found.iter().any(is_right) {
                tally.found += 1;
            } else {
                tally
                    .missed
                    .push(format!("{intent}: {} <- {} {:?}", sample.sentence, sample.template, sample.slots));
            }
        }
    }
    tally
}

#[test]
fn sentences_of_every_language_are_recognised() {
    let lists = any_house();
    let mut all: BTreeMap<String, Tally> = BTreeMap::new();
    for (language, text) in language_files() {
        let templates = SentenceTemplates::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(templates.language(), language);
        all.insert(language, tally(&templates, &lists));
    }
    assert!(all.len() >= 60, "only {} languages", all.len());
    let missed: Vec<_> =
        all.iter().flat_map(|(l, tally)| tally.missed.iter().map(move |m| format!("{l} {m}"))).collect();
    let sum = |count: fn(&Tally) -> usize| all.values().map(count).sum::<usize>();
    let (sentences, best) = (sum(|tally| tally.sentences), sum(|tally| tally.best));
    println!(
        "{} languages, {sentences} sentences, {} found, {best} best",
        all.len(),
        sum(|tally| tally.found)
    );
    assert!(missed.is_empty(), "{} of {sentences}:\n{}", missed.len(), missed.join("\n"));
    assert!(best * 100 >= sentences * 95, "of {sentences} sentences {best} have their intent first");
}

#[test]
fn a_language_fits_into_eight_megabytes() {
    for (language, text) in language_files() {
        let templates = SentenceTemplates::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert!(templates.bytes() < 8 << 20, "{language}: {} bytes", templates.bytes());
    }
}

#[test]
fn long_sentences_of_template_words_are_tried_to_the_end() {
    let lists = any_house();
    let context = MatchContext::new().with("area", "Qyxwa");
    for (language, text) in language_files() {
        let templates = SentenceTemplates::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let mut sampler = templates.sampler(&lists, &context, 3);
        let made: Vec<_> = templates.intents().filter_map(|intent| sampler.sentence(intent)).collect();
        let words: Vec<&str> = made.iter().flat_map(|sample| sample.sentence.split(' ')).collect();
        for first in 0..20 {
            let words = words.iter().cycle().skip(first * 7).step_by(first + 1);
            let mut long = String::new();
            for word in words.take(100) {
                if long.chars().count() + word.chars().count() < LONGEST_SENTENCE {
                    long.push_str(word);
                    long.push(' ');
                }
            }
            let found = templates.recognise(&long, &lists, &context);
            assert!(found.is_ok(), "{language}: {long}: {found:?}");
        }
    }
}

/// Responses that change a list while they are written.
const WITHOUT_RESPONSE: [(&str, &str); 1] = [("th", "HassStartTimer")];

#[test]
fn every_response_can_be_written() {
    let thing = crate::EntityState { state: "20".into(), name: "Lamp".into(), ..Default::default() };
    let slots = json!({
        "time": {"hour": 7, "minute": 5},
        "date": {"year": 2026, "month": 7, "day": 5},
        "timers": [], "canceled": 1, "media": {"title": "t"}, "name": "a b", "area": "a", "item": "i",
        "temperature": 20, "brightness": 5, "state": "on", "device_class": "door", "color": "red", "floor": "f",
        "fan_mode": "auto", "position": 5, "domain": "light", "volume_level": 5, "percentage": 5, "volume_step": "5",
        "hours": "1", "minutes": "2", "seconds": "3", "search_query": "q", "start_hours": 1, "start_minutes": 1,
        "start_seconds": 1, "message": "m"
    });
    let mut failed = Vec::new();
    for (language, text) in language_files() {
        let templates = SentenceTemplates::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        for (intent, key) in templates.responses() {
            let state = crate::ResponseState {
                slots: slots.as_object().expect("an object").clone(),
                state: Some(thing.clone()),
                matched: vec![thing.clone()],
                unmatched: vec![thing.clone()],
            };
            let found = IntentMatch {
                intent: intent.to_owned(),
                slots: Vec::new(),
                captures: Vec::new(),
                response: key.to_owned(),
                context: MatchContext::new(),
                metadata: None,
                template: String::new(),
                literal_chars: 0,
            };
            let is_known = WITHOUT_RESPONSE.contains(&(language.as_str(), intent));
            let said = templates.respond(&found, &state);
            assert!(!is_known || said.is_err(), "{language} {intent} can be taken from the list");
            if let Err(error) = said.map_err(|error| error.to_string())
                && !is_known
            {
                failed.push(format!("{language}: {error}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}
