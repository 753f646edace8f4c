//! What may be named in a house, as lists for sentence templates: things with their domains, areas, floors, scenes.
//!
//! In: a house, the words of the language. Out: the lists, made once for a house and a language. A domain and a device class
//! are what Home Assistant calls kinds of things. Pure: no I/O, no clock.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::deed;
use super::lexicon::HouseLexicon;
use super::things::{Thing, ThingRole, Things};
use joi_home::house::{House, Item, ItemKind, Location};
use joi_language::PhoneticMatcher;
use joi_language::house::{HouseWords, ThingKind};
use joi_templates::{ListValue, SlotLists};

/// Domains that an entity of Home Assistant bears in its name.
const DOMAINS: [&str; 19] = [
    "binary_sensor",
    "button",
    "climate",
    "cover",
    "fan",
    "humidifier",
    "input_boolean",
    "input_button",
    "lawn_mower",
    "light",
    "lock",
    "media_player",
    "scene",
    "script",
    "sensor",
    "siren",
    "switch",
    "vacuum",
    "valve",
];

/// The lists of the house that was asked for last.
#[derive(Debug, Default)]
pub struct TemplateNames(Mutex<Option<(u64, Arc<SlotLists>)>>);

impl TemplateNames {
    /// Returns the lists of `house` in the words of a language.
    pub fn of(
        &self,
        house: &House,
        words: &HouseWords,
        phonetic: PhoneticMatcher,
        code: &str,
    ) -> Arc<SlotLists> {
        let mark = mark(house, code);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, lists)) if *of == mark => Arc::clone(lists),
            _ => {
                let lists = Arc::new(lists(house, words, phonetic));
                *known = Some((mark, Arc::clone(&lists)));
                lists
            }
        }
    }
}

/// Returns what differs where the names of a house do.
fn mark(house: &House, code: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    code.hash(&mut hasher);
    for item in house.items() {
        (&item.name, &item.label, &item.synonyms, item.permission as u8).hash(&mut hasher);
    }
    hasher.finish()
}

fn lists(house: &House, words: &HouseWords, phonetic: PhoneticMatcher) -> SlotLists {
    let mut lexicon = HouseLexicon::new(words, phonetic);
    let things = Things::of(house, &mut lexicon);
    let named = things.all.iter().flat_map(|thing| {
        let names: Vec<&str> = match (house.equipment_named(thing.name), house.item(thing.name)) {
            (Some(equipment), _) if thing.role != ThingRole::Point => equipment.names().collect(),
            (_, Some(item)) => item.names().collect(),
            _ => Vec::new(),
        };
        let faces = faces(thing);
        let values = faces.into_iter().flat_map(move |(domain, _)| {
            let value = |name: &&str| ListValue::new(*name).value(thing.name).context("domain", domain);
            names.iter().map(value).collect::<Vec<_>>()
        });
        values.collect::<Vec<_>>()
    });
    let options = things.all.iter().filter(|thing| thing.is_of(ThingKind::Scene)).flat_map(options);
    let (floors, areas): (Vec<_>, Vec<_>) =
        house.locations().iter().partition(|place| place.class.is("Floor"));
    let places = |of: Vec<&Location>| -> Vec<ListValue> {
        let one = |place: &Location| {
            let named = place.names().chain(class_names(place, house, words));
            named.map(|name| ListValue::new(name).value(place.item.as_str())).collect::<Vec<_>>()
        };
        of.into_iter().flat_map(one).collect()
    };
    SlotLists::new()
        .with("name", named.chain(options))
        .with("area", places(areas))
        .with("floor", places(floors))
}

/// Returns what a place is called by its class, where no other is of it.
fn class_names<'a>(
    place: &'a Location,
    house: &'a House,
    words: &'a HouseWords,
) -> impl Iterator<Item = &'a str> {
    let class = place.class.name();
    let is_alone = house.locations().iter().filter(|other| other.class == place.class).count() == 1;
    let own = words.rooms.classes.get(class).into_iter().flatten();
    own.chain(&place.class_names).map(String::as_str).filter(move |_| is_alone && class != "Room")
}

