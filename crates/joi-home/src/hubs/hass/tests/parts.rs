//! Entities, their states, services, messages.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::client::{aliases, fit_version, read_events, seen_by_assistants};
use super::super::entity::{HassEntity, split};
use super::super::model::{HassRead, house};
use super::super::registry::rows;
use super::super::{services, states};
use crate::backend::ServerEvent;
use crate::house::words;
use crate::house::{HouseRules, SemanticClass};
use joi_base::testing::{damaged_json, damaged_text};

fn entity(id: &str, state: &str, attributes: Value) -> HassEntity {
    serde_json::from_value(json!({"entity_id": id, "state": state, "attributes": attributes})).unwrap()
}

fn states_of(id: &str, state: &str, attributes: Value) -> Vec<(String, String)> {
    states::states(&entity(id, state, attributes), "°C")
}

fn state_of(id: &str, state: &str, attributes: Value) -> String {
    states_of(id, state, attributes).remove(0).1
}

fn called(of: &HassEntity, part: Option<&str>, text: &str) -> Option<(String, Value)> {
    services::call(of, part, text).map(|mut call| {
        call.data.as_object_mut().unwrap().remove("entity_id");
        (format!("{}.{}", call.domain, call.service), call.data)
    })
}

fn call(service: &str, data: Value) -> Option<(String, Value)> {
    Some((service.to_owned(), data))
}

#[test]
fn lights_have_the_type_that_their_modes_allow() {
    let dims = json!({"supported_color_modes": ["brightness"], "brightness": 77});
    assert_eq!(state_of("light.a", "on", dims.clone()), "30");
    assert_eq!(
        state_of("light.a", "off", json!({"supported_color_modes": ["brightness"], "brightness": null})),
        "0"
    );
    assert_eq!(state_of("light.a", "on", json!({"supported_color_modes": ["onoff"]})), "ON");
    let white = json!({"supported_color_modes": ["color_temp"], "brightness": 255, "color_temp_kelvin": 2900,
        "min_color_temp_kelvin": 2000, "max_color_temp_kelvin": 6500});
    let both = states_of("light.a", "on", white);
    assert_eq!(both, [("light.a".into(), "100".into()), ("light.a.color_temp".into(), "80".into())]);
    let colour = json!({"supported_color_modes": ["hs"], "brightness": 128, "hs_color": [30.0, 60.5]});
    assert_eq!(state_of("light.a", "on", colour), "30,60.5,50");
    assert_eq!(state_of("light.a", "unavailable", dims.clone()), "UNDEF");
    assert_eq!(state_of("light.a", "unknown", dims), "NULL");
}

#[test]
fn a_shutter_is_open_at_0_here_and_at_100_there() {
    let open = json!({"current_position": 100, "supported_features": 15});
    assert_eq!(state_of("cover.a", "open", open.clone()), "0");
    assert_eq!(state_of("cover.a", "closed", json!({"supported_features": 11})), "100");
    let positioned = entity("cover.a", "open", open);
    assert_eq!(called(&positioned, None, "30"), call("cover.set_cover_position", json!({"position": 70})));
    let plain = entity("cover.a", "open", json!({"supported_features": 11}));
    assert_eq!(called(&plain, None, "100"), call("cover.close_cover", json!({})));
    assert_eq!(called(&plain, None, "30"), None);
    assert_eq!(called(&plain, None, "STOP"), call("cover.stop_cover", json!({})));
}

#[test]
fn what_is_under_way_is_not_done() {
    for (id, state, text) in [
        ("lock.a", "locked", "ON"),
        ("lock.a", "locking", "OFF"),
        ("lock.a", "unlocking", "ON"),
        ("lock.a", "unlocked", "OFF"),
        ("lock.a", "jammed", "UNDEF"),
        ("valve.a", "closed", "OFF"),
        ("valve.a", "closing", "ON"),
        ("alarm_control_panel.a", "disarmed", "OFF"),
        ("alarm_control_panel.a", "armed_home", "ON"),
        ("binary_sensor.a", "on", "ON"),
        ("sensor.a", "31 items", "31 items"),
    ] {
        assert_eq!(state_of(id, state, json!({})), text, "{id} {state}");
    }
    assert_eq!(state_of("binary_sensor.a", "on", json!({"device_class": "window"})), "OPEN");
    let power = json!({"device_class": "power", "unit_of_measurement": "W"});
    assert_eq!(state_of("sensor.a", "12.345", power.clone()), "12.35 W");
    assert_eq!(state_of("sensor.a", "nan", power), "NULL");
    let sunset = state_of("sensor.a", "2026-11-24T16:58:00+01:00", json!({"device_class": "timestamp"}));
    assert_eq!(sunset, "2026-11-24T15:58:00.000+0000");
}

