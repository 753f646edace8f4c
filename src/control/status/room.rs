//! The state of a room with a satellite, as it is shown. Plain data.

use serde::{Deserialize, Serialize};

/// A room with a satellite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomStatus {
    /// The name of the room.
    pub name: String,
    /// Where its satellite listens.
    pub address: String,
    /// The connection.
    pub state: RoomConnection,
    /// What the satellite calls itself, while it is connected; otherwise why it is not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// For how many seconds it has been so.
    pub for_s: u64,
    /// How often it was connected since the start.
    pub connections: u64,
    /// Number of turns since the start.
    pub turns: u64,
}

/// The connection to a satellite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoomConnection {
    /// It was not reached yet.
    Connecting,
    /// It is there.
    Connected,
    /// It was there.
    Lost,
}
