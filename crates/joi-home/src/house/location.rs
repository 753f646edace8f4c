//! Rooms and equipment, worked out of the items of the semantic model.
//!
//! The server states only the direct relations; an item's room is found by climbing: its location, else that of the
//! equipment it is a point of, else the nearest group that is a location. Cycles of groups end.
//! Pure: no I/O, no clock.

use std::collections::{BTreeMap, HashSet};

use super::item::{Item, ItemKind};
use super::read::TagVocabulary;
use super::semantics::SemanticClass;

/// A building, floor, room or garden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Name of the group item.
    pub item: String,
    /// Its label without a format.
    pub label: Option<String>,
    /// Further names its owner gave it.
    pub synonyms: Vec<String>,
    /// The names of its class in the languages that were read: "Kitchen", "Kitchens", "Küche". Several locations may
    /// share them; the owner's own names go first.
    pub class_names: Vec<String>,
    /// `Location_Indoor_Room_Kitchen`, `Location_Indoor_Floor_GroundFloor`.
    pub class: SemanticClass,
    /// Item name of the location around it.
    pub parent: Option<String>,
}

/// A thing with points: a lamp, a thermostat, a door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equipment {
    /// Name of its item: a group, or the only item it has.
    pub item: String,
    /// Its label without a format.
    pub label: Option<String>,
    /// Further names its owner gave it.
    pub synonyms: Vec<String>,
    /// The names of its class: "Lightbulb", "Leuchtmittel".
    pub class_names: Vec<String>,
    /// `Equipment_LightSource_Lightbulb`.
    pub class: SemanticClass,
    /// Item name of the innermost location it lies in.
    pub location: Option<String>,
    /// Item name of the equipment it is a part of.
    pub parent: Option<String>,
    /// Names of its items that have a value or take commands; itself when it is a single item.
    pub points: Vec<String>,
}

impl Location {
    /// Returns its owner's names for it, the label first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.label.iter().chain(&self.synonyms).map(String::as_str)
    }

    /// Returns its name for tables.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.item)
    }
}

impl Equipment {
    /// Returns its owner's names for it, the label first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.label.iter().chain(&self.synonyms).map(String::as_str)
    }
}

fn is_location(item: &Item) -> bool {
    item.semantics.as_ref().is_some_and(|semantics| semantics.class.is_location())
}

fn is_equipment(item: &Item) -> bool {
    item.semantics.as_ref().is_some_and(|semantics| semantics.class.is_equipment())
}

/// Returns the names of the class of a place; what lies outdoors is outside, whatever else it is.
fn names_of_place(class: &SemanticClass, vocabulary: &TagVocabulary) -> Vec<String> {
    const OUTDOOR: &str = "Outdoor";
    let mut names = vocabulary.names_of(class.name()).to_vec();
    if class.is(OUTDOOR) && class.name() != OUTDOOR {
        names.extend_from_slice(vocabulary.names_of(OUTDOOR));
    }
    names
}

/// All locations, parents first.
pub(super) fn locations(items: &BTreeMap<String, Item>, vocabulary: &TagVocabulary) -> Vec<Location> {
    let mut open: Vec<Location> = items
        .values()
        .filter(|item| is_location(item))
        .filter_map(|item| {
            let semantics = item.semantics.as_ref()?;
            let stated = semantics.is_part_of.clone().filter(|name| items.get(name).is_some_and(is_location));
            let above = || item.groups.iter().find(|name| items.get(*name).is_some_and(is_location)).cloned();
            Some(Location {
                item: item.name.clone(),
                label: item.label.clone(),
                synonyms: item.synonyms.clone(),
                class_names: names_of_place(&semantics.class, vocabulary),
                class: semantics.class.clone(),
                parent: stated.or_else(above),
            })
        })
        .collect();
    let mut sorted: Vec<Location> = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let known: HashSet<String> = sorted.iter().map(|location| location.item.clone()).collect();
        let (ready, rest): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|location| location.parent.as_ref().is_none_or(|p| known.contains(p)));
        open = rest;
        if ready.is_empty() {
            // A cycle: its first loses its parent.
            open[0].parent = None;
        }
        sorted.extend(ready);
    }
    sorted
}

