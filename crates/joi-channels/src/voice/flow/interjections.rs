//! Handles words that were said during speech or thinking.
//!
//! In: the judge's verdict on them, or nothing when there are no words. Out: effects. A stop word cancels whatever
//! was asked, also while nothing of the answer sounds; other words interrupt speech, and what was said so
//! far is the beginning of what is listened to. So is a stop word beside an emergency, which wants an answer.
//! Pure: no I/O, no clock.

use super::super::signals::{FlowEffect, Judged, StopWordTimes, TOLD, Why};
use super::{Advance, Flow, Opening, Phase, SILENT, drop_all};
use joi_hear::HearCommand;
use joi_hear::judge::JudgeVerdict;
use joi_understand::risk;

impl Flow {
    /// Takes in words that were said during speech or thinking.
    pub(super) fn interjected(&mut self, judged: Option<Judged>) -> Vec<FlowEffect> {
        let Some(judged) = judged else { return self.restored() };
        match judged.judgement.verdict {
            JudgeVerdict::Stop if self.is_emergency(&judged) => self.interrupted(judged),
            JudgeVerdict::Stop => {
                let word = judged.sound.map(StopWordTimes::of);
                self.stopped(Why { reason: TOLD, judged: Some(judged.judgement.reason), word })
            }
            JudgeVerdict::Interrupts(_) if self.may_be_followed() => self.interrupted(judged),
            JudgeVerdict::Interrupts(_)
            | JudgeVerdict::Echo
            | JudgeVerdict::Ignore
            | JudgeVerdict::FollowUp(_)
            | JudgeVerdict::Addressed(_) => self.restored(),
        }
    }

    /// Goes on speaking as before: the words were not meant for joi.
    fn restored(&self) -> Vec<FlowEffect> {
        if self.is_audible() { vec![FlowEffect::Unduck] } else { vec![] }
    }

    /// Returns whether words said over playback mean that somebody may be in danger.
    fn is_emergency(&self, judged: &Judged) -> bool {
        let is_over_her = matches!(self.phase, Phase::Answering { .. }) && self.is_audible();
        let language = self.languages.heard(judged.transcript.language.as_deref());
        is_over_her && judged.sound.is_some() && risk::emergency(&language, &judged.transcript.text).is_some()
    }

    /// Falls silent without a word: whatever goes on is over, and nothing is listened to.
    pub(super) fn silenced(&mut self) -> Vec<FlowEffect> {
        if !matches!(self.phase, Phase::Listening { .. }) {
            return self.stopped(TOLD.into());
        }
        let mut effects = vec![FlowEffect::Ears(HearCommand::Cancel)];
        effects.extend(self.rest(TOLD));
        effects
    }

    fn stopped(&mut self, why: Why) -> Vec<FlowEffect> {
        let mut effects = match &self.phase {
            Phase::Answering { turn, .. } => vec![FlowEffect::Cancel(*turn, why)],
            Phase::Transcribing { utterance, .. } => vec![drop_all(utterance)],
            // The sound says what the words did not.
            Phase::Listening { by: Opening::Interruption, .. } => vec![],
            Phase::Listening { .. } if self.continues.is_some() => vec![],
            Phase::Listening { .. } | Phase::Idle => return vec![],
        };
        if !self.is_audible() {
            // The question may still be going on.
            effects.push(FlowEffect::Ears(HearCommand::Cancel));
        }
        effects.extend(self.rest(TOLD));
        effects
    }

    /// Falls silent, and listens to the interjection from its beginning.
    fn interrupted(&mut self, judged: Judged) -> Vec<FlowEffect> {
        let (Phase::Answering { turn, .. }, true, Some(sound)) =
            (&self.phase, self.is_audible(), judged.sound)
        else {
            return vec![];
        };
        let reason = "somebody talked over her";
        let why = Why { reason, judged: Some(judged.judgement.reason), word: Some(StopWordTimes::of(sound)) };
        let effects = vec![
            FlowEffect::Cancel(*turn, why),
            FlowEffect::Ears(SILENT),
            FlowEffect::Ears(HearCommand::TakeOver { since: sound.began_at }),
        ];
        self.open(Opening::Interruption, sound.began, Advance::Nothing);
        effects
    }
}
