//! The rooms of the house in which microphones stand: what "here" is.
//!
//! In: the place where something was said, the house. Out: a room of the house.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use joi_base::message::Place;
use joi_home::HomeConfig;
use joi_home::house::House;

/// The room of each microphone.
pub(super) struct HouseRooms {
    /// That of this device; nothing where it is not known.
    own: Option<String>,
    /// Those of other microphones, by the names of their places.
    pub(super) others: BTreeMap<String, String>,
}

impl HouseRooms {
    pub(super) fn of(config: &HomeConfig) -> Self {
        let own = Some(config.room.clone()).filter(|room| !room.is_empty());
        Self { own, others: BTreeMap::new() }
    }

    /// Returns the room of `house` in which something is said at `place`: its item. Another microphone's is found by its item,
    /// by its owner's names for it, or by what it is; where it is not found, "here" means nothing there.
    pub(super) fn at<'a>(&'a self, place: Option<&Place>, house: &'a House) -> Option<&'a str> {
        let Some(named) = place.and_then(|place| self.others.get(place.name())) else {
            return self.own.as_deref();
        };
        let is_it = |name: &str| name.to_lowercase() == named.to_lowercase();
        let all = || house.locations().iter();
        let found = all()
            .find(|room| is_it(&room.item))
            .or_else(|| all().find(|room| room.names().any(is_it)))
            .or_else(|| all().find(|room| room.class_names.iter().any(|name| is_it(name))));
        found.map(|room| room.item.as_str())
    }
}
