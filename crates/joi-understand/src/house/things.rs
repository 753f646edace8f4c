//! The things of a house as somebody speaks of them: equipment with its points, items of their own, groups.
//!
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use super::lexicon::{HouseLexicon, ThingPhrase, mark_of};
use super::spoken;
use joi_home::house::{Equipment, House, Item, ItemKind, Permission, SemanticClass};
use joi_language::house::ThingKind;

/// A thing that can be spoken of.
#[derive(Debug)]
pub(super) struct Thing<'a> {
    /// The server's name of the equipment or item.
    pub(super) name: &'a str,
    /// The name that the user knows.
    pub(super) label: &'a str,
    pub(super) bags: Vec<BTreeSet<String>>,
    pub(super) kind: Option<ThingKind>,
    /// Item name of the innermost location.
    pub(super) location: Option<&'a str>,
    /// Its items that may be spoken of.
    pub(super) points: Vec<&'a Item>,
    pub(super) role: ThingRole,
}

/// The kind of entry; the former go first where names are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ThingRole {
    /// Equipment, or an item of no equipment.
    Whole,
    /// One value of an equipment: its target temperature.
    Point,
    Group,
}

/// A place, and the names it is known by.
#[derive(Debug)]
pub(super) struct HousePlace<'a> {
    /// Item name; none for a room that only names state of.
    pub(super) item: Option<&'a str>,
    pub(super) bags: Vec<BTreeSet<String>>,
    /// By its class: only where no own name fits.
    pub(super) class_bags: Vec<BTreeSet<String>>,
}

/// All things that may be spoken of, and all places.
pub(super) struct Things<'a> {
    pub(super) all: Vec<Thing<'a>>,
    pub(super) places: Vec<HousePlace<'a>>,
}

impl<'a> Things<'a> {
    pub(super) fn of(house: &'a House, lexicon: &mut HouseLexicon) -> Self {
        let readable = |item: &&Item| item.permission >= Permission::ReadOnly;
        for name in house.readable().flat_map(Item::names) {
            lexicon.learn(&spoken::words(name));
        }
        for location in house.locations() {
            location.names().for_each(|name| lexicon.learn(&spoken::words(name)));
        }
        let lexicon = &*lexicon;
        let mut all = Vec::new();
        for equipment in house.equipment() {
            let points: Vec<&Item> =
                equipment.points.iter().filter_map(|name| house.item(name)).filter(readable).collect();
            if !points.is_empty() {
                all.push(whole(equipment, points, lexicon));
            }
        }
        for item in house.readable() {
            let is_equipment = item.equipment.as_deref() == Some(item.name.as_str());
            let is_place = item.semantics.as_ref().is_some_and(|s| s.class.is_location());
            let is_bare = matches!(item.kind, ItemKind::Group { of: None, .. });
            if !is_equipment && !is_place && !is_bare && item.label.is_some() {
                all.push(single(item, lexicon));
            }
        }
        if house.has_semantics() {
            // A group that is called "lights" is all lights, and these are known.
            all.retain(|thing| thing.role != ThingRole::Group || thing.bags.iter().any(|bag| bag.len() > 1));
        }
        Self { all, places: places(house, lexicon) }
    }
}

fn bags<'n>(names: impl Iterator<Item = &'n str>, lexicon: &HouseLexicon) -> Vec<ThingPhrase> {
    names.map(|name| lexicon.name(&spoken::words(name))).filter(|phrase| !phrase.bag.is_empty()).collect()
}

fn whole<'a>(equipment: &'a Equipment, points: Vec<&'a Item>, lexicon: &HouseLexicon) -> Thing<'a> {
    let names = bags(equipment.names(), lexicon);
    let kind = kind_of_class(&equipment.class)
        .or_else(|| points.iter().any(|p| *p.kind.acts_as() == ItemKind::Player).then_some(ThingKind::Player))
        .or_else(|| last_kind(&names));
    Thing {
        name: &equipment.item,
        label: equipment.label.as_deref().unwrap_or(&equipment.item),
        bags: names.into_iter().map(|name| name.bag).collect(),
        kind,
        location: equipment.location.as_deref(),
        points,
        role: ThingRole::Whole,
    }
}

fn single<'a>(item: &'a Item, lexicon: &HouseLexicon) -> Thing<'a> {
    let names = bags(item.names(), lexicon);
    let is_group = matches!(item.kind, ItemKind::Group { .. });
    let is_part = is_group || item.equipment.is_some();
    let kind = if is_group { None } else { kind_of_item(item) };
    let kind = if is_part { kind } else { kind.or_else(|| last_kind(&names)) };
    let role = match (is_group, &item.equipment) {
        (true, _) => ThingRole::Group,
        (false, Some(_)) => ThingRole::Point,
        (false, None) => ThingRole::Whole,
    };
    Thing {
        name: &item.name,
        label: item.title(),
        bags: names.into_iter().map(|name| name.bag).collect(),
        kind,
        location: item.location.as_deref(),
        points: vec![item],
        role,
    }
}