#[test]
fn a_thermostat_is_a_setpoint_a_temperature_and_a_mode() {
    let attributes = json!({"hvac_modes": ["off", "heat"], "current_temperature": 21.4, "temperature": 22,
        "min_temp": 5, "max_temp": 30, "supported_features": 385});
    let thermostat = entity("climate.a", "heat", attributes);
    let expected = [
        ("climate.a.temperature", "22 °C"),
        ("climate.a.current_temperature", "21.4 °C"),
        ("climate.a.hvac_mode", "heat"),
        ("climate.a.power", "ON"),
    ];
    let told: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(states::states(&thermostat, "°C"), told);
    assert_eq!(
        called(&thermostat, Some("temperature"), "21.5"),
        call("climate.set_temperature", json!({"temperature": 21.5}))
    );
    assert_eq!(
        called(&thermostat, Some("hvac_mode"), "off"),
        call("climate.set_hvac_mode", json!({"hvac_mode": "off"}))
    );
    assert_eq!(called(&thermostat, Some("current_temperature"), "21"), None);
    assert_eq!(called(&thermostat, None, "ON"), None);
}

#[test]
fn commands_become_services() {
    let light =
        entity("light.a", "on", json!({"min_color_temp_kelvin": 2000, "max_color_temp_kelvin": 6000}));
    for (part, text, service, data) in [
        (None, "ON", "light.turn_on", json!({})),
        (None, "0", "light.turn_off", json!({})),
        (None, "30", "light.turn_on", json!({"brightness_pct": 30.0})),
        (None, "120,100,50", "light.turn_on", json!({"hs_color": [120.0, 100.0], "brightness_pct": 50.0})),
        (None, "DECREASE", "light.turn_on", json!({"brightness_step_pct": -10})),
        (Some("color_temp"), "100", "light.turn_on", json!({"color_temp_kelvin": 2000})),
    ] {
        assert_eq!(called(&light, part, text), call(service, data), "{text}");
    }
    for wrong in ["", "nan", "1,2", "x", "inf"] {
        assert_eq!(called(&light, None, wrong), None, "{wrong}");
    }
    let alarm = entity("alarm_control_panel.a", "disarmed", json!({"supported_features": 3}));
    assert_eq!(called(&alarm, None, "ON"), call("alarm_control_panel.alarm_arm_away", json!({})));
    assert_eq!(
        called(&alarm, Some("mode"), "armed_home"),
        call("alarm_control_panel.alarm_arm_home", json!({}))
    );
    let player = entity("media_player.a", "off", json!({}));
    assert_eq!(
        called(&player, Some("volume"), "35"),
        call("media_player.volume_set", json!({"volume_level": 0.35}))
    );
    let group = entity("group.a", "on", json!({}));
    assert_eq!(called(&group, None, "OFF"), call("homeassistant.turn_off", json!({})));
    assert_eq!(called(&entity("sensor.a", "1", json!({})), None, "ON"), None);
}

#[test]
fn a_number_goes_out_in_the_unit_of_the_server() {
    let thermostat = entity("climate.a", "heat", json!({"supported_features": 1}));
    let target = entity("number.a", "5", json!({"unit_of_measurement": "W"}));
    let mode = entity("select.a", "x", json!({"options": ["70 °F"]}));
    for (of, part, text, degrees, sent) in [
        (&thermostat, Some("temperature"), "70 °F", "°C", Some("21.11")),
        (&thermostat, Some("temperature"), "21.5 °C", "°C", Some("21.5")),
        (&thermostat, Some("temperature"), "20 °C", "°F", Some("68")),
        (&thermostat, Some("temperature"), "21.5", "°C", Some("21.5")),
        (&thermostat, Some("temperature"), "5 W", "°C", None),
        (&target, None, "5 W", "°C", Some("5")),
        (&target, None, "70 °F", "°C", None),
        (&mode, None, "70 °F", "°C", Some("70 °F")),
    ] {
        let own = services::in_own_unit(of, part, text, degrees);
        assert_eq!(own.as_deref(), sent, "{} {text} {degrees}", of.entity_id);
    }
}

#[test]
fn names_are_split_at_the_second_dot() {
    assert_eq!(split("climate.bath.hvac_mode"), ("climate.bath", Some("hvac_mode")));
    assert_eq!(split("light.hall"), ("light.hall", None));
    assert_eq!(split("scene"), ("scene", None));
}

