//! A Piper voice: phonemes in, samples out, through ONNX Runtime.
//!
//! Runs on the thread that owns the [`PiperVoice`]; loading takes seconds, so it stays resident. In: speakable
//! text. Out: mono f32 in −1..1 at the voice's own rate, chunk by chunk of a sentence, so that the first one is
//! played while the next is synthesised. An unusable library, model or configuration is refused with an error
//! that names the file.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::espeak::Phonemizer;
use super::onnx::environment;
use crate::shape::LeadSilence;
use crate::voice::{
    ChunkEnd, FoundVoice, Interrupter, SoundChunk, Voice, VoiceEngine, VoicePlaces, VoiceSource,
};
use crate::{SpeakConfig, SpeakError, VoiceStyle};
use joi_language::{Language, LanguageCode};
use network::{NetworkDescription, VoiceNetwork};
use sentence::{Sentence, Shaping};

mod graph;
mod network;
pub(crate) mod pacing;
mod sentence;

#[cfg(test)]
pub(super) mod tests;

/// Piper's row in the table of engines.
pub(super) const ENGINE: VoiceEngine = VoiceEngine {
    name: "piper",
    uses_models: true,
    of_language,
    of_model: |model, places| description_of(model).exists().then(|| voice_in(model, places)),
};

/// Finds the voice among the files of a language, or else the model that the language names.
fn of_language(language: &Language, places: &VoicePlaces<'_>) -> Option<Result<FoundVoice, SpeakError>> {
    let names = language.voice();
    if let Some(own) = &names.own {
        return Some(voice_in(own, places));
    }
    let name = names.of(ENGINE.name)?;
    let found = places.model(&SpeakConfig::model_of(name)).and_then(|model| voice_in(&model, places));
    Some(found.map(|found| FoundVoice { name: name.to_owned(), ..found }))
}

fn voice_in(model: &Path, places: &VoicePlaces<'_>) -> Result<FoundVoice, SpeakError> {
    let files = PiperFiles {
        model: model.to_owned(),
        config: description_of(model),
        espeak_data: places.espeak_data.clone(),
        onnxruntime: places.model("onnxruntime")?,
    };
    Ok(FoundVoice { name: model.display().to_string(), source: Box::new(files) })
}

/// Returns the path of the description beside a model.
fn description_of(model: &Path) -> PathBuf {
    let mut path = model.to_owned().into_os_string();
    path.push(".json");
    path.into()
}

/// Paths of a voice's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PiperFiles {
    /// The voice, `….onnx`.
    pub model: PathBuf,
    /// Its description, `….onnx.json`.
    pub config: PathBuf,
    /// The folder that holds espeak-ng's `phondata`, `en_dict` and so on.
    pub espeak_data: PathBuf,
    /// ONNX Runtime, `libonnxruntime.so`.
    pub onnxruntime: PathBuf,
}

/// The used part of a voice's description.
#[derive(Debug, Deserialize)]
struct Description {
    audio: Audio,
    espeak: Espeak,
    inference: Inference,
    num_speakers: u32,
    phoneme_id_map: HashMap<String, Vec<i64>>,
}

#[derive(Debug, Deserialize)]
struct Audio {
    sample_rate: u32,
}

#[derive(Debug, Deserialize)]
struct Espeak {
    voice: String,
}

#[derive(Debug, Deserialize)]
struct Inference {
    noise_scale: f32,
    length_scale: f32,
    noise_w: f32,
}

/// Rates a voice may have, in Hz.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=96_000;

impl VoiceSource for PiperFiles {
    fn load(&self, style: &VoiceStyle) -> Result<Box<dyn Voice>, SpeakError> {
        Ok(Box::new(PiperVoice::load(self, style)?))
    }
}

/// A loaded voice.
pub(crate) struct PiperVoice {
    pub(crate) network: VoiceNetwork,
    languages: [LanguageCode; 1],
    phonemizer: Phonemizer,
    ids: HashMap<char, Vec<i64>>,
    rate: u32,
    gain: f32,
    /// The text being spoken.
    synthesis: Option<Synthesis>,
}

/// A text on its way to being sound.
#[derive(Debug)]
struct Synthesis {
    /// Phonemes of the sentences that were not begun.
    sentences: VecDeque<String>,
    /// The one that was, and its end.
    current: Option<(Sentence, ChunkEnd)>,
    lead: LeadSilence,
}

impl std::fmt::Debug for PiperVoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PiperVoice").field("rate", &self.rate).finish_non_exhaustive()
    }
}