fn last_kind(names: &[ThingPhrase]) -> Option<ThingKind> {
    names.iter().find_map(|name| name.kinds.last().copied())
}

/// Classes of equipment, and the kinds they are.
const CLASSES: &[(&str, ThingKind)] = &[
    ("LightSource", ThingKind::Light),
    ("WindowCovering", ThingKind::Blind),
    ("Thermostat", ThingKind::Heating),
    ("RadiatorControl", ThingKind::Heating),
    ("Door", ThingKind::Door),
    ("Window", ThingKind::Window),
    ("Lock", ThingKind::Lock),
    ("Valve", ThingKind::Valve),
    ("AlarmSystem", ThingKind::Alarm),
    ("AlarmDevice", ThingKind::Alarm),
    ("Fan", ThingKind::Fan),
    ("CleaningRobot", ThingKind::Vacuum),
    ("Television", ThingKind::Screen),
    ("MediaPlayer", ThingKind::Player),
];

fn kind_of_class(class: &SemanticClass) -> Option<ThingKind> {
    CLASSES.iter().find(|(name, _)| class.is(name)).map(|(_, kind)| *kind)
}

fn kind_of_item(item: &Item) -> Option<ThingKind> {
    let is_property = |name: &str| {
        item.semantics.as_ref().and_then(|s| s.property.as_ref()).is_some_and(|property| property.is(name))
    };
    let is_number = matches!(item.kind.acts_as(), ItemKind::Number { .. });
    if is_property("Presence") {
        return Some(ThingKind::Person);
    }
    if is_property("SoundVolume") || item.category.as_deref() == Some("soundvolume") {
        return Some(ThingKind::Volume);
    }
    if is_number && (is_property("Humidity") || item.category.as_deref() == Some("humidity")) {
        return Some(ThingKind::Humidity);
    }
    let is_temperature =
        matches!(item.kind.acts_as(), ItemKind::Number { dimension: Some(d) } if d == "Temperature");
    if is_temperature {
        let is_measured =
            item.is_read_only || item.semantics.as_ref().is_some_and(|s| s.class.is("Measurement"));
        let is_target = item.semantics.as_ref().is_some_and(|s| s.class.is("Setpoint"));
        return match (is_measured, is_target) {
            (true, _) => Some(ThingKind::Temperature),
            (false, true) => None,
            (false, false) => Some(ThingKind::Heating),
        };
    }
    if item.semantics.is_some() {
        return None;
    }
    if item.tags.iter().any(|tag| tag == "Lighting") {
        return Some(ThingKind::Light);
    }
    let by_type = match item.kind.acts_as() {
        ItemKind::Rollershutter => Some(ThingKind::Blind),
        ItemKind::Player => Some(ThingKind::Player),
        ItemKind::Colour => Some(ThingKind::Light),
        _ => None,
    };
    by_type.or_else(|| match item.category.as_deref()? {
        "light" | "lightbulb" => Some(ThingKind::Light),
        "blinds" | "rollershutter" => Some(ThingKind::Blind),
        "heating" | "radiator" => Some(ThingKind::Heating),
        "window" => Some(ThingKind::Window),
        "door" | "frontdoor" | "garagedoor" => Some(ThingKind::Door),
        "lock" => Some(ThingKind::Lock),
        "fan" => Some(ThingKind::Fan),
        "alarm" => Some(ThingKind::Alarm),
        // Its options are started as scenes are.
        "script" => Some(ThingKind::Scene),
        _ => None,
    })
}

fn places<'a>(house: &'a House, lexicon: &HouseLexicon) -> Vec<HousePlace<'a>> {
    let of = |names: Vec<ThingPhrase>| names.into_iter().map(|name| name.bag).collect::<Vec<_>>();
    let located = house.locations().iter().map(|location| HousePlace {
        item: Some(location.item.as_str()),
        bags: of(bags(location.names(), lexicon)),
        class_bags: of(bags(location.class_names.iter().map(String::as_str), lexicon)),
    });
    located.collect()
}

impl Thing<'_> {
    /// Returns whether it is the item `name`, or that belongs to it.
    pub(super) fn is_or_has(&self, name: &str) -> bool {
        self.name == name || self.points.iter().any(|item| item.name == name)
    }

    /// Returns whether it is of the kind; a lamp is a light that is called so.
    pub(super) fn is_of(&self, kind: ThingKind) -> bool {
        if self.role == ThingRole::Group {
            return false;
        }
        match kind {
            ThingKind::Lamp => {
                let is_called = self.bags.iter().any(|bag| bag.contains(&mark_of(ThingKind::Lamp)));
                self.kind == Some(ThingKind::Lamp) || (self.kind == Some(ThingKind::Light) && is_called)
            }
            ThingKind::Light => matches!(self.kind, Some(ThingKind::Light | ThingKind::Lamp)),
            kind => self.kind == Some(kind),
        }
    }
}
