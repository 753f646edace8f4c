//! A Wyoming satellite as the microphone and the loudspeaker of a room: Joi connects to it, as Home Assistant does.
//!
//! [`follow_room`] holds the connection; `talk` decides what events mean. In: events of the satellite, what the room's
//! conversation does, what it wants to play. Out: sound and calls for the conversation, events for the satellite. It connects
//! to the configured address alone, in private networks alone, and hands on nothing that was not asked of it.

mod entry;
mod link;
mod outgoing;
mod state;
mod talk;
#[cfg(test)]
mod tests;
mod timers;

pub(crate) use entry::check;
pub use entry::{RoomAddress, RoomEntry};
pub use link::{RoomLink, RoomNotice, RoomTimes, follow_room};
pub use state::{RoomFigures, RoomLinkState, RoomMeter};
pub use talk::RoomSignal;
pub use timers::{RoomTimer, RoomTimerState};
