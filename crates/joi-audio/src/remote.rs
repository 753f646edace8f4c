//! A microphone and a loudspeaker at the other end of a connection, in place of devices of this machine.
//!
//! Whoever holds the connection has the handles: [`MicrophoneFeed`] takes what the other end captured, [`RemoteSpeaker`] hands
//! out what it is to play. Behind them stand the same [`AudioSource`](super::AudioSource) and [`Player`](super::Player) as
//! in front of a device. A connection comes and goes like a device: what was played is known from the clock, and from the
//! other end's word where it gives one.

mod clock;
mod gap;
mod microphone;
mod speaker;

pub use microphone::{MicrophoneFeed, RemoteMicrophone};
pub use speaker::{RemoteSpeaker, SpeakerPart};
