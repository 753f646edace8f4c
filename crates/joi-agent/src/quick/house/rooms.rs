//! The rooms of the house in which microphones stand: what "here" is.
//!
//! In: the place where something was said. Out: a room of the house.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use super::ConnectedHome;
use joi_base::message::Place;
use joi_home::HomeConfig;

/// The room of each microphone.
pub(super) struct HouseRooms {
    /// That of this device; nothing where it is not known.
    own: Option<String>,
    /// Those of other microphones, by the names of their places.
    others: BTreeMap<String, String>,
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

impl ConnectedHome {
    /// The same with microphones in further rooms of the house, by the names of their places.
    #[must_use]
    pub fn with_rooms(mut self, rooms: BTreeMap<String, String>) -> Self {
        self.rooms.others = rooms;
        self
    }
}
