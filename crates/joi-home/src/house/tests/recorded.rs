//! The item lists of both recorded servers.

use super::*;

const VERSIONS: [&str; 2] = ["4.3.11", "5.2.1"];

fn names<'a>(items: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<_> = items.into_iter().collect();
    names.sort_unstable();
    names
}

#[test]
fn both_versions_read_to_one_house() {
    let [old, new] = VERSIONS.map(recorded);
    assert_eq!(old.items().len(), 32);
    for (old, new) in old.items().zip(new.items()) {
        // The state of the average was computed at another moment.
        assert_eq!(old.name, new.name);
        assert!(old.is_described_as(new), "{old:#?}\n{new:#?}");
    }
    let parts = |house: &House| -> Vec<_> {
        house.equipment().iter().map(|e| (e.item.clone(), e.class.clone(), e.points.clone())).collect()
    };
    assert_eq!(parts(&old), parts(&new));
}

#[test]
fn rooms_climb_to_the_house() {
    for house in VERSIONS.map(recorded) {
        let chain = |item: &str| -> Vec<String> {
            house.locations_of(house.item(item).unwrap()).map(|l| l.item.clone()).collect()
        };
        assert_eq!(chain("Living_Lamp_Dimmer"), ["Living", "GroundFloor", "House"]);
        assert_eq!(chain("Kitchen_Light"), ["Kitchen", "GroundFloor", "House"]);
        assert_eq!(chain("Living"), ["GroundFloor", "House"]);
        assert_eq!(chain("House"), Vec::<String>::new());
        assert_eq!(chain("Doorbell_Picture"), ["Outside"]);
        assert_eq!(chain("Plain_Counter"), Vec::<String>::new());
        assert!(house.is_within(house.item("Bath_Temp").unwrap(), "GroundFloor"));
        assert!(!house.is_within(house.item("Bath_Temp").unwrap(), "Living"));
        let order: Vec<_> = house.locations().iter().map(|l| l.item.as_str()).collect();
        let place = |name| order.iter().position(|n| *n == name).unwrap();
        assert!(place("House") < place("GroundFloor") && place("GroundFloor") < place("Bath"), "{order:?}");
    }
}

#[test]
fn equipment_has_its_points() {
    for house in VERSIONS.map(recorded) {
        let lamp = house.equipment_named("Living_Lamp").unwrap();
        assert_eq!(lamp.points, ["Living_Lamp_Color", "Living_Lamp_Dimmer"]);
        assert_eq!(names(lamp.names()), ["Ecklicht", "Leselampe", "Stehlampe"]);
        assert_eq!(lamp.location.as_deref(), Some("Living"));
        assert!(lamp.class.is("LightSource") && lamp.class.name() == "Lightbulb");
        assert_eq!(house.equipment_named("Kitchen_Light").unwrap().points, ["Kitchen_Light"]);
        let thermostat = house.equipment_named("Living_Thermostat").unwrap();
        assert_eq!(thermostat.points, ["Living_Humidity", "Living_Mode", "Living_Setpoint", "Living_Temp"]);
    }
}

#[test]
fn rooms_have_the_words_of_the_vocabulary() {
    for house in VERSIONS.map(recorded) {
        let kitchen = house.location("Kitchen").unwrap();
        assert_eq!(kitchen.label.as_deref(), Some("Küche"));
        for word in ["Kitchen", "Kitchens", "Küche"] {
            assert!(kitchen.class_names.iter().any(|name| name == word), "{:?}", kitchen.class_names);
        }
    }
}

#[test]
fn states_have_values() {
    for house in VERSIONS.map(recorded) {
        let value = |name: &str| house.item(name).unwrap().state.value.clone();
        assert_eq!(value("Kitchen_Light"), StateValue::OnOff(true));
        assert_eq!(value("Kitchen_Window"), StateValue::OpenClosed(true));
        assert_eq!(value("Living_Blind"), StateValue::Percent(30.0));
        assert_eq!(value("Plain_Counter"), StateValue::Null);
        assert_eq!(value("Living"), StateValue::Null);
        assert_eq!(value("gLights"), StateValue::OnOff(true));
        assert_eq!(value("Living_Temp"), StateValue::Number { value: 21.4, unit: Some("°C".into()) });
        assert_eq!(
            value("Living_Lamp_Color"),
            StateValue::Colour { hue: 120.0, saturation: 100.0, brightness: 50.0 }
        );
        let sunrise = "2026-11-21T06:31:00Z".parse().unwrap();
        assert_eq!(value("Sunrise"), StateValue::Moment(sunrise));
        assert_eq!(value("Home_Location"), StateValue::Position { latitude: 52.52, longitude: 13.405 });
    }
}

#[test]
fn a_picture_is_not_kept() {
    for house in VERSIONS.map(recorded) {
        let picture = &house.item("Doorbell_Picture").unwrap().state;
        assert_eq!((picture.text.as_str(), &picture.value), ("", &StateValue::Picture));
    }
}

#[test]
fn states_are_shown_as_their_owner_formats_them() {
    for house in VERSIONS.map(recorded) {
        let shown = |name: &str| house.item(name).unwrap().shown_state();
        assert_eq!(shown("Living_Setpoint"), "21.0 °C");
        assert_eq!(shown("Bath_Temp"), "23 °C");
        assert_eq!(shown("Living_Mode"), "Automatik");
        assert_eq!(shown("Kitchen_Smoke"), "OK");
        assert_eq!(shown("Living_Blind"), "30");
        assert_eq!(shown("Plain_Counter"), "NULL");
    }
}

#[test]
fn labels_have_no_format() {
    for house in VERSIONS.map(recorded) {
        assert_eq!(house.item("Living_Temp").unwrap().label.as_deref(), Some("Temperatur"));
        assert_eq!(house.item("Sunrise").unwrap().label.as_deref(), Some("Sonnenaufgang"));
        assert_eq!(house.item("Plain_Counter").unwrap().label, None);
    }
}

#[test]
fn permissions_are_read_in_both_spellings() {
    for house in VERSIONS.map(recorded) {
        assert_eq!(house.item("Front_Door").unwrap().permission, Permission::ReadOnly);
        assert_eq!(house.item("Last_Call").unwrap().permission, Permission::NoAccess);
        assert_eq!(house.item("Kitchen_Light").unwrap().permission, Permission::ReadWrite);
        assert!(house.readable().all(|item| item.name != "Last_Call"));
    }
}
