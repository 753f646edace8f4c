//! Who speaks which language: a voice and a reader for each.
//!
//! Owned by the voice thread. In: the code of a language. Out: its speaker; the first one for a language that has none.

use super::Voice;
use super::plain::SpeakableReader;
use crate::language::{Language, LanguageCode};

/// The voice of one language.
#[derive(Debug)]
pub struct Speaker {
    language: LanguageCode,
    pub(super) voice: Voice,
    pub(super) reader: SpeakableReader,
}

impl Speaker {
    /// `voice` reads `language`.
    pub fn new(voice: Voice, language: &Language) -> Self {
        Self { language: language.to_code(), voice, reader: SpeakableReader::new(language) }
    }
}

/// One or more of them.
#[derive(Debug)]
pub struct Speakers {
    first: Speaker,
    others: Vec<Speaker>,
}

impl From<Speaker> for Speakers {
    fn from(first: Speaker) -> Self {
        Self { first, others: Vec::new() }
    }
}

impl Speakers {
    /// The same, and another one.
    #[must_use]
    pub fn and(mut self, another: Speaker) -> Self {
        self.others.push(another);
        self
    }

    /// All voices.
    pub(super) fn voices(&self) -> impl Iterator<Item = &Voice> {
        std::iter::once(&self.first).chain(&self.others).map(|speaker| &speaker.voice)
    }

    /// Whoever speaks `language`, else the first.
    pub(super) fn of(&mut self, language: &LanguageCode) -> &mut Speaker {
        let place = self.others.iter().position(|speaker| speaker.language == *language);
        match place.and_then(|place| self.others.get_mut(place)) {
            Some(speaker) => speaker,
            None => &mut self.first,
        }
    }
}
