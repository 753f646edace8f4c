//! The states of an entity's items, in the words of the house: `ON`, `45`, `21.5 °C`.
//! Pure: no I/O, no clock.

use jiff::Timestamp;
use serde_json::Value;

use super::entity::{EntityFace, HassEntity};
use crate::house::ItemKind;
use crate::house::state::rounded;

/// The items of an entity with their states.
pub(super) fn states(entity: &HassEntity, degrees: &str) -> Vec<(String, String)> {
    let mut found: Vec<_> =
        entity.faces(degrees).iter().map(|face| (face.item(&entity.entity_id), text(entity, face))).collect();
    if let Some((item, _)) = activated(entity) {
        found.push((item.to_owned(), entity.entity_id.clone()));
    }
    found
}

/// The item that stands for all scenes, or all scripts, and when this one of them was last started.
pub(super) fn activated(entity: &HassEntity) -> Option<(&'static str, Timestamp)> {
    match entity.domain() {
        "scene" => Some(("scene", entity.state.parse().ok()?)),
        "script" => Some(("script", entity.text("last_triggered")?.parse().ok()?)),
        _ => None,
    }
}

fn text(entity: &HassEntity, face: &EntityFace) -> String {
    match entity.state.as_str() {
        "unavailable" => return "UNDEF".to_owned(),
        "unknown" if face.part.is_none() => return "NULL".to_owned(),
        _ => {}
    }
    let read = match face.part {
        None => own(entity, face),
        Some(part) => of_part(entity, part, face),
    };
    read.unwrap_or_else(|| "NULL".to_owned())
}

fn on(is_on: bool) -> Option<String> {
    Some(if is_on { "ON" } else { "OFF" }.to_owned())
}

fn own(entity: &HassEntity, face: &EntityFace) -> Option<String> {
    let state = entity.state.as_str();
    match (entity.domain(), &face.kind) {
        ("light", ItemKind::Colour) => {
            let hs = entity.attributes.get("hs_color").and_then(Value::as_array);
            let part = |at: usize| hs.and_then(|hs| hs.get(at)).and_then(Value::as_f64).unwrap_or_default();
            Some(format!("{},{},{}", rounded(part(0)), rounded(part(1)), brightness(entity)))
        }
        ("light", ItemKind::Dimmer) => Some(brightness(entity)),
        ("fan", ItemKind::Dimmer) => match (state, entity.number("percentage")) {
            ("off", _) => Some("0".to_owned()),
            (_, percentage) => Some(rounded(percentage.unwrap_or(100.0))),
        },
        ("cover", _) => shutter(entity),
        ("media_player", _) => {
            Some(if matches!(state, "playing" | "buffering") { "PLAY" } else { "PAUSE" }.to_owned())
        }
        // A lock that is turning is not locked yet.
        ("lock", _) if state == "jammed" => Some("UNDEF".to_owned()),
        ("lock", _) => on(matches!(state, "locked" | "unlocking")),
        ("valve", _) => on(matches!(state, "open" | "opening" | "closing")),
        ("alarm_control_panel", _) => on(state != "disarmed"),
        ("vacuum", _) => on(state == "cleaning"),
        ("lawn_mower", _) => on(state == "mowing"),
        (_, ItemKind::Contact) => Some(if state == "on" { "OPEN" } else { "CLOSED" }.to_owned()),
        (_, ItemKind::Switch) => on(state == "on"),
        (_, ItemKind::Number { .. }) => with_unit(state.parse().ok()?, face),
        (_, ItemKind::DateTime) => {
            let moment: Timestamp = state.parse().ok()?;
            Some(moment.strftime("%Y-%m-%dT%H:%M:%S.000+0000").to_string())
        }
        _ => Some(state.to_owned()),
    }
}

fn of_part(entity: &HassEntity, part: &str, face: &EntityFace) -> Option<String> {
    match part {
        "color_temp" => {
            let (least, most) = kelvins(entity)?;
            let kelvin = entity.number("color_temp_kelvin")?;
            Some(rounded(((most - kelvin) / (most - least) * 100.0).round().clamp(0.0, 100.0)))
        }
        "volume" => Some(rounded((entity.number("volume_level")? * 100.0).round())),
        "power" => on(!matches!(entity.state.as_str(), "off" | "standby")),
        "mode" | "hvac_mode" => Some(entity.state.clone()),
        part if matches!(face.kind, ItemKind::Number { .. }) => with_unit(entity.number(part)?, face),
        part => entity.text(part).map(str::to_owned),
    }
}

/// The coldest and the warmest white that a light has: greatest and least kelvin.
pub(super) fn kelvins(entity: &HassEntity) -> Option<(f64, f64)> {
    let least = entity.number("min_color_temp_kelvin").unwrap_or(2000.0);
    let most = entity.number("max_color_temp_kelvin").unwrap_or(6500.0);
    (most > least).then_some((least, most))
}

fn with_unit(value: f64, face: &EntityFace) -> Option<String> {
    let value = value.is_finite().then(|| rounded(value))?;
    Some(face.unit.as_deref().map_or_else(|| value.clone(), |unit| format!("{value} {unit}")))
}

fn brightness(entity: &HassEntity) -> String {
    match (entity.state.as_str(), entity.number("brightness")) {
        ("on", Some(level)) => rounded((level / 255.0 * 100.0).round().max(1.0)),
        ("on", None) => "100".to_owned(),
        _ => "0".to_owned(),
    }
}

/// 0 is open here, and 100 there.
fn shutter(entity: &HassEntity) -> Option<String> {
    if let Some(position) = entity.number("current_position") {
        return Some(rounded(100.0 - position));
    }
    match entity.state.as_str() {
        "open" | "closing" => Some("0".to_owned()),
        "closed" | "opening" => Some("100".to_owned()),
        _ => None,
    }
}
