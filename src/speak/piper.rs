//! A Piper voice: phonemes in, samples out, through ONNX Runtime.
//!
//! Runs on the thread that owns the [`PiperVoice`]; loading takes seconds, so it stays resident. In: speakable
//! text. Out: mono f32 in −1..1 at the voice's own rate, sentence by sentence, so that the first one is
//! played while the next is synthesised. An unusable library, model or configuration is refused with an error
//! that names the file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{RunOptions, Session};
use ort::value::{DynValue, Tensor};
use serde::Deserialize;

use super::espeak::Phonemizer;
use super::{SpeakConfig, SpeakError, SynthesisEnd, shape};

#[cfg(test)]
pub(super) mod tests;

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

/// Aborts the sentence that a [`Voice`](super::Voice) is synthesising. Any thread; never blocks.
#[derive(Clone, Default)]
pub struct Interrupter(Option<Arc<RunOptions>>);

impl std::fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupter").finish_non_exhaustive()
    }
}

impl Interrupter {
    /// Aborts the running synthesis. Without one, the next [`Voice::say`](super::Voice::say) is not affected.
    pub fn interrupt(&self) {
        let Some(running) = &self.0 else { return };
        if let Err(error) = running.terminate() {
            tracing::warn!(%error, "could not abort the synthesis of a sentence; its result is dropped");
        }
    }
}

/// A loaded voice.
pub struct PiperVoice {
    session: Session,
    running: Arc<RunOptions>,
    phonemizer: Phonemizer,
    ids: HashMap<char, Vec<i64>>,
    rate: u32,
    scales: [f32; 3],
    speakers: u32,
    gain: f32,
    pause: usize,
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
    pub fn load(files: &PiperFiles, config: &SpeakConfig) -> Result<Self, SpeakError> {
        let description = describe(&files.config)?;
        let phonemizer = Phonemizer::open(&files.espeak_data, &description.espeak.voice)?;
        let environment = environment(&files.onnxruntime)?;
        let session = session(&environment, &files.model, config.threads())?;
        let running = RunOptions::new().map_err(|e| SpeakError::model(&files.model, &e))?;
        let rate = description.audio.sample_rate;
        let Inference { noise_scale, length_scale, noise_w } = description.inference;
        let mut voice = Self {
            session,
            running: Arc::new(running),
            phonemizer,
            ids: table(description.phoneme_id_map, &files.config)?,
            rate,
            scales: [
                noise_scale * config.variation,
                length_scale * config.length_scale,
                noise_w * config.variation,
            ],
            speakers: description.num_speakers,
            gain: config.gain,
            pause: (f64::from(rate) * f64::from(config.pause_ms) / 1e3) as usize,
        };
        voice.compute("haɪ.").map_err(|e| SpeakError::model(&files.model, &e))?;
        Ok(voice)
    }

