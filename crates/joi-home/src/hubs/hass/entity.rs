//! One entity of Home Assistant as its API gives it, and which items it becomes.
//!
//! An entity is one item, or several: a thermostat has a setpoint, a temperature and a mode. Its items are called as the
//! entity is, those beside the first with one more part: `climate.bath.hvac_mode`.
//! Pure: no I/O, no clock.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::house::{ItemKind, ValueRange};

/// The state of an entity.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct HassEntity {
    pub(super) entity_id: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) attributes: Map<String, Value>,
}

/// One item of an entity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EntityFace {
    /// The last part of its name; none for the entity's own.
    pub(super) part: Option<&'static str>,
    pub(super) kind: ItemKind,
    /// Its class and property as a point.
    pub(super) point: (&'static str, Option<&'static str>),
    pub(super) range: ValueRange,
    /// The attribute that lists its options.
    pub(super) options: Vec<String>,
    pub(super) unit: Option<String>,
    pub(super) is_read_only: bool,
}

/// `climate.bath.hvac_mode` is the part `hvac_mode` of `climate.bath`.
pub(super) fn split(item: &str) -> (&str, Option<&str>) {
    let mut dots = item.match_indices('.').map(|(at, _)| at);
    match (dots.next(), dots.next()) {
        (Some(_), Some(second)) => (&item[..second], Some(&item[second + 1..])),
        _ => (item, None),
    }
}

fn face(part: Option<&'static str>, kind: ItemKind) -> EntityFace {
    let (range, unit) = (ValueRange::default(), None);
    let point = ("Point_Control", None);
    EntityFace { part, kind, point, range, options: Vec::new(), unit, is_read_only: false }
}

impl EntityFace {
    fn about(mut self, class: &'static str, property: Option<&'static str>) -> Self {
        self.point = (class, property);
        self
    }

    fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self
    }

    fn within(mut self, entity: &HassEntity, min: &str, max: &str, step: &str) -> Self {
        let number = |name: &str| entity.number(name);
        self.range = ValueRange { min: number(min), max: number(max), step: number(step) };
        self
    }

    fn with_options(mut self, options: Vec<String>) -> Self {
        self.options = options;
        self
    }

    fn in_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Returns the name of the item on the server.
    pub(super) fn item(&self, entity: &str) -> String {
        self.part.map_or_else(|| entity.to_owned(), |part| format!("{entity}.{part}"))
    }
}

