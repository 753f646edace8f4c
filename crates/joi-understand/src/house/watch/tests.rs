//! Requests to watch in the house to try, in both languages, and what is none: `tests/data/watch/*.tsv`.

use jiff::Zoned;
use serde_json::{Value, json};

use super::super::situation::FollowUp;
use super::*;
use joi_home::house::{House, HouseRules, TagVocabulary, read};
use joi_language::Language;
use joi_language::values::{WatchChoice, WatchLimit, WatchMany};

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Returns an item of the semantic model; `of` is the configuration of its class.
fn row(name: &str, kind: &str, label: &str, state: &str, class: &str, of: Value) -> Value {
    let semantics = json!({"semantics": {"value": class, "config": of}});
    json!({"name": name, "type": kind, "label": label, "state": state, "tags": [], "groupNames": [],
        "metadata": semantics, "link": "", "editable": false})
}

/// Returns the house to try, with names in two languages, two people, machines and a bell.
fn house() -> House {
    let mut rows: Vec<Value> = serde_json::from_str(&file("assets/home/demo.json")).unwrap();
    let in_room = |room: &str| json!({"hasLocation": room});
    let power = |of: &str| json!({"isPointOf": of, "relatesTo": "Property_Power"});
    let present = json!({"relatesTo": "Property_Presence"});
    rows.extend([
        row(
            "Washer",
            "Group",
            "Washing machine",
            "NULL",
            "Equipment_WhiteGood_WashingMachine",
            in_room("Bath"),
        ),
        row("Washer_Runs", "Switch", "Runs", "ON", "Point_Status", json!({"isPointOf": "Washer"})),
        row("Washer_Power", "Number:Power", "Power", "310 W", "Point_Measurement", power("Washer")),
        row("Dryer", "Group", "Dryer", "NULL", "Equipment_WhiteGood_Dryer", in_room("Bath")),
        row("Dryer_Power", "Number:Power", "Power", "2 W", "Point_Measurement", power("Dryer")),
        row("Anna", "Switch", "Anna", "OFF", "Point_Status", present.clone()),
        row("Ben", "Switch", "Ben's phone", "ON", "Point_Status", present),
        row("Doorbell", "Switch", "Doorbell", "OFF", "Equipment_Doorbell", in_room("Hall")),
    ]);
    let names = [
        ("Garage_Door", "Garagentor"),
        ("Front_Door", "Haustür"),
        ("Kitchen_Window", "Küchenfenster"),
        ("Bath_Window", "Badfenster"),
        ("Bedroom_Window", "Schlafzimmerfenster"),
        ("Washer", "Waschmaschine"),
        ("Dryer", "Trockner"),
        ("Doorbell", "Türklingel"),
        ("Hall_Light", "Flurlicht"),
        ("Kitchen_Light", "Küchenlicht"),
        ("Living_Blinds", "Wohnzimmerrollladen"),
        ("Outside_Temperature", "Außentemperatur"),
        ("Living_Television", "Fernseher"),
        ("Kitchen_Coffee", "Kaffeemaschine"),
        ("Front_Door_Lock", "Haustürschloss"),
        ("House_Power", "Stromverbrauch"),
        ("Bath_Humidity", "Luftfeuchtigkeit"),
        ("Living_Music", "Musik"),
    ];
    for row in &mut rows {
        if let Some((_, german)) = names.iter().find(|(name, _)| row["name"] == *name) {
            row["metadata"]["synonyms"] = json!({"value": german});
        }
        if row["name"] == "Sunset" {
            row["state"] = json!("2026-03-04T18:04:00.000+0100");
        }
    }
    let (items, unread) = read::items(rows);
    assert_eq!(unread, []);
    let mut vocabulary = TagVocabulary::default();
    for tags in ["tags.json", "tags_de.json"] {
        let tags = file(&format!("tests/data/openhab/5.2.1/{tags}"));
        vocabulary.add(&serde_json::from_str::<Vec<_>>(&tags).unwrap());
    }
    House::new(items, &vocabulary, &HouseRules::default())
}

fn now() -> Zoned {
    "2026-03-04T10:00[Europe/Vienna]".parse().unwrap()
}

