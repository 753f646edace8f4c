//! Translates commands into calls of services of Home Assistant.
//!
//! In: the entity as it is, the part of it that is meant, the text of a command that was checked. Out: the call; none
//! where the entity has no such service, and then nothing is sent.
//! Pure: no I/O, no clock.

use serde_json::{Value, json};

use super::entity::{ALARM_MODES, COVER_SET_POSITION, HassEntity};
use super::states::kelvins;
use crate::house::state::rounded;
use crate::house::unit::converted;

/// One step brighter or darker, in percent.
const STEP: i32 = 10;

/// A call of a service.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ServiceCall {
    pub(super) domain: String,
    pub(super) service: String,
    /// With the entity it is for.
    pub(super) data: Value,
}

/// Returns the call that carries out `text` on `part` of `entity`.
pub(super) fn call(entity: &HassEntity, part: Option<&str>, text: &str) -> Option<ServiceCall> {
    let (service, mut data) = match part {
        None => own(entity, text)?,
        Some(part) => of_part(entity, part, text)?,
    };
    data["entity_id"] = json!(entity.entity_id);
    let domain = if entity.domain() == "group" { "homeassistant" } else { entity.domain() };
    Some(ServiceCall { domain: domain.to_owned(), service: service.to_owned(), data })
}

/// `text` with a number in the unit that `part` has, and no unit: services take bare numbers. Nothing where it can't be
/// converted. `degrees` is the unit of temperatures of the server.
pub(super) fn in_own_unit(
    entity: &HassEntity,
    part: Option<&str>,
    text: &str,
    degrees: &str,
) -> Option<String> {
    let face = entity.faces(degrees).into_iter().find(|face| face.part == part);
    match (face.and_then(|face| face.unit), text.split_once(' ')) {
        (Some(own), Some((value, unit))) => converted(value.parse().ok()?, unit, &own).map(rounded),
        _ => Some(text.to_owned()),
    }
}

type NamedService = Option<(&'static str, Value)>;

fn bare(service: &'static str) -> NamedService {
    Some((service, json!({})))
}

fn own(entity: &HassEntity, text: &str) -> NamedService {
    match (entity.domain(), text) {
        ("light", _) => light(text),
        ("fan", text) if !matches!(text, "ON" | "OFF") => {
            Some(("set_percentage", json!({"percentage": percent(text)?})))
        }
        ("cover", _) => cover(entity, text),
        ("lock", "ON") => bare("lock"),
        ("lock", "OFF") => bare("unlock"),
        ("valve", "ON") => bare("open_valve"),
        ("valve", "OFF") => bare("close_valve"),
        ("vacuum", "ON") => bare("start"),
        ("vacuum", "OFF") => bare("return_to_base"),
        ("lawn_mower", "ON") => bare("start_mowing"),
        ("lawn_mower", "OFF") => bare("dock"),
        ("alarm_control_panel", "OFF") => bare("alarm_disarm"),
        ("alarm_control_panel", "ON") => ALARM_MODES
            .iter()
            .find(|(_, _, bit)| entity.supports(*bit))
            .and_then(|(_, service, _)| bare(service)),
        ("media_player", "PLAY") => bare("media_play"),
        ("media_player", "PAUSE") => bare("media_pause"),
        ("media_player", "NEXT") => bare("media_next_track"),
        ("media_player", "PREVIOUS") => bare("media_previous_track"),
        ("number" | "input_number", text) => Some(("set_value", json!({"value": number(text)?}))),
        ("select" | "input_select", text) => Some(("select_option", json!({"option": text}))),
        ("text" | "input_text", text) => Some(("set_value", json!({"value": text}))),
        ("scene" | "script", "ON") => bare("turn_on"),
        ("switch" | "input_boolean" | "siren" | "remote" | "humidifier" | "fan" | "group", "ON") => {
            bare("turn_on")
        }
        ("switch" | "input_boolean" | "siren" | "remote" | "humidifier" | "fan" | "group", "OFF") => {
            bare("turn_off")
        }
        _ => None,
    }
}

fn of_part(entity: &HassEntity, part: &str, text: &str) -> NamedService {
    match (entity.domain(), part) {
        ("light", "color_temp") => {
            let (least, most) = kelvins(entity)?;
            let kelvin = most - percent(text)? / 100.0 * (most - least);
            Some(("turn_on", json!({"color_temp_kelvin": whole(kelvin)})))
        }
        ("climate" | "water_heater", "temperature") => {
            Some(("set_temperature", json!({"temperature": number(text)?})))
        }
        ("climate", "hvac_mode") => Some(("set_hvac_mode", json!({"hvac_mode": text}))),
        ("climate", "preset_mode") => Some(("set_preset_mode", json!({"preset_mode": text}))),
        ("water_heater", "operation_mode") => Some(("set_operation_mode", json!({"operation_mode": text}))),
        ("humidifier", "humidity") => Some(("set_humidity", json!({"humidity": number(text)?}))),
        ("media_player", "volume") => Some(("volume_set", json!({"volume_level": volume(text)?}))),
        ("media_player", "source") => Some(("select_source", json!({"source": text}))),
        ("climate" | "media_player", "power") => bare(if text == "ON" { "turn_on" } else { "turn_off" }),
        ("alarm_control_panel", "mode") if text == "disarmed" => bare("alarm_disarm"),
        ("alarm_control_panel", "mode") => {
            ALARM_MODES.iter().find(|(state, ..)| *state == text).and_then(|(_, service, _)| bare(service))
        }
        _ => None,
    }
}

fn light(text: &str) -> NamedService {
    match text {
        "ON" => bare("turn_on"),
        "OFF" => bare("turn_off"),
        "INCREASE" => Some(("turn_on", json!({"brightness_step_pct": STEP}))),
        "DECREASE" => Some(("turn_on", json!({"brightness_step_pct": -STEP}))),
        text => match text.split(',').map(number).collect::<Option<Vec<_>>>()?.as_slice() {
            [level] | [_, _, level] if *level <= 0.0 => bare("turn_off"),
            [level] => Some(("turn_on", json!({"brightness_pct": level}))),
            [hue, saturation, level] => {
                Some(("turn_on", json!({"hs_color": [hue, saturation], "brightness_pct": level})))
            }
            _ => None,
        },
    }
}

/// A cover without positions can be opened and closed, and no more.
fn cover(entity: &HassEntity, text: &str) -> NamedService {
    match text {
        "UP" => bare("open_cover"),
        "DOWN" => bare("close_cover"),
        "STOP" => bare("stop_cover"),
        text => match percent(text)? {
            closed if entity.supports(COVER_SET_POSITION) => {
                Some(("set_cover_position", json!({"position": whole(100.0 - closed)})))
            }
            0.0 => bare("open_cover"),
            100.0 => bare("close_cover"),
            _ => None,
        },
    }
}

fn number(text: &str) -> Option<f64> {
    let value = text.split_once(' ').map_or(text, |(value, _)| value);
    value.parse().ok().filter(|value: &f64| value.is_finite())
}

fn percent(text: &str) -> Option<f64> {
    match text {
        "ON" => Some(100.0),
        "OFF" => Some(0.0),
        text => number(text).filter(|value| (0.0..=100.0).contains(value)),
    }
}

fn volume(text: &str) -> Option<f64> {
    percent(text).map(|level| level.round() / 100.0)
}

#[expect(clippy::cast_possible_truncation, reason = "kelvins and percents are small")]
fn whole(value: f64) -> i64 {
    value.round() as i64
}
