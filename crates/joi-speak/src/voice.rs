//! A voice: text in, samples out, chunk by chunk.
//!
//! Owned by the voice thread. Piper's voices sound like people and are fetched; espeak-ng's are in the program for
//! every language it has data of, and sound like machines.

use super::espeak::{EspeakSource, EspeakVoice};
use super::piper::{PiperFiles, PiperVoice};
use super::shape::LeadSilence;
use super::{Interrupter, SpeakConfig, SpeakError};

/// Where a voice comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VoiceSource {
    /// One of Piper's.
    Piper(PiperFiles),
    /// One of espeak-ng's own.
    Espeak(EspeakSource),
}

impl From<PiperFiles> for VoiceSource {
    fn from(files: PiperFiles) -> Self {
        Self::Piper(files)
    }
}

impl From<EspeakSource> for VoiceSource {
    fn from(source: EspeakSource) -> Self {
        Self::Espeak(source)
    }
}

/// How a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SynthesisEnd {
    /// All of it was synthesised.
    All,
    /// It was stopped before the end.
    Stopped,
}

/// Some sound of a text: a sentence, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundChunk {
    /// Mono, −1..1.
    pub samples: Vec<f32>,
    /// The next chunk belongs to the same sentence: there is no joint between them.
    pub continues: bool,
}

/// How far a text is.
#[derive(Debug, PartialEq)]
pub enum SynthesisProgress {
    /// Its next chunk.
    Chunk(SoundChunk),
    /// There is none.
    Over(SynthesisEnd),
}

/// A loaded voice.
#[derive(Debug)]
pub enum Voice {
    /// One of Piper's.
    Piper(Box<PiperVoice>),
    /// One of espeak-ng's own.
    Espeak(EspeakVoice),
}

impl Voice {
    /// Loads a voice. Takes seconds on a small machine: call it on a thread that may block.
    ///
    /// # Errors
    /// Says which file is missing or unusable, or which voice there is not.
    pub fn load(source: &VoiceSource, config: &SpeakConfig) -> Result<Self, SpeakError> {
        match source {
            VoiceSource::Piper(files) => Ok(Self::Piper(Box::new(PiperVoice::load(files, config)?))),
            VoiceSource::Espeak(source) => Ok(Self::Espeak(EspeakVoice::load(source, config)?)),
        }
    }

    /// The rate of its samples, in Hz.
    pub fn rate(&self) -> u32 {
        match self {
            Self::Piper(voice) => voice.rate(),
            Self::Espeak(voice) => voice.rate(),
        }
    }

    /// A handle that aborts a running [`Voice::advance`] from another thread.
    pub fn interrupter(&self) -> Interrupter {
        match self {
            Self::Piper(voice) => voice.interrupter(),
            // It asks itself, many times a sentence.
            Self::Espeak(_) => Interrupter::default(),
        }
    }

    /// Begins `text`, which is speakable already; what it was saying is forgotten.
    ///
    /// # Errors
    /// When espeak-ng fails.
    pub fn begin(&mut self, text: &str, lead: LeadSilence) -> Result<(), SpeakError> {
        match self {
            Self::Piper(voice) => voice.begin(text, lead),
            Self::Espeak(voice) => {
                voice.begin(text, lead);
                Ok(())
            }
        }
    }

    /// Synthesises the next chunk of what was begun. `is_stopped` is checked before; to abort it within, set whatever it
    /// reads and then call [`Interrupter::interrupt`].
    ///
    /// # Errors
    /// When the synthesis fails. Samples that are not finite are silenced, not an error.
    pub fn advance(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<SynthesisProgress, SpeakError> {
        match self {
            Self::Piper(voice) => voice.advance(is_stopped),
            Self::Espeak(voice) => voice.advance(is_stopped),
        }
    }

    /// Nothing was said for a while: gives back the memory that long sentences have left. Takes as long as a short word.
    ///
    /// # Errors
    /// When the synthesis fails.
    pub fn rest(&mut self) -> Result<(), SpeakError> {
        match self {
            Self::Piper(voice) => voice.rest(),
            Self::Espeak(_) => Ok(()),
        }
    }

    /// Synthesises `text`, which is speakable already, to its end.
    ///
    /// # Errors
    /// As [`Voice::advance`].
    pub fn say(
        &mut self,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
        each: &mut dyn FnMut(SoundChunk),
    ) -> Result<SynthesisEnd, SpeakError> {
        self.begin(text, LeadSilence::Kept)?;
        loop {
            match self.advance(is_stopped)? {
                SynthesisProgress::Chunk(chunk) => each(chunk),
                SynthesisProgress::Over(end) => return Ok(end),
            }
        }
    }
}
