//! Classes of the semantic model, of equipment (`Lightbulb`) and of points (`Temperature`).
//!
//! Servers before 5.0 have flatter paths (`Equipment_Lightbulb`); here every path is as in 5.x
//! (`Equipment_LightSource_Lightbulb`), so that one question fits both.
//! Pure: no I/O, no clock.

/// A class with its ancestors, from the root: `["Equipment", "LightSource", "Lightbulb"]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SemanticClass(Vec<String>);

/// An item's place in the semantic model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Semantics {
    /// Its class: a location, an equipment or a point.
    pub class: SemanticClass,
    /// The property of a point: `Property_Temperature`.
    pub property: Option<SemanticClass>,
    /// Item name of the location that has it directly.
    pub has_location: Option<String>,
    /// Item name of the equipment a point belongs to.
    pub is_point_of: Option<String>,
    /// Item name of the location or equipment that contains it.
    pub is_part_of: Option<String>,
}

/// Paths of servers before 5.0 that are others since; the rest is the same.
const RENAMED: &[(&str, &str)] = &[
    ("Equipment_Battery", "Equipment_PowerSupply_Battery"),
    ("Equipment_Blinds", "Equipment_WindowCovering_Blinds"),
    ("Equipment_Boiler", "Equipment_HVAC_Boiler"),
    ("Equipment_Car", "Equipment_Vehicle_Car"),
    ("Equipment_Fan", "Equipment_HVAC_Fan"),
    ("Equipment_Fan_CeilingFan", "Equipment_HVAC_Fan_CeilingFan"),
    ("Equipment_Fan_KitchenHood", "Equipment_HVAC_Fan_KitchenHood"),
    ("Equipment_Inverter", "Equipment_PowerSupply_Inverter"),
    ("Equipment_LawnMower", "Equipment_Horticulture_LawnMower"),
    ("Equipment_Lightbulb", "Equipment_LightSource_Lightbulb"),
    ("Equipment_Lightbulb_LightStripe", "Equipment_LightSource_LightStripe"),
    ("Equipment_Projector", "Equipment_AudioVisual_Display_Projector"),
    ("Equipment_RadiatorControl", "Equipment_HVAC_RadiatorControl"),
    ("Equipment_Receiver", "Equipment_AudioVisual_Receiver"),
    ("Equipment_Screen", "Equipment_AudioVisual_Screen"),
    ("Equipment_Screen_Television", "Equipment_AudioVisual_Display_Television"),
    ("Equipment_Sensor_MotionDetector", "Equipment_Sensor_OccupancySensor_MotionDetector"),
    ("Equipment_Sensor_SmokeDetector", "Equipment_Sensor_FireDetector_SmokeDetector"),
    ("Equipment_Speaker", "Equipment_AudioVisual_Speaker"),
    ("Equipment_WallSwitch", "Equipment_ControlDevice_WallSwitch"),
    ("Property_CO", "Property_AirQuality_CO"),
    ("Property_CO2", "Property_AirQuality_CO2"),
    ("Property_Rain", "Property_Precipitation_Rain"),
];

/// Points of servers before 5.0 that are a status with a property since.
const PROPERTY_OF_STATUS: &[(&str, &str)] = &[
    ("Point_Status_LowBattery", "Property_LowBattery"),
    ("Point_Status_OpenLevel", "Property_Opening_OpenLevel"),
    ("Point_Status_OpenState", "Property_Opening_OpenState"),
    ("Point_Status_Tampered", "Property_Tampered"),
    ("Point_Status_Tilt", "Property_Tilt"),
];

impl SemanticClass {
    /// Reads a path as the server writes it; none when it is empty.
    pub fn read(path: &str) -> Option<Self> {
        let path = RENAMED.iter().find(|(old, _)| *old == path).map_or(path, |(_, new)| new);
        let parts: Vec<_> = path.split('_').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        (!parts.is_empty()).then_some(Self(parts))
    }

    /// Whether this is the class or below it: a `Lightbulb` is a `LightSource` and an `Equipment`.
    pub fn is(&self, name: &str) -> bool {
        self.0.iter().any(|part| part == name)
    }

    /// The class itself: the last part of the path.
    pub fn name(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// The path from the root.
    pub fn path(&self) -> &[String] {
        &self.0
    }

    /// Whether it is a place.
    pub fn is_location(&self) -> bool {
        self.0[0] == "Location"
    }

    /// Whether it is a thing.
    pub fn is_equipment(&self) -> bool {
        self.0[0] == "Equipment"
    }

    /// Whether it is one value of a thing or place.
    pub fn is_point(&self) -> bool {
        self.0[0] == "Point"
    }
}

impl Semantics {
    /// Of the value and configuration of the metadata namespace `semantics`.
    pub(super) fn read(value: &str, config: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let moved = PROPERTY_OF_STATUS.iter().find(|(old, _)| *old == value);
        let class = SemanticClass::read(moved.map_or(value, |_| "Point_Status"))?;
        let property = config("relatesTo").or_else(|| moved.map(|(_, property)| (*property).to_owned()));
        Some(Self {
            class,
            property: property.and_then(|path| SemanticClass::read(&path)),
            has_location: config("hasLocation"),
            is_point_of: config("isPointOf"),
            is_part_of: config("isPartOf"),
        })
    }
}
