//! Makes the part that speaks: a voice for each language on one thread, in front of a player.
//!
//! Called once at start, inside a Tokio runtime. Over devices the voices are loaded while joi listens already. Where the voice of a language can't be had, espeak-ng's own stands in
//! for it, and that is reported; a voice that the owner has named is never replaced.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc::{Receiver, Sender};

use super::Brain;
use super::loading::LoadReport;
use crate::config::Config;
use joi_audio::{PlayEvent, Player};
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_channels::voice::News;
use joi_language::{Language, Languages, VoiceNames};
use joi_models::ModelLibrary;
use joi_speak::{
    EspeakSource, LanguageVoice, LanguageVoices, Mouth, PiperFiles, SpeakConfig, SpeakEvent, Voice,
    VoiceSource,
};

/// The voice for a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceChoice {
    /// Its name, for people.
    pub name: String,
    /// Its source.
    pub source: VoiceSource,
    /// The voice that it replaces, and the remedy.
    pub lack: Option<String>,
}

/// Returns the voice for `language`: the configured one, else the Piper voice of the language, else espeak-ng's.
///
/// # Errors
/// The voice that is configured is not there.
pub fn voice_choice(config: &Config, paths: &Paths, language: &Language) -> anyhow::Result<VoiceChoice> {
    let library = super::library(config, paths)?;
    let (names, speak) = (language.voice(), &config.speak);
    if speak.is_espeak() {
        return Ok(espeak(paths, names, None));
    }
    if !speak.is_auto() {
        let source = piper(&library, paths, &speak.voice)?.into();
        return Ok(VoiceChoice { name: speak.voice.clone(), source, lack: None });
    }
    let (own, fetched) = (names.own.as_ref(), names.piper.as_ref());
    let found = match (own, fetched) {
        (Some(own), _) => {
            beside(own.clone(), &library, paths).map(|files| (files, own.display().to_string()))
        }
        (None, Some(name)) => piper(&library, paths, name).map(|files| (files, name.clone())),
        (None, None) => {
            let lack = format!(
                "there is no better voice for \"{}\" here; see docs/user/languages.md",
                language.code()
            );
            return Ok(espeak(paths, names, Some(lack)));
        }
    };
    Ok(match found {
        Ok((files, name)) => VoiceChoice { name, source: files.into(), lack: None },
        Err(error) => espeak(paths, names, Some(format!("{error:#}"))),
    })
}

/// Loads the voice for `language`. Takes seconds: call it on a thread that may block.
///
/// # Errors
/// The voice that is configured can't be used, or there is none at all.
pub fn load_voice(
    config: &Config,
    paths: &Paths,
    language: &Language,
) -> anyhow::Result<(Voice, VoiceChoice)> {
    let choice = voice_choice(config, paths, language)?;
    match (Voice::load(&choice.source, &config.speak), &choice.source) {
        (Ok(voice), _) => Ok((voice, choice)),
        (Err(error), VoiceSource::Piper(_)) if config.speak.is_auto() => {
            let choice = espeak(paths, language.voice(), Some(error.to_string()));
            Ok((Voice::load(&choice.source, &config.speak)?, choice))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// Returns the files of a Piper voice that was fetched.
fn piper(library: &ModelLibrary, paths: &Paths, name: &str) -> anyhow::Result<PiperFiles> {
    beside(library.path(&format!("voice-{name}"))?, library, paths)
}

/// The same of the voice in `model`.
fn beside(model: PathBuf, library: &ModelLibrary, paths: &Paths) -> anyhow::Result<PiperFiles> {
    let mut description = model.clone().into_os_string();
    description.push(".json");
    Ok(PiperFiles {
        model,
        config: description.into(),
        espeak_data: paths.espeak_data(),
        onnxruntime: library.path("onnxruntime")?,
    })
}

fn espeak(paths: &Paths, names: &VoiceNames, lack: Option<String>) -> VoiceChoice {
    let source = EspeakSource { data: paths.espeak_data(), voice: names.espeak.clone() };
    VoiceChoice { name: format!("espeak-ng {}", names.espeak), source: source.into(), lack }
}

impl VoiceChoice {
    /// Returns one sentence for people when another voice was wanted.
    pub fn remark(&self) -> Option<String> {
        let lack = self.lack.as_ref()?;
        Some(format!("{} speaks, which is plainly worse: {lack}", self.name))
    }
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

/// Does the same without waiting: the voices are loaded on their thread, and what is said meanwhile waits for them. Remarks
/// about them go to `told`, and `report` reports that they are loaded, or never will be.
///
/// # Errors
/// The system gives no thread.
pub(super) fn mouth_loading(
    config: &Config,
    paths: &Paths,
    (player, events): (Player, Receiver<PlayEvent>),
    brain: &Brain,
    (told, report): (Sender<News>, LoadReport),
) -> anyhow::Result<(Mouth, Receiver<SpeakEvent>)> {
    let (config, paths, all) = (config.clone(), paths.clone(), brain.languages.all());
    let load = move || {
        let loaded = load_voices(&config, &paths, &all);
        // Without a voice the answers are shown: no failure of the program.
        let _ = report.on(Ok(()));
        let (voices, remarks) = loaded.map_err(|error| voiceless(&error))?;
        for remark in remarks {
            // Fails only when nobody shows anything any more.
            let _ = told.blocking_send(News::Remark(remark));
        }
        Ok(voices)
    };
    Ok(Mouth::loading(load, player, events, brain.pulse.heart("voice", VOICE_LIMIT))?)
}

/// Returns why answers are not spoken, for people.
pub(super) fn voiceless(error: &anyhow::Error) -> String {
    format!("she can't speak: {error:#}")
}

fn load_voices(
    config: &Config,
    paths: &Paths,
    languages: &[Arc<Language>],
) -> anyhow::Result<(LanguageVoices, Vec<String>)> {
    let mut remarks = Vec::new();
    let mut voices: Option<LanguageVoices> = None;
    let others = Config {
        speak: SpeakConfig { voice: config.speak.of_others(), ..config.speak.clone() },
        ..config.clone()
    };
    for language in languages {
        let config = if voices.is_none() { config } else { &others };
        match (load_voice(config, paths, language), voices.take()) {
            (Ok((voice, choice)), before) => {
                remarks.extend(choice.remark());
                let voice = LanguageVoice::new(voice, language);
                voices = Some(match before {
                    Some(before) => before.and(voice),
                    None => voice.into(),
                });
            }
            // What is said in it is said by the voice of the first.
            (Err(error), Some(before)) => {
                remarks.push(format!("nobody speaks \"{}\" here: {error:#}", language.code()));
                voices = Some(before);
            }
            (Err(error), None) => return Err(error),
        }
    }
    Ok((voices.context("no language is spoken")?, remarks))
}
