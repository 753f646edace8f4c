//! Who speaks which language: a voice and a reader for each.
//!
//! Owned by the voice thread. In: the code of a language. Out: its speaker; the first one for a language that has none.

use super::Voice;
use super::plain::SpeakableReader;
use joi_language::{Language, LanguageCode};

/// The voice of one language.
#[derive(Debug)]
pub struct LanguageVoice {
    language: LanguageCode,
    pub(super) voice: Voice,
    pub(super) reader: SpeakableReader,
}

impl LanguageVoice {
    /// `voice` reads `language`.
    pub fn new(voice: Voice, language: &Language) -> Self {
        Self { language: language.to_code(), voice, reader: SpeakableReader::new(language) }
    }
}

/// One or more of them.
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
    /// The same, and another one.
    #[must_use]
    pub fn and(mut self, another: LanguageVoice) -> Self {
        self.others.push(another);
        self
    }

    /// All voices.
    pub(super) fn voices(&self) -> impl Iterator<Item = &Voice> {
        std::iter::once(&self.first).chain(&self.others).map(|speaker| &speaker.voice)
    }

    /// Nothing was said for a while: all give back what they hold for long sentences.
    pub(super) fn rest(&mut self) {
        for speaker in std::iter::once(&mut self.first).chain(&mut self.others) {
            if let Err(error) = speaker.voice.rest() {
                tracing::debug!(%error, "the memory of a voice stays as it is");
            }
        }
    }

    /// Whoever speaks `language`, else the first.
    pub(super) fn of(&mut self, language: &LanguageCode) -> &mut LanguageVoice {
        let place = self.others.iter().position(|speaker| speaker.language == *language);
        match place.and_then(|place| self.others.get_mut(place)) {
            Some(speaker) => speaker,
            None => &mut self.first,
        }
    }
}
