//! Wires the stages together: which stage is made of what, how they are connected, and in which order they end.
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
//! Unasked messages come through the queue of `announce`, which all conversations share with whoever has something to
//! say. There is a conversation for each voice endpoint; all of them share the engine.
//!
//! What runs as long as the program is a service of the [`Daemon`], which starts them in the order of one list
//! (`daemon/services.rs`) and ends them against it; every stage has a heart in `pulse`.
//!
//! Everything is made here and nowhere else. Shutdown goes against the stream of data: the
//! conversation stops, the listener ends, the mouth is closed, the model server is ended, the
//! database is closed last.

mod agents;
mod alerts;
mod awake;
mod awareness;
pub(crate) mod backups;
mod brain;
pub(crate) mod checks;
mod daemon;
mod data_lock;
mod diary;
mod display;
mod ears;
mod goals;
mod granted;
mod home;
mod impulse;
mod later;
mod learnt;
mod loading;
mod local_models;
mod machine;
pub mod mcp;
mod measured;
mod memories;
mod messages;
mod mouth;
mod needed;
mod outside;
mod page;
mod permitted;
mod programs;
mod readers;
mod rooms;
mod satellites;
mod serving;
mod tap;
pub mod timers;
mod tool_sources;
mod typed;
mod unit;
mod upkeep;
mod voice;
mod voice_brain;
mod wake;
mod watches;
mod weather;

use std::path::Path;

use crate::config::Config;
use joi_base::paths::Paths;
use joi_language::LanguageLibrary;
use joi_models::{ManifestError, ModelLibrary};

pub(crate) use awake::note_end;
pub use brain::Brain;
pub use daemon::{Daemon, EssentialFailed, RestartRule, Service, ServiceContext, Started, start};
pub use data_lock::{DataLock, DataLockError};
pub use diary::keep_diary;
pub use display::{Show, Shown};
pub use ears::{
    Ears, ListeningFrom, chosen_whisper, ears, listener, measured_transcription, measured_whisper,
    quickest_whisper, wakeful_listener, whisper_model,
};
pub use home::home;
pub use learnt::LearntPhrase;
pub use loading::Loading;
pub use local_models::local_models;
pub use memories::{MemoryRefusal, storable, typed_memory};
pub(crate) use messages::read_voice_for_parent;
pub use messages::{Messages, ntfy};
pub(crate) use mouth::{VoicePlace, config_at};
pub use mouth::{load_voice, mouth, voice_choice};
pub use needed::{is_needed_to_start, needed_models};
pub use outside::{end_on_signal, ignore_hangup};
pub use permitted::by_voice;
pub(crate) use serving::leaving;
pub use tap::MicrophoneTap;
pub(crate) use tool_sources::ToolSources;
pub use typed::TypedTurns;
pub use unit::{UnitSetup, serve_here};
pub use voice::{Conversing, OpenedSound, Sound, converse, converse_at, converse_over, open_sound};
pub use wake::{WakeSetup, distinguished, first_phrase, measure_hearing, wake_setup, wake_summary, weakness};

/// The model that holds the community's sentence templates, a file for each language.
const SENTENCE_TEMPLATES: &str = "sentence-templates";

/// Opens the models where the configuration or else the environment says; what is missing there may be packaged.
pub fn library(config: &Config, paths: &Paths) -> Result<ModelLibrary, ManifestError> {
    let configured = &config.models.dir;
    let root = if configured.as_os_str().is_empty() { &paths.models } else { configured };
    Ok(ModelLibrary::open(root)?.also_in(paths.packaged.clone()))
}

/// Returns the languages there are, with the sentence templates that were fetched.
pub fn language_library(config: &Config, paths: &Paths) -> LanguageLibrary {
    let languages = LanguageLibrary::with_folder(paths.languages());
    let any = library(config, paths)
        .ok()
        .and_then(|models| models.first_file(SENTENCE_TEMPLATES).ok().map(|(_, file)| file));
    match any.as_deref().and_then(Path::parent) {
        Some(folder) => languages.with_templates(folder),
        None => languages,
    }
}
