//! What may not be over yet is read by the quickest model first, and by the chosen one behind it or beside it.
//!
//! In: an utterance at a pause, and what the quickest model made of it. Out: its words where they are beyond doubt,
//! or those of the chosen model. Whichever decides first is the answer, and the other one is given up.

use std::time::{Duration, Instant};

use super::Conversation;
use super::first_look::{TrialModel, is_decisive, is_likely};
use super::hearing::Hearing;
use super::signals::{FlowInput, Judged};
use joi_agent::model::ChatModel;
use joi_base::message::{OpenedBy, Utterance};
use joi_base::trace::Decision;
use joi_hear::judge::{BargeInPolicy, JudgeVerdict};
use joi_hear::whisper::{DecodeUrgency, SttEvent, SttJob};
use joi_understand::intents::{Completeness, completeness};

/// The chosen model begins so much later than the quickest one beside it: most gaps within a word are over by then, and
/// what it has begun it can't leave before its encoder is through.
const HEAD_START: Duration = Duration::from_millis(64);

/// What the quickest model has made of an utterance.
#[derive(Debug)]
pub(super) enum Glance {
    /// What it is sure of.
    Enough(Judged),
    /// Words that the chosen model reads as well.
    Words(Judged),
}

/// What of the quickest model's words is worth being prepared, while the chosen one still reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GlanceWorth {
    /// The sound of the answer: they are a whole command.
    Answer,
    /// The prompt of the language model: no command could come of them.
    Prompt,
    Nothing,
}

impl Hearing {
    /// Has an utterance transcribed.
    pub(super) fn decode(&mut self, job: SttJob) {
        self.keep(job.utterance.clone());
        match (self.ears.trial, job.urgency) {
            (TrialModel::QuickestFirst, DecodeUrgency::Speculative) => self.interjections.submit(job),
            (TrialModel::Both, DecodeUrgency::Speculative) => {
                self.interjections.submit(job.clone());
                self.stt.submit_later(job.utterance, Instant::now() + HEAD_START);
            }
            (_, DecodeUrgency::Final) | (TrialModel::Chosen, _) => self.stt.submit(job),
        }
    }

    /// Returns whether this result of the chosen model is to be passed on. Nothing of a pause is passed on twice, and
    /// the end always; the words of the quickest model may still come where these are missing.
    pub(super) fn is_news(&mut self, event: &SttEvent) -> bool {
        let key = (event.generation, event.revision);
        let is_first = self.known < Some(key);
        if is_first && event.result.is_ok() {
            self.known = Some(key);
            self.interjections.abandon(key.0, key.1);
        }
        is_first || event.urgency == DecodeUrgency::Final
    }

    /// The utterance that the quickest model has looked at, if that was no interjection.
    pub(super) fn glanced_at(&self, event: &SttEvent) -> Option<&Utterance> {
        let utterance = self.utterance((event.generation, event.revision))?;
        (utterance.opened_by != OpenedBy::Interjection).then_some(utterance)
    }

    /// What the quickest model has made of an utterance, where that is enough; else the chosen one reads it.
    pub(super) fn glance(&mut self, event: SttEvent, utterance: Utterance) -> Option<Glance> {
        let key = (event.generation, event.revision);
        if self.known >= Some(key) {
            return None;
        }
        let judged = event.result.ok().map(|transcript| self.judged(transcript, BargeInPolicy::Commands));
        if let Some(judged) = judged.as_ref().filter(|judged| self.is_enough(judged)) {
            self.known = Some(key);
            self.stt.abandon(key.0, key.1);
            let look = Decision::new("first look", "enough", "the quickest model is sure of it");
            return Some(Glance::Enough(Judged { look: Some(look), ..judged.clone() }));
        }
        if self.ears.trial == TrialModel::QuickestFirst {
            self.stt.submit(SttJob { utterance, urgency: DecodeUrgency::Speculative });
        }
        judged.map(Glance::Words)
    }

    /// Returns the preparation for words that the chosen model reads as well, while it does. A command of which the
    /// quickest model is not sure costs nothing but its own core, where it has one, which is idle then; of a question
    /// the better model must most likely have the same words, since reading others in vain would only slow it down.
    pub(super) fn worth(&self, judged: &Judged) -> GlanceWorth {
        let (JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text)) = &judged.judgement.verdict else {
            return GlanceWorth::Nothing;
        };
        let language = self.ears.languages.heard(judged.transcript.language.as_deref());
        match completeness(&language, text) {
            Completeness::Question | Completeness::Sentence | Completeness::Unknown
                if is_likely(&judged.transcript) =>
            {
                GlanceWorth::Prompt
            }
            whole if whole.is_whole() && self.ears.trial == TrialModel::Both => GlanceWorth::Answer,
            _ => GlanceWorth::Nothing,
        }
    }

    fn is_enough(&self, judged: &Judged) -> bool {
        let language = self.ears.languages.heard(judged.transcript.language.as_deref());
        let text = match &judged.judgement.verdict {
            JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text) => text,
            JudgeVerdict::Stop => &judged.transcript.text,
            JudgeVerdict::Interrupts(_) | JudgeVerdict::Echo | JudgeVerdict::Ignore => return false,
        };
        is_decisive(&language, text, &judged.transcript)
    }
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// The quickest model has looked at what may not be over yet.
    pub(super) async fn glanced(&mut self, event: SttEvent, utterance: Utterance) {
        let at = Instant::now();
        let (generation, revision) = (event.generation, event.revision);
        match self.input.hearing.glance(event, utterance) {
            Some(Glance::Enough(judged)) => {
                self.step(FlowInput::Transcribed { result: Ok(judged), generation, revision, at }).await;
            }
            Some(Glance::Words(judged)) => match self.input.hearing.worth(&judged) {
                GlanceWorth::Answer => self.answers.rehearse(&judged),
                GlanceWorth::Prompt => self.read_words(&judged),
                GlanceWorth::Nothing => {}
            },
            None => {}
        }
    }
}
