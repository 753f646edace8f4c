//! Why a device is unavailable, as a value. Plain data, any thread.

use thiserror::Error;

/// Why a microphone or speaker is missing. It is retried in the background in every case.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceFault {
    /// None of the configured devices exists: report it to the user, or plug it in.
    #[error("none of the devices {wanted:?} was found; see `joi devices` for what there is")]
    NotFound {
        /// The configured ids, in order.
        wanted: Vec<String>,
    },
    /// No sound system answers: start it.
    #[error("the sound system does not answer ({why}); start it or set audio.host")]
    NoHost {
        /// What the sound system said.
        why: String,
    },
    /// Another program holds the device.
    #[error("{device} is in use by another program; close it or choose another device")]
    Busy {
        /// Name of the device.
        device: String,
    },
    /// This user may not open the device.
    #[error("{device} may not be opened by this user; add the user to the group audio")]
    Forbidden {
        /// Name of the device.
        device: String,
    },
    /// The device exists but could not be opened.
    #[error("{device} could not be opened ({why}); choose another device, see `joi devices`")]
    Refused {
        /// Name of the device.
        device: String,
        /// What the sound system said.
        why: String,
    },
    /// The sound system reported the open device as lost.
    #[error("{device} was lost; plug it in again or check the sound system")]
    Lost {
        /// Name of the device.
        device: String,
    },
    /// The open device stopped delivering without any error.
    #[error("{device} stopped delivering sound; check the cable or the sound system")]
    Stalled {
        /// Name of the device.
        device: String,
    },
    /// The open device delivers nothing but zeros: muted, or not what it says it is.
    #[error("{device} delivers only silence; unmute it or choose another device")]
    Silent {
        /// Name of the device.
        device: String,
    },
    /// The other end of a connection can't be reached, or is gone.
    #[error("{device} is not connected ({why}); check that it runs and is in the network")]
    Unreachable {
        /// Name of the room.
        device: String,
        /// The cause.
        why: String,
    },
    /// Opening did not return.
    #[error("the sound system hangs while it opens the device; restart it")]
    Hung,
    /// Too many hung calls into the sound system: only a restart of this program helps.
    #[error("the sound system hung too often; restart this program")]
    Stuck,
}
