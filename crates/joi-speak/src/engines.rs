//! The speech engines, and which of their voices speaks a language.
//!
//! In: `[speak]`, the voices that a language names, the places of files. Out: a [`VoiceChoice`], or the loaded voice. A
//! voice that is configured by name is never replaced; instead of any other that cannot be used, the next engine speaks.

use joi_language::Language;

use super::voice::{FoundVoice, VoiceEngine};
use super::{AUTO, LanguageVoice, SpeakConfig, SpeakError, VoicePlaces, VoiceSource};
pub use espeak::EspeakSource;
pub use onnx::refuse_telemetry;
pub use piper::PiperFiles;

pub(crate) mod espeak;
mod onnx;
pub(crate) mod piper;
mod sentence_voice;

/// All engines, the best first; a further one is a file below `engines/`, its `mod` line above and its row here. The last
/// one needs no model and has a voice of every language.
const ENGINES: &[VoiceEngine] = &[piper::ENGINE, espeak::ENGINE];

/// Which voice speaks a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceChoice {
    /// The name for people.
    pub name: String,
    /// Why a better voice does not speak, with the remedy.
    pub lack: Option<String>,
}

impl VoiceChoice {
    /// Returns one sentence for people if a better voice was wanted.
    pub fn remark(&self) -> Option<String> {
        let lack = self.lack.as_ref()?;
        Some(format!("{} speaks, which is plainly worse: {lack}", self.name))
    }
}

/// Returns the names of all engines, for people.
fn engine_names() -> String {
    ENGINES.iter().map(|engine| engine.name).collect::<Vec<_>>().join(", ")
}

/// Returns the engine of that name.
fn engine(name: &str) -> Option<&'static VoiceEngine> {
    ENGINES.iter().find(|engine| engine.name == name)
}

impl SpeakConfig {
    /// Returns the model that `voice` names, unless that is "auto" or an engine.
    pub fn model(&self) -> Option<String> {
        let is_model = !self.is_auto() && engine(&self.voice).is_none();
        is_model.then(|| Self::model_of(&self.voice))
    }

    /// Returns whether the voices need no models: the configured engine uses none.
    pub fn needs_no_model(&self) -> bool {
        engine(&self.voice).is_some_and(|engine| !engine.uses_models)
    }

    /// Returns `voice` for further languages: a model speaks one language only.
    pub fn voice_of_others(&self) -> String {
        if self.model().is_some() { AUTO.to_owned() } else { self.voice.clone() }
    }
}

/// Chooses the voice of `language` without loading it.
///
/// # Errors
/// As [`load_voice`]; damaged files are found by loading only.
pub fn choose_voice(
    config: &SpeakConfig,
    language: &Language,
    places: &VoicePlaces<'_>,
) -> Result<VoiceChoice, SpeakError> {
    first_usable(config, language, places, |_| Ok(())).map(|(choice, ())| choice)
}

/// Loads the voice of `language`: the configured one, or else the first engine's that can be used. Takes seconds: call it
/// on a thread that may block.
///
/// # Errors
/// The voice that is configured cannot be used, or there is none at all.
pub fn load_voice(
    config: &SpeakConfig,
    language: &Language,
    places: &VoicePlaces<'_>,
) -> Result<(LanguageVoice, VoiceChoice), SpeakError> {
    let (choice, voice) = first_usable(config, language, places, |source| source.load(&config.style()))?;
    Ok((LanguageVoice::new(voice, language, config), choice))
}

/// Returns the first voice that `open` accepts, with the result.
fn first_usable<T>(
    config: &SpeakConfig,
    language: &Language,
    places: &VoicePlaces<'_>,
    open: impl Fn(&dyn VoiceSource) -> Result<T, SpeakError>,
) -> Result<(VoiceChoice, T), SpeakError> {
    let known = |name: &str| engine(name).is_some();
    if let Some(unknown) = language.voice().engines().find(|name| !known(name)) {
        return Err(SpeakError::UnknownEngine(language.to_code(), unknown.to_owned(), engine_names()));
    }
    let found: Vec<_> = match config.model() {
        Some(model) => vec![(true, of_model(config, &model, places))],
        None => ENGINES
            .iter()
            .filter(|engine| [AUTO, engine.name].contains(&config.voice.as_str()))
            .filter_map(|engine| Some((engine.uses_models, (engine.of_language)(language, places)?)))
            .collect(),
    };
    // Only the last engine's voice is here: the language names no other.
    let is_alone = config.is_auto() && found.len() == 1;
    let no_better = is_alone.then(|| {
        format!("there is no better voice for \"{}\" here; see docs/user/languages.md", language.code())
    });
    let mut failed = Vec::new();
    for (is_model, voice) in found {
        match voice.and_then(|FoundVoice { name, source }| Ok((name, open(&*source)?))) {
            Ok((name, opened)) => {
                let lack = no_better.or_else(|| lack_of(&failed, is_model));
                return Ok((VoiceChoice { name, lack }, opened));
            }
            Err(error) => failed.push(error),
        }
    }
    let first = failed.into_iter().next();
    Err(first.unwrap_or_else(|| SpeakError::NoVoice(language.to_code(), config.voice.clone())))
}

/// Returns what is lacking of the voices that were tried before the one that speaks. Where that one is a model, a model that
/// was not fetched is not missed.
fn lack_of(failed: &[SpeakError], is_model: bool) -> Option<String> {
    let is_missed = |error: &&SpeakError| !is_model || !matches!(error, SpeakError::NotFetched(_));
    failed.iter().rfind(is_missed).map(ToString::to_string)
}

/// Finds the voice that is configured by the name of its model.
fn of_model(config: &SpeakConfig, model: &str, places: &VoicePlaces<'_>) -> Result<FoundVoice, SpeakError> {
    let file = places.model(model)?;
    let found = ENGINES.iter().find_map(|engine| (engine.of_model)(&file, places));
    let found = found.unwrap_or_else(|| Err(SpeakError::model(&file, &"no speech engine reads it")))?;
    Ok(FoundVoice { name: config.voice.clone(), ..found })
}

#[cfg(test)]
mod tests;
