//! A line that is synthesised before anybody has decided that it is said.
//!
//! Run by the voice thread; any thread may give it up. In: the line. Out: its samples, to be played if the next line is
//! the same. It delays nobody: another line ends it within the sentence.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::SpokenLine;
use crate::language::LanguageCode;
use crate::speak::languages::LanguageVoice;
use crate::speak::{SynthesisEnd, shape};

/// What is being prepared.
#[derive(Debug, Default)]
pub(super) struct Rehearsal(Mutex<Option<PreparedText>>);

#[derive(Debug)]
struct PreparedText {
    text: String,
    is_given_up: bool,
}

/// A line that is ready.
#[derive(Debug)]
pub(super) struct PreparedLine {
    text: String,
    language: LanguageCode,
    /// By sentence.
    samples: Vec<Vec<f32>>,
}

impl Rehearsal {
    fn current(&self) -> MutexGuard<'_, Option<PreparedText>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Synthesises `text`; nothing when another line came in between, or it failed.
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
        let (mut samples, rate) = (Vec::new(), speaker.voice.rate());
        let end = speaker.voice.say(&spoken, &is_given_up, &mut |mut sentence| {
            if samples.is_empty() {
                shape::cut_lead(&mut sentence, rate);
            }
            samples.push(sentence);
        });
        *self.current() = None;
        match end {
            Ok(SynthesisEnd::All) => Some(PreparedLine { text, language, samples }),
            Ok(SynthesisEnd::Stopped) => None,
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
    /// Whether `line` is it.
    pub(super) fn is(&self, line: &SpokenLine) -> bool {
        self.text == line.text && self.language == line.language
    }

    /// Passes its samples on, sentence by sentence, until it is stopped.
    pub(super) fn play(self, is_stopped: &dyn Fn() -> bool, each: &mut dyn FnMut(Vec<f32>)) -> SynthesisEnd {
        for sentence in self.samples {
            if is_stopped() {
                return SynthesisEnd::Stopped;
            }
            each(sentence);
        }
        SynthesisEnd::All
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::language::tests::english;
    use crate::message::TurnId;
    use crate::speak::LineRole;
    use crate::speak::piper::tests::steady_joe;

    fn line(text: &str, language: &str) -> SpokenLine {
        SpokenLine {
            turn: TurnId(1),
            index: 0,
            text: text.into(),
            part: LineRole::Answer,
            language: language.into(),
        }
    }

    #[test]
    fn what_was_prepared_is_what_the_voice_says_of_the_same_line() {
        let mut speaker = LanguageVoice::new(steady_joe(), english());
        let mut said = Vec::new();
        speaker.voice.say("It is 9 oh 5.", &|| false, &mut |sentence| said.push(sentence)).unwrap();
        shape::cut_lead(&mut said[0], speaker.voice.rate());
        let prepare = |speaker: &mut LanguageVoice| {
            Rehearsal::default().prepare(speaker, "It is 9:05.".into(), "en".into()).unwrap()
        };
        let ready = prepare(&mut speaker);
        assert!(ready.is(&line("It is 9:05.", "en")));
        assert!(!ready.is(&line("It is 9:06.", "en")) && !ready.is(&line("It is 9:05.", "de")));
        let mut played = Vec::new();
        assert_eq!(ready.play(&|| false, &mut |sentence| played.push(sentence)), SynthesisEnd::All);
        assert_eq!(played, said);
        let mut none = 0;
        assert_eq!(prepare(&mut speaker).play(&|| true, &mut |_| none += 1), SynthesisEnd::Stopped);
        assert_eq!(none, 0);
    }

    #[test]
    fn another_line_ends_what_is_prepared_and_the_same_one_does_not() {
        let rehearsal = Arc::new(Rehearsal::default());
        assert!(!rehearsal.give_up_unless("anything"), "there is nothing to end");
        let mut speaker = LanguageVoice::new(steady_joe(), english());
        let interrupter = speaker.voice.interrupter();
        let text =
            "One sentence. Another sentence. And a third sentence, which is a little longer. ".repeat(20);
        let preparing = std::thread::spawn({
            let (rehearsal, text) = (Arc::clone(&rehearsal), text.clone());
            move || rehearsal.prepare(&mut speaker, text, "en".into()).is_none()
        });
        while rehearsal.current().is_none() {
            std::thread::yield_now();
        }
        assert!(!rehearsal.give_up_unless(&text));
        assert!(rehearsal.give_up_unless("Another line."));
        interrupter.interrupt();
        assert!(preparing.join().unwrap(), "it was given up");
        assert!(!rehearsal.give_up_unless("Another line."), "and is over");
    }
}
