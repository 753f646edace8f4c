//! The texts that a client wants to hear, in the order in which they are said.
//!
//! In: texts, whole or in pieces. Out: speakable segments, and where a request ends. While a text comes in pieces, a whole
//! one is ignored: clients send it for servers that know no pieces. Refuses voices that are not offered, and more text than
//! somebody reads out.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::sync::Arc;

use joi_language::Language;
use joi_speak::{Segmenter, SpeakableReader};

use super::offer::VoiceOffer;
use super::request::VoiceWish;

/// Most characters of texts that wait to be said: half an hour of speech.
const MOST_TEXT: usize = 20_000;

/// The next thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpeechStep {
    /// Say this with the voice of that place.
    Say { voice: usize, text: String },
    /// The request is over.
    End(SpeechEnd),
}

/// How a text came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpeechEnd {
    /// As a whole.
    Whole,
    /// In pieces.
    Pieces,
}

/// A text that is not said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpeechError {
    #[error("\"voice\" is {wanted:?}; allowed: {allowed}")]
    Voice { wanted: String, allowed: String },
    #[error("the text is too long; allowed: {MOST_TEXT} characters that wait to be said")]
    TooLong,
}

struct OpenText {
    voice: usize,
    segmenter: Segmenter,
    reader: SpeakableReader,
}

/// The texts of one connection.
pub(crate) struct SpeechQueue {
    voices: Arc<[VoiceOffer]>,
    /// Comes in pieces.
    open: Option<OpenText>,
    steps: VecDeque<SpeechStep>,
    /// Characters that came and were not said yet.
    waiting: usize,
}

impl SpeechQueue {
    pub(crate) fn new(voices: Arc<[VoiceOffer]>) -> Self {
        Self { voices, open: None, steps: VecDeque::new(), waiting: 0 }
    }

    /// Takes a whole text.
    pub(crate) fn whole(&mut self, text: &str, wish: &VoiceWish) -> Result<(), SpeechError> {
        if self.open.is_some() {
            return Ok(());
        }
        let mut open = self.opened(wish)?;
        self.push(&mut open, text)?;
        self.end(open, SpeechEnd::Whole);
        Ok(())
    }

    /// A text comes in pieces. One that was not ended ends here.
    pub(crate) fn start(&mut self, wish: &VoiceWish) -> Result<(), SpeechError> {
        self.stop();
        self.open = Some(self.opened(wish)?);
        Ok(())
    }