impl PiperVoice {
    /// Loads a voice and synthesises one short word with it, so that the first answer does not pay for ONNX
    /// Runtime's lazy initialisation. Takes seconds on a small machine: call it on a thread that may block.
    ///
    /// # Errors
    /// Says which file is missing or unusable.
    pub(crate) fn load(files: &PiperFiles, style: &VoiceStyle) -> Result<Self, SpeakError> {
        let &VoiceStyle { threads, gain, speed, variation } = style;
        let description = describe(&files.config)?;
        let ids = table(description.phoneme_id_map, &files.config)?;
        let phonemizer = Phonemizer::open(&files.espeak_data, &description.espeak.voice)?;
        let language = description.espeak.voice.split('-').next().unwrap_or_default().into();
        let environment = environment(&files.onnxruntime)?;
        let rate = description.audio.sample_rate;
        let Inference { noise_scale, length_scale, noise_w } = description.inference;
        let description = NetworkDescription {
            rate,
            scales: [noise_scale * variation, length_scale / speed, noise_w * variation],
            has_speakers: description.num_speakers > 1,
        };
        let word = encode(&ids, "haɪ.");
        let file = (files.model.as_path(), threads);
        Ok(Self {
            network: VoiceNetwork::load(&environment, file, (description, word))?,
            languages: [language],
            phonemizer,
            ids,
            rate,
            gain,
            synthesis: None,
        })
    }

    fn chunk(&mut self) -> ort::Result<Option<SoundChunk>> {
        let Some(mut synthesis) = self.synthesis.take() else { return Ok(None) };
        let (sentence, end) = match synthesis.current.take() {
            Some(current) => current,
            None => {
                let Some(phonemes) = synthesis.sentences.pop_front() else { return Ok(None) };
                let sentence = Sentence::begin(&mut self.network, encode(&self.ids, &phonemes))?;
                (sentence, ChunkEnd::of(&phonemes))
            }
        };
        let shaping = Shaping { gain: self.gain, rate: self.rate, lead: synthesis.lead };
        let (samples, rest) = sentence.chunk(&mut self.network, shaping)?;
        let current = rest.map(|rest| (rest, end));
        let end = if current.is_some() { ChunkEnd::Within } else { end };
        self.synthesis = Some(Synthesis { current, lead: LeadSilence::Kept, ..synthesis });
        Ok(Some(SoundChunk { samples, end }))
    }
}

impl Voice for PiperVoice {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn languages(&self) -> &[LanguageCode] {
        &self.languages
    }

    fn interrupter(&self) -> Option<Interrupter> {
        let running = Arc::clone(self.network.running());
        Some(Arc::new(move || {
            if let Err(error) = running.terminate() {
                tracing::warn!(%error, "could not abort the synthesis of a sentence; its result is dropped");
            }
        }))
    }

    fn begin(&mut self, text: &str, lead: LeadSilence) -> Result<(), SpeakError> {
        let sentences = self.phonemizer.sentences(text)?.into();
        self.synthesis = Some(Synthesis { sentences, current: None, lead });
        Ok(())
    }

    fn next_chunk(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<Option<SoundChunk>, SpeakError> {
        // First re-arm, then check: a stop that comes between the two is seen by the check, a later one by the run.
        self.network.running().unterminate().map_err(SpeakError::synthesis)?;
        if is_stopped() {
            return Err(SpeakError::Stopped);
        }
        self.chunk().map_err(|error| match is_stopped() {
            true => SpeakError::Stopped,
            false => SpeakError::synthesis(error),
        })
    }

    fn rest(&mut self) -> Result<(), SpeakError> {
        self.network.shrink().map_err(SpeakError::synthesis)
    }
}

/// Phonemes as the model's ids: begin, each phoneme followed by a pad, end. Unknown ones are skipped, as in Piper.
fn encode(table: &HashMap<char, Vec<i64>>, phonemes: &str) -> Vec<i64> {
    let of = |c: char| table.get(&c).map_or(&[][..], Vec::as_slice);
    let pad = of('_');
    let mut ids = [of('^'), pad].concat();
    for phoneme in phonemes.chars().filter(|c| table.contains_key(c)) {
        ids.extend_from_slice(of(phoneme));
        ids.extend_from_slice(pad);
    }
    ids.extend_from_slice(of('$'));
    ids
}

/// Reads a voice's description.
fn describe(path: &Path) -> Result<Description, SpeakError> {
    let unusable = |why: String| SpeakError::Description { path: path.to_owned(), why };
    let text = std::fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    let description: Description = serde_json::from_str(&text).map_err(|e| unusable(e.to_string()))?;
    let rate = description.audio.sample_rate;
    if RATES.contains(&rate) { Ok(description) } else { Err(unusable(format!("a sample rate of {rate} Hz"))) }
}

/// Returns the id table by character; the marks for begin, end and padding must be in it.
fn table(map: HashMap<String, Vec<i64>>, path: &Path) -> Result<HashMap<char, Vec<i64>>, SpeakError> {
    let table: HashMap<char, Vec<i64>> = map
        .into_iter()
        .filter_map(|(phoneme, ids)| {
            let mut chars = phoneme.chars();
            chars.next().filter(|_| chars.next().is_none()).map(|c| (c, ids))
        })
        .collect();
    if ['_', '^', '$'].iter().all(|mark| table.contains_key(mark)) {
        return Ok(table);
    }
    let why = "its phoneme table lacks the marks _ ^ $".to_owned();
    Err(SpeakError::Description { path: path.to_owned(), why })
}
