//! Houses for tests.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use serde_json::Value;

use crate::hass::client::aliases;
use crate::hass::model::{HassRead, house};
use crate::hass::registry::rows;
use crate::house::{House, HouseRules};

/// The house out of all that a server tells, as `assets/home/demo_hass.json` has it.
pub fn house_of(told: &Value) -> House {
    let list = |name: &str| told[name].clone();
    let entities = told["entities"].as_array().unwrap();
    let entries = entities.iter().map(|row| (row["entity_id"].as_str().unwrap().to_owned(), row.clone()));
    let read = HassRead {
        language: told["config"]["language"].as_str().unwrap().to_owned(),
        degrees: told["config"]["unit_system"]["temperature"].as_str().unwrap().to_owned(),
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
