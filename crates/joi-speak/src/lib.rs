//! Speech output: lines of text in, sound out, and a report of what was really played.
//!
//! [`Mouth::spawn`] starts one thread, `voice`, which owns the loaded [`Voice`]: it takes lines in order,
//! converts each to speakable text, synthesises it chunk by chunk and passes the samples to the
//! [`Player`], which blocks while enough is queued. A task turns the player's events into [`SpeakEvent`]s.
//! [`Mouth::stop`] may be called from any thread and never waits. Spoken text is never logged. Samples can be had without
//! a loudspeaker: `cargo run -p joi-speak --example speak -- "Good morning." OUT.wav`.
//!
//! [`Player`]: joi_audio::Player

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;
use joi_language::LanguageCode;

mod engines;
mod languages;
mod mouth;
mod plain;
mod segment;
mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod voice;

pub use engines::{EspeakSource, PiperFiles, VoiceChoice, choose_voice, load_voice, refuse_telemetry};
pub use languages::{LanguageVoice, LanguageVoices};
pub use mouth::{LineRole, Mouth, SpeakEvent, SpokenLine, Stopped};
pub use plain::{SpeakableReader, speakable};
pub use segment::Segmenter;
pub use shape::LeadSilence;
pub use voice::{ChunkEnd, Interrupter, SoundChunk, Voice, VoicePlaces, VoiceSource};

/// The value of `speak.voice` that leaves the choice to the language.
const AUTO: &str = "auto";

/// `[speak]`: the voice and how it speaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpeakConfig {
    /// The voice: "auto", the best one there is of the language that is spoken; "piper" or "espeak", that speech
    /// engine's voice of the language (espeak-ng needs no model and sounds like a machine); or one of the models
    /// whose name begins with voice-, whatever the language.
    pub voice: String,
    /// Processor threads for one sentence, 0 to 16; 0 takes all cores but one, at most 3. More threads speak
    /// sooner and leave less for the language model that is still writing.
    pub threads: u32,
    /// Loudness factor on the voice's own level, 0.1 to 4. Raising it is louder; peaks are limited softly,
    /// not clipped.
    pub gain: f32,
    /// Speech rate relative to the voice's own pace, 0.5 to 2. Raising it speaks faster.
    pub speed: f32,
    /// Variation of the voice, 0 to 1.5; at 0 a sentence sounds the same every time.
    pub variation: f32,
    /// Silence after each sentence in milliseconds, 0 to 2000. Raising it speaks more calmly.
    pub pause_ms: u32,
}

impl Default for SpeakConfig {
    fn default() -> Self {
        Self { voice: AUTO.into(), threads: 0, gain: 1.5, speed: 1.0, variation: 1.0, pause_ms: 150 }
    }
}

/// How a voice is to speak. Each engine takes all of it apart, so that none forgets a field; what one can't do it names as
/// `_`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoiceStyle {
    /// Processor threads for one sentence, at least 1.
    pub threads: usize,
    /// As [`SpeakConfig::gain`].
    pub gain: f32,
    /// As [`SpeakConfig::speed`].
    pub speed: f32,
    /// As [`SpeakConfig::variation`].
    pub variation: f32,
}

impl SpeakConfig {
    /// Returns what concerns the voice itself.
    pub fn style(&self) -> VoiceStyle {
        let Self { gain, speed, variation, .. } = *self;
        VoiceStyle { threads: self.threads(), gain, speed, variation }
    }

    /// Returns all problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        let name_is_plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        let voice = (!name_is_plain(&self.voice)).then(|| {
            Problem::new("speak.voice", &self.voice, "the name of a voice, letters, digits, - _ .")
                .remedy("`joi models list` shows the voices")
        });
        voice
            .into_iter()
            .chain(Problem::outside("speak.threads", f64::from(self.threads), 0.0..=16.0, ""))
            .chain(Problem::outside("speak.gain", f64::from(self.gain), 0.1..=4.0, ""))
            .chain(Problem::outside("speak.speed", f64::from(self.speed), 0.5..=2.0, ""))
            .chain(Problem::outside("speak.variation", f64::from(self.variation), 0.0..=1.5, ""))
            .chain(Problem::outside("speak.pause_ms", f64::from(self.pause_ms), 0.0..=2000.0, "milliseconds"))
            .collect()
    }

    /// Returns whether the language decides on the voice.
    pub fn is_auto(&self) -> bool {
        self.voice == AUTO
    }

    /// Returns the model of the voice `name`.
    fn model_of(name: &str) -> String {
        format!("voice-{name}")
    }

    /// Returns the number of threads to use on this machine.
    fn threads(&self) -> usize {
        if self.threads > 0 {
            return self.threads as usize;
        }
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        (cores - 1).clamp(1, 3)
    }
}

/// An error of speech output.
#[derive(Debug, thiserror::Error)]
pub enum SpeakError {
    /// ONNX Runtime is missing or not a usable library: fetch it again.
    #[error("ONNX Runtime at {} can't be used ({why}); run `joi models fetch onnxruntime`", path.display())]
    Runtime {
        /// The library.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The voice is missing, truncated or not a Piper voice: fetch it again.
    #[error("the voice {} can't be used ({why}); run `joi models fetch` to get it again", path.display())]
    Model {
        /// The voice.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The description beside the voice is missing or not one: fetch the voice again.
    #[error("the voice's description {} can't be used ({why}); run `joi models fetch` to get it again", path.display())]
    Description {
        /// The description.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// espeak-ng refuses its data: remove the folder, it is written again.
    #[error("{} is not a folder espeak-ng can read its data from; move it away and start joi again", path.display())]
    EspeakData {
        /// The folder.
        path: PathBuf,
    },
    /// espeak-ng's data can't be written: make room or correct the permissions.
    #[error("espeak-ng's data can't be written to {} ({source}); free some disk space or correct its permissions", path.display())]
    EspeakInstall {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The voice asks for a language that is not installed: choose another voice.
    #[error("espeak-ng has no voice {voice}; choose a voice of another language with speak.voice")]
    EspeakVoice {
        /// The name in espeak-ng.
        voice: String,
    },
    /// A model was not fetched; the sentence names the remedy.
    #[error("{0}")]
    NotFetched(String),
    /// A language names a voice of an engine that does not exist: correct the file.
    #[error("voice.toml of \"{0}\" names the speech engine \"{1}\"; allowed: {2}")]
    UnknownEngine(LanguageCode, String, String),
    /// A language names no voice of the configured engine: choose another one.
    #[error("the language \"{0}\" has no voice of {1}; set speak.voice = \"auto\"")]
    NoVoice(LanguageCode, String),
    /// The text was stopped before its end.
    #[error("speech was stopped")]
    Stopped,
    /// A sentence failed; the next one may work.
    #[error("a sentence could not be synthesised ({0}); if this persists, restart joi")]
    Synthesis(String),
    /// The system could not start a thread.
    #[error("the voice's thread could not be started ({0}); close other programs and start joi again")]
    Thread(#[from] std::io::Error),
}

impl SpeakError {
    fn model(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Self::Model { path: path.to_owned(), why: error.to_string() }
    }

    fn synthesis(error: impl std::fmt::Display) -> Self {
        Self::Synthesis(error.to_string())
    }
}