impl HassEntity {
    pub(super) fn domain(&self) -> &str {
        self.entity_id.split('.').next().unwrap_or_default()
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(Value::as_str)
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.attributes.get(name).and_then(Value::as_f64)
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let values = self.attributes.get(name).and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    pub(super) fn device_class(&self) -> &str {
        self.text("device_class").unwrap_or_default()
    }

    /// Whether the bit is among its supported features.
    pub(super) fn supports(&self, bit: u64) -> bool {
        let features = self.attributes.get("supported_features").and_then(Value::as_u64);
        features.is_some_and(|features| features & bit != 0)
    }

    /// Its items; none for what has no place in the house. `degrees` is the unit of temperatures of this server.
    pub(super) fn faces(&self, degrees: &str) -> Vec<EntityFace> {
        match self.domain() {
            "light" => self.light(),
            "switch" | "input_boolean" | "siren" | "remote" | "vacuum" | "lawn_mower" | "valve" | "lock" => {
                vec![face(None, ItemKind::Switch)]
            }
            "group" if matches!(self.state.as_str(), "on" | "off") => vec![face(None, ItemKind::Switch)],
            "fan" if self.supports(FAN_SET_SPEED) => vec![face(None, ItemKind::Dimmer)],
            "fan" => vec![face(None, ItemKind::Switch)],
            "humidifier" => self.humidifier(),
            "cover" => {
                let range =
                    if self.supports(COVER_SET_POSITION) { ValueRange::default() } else { ValueRange::ENDS };
                vec![EntityFace { range, ..face(None, ItemKind::Rollershutter) }]
            }
            "alarm_control_panel" => {
                vec![face(None, ItemKind::Switch), self.options("mode", self.alarm_modes())]
            }
            "climate" | "water_heater" => self.climate(degrees),
            "media_player" => self.media_player(),
            "sensor" => vec![self.sensor()],
            "binary_sensor" => vec![self.binary_sensor()],
            "number" | "input_number" => vec![self.settable_number()],
            "select" | "input_select" => {
                vec![face(None, ItemKind::Text).with_options(self.list("options"))]
            }
            "text" | "input_text" => vec![face(None, ItemKind::Text)],
            "person" | "device_tracker" | "weather" => {
                vec![face(None, ItemKind::Text).about("Point_Status", None).read_only()]
            }
            _ => Vec::new(),
        }
    }

    fn options(&self, part: &'static str, options: Vec<String>) -> EntityFace {
        face(Some(part), ItemKind::Text).about("Point_Control", Some("Property_Mode")).with_options(options)
    }

    fn light(&self) -> Vec<EntityFace> {
        let modes = self.list("supported_color_modes");
        let has = |names: &[&str]| modes.iter().any(|mode| names.contains(&mode.as_str()));
        let kind = if has(&["hs", "rgb", "rgbw", "rgbww", "xy"]) {
            ItemKind::Colour
        } else if has(&["brightness", "color_temp", "white"]) {
            ItemKind::Dimmer
        } else {
            ItemKind::Switch
        };
        let mut faces = vec![face(None, kind).about("Point_Control", Some("Property_Light"))];
        if has(&["color_temp"]) {
            let warmth = face(Some("color_temp"), ItemKind::Dimmer);
            faces.push(warmth.about("Point_Control", Some("Property_ColorTemperature")));
        }
        faces
    }

    fn humidifier(&self) -> Vec<EntityFace> {
        let target = face(Some("humidity"), number_of("humidity"))
            .about("Point_Setpoint", Some("Property_Humidity"))
            .within(self, "min_humidity", "max_humidity", "target_humidity_step")
            .in_unit("%");
        vec![face(None, ItemKind::Switch), target]
    }

    fn alarm_modes(&self) -> Vec<String> {
        let mut modes = vec!["disarmed".to_owned()];
        let armed = ALARM_MODES.iter().filter(|(_, _, bit)| self.supports(*bit));
        modes.extend(armed.map(|(state, ..)| (*state).to_owned()));
        modes
    }

    fn climate(&self, degrees: &str) -> Vec<EntityFace> {
        let mut faces = Vec::new();
        if self.supports(CLIMATE_TARGET) {
            let target = face(Some("temperature"), number_of("temperature"));
            let target = target.about("Point_Setpoint", Some("Property_Temperature"));
            faces.push(target.within(self, "min_temp", "max_temp", "target_temp_step").in_unit(degrees));
        }
        let measured = |part, device_class, property| {
            face(Some(part), number_of(device_class)).about("Point_Measurement", Some(property)).read_only()
        };
        if self.attributes.contains_key("current_temperature") {
            let now = measured("current_temperature", "temperature", "Property_Temperature");
            faces.push(now.in_unit(degrees));
        }
        if self.attributes.contains_key("current_humidity") {
            let now = measured("current_humidity", "humidity", "Property_Humidity");
            faces.push(now.in_unit("%"));
        }
        for (part, list) in [
            ("hvac_mode", "hvac_modes"),
            ("preset_mode", "preset_modes"),
            ("operation_mode", "operation_list"),
        ] {
            let options = self.list(list);
            if !options.is_empty() {
                faces.push(self.options(part, options));
            }
        }
        if self.domain() == "climate" && self.supports(CLIMATE_ON | CLIMATE_OFF) {
            faces.push(
                face(Some("power"), ItemKind::Switch).about("Point_Control_Switch", Some("Property_Power")),
            );
        }
        faces
    }

    fn media_player(&self) -> Vec<EntityFace> {
        let mut faces = vec![face(None, ItemKind::Player)];
        if self.supports(MEDIA_VOLUME_SET) {
            let volume = face(Some("volume"), ItemKind::Dimmer);
            faces.push(volume.about("Point_Setpoint", Some("Property_SoundVolume")));
        }
        if self.supports(MEDIA_ON | MEDIA_OFF) {
            faces.push(
                face(Some("power"), ItemKind::Switch).about("Point_Control_Switch", Some("Property_Power")),
            );
        }
        let sources = self.list("source_list");
        if self.supports(MEDIA_SOURCE) && !sources.is_empty() {
            faces.push(
                face(Some("source"), ItemKind::Text)
                    .about("Point_Control", Some("Property_Channel"))
                    .with_options(sources),
            );
        }
        faces
    }

    fn sensor(&self) -> EntityFace {
        let unit = self.text("unit_of_measurement");
        let kind = match self.device_class() {
            "timestamp" => ItemKind::DateTime,
            class if unit.is_some() || self.attributes.contains_key("state_class") => {
                if unit.is_some() {
                    number_of(class)
                } else {
                    ItemKind::Number { dimension: None }
                }
            }
            _ => ItemKind::Text,
        };
        let measured = face(None, kind).about("Point_Measurement", None).read_only();
        match unit {
            Some(unit) => measured.in_unit(unit),
            None => measured,
        }
    }

    fn binary_sensor(&self) -> EntityFace {
        let opens = ["door", "garage_door", "window", "opening", "lock"].contains(&self.device_class());
        let kind = if opens { ItemKind::Contact } else { ItemKind::Switch };
        face(None, kind).about("Point_Status", None).read_only()
    }

    fn settable_number(&self) -> EntityFace {
        let number = face(None, number_of(self.device_class())).within(self, "min", "max", "step");
        match self.text("unit_of_measurement") {
            Some(unit) => number.in_unit(unit).about("Point_Setpoint", None),
            None => EntityFace { kind: ItemKind::Number { dimension: None }, ..number },
        }
    }
}

fn number_of(device_class: &str) -> ItemKind {
    let dimension = crate::house::words::dimension(device_class).unwrap_or("Dimensionless");
    ItemKind::Number { dimension: Some(dimension.to_owned()) }
}

const FAN_SET_SPEED: u64 = 1;
pub(super) const COVER_SET_POSITION: u64 = 4;
const CLIMATE_TARGET: u64 = 1;
const CLIMATE_OFF: u64 = 128;
const CLIMATE_ON: u64 = 256;
const MEDIA_VOLUME_SET: u64 = 4;
const MEDIA_ON: u64 = 128;
const MEDIA_OFF: u64 = 256;
const MEDIA_SOURCE: u64 = 2048;
/// States of an alarm, the service that leads to each, and the feature it needs.
pub(super) const ALARM_MODES: [(&str, &str, u64); 5] = [
    ("armed_away", "alarm_arm_away", 2),
    ("armed_home", "alarm_arm_home", 1),
    ("armed_night", "alarm_arm_night", 4),
    ("armed_vacation", "alarm_arm_vacation", 32),
    ("armed_custom_bypass", "alarm_arm_custom_bypass", 16),
];
