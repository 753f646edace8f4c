//! A line whose first chunk is synthesised before it is decided whether it is spoken.
//!
//! Run by the voice thread; any thread may give it up. In: the line. Out: its first chunk, to be played if the next line
//! is the same; the voice then goes on behind it. It delays nobody: another line ends it within the chunk.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::spoken_line::SpokenLine;
use crate::languages::LanguageVoice;
use crate::{LeadSilence, SoundChunk};
use joi_language::LanguageCode;

/// The text being prepared, if there is one.
#[derive(Debug, Default)]
pub(super) struct Rehearsal(Mutex<Option<PreparedText>>);

#[derive(Debug)]
struct PreparedText {
    text: String,
    is_given_up: bool,
}

/// A line that can begin at once. The voice of its language stands behind its first chunk.
#[derive(Debug)]
pub(super) struct PreparedLine {
    text: String,
    language: LanguageCode,
    first: SoundChunk,
}

impl Rehearsal {
    fn current(&self) -> MutexGuard<'_, Option<PreparedText>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Synthesises the beginning of `text`; nothing when another line came in between, or it failed.
    pub(super) fn prepare(
        &self,
        speaker: &mut LanguageVoice,
        text: String,
        language: LanguageCode,
    ) -> Option<PreparedLine> {
        *self.current() = Some(PreparedText { text: text.clone(), is_given_up: false });
        speaker.reader.restart();
        let spoken = speaker.reader.speakable(&text);
        let is_given_up = || self.current().as_ref().is_none_or(|current| current.is_given_up);
        let voice = &mut speaker.voice;
        let first = voice.begin(&spoken, LeadSilence::Cut).and_then(|()| voice.next_chunk(&is_given_up));
        *self.current() = None;
        match first {
            Ok(first) => first.map(|first| PreparedLine { text, language, first }),
            Err(error) => {
                tracing::debug!(%error, "a line could not be prepared");
                None
            }
        }
    }

    /// Ends what is being prepared, unless it is `text`; whether there was something to end.
    pub(super) fn give_up_unless(&self, text: &str) -> bool {
        match self.current().as_mut() {
            Some(current) if current.text != text => {
                current.is_given_up = true;
                true
            }
            Some(_) | None => false,
        }
    }
}

impl PreparedLine {
    /// Returns whether this is the beginning of `line`.
    pub(super) fn is(&self, line: &SpokenLine) -> bool {
        self.text == line.text && self.language == line.language
    }

    /// Returns the first chunk.
    pub(super) fn into_first(self) -> SoundChunk {
        self.first
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::steady_joe;
    use crate::{LineRole, Voice};
    use joi_base::message::TurnId;

    fn line(text: &str, language: &str) -> SpokenLine {
        SpokenLine {
            turn: TurnId(1),
            index: 0,
            text: text.into(),
            part: LineRole::Answer,
            language: language.into(),
        }
    }

    /// Everything the voice says from where it stands.
    fn rest(voice: &mut dyn Voice) -> Vec<f32> {
        let mut samples = Vec::new();
        while let Some(chunk) = voice.next_chunk(&|| false).unwrap() {
            samples.extend(chunk.samples);
        }
        samples
    }

    #[test]
    fn behind_what_was_prepared_the_voice_goes_on_as_if_it_said_all_of_it_at_once() {
        let mut speaker = steady_joe();
        speaker.voice.begin("It is 9 oh 5, and a quarter of an hour.", LeadSilence::Cut).unwrap();
        let said = rest(&mut *speaker.voice);
        let text = "It is 9:05, and a quarter of an hour.";
        let ready = Rehearsal::default().prepare(&mut speaker, text.into(), "en".into()).unwrap();
        assert!(ready.is(&line(text, "en")));
        assert!(!ready.is(&line("It is 9:06.", "en")) && !ready.is(&line(text, "de")));
        let first = ready.into_first();
        assert!(first.continues());
        let mut played = first.samples;
        assert!(played.len() < said.len() / 2, "{} of {}", played.len(), said.len());
        played.extend(rest(&mut *speaker.voice));
        assert!(played == said, "not a sample differs");
    }

    #[test]
    fn another_line_ends_what_is_prepared_and_the_same_one_does_not() {
        let rehearsal = Arc::new(Rehearsal::default());
        assert!(!rehearsal.give_up_unless("anything"), "there is nothing to end");
        let text = format!("It {}ends.", "goes on and on ".repeat(20));
        // A machine that does other things may prepare it before this thread has looked: then once more.
        let (interrupter, preparing) = loop {
            let mut speaker = steady_joe();
            let interrupter = speaker.voice.interrupter().unwrap();
            let preparing = std::thread::spawn({
                let (rehearsal, text) = (Arc::clone(&rehearsal), text.clone());
                move || rehearsal.prepare(&mut speaker, text, "en".into()).is_none()
            });
            while rehearsal.current().is_none() && !preparing.is_finished() {
                std::thread::yield_now();
            }
            if rehearsal.current().is_some() {
                break (interrupter, preparing);
            }
        };
        assert!(!rehearsal.give_up_unless(&text));
        assert!(rehearsal.give_up_unless("Another line."));
        interrupter();
        assert!(preparing.join().unwrap(), "it was given up");
        assert!(!rehearsal.give_up_unless("Another line."), "and is over");
    }
}
