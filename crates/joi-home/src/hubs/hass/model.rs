//! Builds the house from the registries of Home Assistant: floors and areas, devices, entities.
//!
//! Only entities that are exposed to assistants are in it. An entity that acts is an equipment of its own; what a device measures
//! beside it are its points. A device with several of either is an equipment that has them as parts.
//! Pure: no I/O, no clock.

use std::collections::{HashMap, HashSet};

use super::entity::{EntityFace, HassEntity};
use super::registry::{AreaRow, DeviceRow, EntityRow, FloorRow};
use super::states;
use crate::house::words;
use crate::house::{
    House, HouseRules, Item, ItemKind, ItemOption, ItemState, SemanticClass, Semantics, is_called_as_door,
};

/// The registries and states as read in one go.
#[derive(Debug, Default)]
pub(super) struct HassRead {
    /// The language of the server, as a two-letter code or a longer one.
    pub(super) language: String,
    /// The unit of temperatures: `°C`.
    pub(super) degrees: String,
    /// The states of all entities.
    pub(super) states: Vec<HassEntity>,
    /// The floors.
    pub(super) floors: Vec<FloorRow>,
    /// The areas.
    pub(super) areas: Vec<AreaRow>,
    /// The devices.
    pub(super) devices: Vec<DeviceRow>,
    /// The entries of entities in the registry.
    pub(super) entities: Vec<EntityRow>,
    /// The entities that are exposed to assistants.
    pub(super) exposed: HashSet<String>,
    /// Further names of entities.
    pub(super) aliases: HashMap<String, Vec<String>>,
}

/// Where an entity belongs.
#[derive(Debug, Clone, Default)]
struct EntityPlace {
    /// Item name of its area.
    area: Option<String>,
    /// Item name of the equipment it is a point or a part of.
    around: Option<String>,
}

/// Builds the house of what was read; entities that are not exposed to assistants are left out.
pub(super) fn house(read: &HassRead, rules: &HouseRules) -> House {
    let mut items = locations(read);
    let seen: Vec<&HassEntity> =
        read.states.iter().filter(|entity| read.exposed.contains(&entity.entity_id)).collect();
    let places = places(read, &seen, &mut items);
    for entity in &seen {
        let place = places.get(entity.entity_id.as_str()).cloned().unwrap_or_default();
        items.extend(of_entity(read, entity, &place));
    }
    items.extend(activities(read, &seen));
    House::new(items, words::vocabulary(), rules)
}

fn semantics(class: &str) -> Option<Semantics> {
    let class = SemanticClass::read(class)?;
    let (property, has_location, is_point_of, is_part_of) = (None, None, None, None);
    Some(Semantics { class, property, has_location, is_point_of, is_part_of })
}

fn group(name: String, label: &str, synonyms: &[String]) -> Item {
    let mut item = Item::named(name, ItemKind::Group { of: None, function: None });
    item.label = Some(label.to_owned());
    item.synonyms = synonyms.iter().filter(|name| !name.trim().is_empty()).cloned().collect();
    item.state = ItemState::read("NULL", &item.kind);
    item
}

fn locations(read: &HassRead) -> Vec<Item> {
    let mut items = Vec::new();
    for floor in &read.floors {
        let mut item = group(format!("floor.{}", floor.floor_id), &floor.name, &floor.aliases);
        let by_level = match floor.level {
            Some(0) => "Location_Indoor_Floor_GroundFloor",
            Some(1) => "Location_Indoor_Floor_FirstFloor",
            Some(2) => "Location_Indoor_Floor_SecondFloor",
            Some(level) if level < 0 => "Location_Indoor_Floor_Basement",
            _ => "Location_Indoor_Floor",
        };
        item.semantics = semantics(class_of_place(&floor.name, &floor.aliases).unwrap_or(by_level));
        items.push(item);
    }
    for area in &read.areas {
        let mut item = group(area_item(&area.area_id), &area.name, &area.aliases);
        let class = class_of_place(&area.name, &area.aliases).unwrap_or("Location_Indoor_Room");
        item.semantics = semantics(class).map(|semantics| Semantics {
            is_part_of: area.floor_id.as_ref().map(|id| format!("floor.{id}")),
            ..semantics
        });
        items.push(item);
    }
    items
}

fn class_of_place(name: &str, aliases: &[String]) -> Option<&'static str> {
    std::iter::once(name).chain(aliases.iter().map(String::as_str)).find_map(words::place)
}

fn area_item(id: &str) -> String {
    format!("area.{id}")
}

fn equipment_of(entity: &HassEntity) -> Option<&'static str> {
    let name = entity.text("friendly_name").into_iter().chain([entity.entity_id.as_str()]);
    // A cover of no class moves anything.
    let class = match (entity.domain(), entity.device_class()) {
        ("cover", "") if is_called_as_door(name.clone()) => "door",
        ("cover", "") if name.clone().any(words::is_called_as_window) => "window",
        (_, class) => class,
    };
    words::equipment(entity.domain(), class)
}

