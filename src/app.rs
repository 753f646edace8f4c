//! The wiring diagram: which stage is made of what, who talks to whom, and in which order it ends.
//!
//! ```text
//!  Microphone | WavSource ─► listener thread ─► Delivery(8) ─► Conversation ─► Stt(2) ─► whisper thread
//!                                 ▲ HearCommand(8)                │  ▲ SttEvent(4)
//!                                 └───────────────────────────────┤
//!                         Engine ◄── turn task ◄─────────────────┤
//!                           │ ReplyEvent(64)                     │
//!                         Mouth(32) ─► voice thread ─► Player ─► speaker | WAV
//! ```
//!
//! Beside it `outside` serves the control socket and tells systemd; every stage has a heart in `pulse`.
//!
//! Everything is made here and nowhere else. Shutdown goes against the stream of data: the
//! conversation stops, the listener ends, the mouth is closed, the model server is ended, the
//! database is closed last.

mod brain;
mod diary;
mod ears;
mod mouth;
mod outside;
pub mod timers;
mod voice;
mod wake;

use crate::config::Config;
use crate::models::{Library, ManifestError};
use crate::paths::Paths;

pub use brain::Brain;
pub use diary::keep_diary;
pub use ears::{
    Ears, chosen_whisper, ears, listener, measured_whisper, quickest_whisper, wakeful_listener, whisper_model,
};
pub use mouth::{mouth, voice_files};
pub use outside::{Outside, post, show_rings};
pub use voice::{Conversing, Sound, converse};
pub use wake::{WakeMeans, first_phrase, told_from_others, wake_means, wake_told, weakness};

/// The models, where the configuration or else the environment says.
pub fn library(config: &Config, paths: &Paths) -> Result<Library, ManifestError> {
    let configured = &config.models.dir;
    Library::open(if configured.as_os_str().is_empty() { &paths.models } else { configured })
}
