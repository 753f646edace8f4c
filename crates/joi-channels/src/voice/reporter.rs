//! Reports an answer by speaking it: words become segments, segments go to the mouth.
//!
//! Runs in the task of the turn. In: the engine's words. Out: lines for the mouth, and [`News`] of the
//! same words for whoever shows them. Without a voice the words are shown only. After a while joi asks
//! whether to go on; what comes then waits in a queue for the rest, and is lost when that is full or
//! nobody wants it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::News;
use super::answers::AnswerContext;
use super::signals::SpokenQuestion;
use crate::turn::Reporter;
use joi_agent::Action;
use joi_agent::model::ChatModel;
use joi_audio::{Player, Volume};
use joi_base::message::{Private, TurnId};
use joi_language::{Language, Languages};
use joi_speak::{LineRole, Mouth, Segmenter, SpokenLine};
use joi_understand::intents::VolumeChange;

/// One step of "louder" and "quieter", in percent points.
const VOLUME_STEP: u8 = 10;
/// Text spoken in a second, in bytes: measured on the default voice.
const BYTES_A_SECOND: f64 = 15.0;
/// Segments of the rest of an answer: more than the longest answer has.
pub(super) const REST: usize = 256;

impl<M: ChatModel> AnswerContext<M> {
    /// The language of a question, which is spoken from here on.
    pub(super) fn language_of(&self, question: &SpokenQuestion) -> Arc<Language> {
        let languages = &self.speech.languages;
        let heard = question.judged.transcript.language.as_deref();
        let heard = heard.map(|heard| languages.heard(Some(heard)));
        let code = heard.as_ref().map(|language| language.code());
        let language = self.engine.language_of(&self.session, &question.text, code);
        languages.follow(&language);
        language
    }
}

/// What an answer is spoken through.
#[derive(Clone)]
pub(super) struct SpeechOutput {
    pub(super) mouth: Option<Mouth>,
    pub(super) player: Player,
    pub(super) news: Sender<News>,
    pub(super) languages: Languages,
}

/// When to ask whether to go on.
pub(super) struct Breath {
    /// After so much speech.
    pub(super) after: Duration,
    /// The text that is left to be said then.
    pub(super) rest: Sender<String>,
}

pub(super) struct SpokenReporter {
    turn: TurnId,
    speech: SpeechOutput,
    /// Of the answer.
    language: Arc<Language>,
    segmenter: Segmenter,
    lines: u32,
    first_sentence: Option<Instant>,
    /// Bytes of the answer that were spoken.
    spoken: usize,
    breath: Option<Breath>,
    has_asked: bool,
}

impl SpokenReporter {
    pub(super) fn new(
        turn: TurnId,
        speech: SpeechOutput,
        language: Arc<Language>,
        breath: Option<Breath>,
    ) -> Self {
        let breath = breath.filter(|_| speech.mouth.is_some());
        Self {
            turn,
            speech,
            segmenter: Segmenter::new(&language),
            language,
            lines: 0,
            first_sentence: None,
            spoken: 0,
            breath,
            has_asked: false,
        }
    }

    /// The next piece of the answer: now, or later when joi has spoken for long enough.
    pub(super) async fn deliver(&mut self, segment: String) {
        if self.is_out_of_breath() {
            self.keep(segment).await;
        } else {
            self.spoken += segment.len();
            self.speak(segment, LineRole::Answer).await;
        }
    }

    fn is_out_of_breath(&self) -> bool {
        let seconds = self.spoken as f64 / BYTES_A_SECOND;
        self.breath.as_ref().is_some_and(|breath| seconds >= breath.after.as_secs_f64())
    }

    async fn keep(&mut self, segment: String) {
        if let Some(breath) = &self.breath {
            // Nobody wants the rest any more, or there is far too much of it.
            let _ = breath.rest.try_send(segment);
        }
        if !std::mem::replace(&mut self.has_asked, true) {
            self.speak(self.language.sentences().reply.go_on.clone(), LineRole::Aside).await;
            self.finish().await;
        }
    }

