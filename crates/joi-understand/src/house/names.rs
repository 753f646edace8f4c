//! Names of a house that may be said, for the speech model: it knows "kitchen" better than "Lena's room".
//!
//! In: a house, the room of the device. Out: names, the likeliest first: rooms before things, and of both those near the
//! device before others. What may not be spoken of is never among them.
//! Pure: no I/O, no clock.

use std::collections::HashSet;

use joi_home::house::{House, Item, Location, Permission};

/// Most names; the speech model takes fewer.
const MOST: usize = 64;

/// Returns the names.
pub(crate) fn names(house: &House, room: Option<&str>) -> Vec<String> {
    let own = room.and_then(|room| house.location(room));
    // 0: the room of the device, 1: those beside it, 2: all others.
    let distance = |location: Option<&Location>| match (own, location) {
        (Some(own), Some(other)) if own.item == other.item => 0,
        (Some(own), Some(other)) if own.parent == other.parent => 1,
        _ => 2,
    };
    let mut places: Vec<&Location> = house.locations().iter().collect();
    places.sort_by_key(|place| distance(Some(place)));
    let rooms = places.into_iter().flat_map(Location::names);
    let is_spoken_of =
        |name: &String| house.item(name).is_some_and(|item| item.permission >= Permission::ReadOnly);
    let equipment = house.equipment().iter().filter(|one| one.points.iter().any(is_spoken_of));
    let mut things: Vec<(usize, Vec<&str>)> = equipment
        .map(|one| {
            let place = one.location.as_deref().and_then(|name| house.location(name));
            (distance(place), one.names().collect())
        })
        .collect();
    let is_single = |item: &&Item| {
        item.equipment.is_none() && !item.semantics.as_ref().is_some_and(|s| s.class.is_location())
    };
    let single = house.readable().filter(is_single).filter(|item| item.label.is_some());
    things.extend(single.map(|item| {
        let place = item.location.as_deref().and_then(|name| house.location(name));
        (distance(place), item.names().collect())
    }));
    things.sort_by_key(|(distance, _)| *distance);
    let things = things.into_iter().flat_map(|(_, names)| names);
    let mut known = HashSet::new();
    rooms
        .chain(things)
        .filter(|name| known.insert(name.to_lowercase()))
        .take(MOST)
        .map(str::to_owned)
        .collect()
}
