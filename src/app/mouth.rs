//! Makes the part that speaks: the voice on its thread, in front of a player.
//!
//! Called once at start, inside a Tokio runtime.

use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc::Receiver;

use crate::audio::{PlayEvent, Player};
use crate::config::Config;
use crate::language::Language;
use crate::paths::Paths;
use crate::pulse::Pulse;
use crate::speak::{LanguageVoice, Mouth, PiperFiles, SpeakEvent, Voice, VoiceSource};

/// Where the configured voice's parts are.
pub fn voice_source(config: &Config, paths: &Paths) -> anyhow::Result<VoiceSource> {
    let library = super::library(config, paths)?;
    let voice = format!("voice-{}", config.speak.voice);
    let model = library.path(&voice)?;
    let mut description = model.clone().into_os_string();
    description.push(".json");
    Ok(VoiceSource::Piper(PiperFiles {
        model,
        config: description.into(),
        espeak_data: paths.espeak_data(),
        onnxruntime: library.path("onnxruntime")?,
    }))
}

/// No line takes longer to compute and to hand to the player.
const VOICE_LIMIT: Duration = Duration::from_secs(60);

/// Loads the voice and starts its thread, whose heart is in `pulse`.
pub async fn mouth(
    config: &Config,
    paths: &Paths,
    (player, events): (Player, Receiver<PlayEvent>),
    language: &Language,
    pulse: &Pulse,
) -> anyhow::Result<(Mouth, Receiver<SpeakEvent>)> {
    let source = voice_source(config, paths)?;
    let speak = config.speak.clone();
    let voice = tokio::task::spawn_blocking(move || Voice::load(&source, &speak));
    let voice = voice.await.context("loading the voice was given up")??;
    let speakers = LanguageVoice::new(voice, language).into();
    Ok(Mouth::spawn(speakers, player, events, pulse.heart("voice", VOICE_LIMIT))?)
}
