//! The rooms of the house in which microphones stand: what "here" is.
//!
//! In: the place where something was said. Out: a room of the house.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use joi_base::message::Place;
use joi_home::HomeConfig;

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

    /// Returns the room of what is said at `place`.
    pub(super) fn at(&self, place: Option<&Place>) -> Option<&str> {
        let other = place.and_then(|place| self.others.get(place.name()));
        other.or(self.own.as_ref()).map(String::as_str)
    }
}