/// Returns the scenes or scripts of a thing that starts them: its options.
fn options(thing: &Thing<'_>) -> Vec<ListValue> {
    let domain = if thing.name == "script" { "script" } else { "scene" };
    let all = thing.points.iter().flat_map(|item| item.command_options.iter().chain(&item.options));
    let value = |option: &joi_home::house::ItemOption| {
        ListValue::new(option.label.as_str())
            .value(thing.name)
            .metadata(option.value.as_str())
            .context("domain", domain)
    };
    all.map(value).collect()
}

/// Returns the domains that a thing is of, each with a device class or none.
pub(super) fn faces(thing: &Thing<'_>) -> Vec<(&'static str, &'static str)> {
    let (domain, _) = thing.name.split_once('.').unwrap_or_default();
    if let Some(own) = DOMAINS.iter().find(|own| **own == domain) {
        let class = class_of(thing);
        return vec![(own, class)];
    }
    let has = |kind: &ItemKind| thing.points.iter().any(|item| item.kind.acts_as() == kind);
    let moves = deed::shutter(thing).is_some();
    let mut faces = Vec::new();
    match thing.kind {
        Some(ThingKind::Light | ThingKind::Lamp) => faces.push(("light", "")),
        Some(ThingKind::Blind) => faces.push(("cover", class_of(thing))),
        Some(ThingKind::Door | ThingKind::Window) => {
            let class = class_of(thing);
            if moves || has(&ItemKind::Switch) && deed::lock(thing).is_none() {
                faces.push(("cover", class));
            }
            if has(&ItemKind::Contact) {
                faces.push(("binary_sensor", class));
            }
            if deed::lock(thing).is_some() {
                faces.push(("lock", ""));
            }
        }
        Some(ThingKind::Lock) => faces.push(("lock", "")),
        Some(ThingKind::Valve) => faces.push(("valve", "")),
        Some(ThingKind::Heating) => faces.push(("climate", "")),
        Some(ThingKind::Fan) => faces.push(("fan", "")),
        Some(ThingKind::Vacuum) => faces.push(("vacuum", "")),
        Some(ThingKind::Screen | ThingKind::Player) => faces.push(("media_player", "")),
        Some(ThingKind::Temperature) => faces.push(("sensor", "temperature")),
        Some(ThingKind::Humidity) => faces.push(("sensor", "humidity")),
        Some(ThingKind::Scene | ThingKind::Volume | ThingKind::Alarm | ThingKind::Person) => {}
        Some(ThingKind::Appliance) | None => faces.extend(by_points(thing)),
    }
    faces
}

fn class_of(thing: &Thing<'_>) -> &'static str {
    match thing.kind {
        Some(ThingKind::Blind) => "blind",
        Some(ThingKind::Door) => "door",
        Some(ThingKind::Window) => "window",
        Some(ThingKind::Temperature) => "temperature",
        Some(ThingKind::Humidity) => "humidity",
        _ => "",
    }
}

fn by_points(thing: &Thing<'_>) -> Option<(&'static str, &'static str)> {
    let is_number = |item: &&Item| matches!(item.kind.acts_as(), ItemKind::Number { .. });
    if deed::shutter(thing).is_some() {
        Some(("cover", ""))
    } else if deed::player(thing).is_some() {
        Some(("media_player", ""))
    } else if deed::switch(thing).is_some_and(|item| !item.is_read_only) {
        Some(("switch", ""))
    } else if thing.points.iter().any(|item| *item.kind.acts_as() == ItemKind::Contact) {
        Some(("binary_sensor", ""))
    } else if deed::setpoint(thing).is_some() {
        Some(("climate", ""))
    } else {
        thing.points.iter().copied().any(|item| is_number(&item)).then_some(("sensor", ""))
    }
}