    /// The rate of its samples, in Hz.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// A handle that aborts a running [`PiperVoice::say`] from another thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(Some(Arc::clone(&self.running)))
    }

    /// Synthesises `text`, which is speakable already: passes the samples of each sentence to `each` as soon
    /// as they are ready. `is_stopped` is checked before each sentence; to abort within one, set whatever it
    /// reads and then call [`Interrupter::interrupt`].
    ///
    /// # Errors
    /// When ONNX Runtime fails. Samples that are not finite are silenced, not an error.
    pub fn say(
        &mut self,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
        each: &mut dyn FnMut(Vec<f32>),
    ) -> Result<SynthesisEnd, SpeakError> {
        for phonemes in self.phonemizer.sentences(text)? {
            // First re-arm, then check: a stop that comes between the two is seen by the check, a later one
            // by the run.
            self.running.unterminate().map_err(SpeakError::synthesis)?;
            if is_stopped() {
                return Ok(SynthesisEnd::Stopped);
            }
            match self.compute(&phonemes) {
                Ok(mut samples) => {
                    shape::level(&mut samples, self.gain);
                    if phonemes.ends_with(['.', '?', '!']) {
                        samples.resize(samples.len() + self.pause, 0.0);
                    }
                    each(samples);
                }
                Err(_) if is_stopped() => return Ok(SynthesisEnd::Stopped),
                Err(error) => return Err(SpeakError::synthesis(error)),
            }
        }
        Ok(SynthesisEnd::All)
    }

    /// One run of the model over one sentence.
    fn compute(&mut self, phonemes: &str) -> ort::Result<Vec<f32>> {
        let ids = self.encode(phonemes);
        let length = ids.len();
        let mut inputs: Vec<(&str, DynValue)> = vec![
            ("input", Tensor::from_array(([1, length], ids))?.into_dyn()),
            ("input_lengths", Tensor::from_array(([1], vec![length as i64]))?.into_dyn()),
            ("scales", Tensor::from_array(([3], self.scales.to_vec()))?.into_dyn()),
        ];
        if self.speakers > 1 {
            inputs.push(("sid", Tensor::from_array(([1], vec![0_i64]))?.into_dyn()));
        }
        let outputs = self.session.run_with_options(inputs, &*self.running)?;
        let (_, samples) = outputs[0].try_extract_tensor::<f32>()?;
        Ok(samples.to_vec())
    }

    /// Phonemes as the model's ids: begin, each phoneme followed by a pad, end. Unknown ones are skipped, as
    /// in Piper.
    fn encode(&self, phonemes: &str) -> Vec<i64> {
        let of = |c: char| self.ids.get(&c).map_or(&[][..], Vec::as_slice);
        let pad = of('_');
        let mut ids = [of('^'), pad].concat();
        for phoneme in phonemes.chars().filter(|c| self.ids.contains_key(c)) {
            ids.extend_from_slice(of(phoneme));
            ids.extend_from_slice(pad);
        }
        ids.extend_from_slice(of('$'));
        ids
    }
}

/// Reads a voice's description.
fn describe(path: &Path) -> Result<Description, SpeakError> {
    let unusable = |why: String| SpeakError::Description { path: path.to_owned(), why };
    let text = std::fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    let description: Description = serde_json::from_str(&text).map_err(|e| unusable(e.to_string()))?;
    let rate = description.audio.sample_rate;
    if RATES.contains(&rate) { Ok(description) } else { Err(unusable(format!("a sample rate of {rate} Hz"))) }
}

/// The id table by character; the marks for begin, end and padding must be in it.
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

/// What ONNX Runtime asks for before it makes an identifier of this machine and a database of what it would report.
const NO_TELEMETRY: &str = "ORT_DISABLE_TELEMETRY";

/// Switches off ONNX Runtime's telemetry before it is loaded. Its own function for that comes too late: by then the
/// identifier and the database are in the user's cache.
///
/// # Safety
/// No other thread of the process may run yet: it changes the environment.
pub unsafe fn refuse_telemetry() {
    // SAFETY: passed on to the caller.
    unsafe { std::env::set_var(NO_TELEMETRY, "1") };
}

/// ONNX Runtime's environment; a process can make only one, so it is kept until the end.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// The process-wide environment, made by the first voice.
fn environment(library: &Path) -> Result<Environment, SpeakError> {
    let mut made = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = made.as_ref() {
        return Ok(environment.clone());
    }
    let unusable = |why: String| SpeakError::Runtime { path: library.to_owned(), why };
    let library = library.canonicalize().map_err(|e| unusable(e.to_string()))?;
    let builder = ort::init_from(&library).map_err(|e| unusable(e.to_string()))?;
    let environment =
        builder.with_name("joi").with_telemetry(false).build().map_err(|e| unusable(e.to_string()))?;
    Ok(made.insert(environment).clone())
}

/// A session that leaves the other cores free: no second thread pool, no spinning between runs.
fn session(environment: &Environment, model: &Path, threads: usize) -> Result<Session, SpeakError> {
    if !model.is_file() {
        return Err(SpeakError::Model { path: model.to_owned(), why: "there is no such file".into() });
    }
    let built = || -> ort::Result<Session> {
        Session::builder(environment)?
            .with_intra_threads(threads)?
            .with_inter_threads(1)?
            .with_intra_op_spinning(false)?
            .with_optimization_level(GraphOptimizationLevel::Level3)?
            .commit_from_file(model)
    };
    built().map_err(|e| SpeakError::model(model, &e))
}
