//! Handles of the sound and of hearing that the page uses.
//!
//! Plain data, put together at the start.

use crate::app::readers::LentReaders;
use crate::app::tap::MicrophoneTap;
use crate::app::wake::WakeSetup;
use joi_audio::{LevelMeter, Player};

/// The sound and the hearing of the room.
pub(in crate::app) struct PageSound {
    /// The speaker.
    pub(in crate::app) player: Player,
    /// The level of the microphone.
    pub(in crate::app) meter: Option<LevelMeter>,
    /// Lends the speech models.
    pub(in crate::app) readers: LentReaders,
    /// The wake phrases as they were at the start.
    pub(in crate::app) wake: WakeSetup,
    /// Borrows the microphone.
    pub(in crate::app) tap: MicrophoneTap,
}