fn understood(understanding: &WatchUnderstanding, house: &House, text: &str) -> String {
    let presence = ["Anna".to_owned(), "Ben".to_owned()];
    let (follow, now) = (FollowUp::default(), now());
    let place = WatchPlace { house, room: None, presence: &presence, follow, now: &now };
    written(understanding.wished(text, place).as_ref())
}

fn written(wish: Option<&WatchWish>) -> String {
    match wish {
        None => "-".to_owned(),
        Some(WatchWish::Order(WatchOrder::List, _)) => "list".to_owned(),
        Some(WatchWish::Order(WatchOrder::Remove(WatchChoice::All), _)) => "stop all".to_owned(),
        Some(WatchWish::Order(WatchOrder::Remove(WatchChoice::Number(id)), _)) => format!("stop {}", id.0),
        Some(WatchWish::Order(WatchOrder::Remove(WatchChoice::Of { items, .. }), _)) => {
            format!("stop {}", items.join(" "))
        }
        Some(WatchWish::Order(WatchOrder::Add(watch), _)) => added(watch),
        Some(WatchWish::Which(_) | WatchWish::Where(_)) => "which".to_owned(),
        Some(WatchWish::Refused(refusal)) => refused(refusal),
    }
}

fn refused(refusal: &WatchRefusal) -> String {
    let why = match refusal {
        WatchRefusal::House(HouseRefusal::NoSuch(_)) => "unknown",
        WatchRefusal::House(HouseRefusal::NobodyThere) => "yes",
        WatchRefusal::House(HouseRefusal::NoMoment) => "moment",
        WatchRefusal::House(_) => "house",
        WatchRefusal::Cannot(_) => "cannot",
        WatchRefusal::OnlyPower(_) => "power",
        WatchRefusal::NoPresence(_) => "presence",
        WatchRefusal::DeedTime => "time",
        WatchRefusal::NoEnd => "end",
    };
    format!("refuse {why}")
}

fn added(watch: &NewWatch) -> String {
    let NewWatch { condition, deed, repeats, until } = watch;
    let limit = |WatchLimit { value, unit }: &WatchLimit| format!("{value}{unit}");
    let test = match &condition.test {
        WatchTest::Below(below) => format!("below {}", limit(below)),
        WatchTest::Above(above) => format!("above {}", limit(above)),
        test => format!("{test:?}").to_lowercase(),
    };
    let items: Vec<&str> = condition.items.iter().map(|item| item.item.as_str()).collect();
    let many = if condition.many == WatchMany::All { " all" } else { "" };
    let lasting = if condition.for_s > 0 { format!(" for {}", condition.for_s) } else { String::new() };
    let deed = match deed {
        WatchDeed::Tell => "tell".to_owned(),
        WatchDeed::Command { commands, .. } => {
            let sent = |one: &LaterCommand| format!("{}={}", one.item, one.text);
            commands.iter().map(sent).collect::<Vec<_>>().join(" ")
        }
    };
    let repeats = if *repeats == WatchRepeat::Always { " always" } else { "" };
    let until =
        until.map(|at| format!(" until {}", at.to_zoned(now().time_zone().clone()).strftime("%d-%H:%M")));
    format!("{deed}{repeats}: {test}{many} {}{lasting}{}", items.join(" "), until.unwrap_or_default())
}

fn agrees(code: &str) {
    let language = std::sync::Arc::new(Language::load(code).unwrap());
    let (house, understanding) = (house(), WatchUnderstanding::of(&language).unwrap());
    let text = file(&format!("tests/data/watch/{code}.tsv"));
    let (mut wrong, mut watches, mut none) = (Vec::new(), 0, 0);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expected, said) = line.split_once('\t').unwrap_or_else(|| panic!("no tab: {line}"));
        if expected == "-" {
            none += 1;
        } else {
            watches += 1;
        }
        let found = understood(&understanding, &house, said);
        if found != expected {
            wrong.push(format!("{said}\n    wanted {expected}\n    found  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), watches + none, wrong.join("\n"));
    assert!(watches >= 60 && none >= 60, "{watches} watches, {none} others");
}

#[test]
fn english_requests_to_watch_are_understood_and_others_are_none() {
    agrees("en");
}

#[test]
fn german_requests_to_watch_are_understood_and_others_are_none() {
    agrees("de");
}
