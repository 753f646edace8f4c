//! Houses for tests.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use serde_json::Value;

use super::client::aliases;
use super::model::{HassRead, house};
use super::registry::rows;
use crate::house::{House, HouseRules};

/// Builds the house from everything that a Home Assistant sends, in the form of `assets/home/demo_hass.json`.
///
/// # Panics
/// A part is missing.
pub fn house_from_hass(sent: &Value) -> House {
    let list = |name: &str| sent[name].clone();
    let entities = sent["entities"].as_array().unwrap();
    let entries = entities.iter().map(|row| (row["entity_id"].as_str().unwrap().to_owned(), row.clone()));
    let read = HassRead {
        language: sent["config"]["language"].as_str().unwrap().to_owned(),
        degrees: sent["config"]["unit_system"]["temperature"].as_str().unwrap().to_owned(),
        floors: rows(list("floors")),
        areas: rows(list("areas")),
        devices: rows(list("devices")),
        entities: rows(list("entities")),
        states: rows(list("states")),
        aliases: aliases(Value::Object(entries.collect())),
        exposed: serde_json::from_value(list("exposed")).unwrap(),
    };
    house(&read, &HouseRules::default())
}