#[test]
fn messages_that_can_t_be_read_are_no_state() {
    let changed = |new: Value| {
        let old = json!({"entity_id": "light.a", "state": "on", "attributes": {}});
        read_events(
            &json!({"type": "event", "event": {"event_type": "state_changed",
            "data": {"old_state": old, "new_state": new}}}),
            "°C",
        )
    };
    let light = |name: Value| json!({"entity_id": "light.a", "state": "off", "attributes": name});
    let off = ServerEvent::State { item: "light.a".into(), text: "OFF".into() };
    assert_eq!(changed(light(json!({}))), std::slice::from_ref(&off));
    assert_eq!(changed(light(json!({"friendly_name": "New"}))), [off, ServerEvent::Layout]);
    assert_eq!(changed(Value::Null), [ServerEvent::Layout]);
    assert_eq!(changed(json!({"entity_id": 5})), [ServerEvent::Layout]);
    assert_eq!(read_events(&json!({"type": "pong"}), "°C"), [ServerEvent::Alive]);
    for nothing in
        [json!(null), json!([]), json!({"type": "event"}), json!("x"), json!({"event": {"event_type": 4}})]
    {
        assert_eq!(read_events(&nothing, "°C"), [], "{nothing}");
    }
}

#[test]
fn versions_are_years_and_months() {
    for good in ["2023.5.0", "2026.11.1", "2026.12.0b3", "new"] {
        assert_eq!(fit_version(good), Ok(()), "{good}");
    }
    for old in ["2023.4.6", "2021.12.1", "0.118.5"] {
        assert!(fit_version(old).is_err(), "{old}");
    }
}

#[test]
fn areas_are_known_by_name_in_both_languages() {
    assert_eq!(words::place("Küche"), Some("Location_Indoor_Room_Kitchen"));
    assert_eq!(words::place("living room"), Some("Location_Indoor_Room_LivingRoom"));
    assert_eq!(words::place("Dragon's den"), None);
    assert_eq!(words::equipment("cover", "garage"), Some("Equipment_Door_GarageDoor"));
    assert!(SemanticClass::read(words::equipment("light", "").unwrap()).unwrap().is("LightSource"));
    assert_eq!(words::labels("scene", "de-CH").0.as_deref(), Some("Szene"));
    assert_eq!(words::labels("scene", "fr").0.as_deref(), Some("Scene"));
}

/// The registries of the double.
static TOLD: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../../../assets/home/demo_hass.json")).unwrap()
});

/// What assistants may see of it.
static EXPOSED: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_value(TOLD["exposed"].clone()).unwrap());

/// Some rows of one of its lists, damaged.
fn damaged_list(list: &'static str) -> impl Strategy<Value = Value> {
    let count = TOLD[list].as_array().unwrap().len();
    (0..count.saturating_sub(6).max(1)).prop_flat_map(move |at| {
        let rows = &TOLD[list].as_array().unwrap()[at..(at + 6).min(count)];
        damaged_json(&json!(rows))
    })
}

proptest! {
    #[test]
    fn foreign_bytes_never_break_the_reader_of_messages_of_home_assistant(
        text in damaged_text(
            r#"{"id":7,"type":"event","event":{"event_type":"state_changed","data":{"old_state":{"entity_id":"light.a","state":"off"},"new_state":{"entity_id":"light.a","state":"on","attributes":{"brightness":77,"supported_color_modes":["hs"],"hs_color":[30.0,60.5]}}}}}"#,
        ),
        state in (0..TOLD["states"].as_array().unwrap().len())
            .prop_flat_map(|at| damaged_json(&TOLD["states"][at])),
        command in "ON|OFF|UP|STOP|\\PC{0,12}|-?[0-9.,e]{0,9}",
        version in "[0-9.]{0,12}|\\PC{0,12}",
    ) {
        if let Ok(message) = serde_json::from_str::<Value>(&text) {
            let _ = read_events(&message, "°C");
        }
        let changed = json!({"type": "event", "event": {"event_type": "state_changed",
            "data": {"old_state": null, "new_state": state.clone()}}});
        prop_assert!(!read_events(&changed, "°C").is_empty(), "a change is never overlooked");
        if let Ok(entity) = serde_json::from_value::<HassEntity>(state) {
            for face in entity.faces("°C") {
                let item = face.item(&entity.entity_id);
                let called = services::call(&entity, split(&item).1, &command);
                prop_assert!(called.is_none_or(|call| call.data["entity_id"] == entity.entity_id));
            }
        }
        let _ = fit_version(&version);
    }

    #[test]
    fn foreign_bytes_never_break_the_reader_of_registries_of_home_assistant(
        floors in damaged_list("floors"),
        areas in damaged_list("areas"),
        devices in damaged_list("devices"),
        entities in damaged_list("entities"),
        told in damaged_list("states"),
        shown in proptest::sample::subsequence(EXPOSED.clone(), 0..EXPOSED.len()),
        exposed in damaged_json(&json!({ "exposed_entities": { "light.hall": { "conversation": true } } })),
    ) {
        let further = json!({ "light.hall": entities[0].clone(), "x": entities[1].clone() });
        let read = HassRead {
            language: "en".into(),
            degrees: "°C".into(),
            floors: rows(floors),
            areas: rows(areas),
            devices: rows(devices),
            entities: rows(entities),
            states: rows(told),
            aliases: aliases(further),
            exposed: seen_by_assistants(&exposed).into_iter().chain(shown).collect(),
        };
        let house = house(&read, &HouseRules::default());
        let ids = read.states.iter().map(|entity| entity.entity_id.as_str()).filter(|id| id.contains('.'));
        for hidden in ids.filter(|id| !read.exposed.contains(*id)) {
            prop_assert!(house.item(hidden).is_none(), "{} is not to be seen", hidden);
        }
    }
}

