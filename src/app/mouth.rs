//! Makes the part that speaks: a voice for each language on one thread, in front of a player.
//!
//! Called once at start, inside a Tokio runtime. Over devices the voices are loaded while joi listens already. Which voice
//! speaks a language is decided in `joi-speak`; where it is not the best one, that is reported.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc::{Receiver, Sender};

use super::loading::LoadReport;
use super::voice_brain::VoiceBrain;
use crate::config::Config;
use joi_audio::{PlayEvent, Player};
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_channels::voice::News;
use joi_language::{Language, Languages};
use joi_speak::{
    LanguageVoice, LanguageVoices, Mouth, SpeakConfig, SpeakError, SpeakEvent, VoiceChoice, VoicePlaces,
};

/// Chooses the voice for `language` without loading it.
///
/// # Errors
/// The voice that is configured is not there.
pub fn voice_choice(config: &Config, paths: &Paths, language: &Language) -> anyhow::Result<VoiceChoice> {
    with_places(config, paths, |places| joi_speak::choose_voice(&config.speak, language, places))
}

/// Loads the voice for `language`. Takes seconds: call it on a thread that may block.
///
/// # Errors
/// The voice that is configured can't be used, or there is none at all.
pub fn load_voice(
    config: &Config,
    paths: &Paths,
    language: &Language,
) -> anyhow::Result<(LanguageVoice, VoiceChoice)> {
    with_places(config, paths, |places| joi_speak::load_voice(&config.speak, language, places))
}

fn with_places<T>(
    config: &Config,
    paths: &Paths,
    work: impl FnOnce(&VoicePlaces<'_>) -> Result<T, SpeakError>,
) -> anyhow::Result<T> {
    let library = super::library(config, paths)?;
    let model = |name: &str| library.path(name).map_err(|error| error.to_string());
    Ok(work(&VoicePlaces { espeak_data: paths.espeak_data(), model: &model })?)
}

/// No line takes longer to compute and to hand to the player.
const VOICE_LIMIT: Duration = Duration::from_secs(60);

/// Loads a voice for each of `languages` and starts their thread, whose heart is in `pulse`. Also returns remarks about
/// the voices.
///
/// # Errors
/// The first language has no voice.
pub async fn mouth(
    config: &Config,
    paths: &Paths,
    (player, events): (Player, Receiver<PlayEvent>),
    languages: &Languages,
    pulse: &Pulse,
) -> anyhow::Result<(Mouth, Receiver<SpeakEvent>, Vec<String>)> {
    let (config, paths, all) = (config.clone(), paths.clone(), languages.all());
    let voices = tokio::task::spawn_blocking(move || load_voices(&config, &paths, &all));
    let (voices, remarks) = voices.await.context("loading the voice was given up")??;
    let (mouth, reports) = Mouth::spawn(voices, player, events, pulse.heart("voice", VOICE_LIMIT))?;
    Ok((mouth, reports, remarks))
}

/// Does the same without waiting: the voices are loaded on their thread, and what is said meanwhile waits for them.
/// Remarks about them go to `news`, and `report` reports that they are loaded, or never will be.
///
/// # Errors
/// The system gives no thread.
pub(super) fn mouth_loading(
    config: &Config,
    paths: &Paths,
    (player, events): (Player, Receiver<PlayEvent>),
    brain: &VoiceBrain,
    (news, report): (Sender<News>, LoadReport),
) -> anyhow::Result<(Mouth, Receiver<SpeakEvent>)> {
    let (config, paths, all) = (config.clone(), paths.clone(), brain.languages.all());
    let load = move || {
        let loaded = load_voices(&config, &paths, &all);
        // Without a voice the answers are shown: no failure of the program.
        let _ = report.on(Ok(()));
        let (voices, remarks) = loaded.map_err(|error| voiceless(&error))?;
        for remark in remarks {
            // Fails only when nobody shows anything any more.
            let _ = news.blocking_send(News::Remark(remark));
        }
        Ok(voices)
    };
    Ok(Mouth::loading(load, player, events, brain.pulse.heart("voice", VOICE_LIMIT))?)
}

/// Returns why answers are not spoken, for people.
pub(super) fn voiceless(error: &anyhow::Error) -> String {
    format!("she can't speak: {error:#}")
}

/// The place of a voice among those of all languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoicePlace {
    /// It speaks where no other is of the language.
    First,
    /// It speaks its language alone.
    Further,
}

/// Returns the configuration of a voice: a voice that is configured by name speaks one language only.
pub(crate) fn config_at(place: VoicePlace, config: &Config) -> Config {
    let voice = match place {
        VoicePlace::First => config.speak.voice.clone(),
        VoicePlace::Further => config.speak.voice_of_others(),
    };
    Config { speak: SpeakConfig { voice, ..config.speak.clone() }, ..config.clone() }
}

fn load_voices(
    config: &Config,
    paths: &Paths,
    languages: &[Arc<Language>],
) -> anyhow::Result<(LanguageVoices, Vec<String>)> {
    let mut remarks = Vec::new();
    let mut voices: Option<LanguageVoices> = None;
    for language in languages {
        let place = if voices.is_none() { VoicePlace::First } else { VoicePlace::Further };
        match (load_voice(&config_at(place, config), paths, language), voices.take()) {
            (Ok((voice, choice)), before) => {
                remarks.extend(choice.remark());
                voices = Some(match before {
                    Some(before) => before.and(voice),
                    None => voice.into(),
                });
            }
            // Text in that language is spoken by the voice of the first.
            (Err(error), Some(before)) => {
                remarks.push(format!("nobody speaks \"{}\" here: {error:#}", language.code()));
                voices = Some(before);
            }
            (Err(error), None) => return Err(error),
        }
    }
    Ok((voices.context("no language is spoken")?, remarks))
}