    /// The next piece; ignored where none is awaited.
    pub(crate) fn piece(&mut self, text: &str) -> Result<(), SpeechError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        self.push(&mut open, text)?;
        self.open = Some(open);
        Ok(())
    }

    /// The text is whole; ignored where none is awaited.
    pub(crate) fn stop(&mut self) {
        if let Some(open) = self.open.take() {
            self.end(open, SpeechEnd::Pieces);
        }
    }

    /// Returns the next step.
    pub(crate) fn next(&mut self) -> Option<SpeechStep> {
        let step = self.steps.pop_front()?;
        if let SpeechStep::Say { text, .. } = &step {
            self.waiting = self.waiting.saturating_sub(text.chars().count());
        }
        Some(step)
    }

    /// Returns whether pieces are awaited.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the language and the reader of the voice that is asked for.
    fn opened(&self, wish: &VoiceWish) -> Result<OpenText, SpeechError> {
        let voice = self.voice(wish)?;
        let offer = &self.voices[voice];
        let mut reader = offer.reader.clone();
        reader.restart();
        Ok(OpenText { voice, segmenter: Segmenter::new(&offer.language), reader })
    }

    /// Returns the place of the voice: the named one; else that of the language; else the first.
    fn voice(&self, wish: &VoiceWish) -> Result<usize, SpeechError> {
        let names = || self.voices.iter().map(|voice| voice.name.as_str()).collect::<Vec<_>>().join(", ");
        let refused = |wanted: &str| SpeechError::Voice { wanted: wanted.to_owned(), allowed: names() };
        if let Some(name) = wish.name.as_deref().filter(|name| !name.is_empty()) {
            let place = self.voices.iter().position(|voice| voice.name.eq_ignore_ascii_case(name));
            return place.ok_or_else(|| refused(name));
        }
        let language = wish.language.as_deref().unwrap_or_default();
        let is_of = |offered: &Language| {
            let wanted = language.split(['-', '_']).next().unwrap_or_default();
            wanted.eq_ignore_ascii_case(offered.code())
        };
        let place = self.voices.iter().position(|voice| is_of(&voice.language));
        if self.voices.is_empty() { Err(refused(language)) } else { Ok(place.unwrap_or(0)) }
    }

    fn push(&mut self, open: &mut OpenText, text: &str) -> Result<(), SpeechError> {
        self.waiting += text.chars().count();
        if self.waiting > MOST_TEXT {
            return Err(SpeechError::TooLong);
        }
        for segment in open.segmenter.push(text) {
            self.say(open, &segment);
        }
        Ok(())
    }

    fn end(&mut self, mut open: OpenText, end: SpeechEnd) {
        let segmenter =
            std::mem::replace(&mut open.segmenter, Segmenter::new(&self.voices[open.voice].language));
        if let Some(rest) = segmenter.finish() {
            self.say(&mut open, &rest);
        }
        self.steps.push_back(SpeechStep::End(end));
    }

    fn say(&mut self, open: &mut OpenText, segment: &str) {
        let text = open.reader.speakable(segment);
        // Only what is left to be said counts.
        self.waiting = (self.waiting + text.chars().count()).saturating_sub(segment.chars().count());
        if !text.is_empty() {
            self.steps.push_back(SpeechStep::Say { voice: open.voice, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue() -> SpeechQueue {
        let voice = |name: &str, code: &str| {
            VoiceOffer::new(name.to_owned(), Arc::new(Language::load(code).unwrap()))
        };
        SpeechQueue::new([voice("joe", "en"), voice("thorsten", "de")].into())
    }

    fn steps(queue: &mut SpeechQueue) -> Vec<String> {
        let shown = |step| match step {
            SpeechStep::Say { voice, text } => format!("{voice} {text}"),
            SpeechStep::End(end) => format!("{end:?}"),
        };
        std::iter::from_fn(|| queue.next()).map(shown).collect()
    }

    fn by(name: &str) -> VoiceWish {
        VoiceWish { name: Some(name.to_owned()), language: None }
    }

    #[test]
    fn a_text_is_said_by_sentences_and_pieces_as_soon_as_a_sentence_is_whole() {
        let mut queue = queue();
        queue.whole("It is 5 °C. **Take** a coat.", &VoiceWish::default()).unwrap();
        assert_eq!(steps(&mut queue), ["0 It is 5 degrees Celsius.", "0 Take a coat.", "Whole"]);
        queue.start(&by("Thorsten")).unwrap();
        queue.piece("Guten Morgen. Es ").unwrap();
        assert_eq!(steps(&mut queue), ["1 Guten Morgen."]);
        queue.whole("Guten Morgen. Es regnet.", &by("thorsten")).unwrap();
        assert!(steps(&mut queue).is_empty(), "the whole text is for servers that know no pieces");
        queue.piece("regnet. ").unwrap();
        queue.stop();
        assert_eq!(steps(&mut queue), ["1 Es regnet.", "Pieces"]);
        queue.stop();
        queue.piece("nobody waits for this").unwrap();
        assert!(steps(&mut queue).is_empty());
    }

    #[test]
    fn a_text_without_words_ends_all_the_same() {
        let mut queue = queue();
        queue.whole(" \n ", &VoiceWish::default()).unwrap();
        queue.start(&VoiceWish::default()).unwrap();
        queue.stop();
        assert_eq!(steps(&mut queue), ["Whole", "Pieces"]);
    }

    #[test]
    fn the_voice_is_the_named_one_or_that_of_the_language_or_the_first() {
        let queue = queue();
        let of = |language: &str| VoiceWish { name: None, language: Some(language.to_owned()) };
        let place = |wish: &VoiceWish| queue.voice(wish).map_err(|error| error.to_string());
        assert_eq!(place(&by("THORSTEN")), Ok(1));
        assert_eq!([place(&of("de_DE")), place(&of("de")), place(&of("en-US"))], [Ok(1), Ok(1), Ok(0)]);
        assert_eq!([place(&of("fr")), place(&VoiceWish::default())], [Ok(0), Ok(0)]);
        let error = "\"voice\" is \"amy\"; allowed: joe, thorsten";
        assert_eq!(place(&by("amy")), Err(error.to_owned()));
    }

    #[test]
    fn more_text_than_somebody_reads_out_is_refused_and_what_was_said_counts_no_more() {
        let mut queue = queue();
        let long = "Some words. ".repeat(1_200);
        for _ in 0..3 {
            queue.whole(&long, &VoiceWish::default()).unwrap();
            assert_eq!(steps(&mut queue).len(), 1_201);
        }
        queue.whole(&long, &VoiceWish::default()).unwrap();
        assert_eq!(queue.whole(&long, &VoiceWish::default()), Err(SpeechError::TooLong));
    }
}