    async fn speak(&mut self, text: String, part: LineRole) {
        self.first_sentence.get_or_insert_with(Instant::now);
        let language = self.language.to_code();
        let line = SpokenLine { turn: self.turn, index: self.lines, text, part, language };
        self.lines += 1;
        if let Some(mouth) = &self.speech.mouth
            && mouth.say(line).await.is_err()
        {
            // The turn was stopped: its cancellation ends it, and there is nothing left to say.
            tracing::debug!(turn = %self.turn, "a line came too late to be spoken");
        }
    }

    /// No words of the answer follow: what is left of it.
    async fn flush(&mut self) {
        let rest = std::mem::replace(&mut self.segmenter, Segmenter::new(&self.language)).finish();
        if let Some(segment) = rest {
            self.deliver(segment).await;
        }
    }

    /// Nothing more is to be spoken.
    pub(super) async fn finish(&mut self) {
        if let Some(mouth) = &self.speech.mouth
            && mouth.finish(self.turn).await.is_err()
        {
            tracing::debug!(turn = %self.turn, "the turn was stopped before its end");
        }
    }
}

impl Reporter for SpokenReporter {
    async fn words(&mut self, words: &str) {
        // Nobody has to look.
        let _ = self.speech.news.send(News::Words(Private(words.to_owned()))).await;
        for segment in self.segmenter.push(words) {
            self.deliver(segment).await;
        }
        if let Some(opening) = self.segmenter.opening() {
            self.deliver(opening).await;
        }
    }

    async fn aside(&mut self, sentence: &str) {
        let _ = self.speech.news.send(News::Remark(sentence.to_owned())).await;
        if !self.has_asked {
            self.speak(sentence.to_owned(), LineRole::Aside).await;
        }
    }

    async fn offer(&mut self, question: &str) {
        self.flush().await;
        let _ = self.speech.news.send(News::Remark(question.to_owned())).await;
        // Where the rest waits already, it was asked.
        if !self.has_asked {
            self.speak(question.to_owned(), LineRole::Aside).await;
        }
    }

    fn notice(&mut self, sentence: &str) {
        // A notice that finds the queue full is in the log all the same.
        let _ = self.speech.news.try_send(News::Remark(sentence.to_owned()));
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Volume(change) => {
                let volume = changed_volume(self.speech.player.volume(), change);
                self.speech.player.set_volume(volume);
            }
            Action::StopSpeaking => match &self.speech.mouth {
                Some(mouth) => mouth.stop(),
                None => self.speech.player.flush(),
            },
            // The outcome of the turn says so, too.
            Action::EndConversation => {}
        }
    }

    async fn end(&mut self) -> Option<Instant> {
        self.flush().await;
        if !self.has_asked {
            self.finish().await;
        }
        self.first_sentence
    }
}

/// Returns the volume after a change: steps of ten percent points, never below audible by a step.
pub fn changed_volume(now: Volume, change: VolumeChange) -> Volume {
    let percent = now.as_percent();
    Volume::percent(match change {
        VolumeChange::Up => percent.saturating_add(VOLUME_STEP).min(100),
        VolumeChange::Down => percent.saturating_sub(VOLUME_STEP).max(VOLUME_STEP.min(percent)),
        VolumeChange::Set(percent) => percent.min(100),
        VolumeChange::By(points) => percent.saturating_add_signed(points).min(100),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_audible_and_a_set_volume_is_taken_as_it_is() {
        let after = |from, change| changed_volume(Volume::percent(from), change).as_percent();
        assert_eq!(after(50, VolumeChange::Up), 60);
        assert_eq!(after(95, VolumeChange::Up), 100);
        assert_eq!(after(50, VolumeChange::Down), 40);
        assert_eq!(after(12, VolumeChange::Down), 10, "quieter never means mute");
        assert_eq!(after(0, VolumeChange::Down), 0);
        assert_eq!(after(50, VolumeChange::By(30)), 80);
        assert_eq!(after(50, VolumeChange::By(-30)), 20);
        assert_eq!(after(50, VolumeChange::By(-60)), 0);
        assert_eq!(after(90, VolumeChange::By(30)), 100);
        assert_eq!(after(50, VolumeChange::Set(0)), 0);
    }
}
