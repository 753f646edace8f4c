//! The model of the house against recorded answers of real servers and against small made-up houses.

mod names;
mod ordering;
mod recorded;
mod rules;

use proptest::strategy::Strategy as _;
use serde_json::{Value, json};

use super::*;

/// The recorded house of a server version, with its vocabulary in English and German.
pub(super) fn recorded(version: &str) -> House {
    recorded_with(version, &HouseRules::default())
}

fn recorded_with(version: &str, rules: &HouseRules) -> House {
    let (items, unread) = read::items(rows(version, "items_full"));
    assert_eq!(unread, []);
    let mut vocabulary = TagVocabulary::default();
    vocabulary.add(&rows(version, "tags"));
    vocabulary.add(&rows(version, "tags_de"));
    House::new(items, &vocabulary, rules)
}

fn rows(version: &str, name: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/data/openhab/{version}/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Eight of the recorded rows, damaged: of all of them most would stay whole, and take long.
fn damaged_rows(name: &str, at: usize) -> impl proptest::strategy::Strategy<Value = Value> + use<> {
    joi_base::testing::damaged_json(&Value::Array(rows("5.2.1", name)[at..at + 8].to_vec()))
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_never_break_the_reader_of_items(
        items in (0..rows("5.2.1", "items_full").len() - 8).prop_flat_map(|at| damaged_rows("items_full", at)),
        tags in (0..rows("5.2.1", "tags").len() - 8).prop_flat_map(|at| damaged_rows("tags", at)),
        state in "\\PC{0,30}|[0-9.,;:%° -]{0,20}",
    ) {
        let list = |value: Value| value.as_array().cloned().unwrap_or_default();
        let (all, rest) = (list(items.clone()).len(), list(items));
        let (items, unread) = read::items(rest);
        proptest::prop_assert_eq!(items.len() + unread.len(), all, "each is read or told");
        let mut vocabulary = TagVocabulary::default();
        vocabulary.add(&list(tags));
        let house = House::new(items, &vocabulary, &HouseRules::default());
        for item in house.readable() {
            let _ = ItemState::read(&state, &item.kind);
        }
    }
}

/// A house of rows as the server sends them, with nothing but name and type required.
fn house(rows: &[Value]) -> House {
    house_with(rows, &HouseRules::default())
}

fn house_with(rows: &[Value], rules: &HouseRules) -> House {
    let (items, unread) = read::items(rows.to_vec());
    assert_eq!(unread, []);
    House::new(items, &TagVocabulary::default(), rules)
}

fn row(kind: &str, name: &str, groups: &[&str]) -> Value {
    json!({"type": kind, "name": name, "groupNames": groups, "tags": [], "state": "NULL"})
}

fn with(mut row: Value, key: &str, value: Value) -> Value {
    row[key] = value;
    row
}

fn voice(row: Value, permission: &str) -> Value {
    with(row, "metadata", json!({"voiceSystem": {"value": "", "config": {"permission": permission}}}))
}
