//! Microphones in further rooms of the house. Called once at the start.

use std::collections::BTreeMap;

use super::ConnectedHome;

impl ConnectedHome {
    /// The same with microphones in further rooms of the house, by the names of their places.
    #[must_use]
    pub fn with_rooms(mut self, rooms: BTreeMap<String, String>) -> Self {
        self.rooms.others = rooms;
        self
    }
}
