//! The entities of the other house to try: registries, states, and what a service makes of them.
//! Pure: no I/O, no clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde_json::{Map, Value, json};

const FURNITURE: &str = include_str!("../../../../assets/home/demo_hass.json");
const NOW: &str = "2026-11-24T12:00:00+00:00";

/// Everything the server has.
#[derive(Debug)]
pub(super) struct HassHouse {
    rest: Value,
    states: BTreeMap<String, Value>,
    exposed: BTreeSet<String>,
}

/// A change that a service makes: the new state, and attributes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HassChange {
    pub(super) entity: String,
    pub(super) state: Option<String>,
    pub(super) attributes: Value,
}

/// An event as subscribers get it.
pub(super) fn event(kind: &str, data: &Value) -> Value {
    json!({"event_type": kind, "data": data, "origin": "LOCAL", "time_fired": NOW})
}

impl HassHouse {
    pub(super) fn furnished() -> io::Result<Self> {
        let rest: Value = serde_json::from_str(FURNITURE)?;
        let list = |name: &str| rest[name].as_array().cloned().unwrap_or_default();
        let id = |row: &Value| row["entity_id"].as_str().unwrap_or_default().to_owned();
        let states = list("states").into_iter().map(|row| (id(&row), row)).collect();
        let exposed = list("exposed").iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Self { rest, states, exposed })
    }

    pub(super) fn state(&self, entity: &str) -> Option<&Value> {
        self.states.get(entity)
    }

    /// The answer to a command without parameters that lists something; none for another command.
    pub(super) fn list(&self, command: &str) -> Option<Value> {
        Some(match command {
            "get_states" => self.states.values().cloned().collect(),
            "config/floor_registry/list" => self.rest["floors"].clone(),
            "config/area_registry/list" => self.rest["areas"].clone(),
            "config/device_registry/list" => self.rest["devices"].clone(),
            "config/entity_registry/list" => {
                let rows = self.rest["entities"].as_array().cloned().unwrap_or_default();
                // The list has no further names; `get_entries` has them.
                rows.into_iter()
                    .map(|mut row| {
                        row.as_object_mut().map(|row| row.remove("aliases"));
                        row
                    })
                    .collect()
            }
            "homeassistant/expose_entity/list" => {
                let all = self.states.keys().map(|id| {
                    let assistants = json!({"conversation": self.exposed.contains(id)});
                    (id.clone(), assistants)
                });
                json!({"exposed_entities": all.collect::<Map<_, _>>()})
            }
            _ => return None,
        })
    }

    pub(super) fn entries(&self, ids: &[&str]) -> Value {
        let rows = self.rest["entities"].as_array().into_iter().flatten();
        let found = rows.filter_map(|row| {
            let id = row["entity_id"].as_str()?;
            ids.contains(&id).then(|| (id.to_owned(), row.clone()))
        });
        Value::Object(found.collect())
    }

    pub(super) fn config(&self, version: &str, state: &str) -> Value {
        let mut config = self.rest["config"].clone();
        (config["version"], config["state"]) = (json!(version), json!(state));
        config
    }

    pub(super) fn expose(&mut self, entity: &str, is_exposed: bool) -> Value {
        if is_exposed {
            self.exposed.insert(entity.to_owned());
        } else {
            self.exposed.remove(entity);
        }
        event("entity_registry_updated", &json!({"action": "update", "entity_id": entity}))
    }

    /// Sets a state and attributes. Out: the event; none for an entity that is not there.
    pub(super) fn set(&mut self, entity: &str, state: Option<&str>, attributes: &Value) -> Option<Value> {
        let row = self.states.get_mut(entity)?;
        let old = row.clone();
        if let Some(state) = state {
            row["state"] = json!(state);
        }
        for (name, value) in attributes.as_object().into_iter().flatten() {
            row["attributes"][name] = value.clone();
        }
        row["last_updated"] = json!(NOW);
        Some(event("state_changed", &json!({"entity_id": entity, "old_state": old, "new_state": row})))
    }

    /// What a service does. An error is its status: 400 for what it does not take, 404 for no such service.
    pub(super) fn service(&self, domain: &str, service: &str, data: &Value) -> Result<HassChange, u16> {
        let entity = data["entity_id"].as_str().ok_or(400_u16)?;
        let row = self.states.get(entity).ok_or(400_u16)?;
        let is_own = entity.split('.').next() == Some(domain) || domain == "homeassistant";
        if !is_own {
            return Err(400);
        }
        let (state, attributes) = self.changed(domain, service, data, row)?;
        Ok(HassChange { entity: entity.to_owned(), state: state.map(str::to_owned), attributes })
    }

    fn changed<'a>(
        &self,
        domain: &str,
        service: &'a str,
        data: &'a Value,
        row: &Value,
    ) -> Result<(Option<&'a str>, Value), u16> {
        let to = |state: &'static str| Ok((Some(state), json!({})));
        let number = |key: &str| data[key].as_f64().ok_or(400_u16);
        let text = |key: &str| data[key].as_str().ok_or(400_u16);
        match (domain, service) {
            ("light", "turn_on") => Ok((Some("on"), lit(data, row)?)),
            ("light" | "fan", "turn_off") => Ok((Some("off"), json!({"brightness": null, "percentage": 0}))),
            ("scene", "turn_on") => Ok((Some(NOW), json!({}))),
            ("script", "turn_on") => Ok((None, json!({"last_triggered": NOW}))),
            ("media_player" | "climate", "turn_on") => to(if domain == "climate" { "heat" } else { "idle" }),
            (_, "turn_on") => to("on"),
            (_, "turn_off") => to("off"),
            ("fan", "set_percentage") => Ok((Some("on"), json!({"percentage": number("percentage")?}))),
            ("cover", "open_cover") => Ok((Some("open"), position(row, 100))),
            ("cover", "close_cover") => Ok((Some("closed"), position(row, 0))),
            ("cover", "stop_cover") => Ok((None, json!({}))),
            ("cover", "set_cover_position") => {
                let position = number("position")?;
                Ok((
                    Some(if position > 0.0 { "open" } else { "closed" }),
                    json!({"current_position": position}),
                ))
            }
            ("lock", "lock") => to("locked"),
            ("lock", "unlock") => to("unlocked"),
            ("valve", "open_valve") => to("open"),
            ("valve", "close_valve") => to("closed"),
            ("alarm_control_panel", "alarm_disarm") => to("disarmed"),
            ("alarm_control_panel", "alarm_arm_away") => to("armed_away"),
            ("alarm_control_panel", "alarm_arm_home") => to("armed_home"),
            ("alarm_control_panel", "alarm_arm_night") => to("armed_night"),
            ("climate", "set_temperature") => Ok((None, json!({"temperature": number("temperature")?}))),
            ("climate", "set_hvac_mode") => Ok((Some(text("hvac_mode")?), json!({}))),
            ("media_player", "media_play") => to("playing"),
            ("media_player", "media_pause") => to("paused"),
            ("media_player", "media_next_track" | "media_previous_track") => Ok((None, json!({}))),
            ("media_player", "volume_set") => Ok((None, json!({"volume_level": number("volume_level")?}))),
            ("media_player", "select_source") => Ok((None, json!({"source": text("source")?}))),
            ("input_select", "select_option") => Ok((Some(text("option")?), json!({}))),
            _ => Err(404),
        }
    }
}

fn position(row: &Value, position: u32) -> Value {
    match row["attributes"].get("current_position") {
        Some(_) => json!({"current_position": position}),
        None => json!({}),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a brightness is below 256")]
fn lit(data: &Value, row: &Value) -> Result<Value, u16> {
    let known = ["entity_id", "brightness_pct", "brightness_step_pct", "hs_color", "color_temp_kelvin"];
    if data.as_object().into_iter().flatten().any(|(key, _)| !known.contains(&key.as_str())) {
        return Err(400);
    }
    let before = row["attributes"]["brightness"].as_f64().unwrap_or(255.0);
    let level = match (data["brightness_pct"].as_f64(), data["brightness_step_pct"].as_f64()) {
        (Some(percent), _) => percent * 2.55,
        (_, Some(step)) => (before + step * 2.55).clamp(1.0, 255.0),
        _ => before,
    };
    let mut lit = json!({});
    if row["attributes"].get("brightness").is_some() {
        lit["brightness"] = json!(level.round() as u64);
    }
    for name in ["hs_color", "color_temp_kelvin"] {
        if let Some(value) = data.get(name) {
            lit[name] = value.clone();
        }
    }
    Ok(lit)
}