/// Sets location and equipment of every item.
pub(super) fn place(items: &mut BTreeMap<String, Item>, locations: &[Location]) {
    let equipment: BTreeMap<String, String> =
        items.values().filter_map(|item| Some((item.name.clone(), equipment_of(item, items)?))).collect();
    let placed: BTreeMap<String, String> = items
        .values()
        .filter_map(|item| Some((item.name.clone(), location_of(item, items, &equipment, locations)?)))
        .collect();
    for item in items.values_mut() {
        item.equipment = equipment.get(&item.name).cloned();
        item.location = placed.get(&item.name).cloned();
    }
}

fn equipment_of(item: &Item, items: &BTreeMap<String, Item>) -> Option<String> {
    if is_equipment(item) {
        return Some(item.name.clone());
    }
    if is_location(item) {
        return None;
    }
    let stated = item.semantics.as_ref().and_then(|semantics| semantics.is_point_of.clone());
    stated.or_else(|| item.groups.iter().find(|name| items.get(*name).is_some_and(is_equipment)).cloned())
}

fn location_of(
    item: &Item,
    items: &BTreeMap<String, Item>,
    equipment: &BTreeMap<String, String>,
    locations: &[Location],
) -> Option<String> {
    if is_location(item) {
        return locations.iter().find(|location| location.item == item.name)?.parent.clone();
    }
    let mut seen = HashSet::new();
    let mut at = Some(item);
    while let Some(current) = at.filter(|current| seen.insert(current.name.as_str())) {
        let semantics = current.semantics.as_ref();
        if let Some(stated) = semantics.and_then(|semantics| semantics.has_location.clone()) {
            return Some(stated);
        }
        let outer = semantics
            .and_then(|semantics| semantics.is_point_of.as_ref().or(semantics.is_part_of.as_ref()))
            .or_else(|| equipment.get(&current.name).filter(|name| **name != current.name));
        at = outer.and_then(|name| items.get(name));
    }
    nearest_group(item, items)
}

/// The nearest location around by groups; the first in the order of the groups when several are as near.
fn nearest_group(item: &Item, items: &BTreeMap<String, Item>) -> Option<String> {
    let mut seen = HashSet::from([item.name.as_str()]);
    let mut layer = vec![item];
    while !layer.is_empty() {
        let mut above = Vec::new();
        for name in layer.iter().flat_map(|item| &item.groups) {
            if let Some(group) = items.get(name).filter(|group| seen.insert(&group.name)) {
                above.push(group);
            }
        }
        if let Some(location) = above.iter().find(|group| is_location(group)) {
            return Some(location.name.clone());
        }
        layer = above;
    }
    None
}

/// All equipment, in the order of the items.
pub(super) fn equipment(items: &BTreeMap<String, Item>, vocabulary: &TagVocabulary) -> Vec<Equipment> {
    let mut points: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in items.values() {
        let is_bare_group = matches!(item.kind, ItemKind::Group { of: None, .. });
        if let Some(name) = item.equipment.as_deref().filter(|_| !is_bare_group) {
            points.entry(name).or_default().push(item.name.clone());
        }
    }
    let of_item = |item: &Item| {
        let semantics = item.semantics.as_ref()?;
        let above = || {
            let around = |name: &&String| **name != item.name && items.get(*name).is_some_and(is_equipment);
            item.groups.iter().find(around).cloned()
        };
        let stated = semantics.is_part_of.clone().filter(|name| items.get(name).is_some_and(is_equipment));
        Some(Equipment {
            item: item.name.clone(),
            label: item.label.clone(),
            synonyms: item.synonyms.clone(),
            class_names: vocabulary.names_of(semantics.class.name()).to_vec(),
            class: semantics.class.clone(),
            location: item.location.clone(),
            parent: stated.or_else(above),
            points: points.get(item.name.as_str()).cloned().unwrap_or_default(),
        })
    };
    items.values().filter(|item| is_equipment(item)).filter_map(of_item).collect()
}