/// Where every entity belongs; devices that have several are added to `items`.
fn places<'a>(
    read: &HassRead,
    seen: &[&'a HassEntity],
    items: &mut Vec<Item>,
) -> HashMap<&'a str, EntityPlace> {
    let rows: HashMap<&str, &EntityRow> =
        read.entities.iter().map(|row| (row.entity_id.as_str(), row)).collect();
    let devices: HashMap<&str, &DeviceRow> = read.devices.iter().map(|row| (row.id.as_str(), row)).collect();
    let device_of = |entity: &HassEntity| {
        devices.get(rows.get(entity.entity_id.as_str())?.device_id.as_deref()?).copied()
    };
    let mut parts: HashMap<&str, Vec<&HassEntity>> = HashMap::new();
    for entity in seen {
        if let Some(device) = device_of(entity) {
            parts.entry(&device.id).or_default().push(entity);
        }
    }
    let mut around: HashMap<&str, String> = HashMap::new();
    for (id, entities) in &parts {
        let things: Vec<_> = entities.iter().filter(|entity| equipment_of(entity).is_some()).collect();
        let name = match (things.as_slice(), entities.len()) {
            (_, ..=1) => continue,
            ([only], _) => only.entity_id.clone(),
            _ => {
                let device = devices[id];
                let class = if things.is_empty() { "Equipment_Sensor" } else { "Equipment" };
                let mut item = group(format!("device.{id}"), device.name(), &[]);
                item.semantics = semantics(class).map(|semantics| Semantics {
                    has_location: device.area_id.as_deref().map(area_item),
                    ..semantics
                });
                items.push(item);
                format!("device.{id}")
            }
        };
        around.insert(id, name);
    }
    let place = |entity: &'a HassEntity| {
        let device = device_of(entity);
        let own = rows.get(entity.entity_id.as_str()).and_then(|row| row.area_id.as_deref());
        let area = own.or_else(|| device?.area_id.as_deref()).map(area_item);
        let around = device.and_then(|device| around.get(device.id.as_str()).cloned());
        let around = around.filter(|name| *name != entity.entity_id);
        (entity.entity_id.as_str(), EntityPlace { area, around })
    };
    seen.iter().map(|entity| place(entity)).collect()
}

fn of_entity(read: &HassRead, entity: &HassEntity, place: &EntityPlace) -> Vec<Item> {
    let faces = entity.faces(&read.degrees);
    let known: HashMap<_, _> = states::states(entity, &read.degrees).into_iter().collect();
    let name = entity.text("friendly_name").unwrap_or(&entity.entity_id).to_owned();
    let aliases = read.aliases.get(&entity.entity_id).cloned().unwrap_or_default();
    let class = equipment_of(entity);
    let whole = class.and_then(semantics).map(|semantics| Semantics {
        has_location: place.area.clone(),
        is_part_of: place.around.clone(),
        ..semantics
    });
    let mut items = Vec::new();
    let is_split = !faces.is_empty() && faces.iter().all(|face| face.part.is_some());
    if is_split {
        let mut item = group(entity.entity_id.clone(), &name, &aliases);
        item.semantics.clone_from(&whole);
        items.push(item);
    }
    for face in &faces {
        let mut item = described(face, entity);
        if face.part.is_none() {
            (item.label, item.synonyms) = (Some(name.clone()), aliases.clone());
            item.semantics = whole.clone().or_else(|| point(face, entity, place));
        } else {
            let here = EntityPlace { area: place.area.clone(), around: Some(entity.entity_id.clone()) };
            item.semantics = point(face, entity, &here);
            if face.point.0 == "Point_Measurement" || face.point.1 == Some("Property_SoundVolume") {
                let class = face.point.1.and_then(|path| path.rsplit('_').next()).unwrap_or_default();
                (item.label, item.synonyms) = words::class_names(class, &read.language);
                if class == "SoundVolume" {
                    // There are several players: "the volume of the music".
                    let of_player = |called: &String| format!("{name} {called}");
                    let more: Vec<_> = item.label.iter().chain(&item.synonyms).map(of_player).collect();
                    item.synonyms.extend(more);
                }
            }
        }
        let text = known.get(&item.name).map_or("NULL", String::as_str);
        item.state = ItemState::read(text, &item.kind);
        items.push(item);
    }
    items
}

fn described(face: &EntityFace, entity: &HassEntity) -> Item {
    let mut item = Item::named(face.item(&entity.entity_id), face.kind.clone());
    item.unit.clone_from(&face.unit);
    item.range = face.range;
    item.is_read_only = face.is_read_only;
    let option = |value: &String| ItemOption { value: value.clone(), label: value.replace('_', " ") };
    item.command_options = face.options.iter().map(option).collect();
    item.options.clone_from(&item.command_options);
    item
}

fn point(face: &EntityFace, entity: &HassEntity, place: &EntityPlace) -> Option<Semantics> {
    let property = face.point.1.or_else(|| words::property(entity.device_class()));
    semantics(face.point.0).map(|semantics| Semantics {
        property: property.and_then(SemanticClass::read),
        has_location: place.area.clone(),
        is_point_of: place.around.clone(),
        ..semantics
    })
}

/// One item for all scenes and one for all scripts: what was started last is its state.
fn activities(read: &HassRead, seen: &[&HassEntity]) -> Vec<Item> {
    let of = |domain: &'static str| {
        let all: Vec<_> = seen.iter().filter(|entity| entity.domain() == domain).collect();
        if all.is_empty() {
            return None;
        }
        let mut item = Item::named(domain, ItemKind::Text);
        (item.label, item.synonyms) = words::labels(domain, &read.language);
        item.category = Some(domain.to_owned());
        let option = |entity: &&&HassEntity| ItemOption {
            value: entity.entity_id.clone(),
            label: entity.text("friendly_name").unwrap_or(&entity.entity_id).to_owned(),
        };
        item.command_options = all.iter().map(option).collect();
        item.options.clone_from(&item.command_options);
        let last = all
            .iter()
            .filter_map(|entity| Some((states::activated(entity)?.1, entity)))
            .max_by_key(|(at, _)| *at);
        item.state = ItemState::read(last.map_or("NULL", |(_, entity)| &entity.entity_id), &item.kind);
        Some(item)
    };
    ["scene", "script"].into_iter().filter_map(of).collect()
}
