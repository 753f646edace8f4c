//! What the board shows of other rooms: the server for them, and the satellites in them.

use super::StatusBoard;
use crate::control::status::{RoomStatus, SatellitesStatus};

impl StatusBoard {
    /// Sets the function that returns the state of the server for rooms beyond this machine.
    pub fn served_rooms(&self, read: impl Fn() -> SatellitesStatus + Send + Sync + 'static) {
        self.change(|facts| facts.satellites = Some(Box::new(read)));
    }

    /// Sets the function that returns how each room with a satellite is connected.
    pub fn rooms(&self, read: impl Fn() -> Vec<RoomStatus> + Send + Sync + 'static) {
        self.change(|facts| facts.rooms = Some(Box::new(read)));
    }
}