#[test]
fn a_cover_without_positions_takes_none_and_one_called_a_window_is_one() {
    use crate::house::ItemCommand::Percent;
    let cover = |id: &str, name: &str, features: u64| {
        entity(id, "open", json!({"friendly_name": name, "supported_features": features}))
    };
    let states = vec![cover("cover.a", "Küchenfenster", 3), cover("cover.b", "Living room", 15)];
    let exposed = states.iter().map(|entity| entity.entity_id.clone()).collect();
    let areas = rows(json!([{"area_id": "garden", "name": "Garden"}]));
    let read = HassRead { states, exposed, areas, language: "en".into(), ..HassRead::default() };
    let house = house(&read, &HouseRules::default());
    assert!(house.order("cover.a", &Percent(50.0)).is_err());
    assert!(house.order("cover.a", &Percent(0.0)).is_ok() && house.order("cover.a", &Percent(100.0)).is_ok());
    assert!(house.order("cover.b", &Percent(50.0)).is_ok());
    let is_window = |item: &str| house.equipment_named(item).unwrap().class.is("Window");
    assert!(is_window("cover.a") && !is_window("cover.b"));
    // What lies outdoors is outside.
    let garden = &house.location("area.garden").unwrap().class_names;
    assert!(garden.contains(&"Garten".to_owned()) && garden.contains(&"Außen".to_owned()), "{garden:?}");
}

#[test]
fn what_opens_a_door_is_asked_first_also_without_a_class_and_as_a_script() {
    use crate::house::{Caution, ItemCommand};
    let rows = [
        ("cover.garage_door", json!({}), "UP", true),
        ("cover.a", json!({"friendly_name": "Garagentor"}), "UP", true),
        ("cover.b", json!({"friendly_name": "Terrace door", "device_class": "shutter"}), "UP", false),
        ("cover.c", json!({"friendly_name": "Living room"}), "UP", false),
        ("switch.garage_door", json!({}), "ON", true),
        ("switch.shelly_1", json!({"friendly_name": "Haustür"}), "ON", true),
        ("input_boolean.garage", json!({"friendly_name": "Garage"}), "ON", true),
        ("switch.front_door_light", json!({}), "ON", false),
        ("light.garage_door", json!({"supported_color_modes": ["onoff"]}), "ON", false),
    ];
    let mut states: Vec<HassEntity> =
        rows.iter().map(|(id, attributes, ..)| entity(id, "off", attributes.clone())).collect();
    for (id, name) in
        [("script.a", "Unlock front door"), ("script.open_garage", "Car"), ("script.b", "Good night")]
    {
        states.push(entity(id, "off", json!({"friendly_name": name})));
    }
    let exposed = states.iter().map(|entity| entity.entity_id.clone()).collect();
    let read = HassRead { states, exposed, language: "en".into(), ..HassRead::default() };
    let house = house(&read, &HouseRules::default());
    let is_asked = |item: &str, command: &ItemCommand| {
        house.order(item, command).unwrap_or_else(|why| panic!("{item}: {why}")).caution != Caution::None
    };
    for (id, _, text, expected) in rows {
        let command = if text == "UP" { ItemCommand::Up } else { ItemCommand::On };
        assert_eq!(is_asked(id, &command), expected, "{id}");
    }
    for (script, expected) in [("script.a", true), ("script.open_garage", true), ("script.b", false)] {
        assert_eq!(is_asked("script", &ItemCommand::Text(script.into())), expected, "{script}");
    }
}

#[test]
fn what_no_assistant_is_shown_is_not_read_but_when_the_sun_sets() {
    let shown = json!({"exposed_entities": {
        "light.hall": {"conversation": true}, "light.secret": {"conversation": false}, "sun.sun": {},
    }});
    let mut seen: Vec<String> = seen_by_assistants(&shown).into_iter().collect();
    seen.sort();
    assert_eq!(seen, ["light.hall", "sensor.sun_next_rising", "sensor.sun_next_setting"]);
}
