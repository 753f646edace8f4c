//! Names: what is dangerous by its own, and names that are too long.

use super::rules::{ENTRANCE, caution, semantic};
use super::*;

#[test]
fn what_is_dangerous_by_its_name_is_asked_first_in_every_language_and_what_is_at_it_is_not() {
    let called = |kind: &str, label: &str| with(row(kind, "X", &[]), "label", json!(label));
    const VALVE: Caution = Caution::AskFirst(CautionCause::Valve);
    const ALARM: Caution = Caution::AskFirst(CautionCause::Alarm);
    const OTHER: Caution = Caution::AskFirst(CautionCause::Configured);
    for (expected, labels) in [
        (
            ENTRANCE,
            "Entry buzzer|Safe|Gun cabinet|Skylight|Hall skylight 2|Roof window left|Roof windows|Tresor im Büro",
        ),
        (ENTRANCE, "Waffenschrank|Dachfenster Bad|Haustürsummer|Eingangssummer|Lichtkuppel|Oberlicht"),
        (VALVE, "Gas|Gas supply|Kitchen gas stove|Main water|Water main|Gashahn|Hauptwasser|Gas Küche"),
        (
            ALARM,
            "Panic button|Burglar protection|Intruder guard|Panikknopf|Einbruchschutz|Hausnotruf|Notruf Bad",
        ),
        (
            OTHER,
            "Stove|Oven|Left oven|Ovens|Oven1|Oxygen concentrator|Main switch|Main switch 1|Master switch kitchen",
        ),
        (
            OTHER,
            "Herd|Backofen|Küchenbackofen|Herdplatte|Sauerstoffkonzentrator|Hauptschalter|Not-Aus|Kochfeld",
        ),
    ] {
        for label in labels.split('|') {
            for kind in ["Switch", "String"] {
                assert_eq!(caution(&[called(kind, label)], "X"), expected, "{kind} {label}");
            }
        }
    }
    for name in ["Oven", "kitchenOven", "MainSwitch", "Main_Switch", "gas_valve_2", "RoofWindow1"] {
        assert_ne!(caution(&[row("Switch", name, &[])], name), Caution::None, "{name}");
    }
    for label in [
        "Oven light",
        "Backofenlicht",
        "Licht Backofen",
        "Dachfensterrollladen",
        "Skylight blind",
        "Safe camera",
        "Gast",
        "Gasse",
        "Gästezimmer",
        "Fan",
        "Summer house",
        "Fenster",
        "Herder",
        "Main lamp",
        "Cabinet",
        "Window",
        "Water pump",
        "Button",
        "Panel",
        "Kitchen",
        "Hauptlicht",
        "Ventilator",
        "Begin",
        "Monitor",
    ] {
        assert_eq!(caution(&[called("Switch", label)], "X"), Caution::None, "{label}");
    }
    // A lamp is called after its place.
    assert_eq!(caution(&[called("Dimmer", "Skylight")], "X"), Caution::None);
    assert_eq!(
        caution(&[with(called("Switch", "Skylight"), "category", json!("light"))], "X"),
        Caution::None
    );
    let lit = semantic(called("Switch", "Skylight"), "Equipment_LightSource", json!({}));
    assert_eq!(caution(&[lit], "X"), Caution::None);
    let point = [
        semantic(with(row("Group", "G", &[]), "label", json!("Oven")), "Equipment", json!({})),
        semantic(called("Switch", "Power"), "Point_Control", json!({"isPointOf": "G"})),
    ];
    assert_eq!(caution(&point, "X"), OTHER);
    assert_eq!(caution(&[called("Contact", "Roof window")], "X"), Caution::None, "it takes no commands");
}

#[test]
fn a_label_without_an_end_is_cut_after_its_caution_is_known() {
    let long = format!("{} lock", "ä".repeat(20_000));
    let options = json!({"commandOptions": [{"command": "1", "label": long}]});
    let room =
        semantic(with(row("Group", "R", &[]), "label", json!(long)), "Location_Indoor_Room", json!({}));
    let rows = [
        with(row("Switch", "X", &[]), "label", json!(long)),
        with(with(row("Switch", "Y", &[]), "label", json!("ä".repeat(120))), "commandDescription", options),
        room,
    ];
    let house = house(&rows);
    let item = |name: &str| house.item(name).unwrap();
    assert_eq!(item("X").caution, ENTRANCE);
    let cut = format!("{}…", "ä".repeat(119));
    assert_eq!((item("X").title(), item("Y").title()), (cut.as_str(), "ä".repeat(120).as_str()));
    assert_eq!(
        (item("Y").command_options[0].label.as_str(), house.locations()[0].title()),
        (cut.as_str(), cut.as_str())
    );
}
