//! A voice: text in, samples out, sentence by sentence.
//!
//! Owned by the voice thread. Piper's voices sound like people and are fetched; espeak-ng's are in the program for
//! every language it has data of, and sound like machines.

use super::espeak::{EspeakSource, EspeakVoice};
use super::piper::{PiperFiles, PiperVoice};
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

/// How a [`Voice::say`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SynthesisEnd {
    /// Every sentence was passed on.
    All,
    /// It was stopped before the end.
    Stopped,
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

    /// A handle that aborts a running [`Voice::say`] from another thread.
    pub fn interrupter(&self) -> Interrupter {
        match self {
            Self::Piper(voice) => voice.interrupter(),
            // It asks itself, many times a sentence.
            Self::Espeak(_) => Interrupter::default(),
        }
    }

    /// Synthesises `text`, which is speakable already: passes the samples of each sentence to `each` as soon
    /// as they are ready. `is_stopped` is checked before each sentence; to abort within one, set whatever it
    /// reads and then call [`Interrupter::interrupt`].
    ///
    /// # Errors
    /// When the synthesis fails. Samples that are not finite are silenced, not an error.
    pub fn say(
        &mut self,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
        each: &mut dyn FnMut(Vec<f32>),
    ) -> Result<SynthesisEnd, SpeakError> {
        match self {
            Self::Piper(voice) => voice.say(text, is_stopped, each),
            Self::Espeak(voice) => voice.say(text, is_stopped, each),
        }
    }
}
