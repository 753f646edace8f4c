//! The listener's second stage: which sound is given to the scorer of phrases.
//!
//! In: the newest frame. Out: questions to the confirmer. While nobody is listened to and nothing plays, any voice may
//! be a phrase, unless a model rejects it. While an utterance is open, or joi speaks, only doubts of a model are scored: the
//! phrase then starts a new utterance.

use super::sound::level_db;
use super::{Frame, Listener, RATE};

/// A doubt that ends so soon behind the wake phrase is about the same one: 0.5 s.
const SAME: u64 = RATE as u64 / 2;

impl Listener {
    /// Looks at the newest frame; `verdict` is that of the voice activity network, if it was asked.
    pub(super) fn second_stage(&mut self, verdict: Option<Frame>, is_listening: bool, is_playing: bool) {
        self.take_doubts();
        if is_listening || is_playing {
            self.look_at_doubts(is_playing);
        } else {
            self.look_for_phrases(verdict);
        }
    }

    /// What the models are unsure about.
    fn take_doubts(&mut self) {
        let Some(confirmer) = &mut self.confirmer else { return };
        for detector in &mut self.detectors {
            if let Some(doubt) = detector.doubt().filter(|doubt| doubt.ends_by > self.phrase_ends + SAME) {
                confirmer.doubt(detector.phrase(), doubt);
            }
        }
    }

    /// During playback, the talker is looked for in the signal in which nothing was suppressed.
    fn look_at_doubts(&mut self, is_playing: bool) {
        let Some(confirmer) = &mut self.confirmer else { return };
        let sound = if is_playing { &self.unsuppressed } else { &self.history };
        confirmer.observe_doubts(self.history.end(), |from, to| sound.copy(from, to));
    }

    /// Not listening, and no model is sure.
    fn look_for_phrases(&mut self, verdict: Option<Frame>) {
        let Some(confirmer) = &mut self.confirmer else { return };
        let (end, level) = (self.history.end(), level_db(&self.frame));
        let was_alert = std::mem::replace(&mut self.is_alert, confirmer.is_alert(end, level));
        let voiced = match (was_alert, self.is_alert) {
            (_, false) => false,
            _ if verdict.is_some() => verdict.is_some_and(|frame| frame.voiced),
            (true, true) => self.vad.is_voiced(&self.frame),
            // It has not processed the frames before.
            (false, true) => self.prime().last().is_some_and(|frame| frame.voiced),
        };
        let Some(confirmer) = &mut self.confirmer else { return };
        let may_be =
            |phrase: &str, from, to| self.detectors.iter().all(|detector| detector.may_be(phrase, from, to));
        confirmer.observe(Frame { end, voiced }, level, may_be, |from, to| self.history.copy(from, to));
    }
}
