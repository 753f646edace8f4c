//! Rooms beyond this machine: the Wyoming protocol, and ears, voice and conversation served over it.
//!
//! [`serve_wyoming`] serves what a [`WyomingOffer`] names to Home Assistant and whatever else speaks the protocol. The models
//! behind it are not those of the local conversation, whose threads they never hold up: [`SatelliteEars`] and
//! [`SatelliteVoice`] have threads of their own. In: bytes of clients, which are strangers. Out: events. It refuses peers
//! outside of private networks.
//!
//! [`follow_room`] is the other way round: it connects to a configured satellite, whose microphone and loudspeaker are
//! those of a room. [`serve_unit`] is such a satellite: ears and mouth of a small machine.

mod announce;
mod client;
mod config;
mod connection;
mod cutter;
mod ears;
mod offer;
mod parts;
mod peer;
mod request;
mod room;
mod server;
mod sound;
mod speech;
#[cfg(test)]
mod tests;
mod unit;
mod voice;
mod wire;

pub use announce::{FoundService, WyomingAnnouncement, find_wyoming};
pub use client::{DescribeError, ServedPrograms, describe_wyoming};
pub use config::{SatellitesConfig, WyomingConfig};
pub use ears::{EarModels, ListenerMaker, SatelliteEars};
pub use offer::{HearingOffer, VoiceOffer, WyomingOffer};
pub use parts::{AnswerFuture, WordAnswerer, WyomingFigures, WyomingMeter, WyomingParts, WyomingTimes};
pub use room::{
    RoomAddress, RoomEntry, RoomFigures, RoomLink, RoomLinkState, RoomMeter, RoomNotice, RoomSignal,
    RoomTimer, RoomTimerState, RoomTimes, follow_room,
};
pub use server::serve_wyoming;
pub use unit::{UnitEars, UnitHeard, UnitInfo, UnitMode, UnitMouth, UnitParts, serve_unit};
pub use voice::{SatelliteVoice, TEXT_LIMIT};
