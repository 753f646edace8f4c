//! The voice and the reader of each language.
//!
//! Owned by the voice thread. In: the code of a language. Out: its voice, or the first one.

use super::plain::SpeakableReader;
use super::{Interrupter, Voice};
use joi_language::{Language, LanguageCode};

/// The voice of one language.
#[derive(Debug)]
pub struct LanguageVoice {
    language: LanguageCode,
    pub(super) voice: Box<dyn Voice>,
    pub(super) reader: SpeakableReader,
}

impl LanguageVoice {
    /// Creates the voice of `language`.
    pub fn new(voice: Box<dyn Voice>, language: &Language) -> Self {
        Self { language: language.to_code(), voice, reader: SpeakableReader::new(language) }
    }
}

/// The voices of one or more languages.
#[derive(Debug)]
pub struct LanguageVoices {
    first: LanguageVoice,
    others: Vec<LanguageVoice>,
}

impl From<LanguageVoice> for LanguageVoices {
    fn from(first: LanguageVoice) -> Self {
        Self { first, others: Vec::new() }
    }
}

impl LanguageVoices {
    /// Adds a voice.
    #[must_use]
    pub fn and(mut self, another: LanguageVoice) -> Self {
        self.others.push(another);
        self
    }

    /// Returns the interrupters of all voices.
    pub(super) fn interrupters(&self) -> Vec<Interrupter> {
        std::iter::once(&self.first)
            .chain(&self.others)
            .filter_map(|speaker| speaker.voice.interrupter())
            .collect()
    }

    /// Frees the memory that all voices hold for long sentences.
    pub(super) fn rest(&mut self) {
        for speaker in std::iter::once(&mut self.first).chain(&mut self.others) {
            if let Err(error) = speaker.voice.rest() {
                tracing::debug!(%error, "the memory of a voice stays as it is");
            }
        }
    }

    /// Returns the voice of `language`, or else the first one.
    pub(super) fn of(&mut self, language: &LanguageCode) -> &mut LanguageVoice {
        let place = self.others.iter().position(|speaker| speaker.language == *language);
        match place.and_then(|place| self.others.get_mut(place)) {
            Some(speaker) => speaker,
            None => &mut self.first,
        }
    }
}
