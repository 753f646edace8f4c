//! The seam of the speech engines: text in, samples out, chunk by chunk.
//!
//! A voice is owned by one thread, the voice thread in the program. To add an engine: a file with a [`VoiceSource`] and a
//! [`Voice`], which `engines/sentence_voice.rs` makes of what synthesises a sentence at once, and its row in `engines.rs`. Chunks are pulled from the voice itself, so a text that was begun
//! in advance can be left for a while and continued.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joi_language::{Language, LanguageCode};

use super::shape::LeadSilence;
use super::{SpeakError, VoiceStyle};

/// A loaded voice.
pub trait Voice: Debug + Send {
    /// Returns the sample rate of its chunks in Hz.
    fn rate(&self) -> u32;

    /// Returns the codes of the languages it was made for, such as "en".
    fn languages(&self) -> &[LanguageCode];

    /// Begins `text`, which must be speakable already (see [`crate::speakable`]). What is left of the text before is
    /// dropped.
    ///
    /// # Errors
    /// When the text cannot be converted to phonemes.
    fn begin(&mut self, text: &str, lead: LeadSilence) -> Result<(), SpeakError>;

    /// Synthesises the next chunk of the text; returns nothing at its end. `is_stopped` is called before and, by some
    /// engines, during synthesis; to cancel from another thread, change what it reads and then call the [`Interrupter`].
    ///
    /// # Errors
    /// [`SpeakError::Stopped`] after `is_stopped` returned true, others when the synthesis fails. Samples that are not
    /// finite are silenced, not an error.
    fn next_chunk(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<Option<SoundChunk>, SpeakError>;

    /// Returns a handle that cancels a running [`Voice::next_chunk`] from another thread. An engine that calls
    /// `is_stopped` at least every 100 ms needs none.
    fn interrupter(&self) -> Option<Interrupter> {
        None
    }

    /// Frees the memory that long sentences have left. Called when nothing was spoken for a while; takes as long as a
    /// short word.
    ///
    /// # Errors
    /// When the synthesis fails.
    fn rest(&mut self) -> Result<(), SpeakError> {
        Ok(())
    }
}

/// A voice that can be loaded.
pub trait VoiceSource: Debug + Send {
    /// Loads the voice. Takes seconds on a small machine: call it on a thread that may block.
    ///
    /// # Errors
    /// Names the missing or unusable file, or the unknown voice.
    fn load(&self, style: &VoiceStyle) -> Result<Box<dyn Voice>, SpeakError>;
}

/// A speech engine.
#[derive(Debug)]
pub(super) struct VoiceEngine {
    /// The name as `speak.voice`, and as a key of a language's `voice.toml`.
    pub(super) name: &'static str,
    /// Whether its voices are models that must be fetched.
    pub(super) uses_models: bool,
    /// Finds the engine's voice of a language; nothing where the language names none.
    pub(super) of_language: fn(&Language, &VoicePlaces<'_>) -> Option<Result<FoundVoice, SpeakError>>,
    /// Finds the voice in the first file of a model; nothing where the file belongs to another engine.
    pub(super) of_model: fn(&Path, &VoicePlaces<'_>) -> Option<Result<FoundVoice, SpeakError>>,
}

/// Where the engines find their files.
pub struct VoicePlaces<'a> {
    /// Folder of espeak-ng's data; missing files are written.
    pub espeak_data: PathBuf,
    /// Returns the first file of a fetched model by the model's name, or a sentence with the remedy.
    pub model: &'a dyn Fn(&str) -> Result<PathBuf, String>,
}

impl VoicePlaces<'_> {
    /// Returns the first file of a fetched model.
    pub(super) fn model(&self, name: &str) -> Result<PathBuf, SpeakError> {
        (self.model)(name).map_err(SpeakError::NotFetched)
    }
}

/// A voice whose files are there.
#[derive(Debug)]
pub(super) struct FoundVoice {
    /// The name for people.
    pub(super) name: String,
    /// Loads it.
    pub(super) source: Box<dyn VoiceSource>,
}

/// Cancels the chunk that a [`Voice`] is synthesising. Callable from any thread; never blocks. If nothing is synthesised, the
/// next [`Voice::next_chunk`] is not affected.
pub type Interrupter = Arc<dyn Fn() + Send + Sync>;

/// Some sound of a text: a sentence, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundChunk {
    /// Mono, −1..1.
    pub samples: Vec<f32>,
    /// Decides whether a pause follows, which no voice adds itself.
    pub end: ChunkEnd,
}

/// The place in the text where a chunk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkEnd {
    /// Within a sentence: the next chunk belongs to it, without a joint between them.
    Within,
    /// Behind a stretch that no mark of a sentence closes, such as an item of a list.
    Clause,
    /// Behind a sentence.
    Sentence,
}

impl ChunkEnd {
    /// Returns the end of a stretch of text, or of its phonemes with their punctuation.
    pub fn of(text: &str) -> Self {
        if text.trim_end().ends_with(['.', '?', '!']) { Self::Sentence } else { Self::Clause }
    }
}

impl SoundChunk {
    /// Returns whether the next chunk belongs to the same sentence.
    pub(super) fn continues(&self) -> bool {
        self.end == ChunkEnd::Within
    }

    /// Returns the samples; behind a sentence they end with `pause` samples of silence.
    pub(super) fn with_pause(mut self, pause: usize) -> Vec<f32> {
        if self.end == ChunkEnd::Sentence {
            self.samples.resize(self.samples.len() + pause, 0.0);
        }
        self.samples
    }
}
