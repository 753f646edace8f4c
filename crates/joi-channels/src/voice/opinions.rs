//! Second opinions: scores the sound itself for a stop word, or for a short answer to a question of joi.
//!
//! Owned by the conversation's task. In: interjections, and answers whose transcript says nothing; opinions of
//! the thread that has the quickest model. Out: the same inputs to the flow as of a transcript. What counts is
//! decided by the judge.

use std::sync::Arc;
use std::time::Duration;

use super::Conversation;
use super::doubt::{Doubted, ExpectedWords};
use super::hearing::{Hearing, sounded};
use super::signals::{FlowInput, Judged, SoundOf};
use joi_agent::model::ChatModel;
use joi_audio::RATE;
use joi_base::message::{OpenedBy, Transcript, Utterance};
use joi_hear::judge::{
    FollowUpLoudness, JudgeVerdict, Judgement, answers, judge_answer, judge_sound, judge_stop, rivals,
};
use joi_hear::score::{Opinion, OpinionRequest};

/// A short answer has so much voiced sound at most, and at least: 0.1 to 1.2 s.
const SHORT: std::ops::RangeInclusive<u64> = RATE as u64 / 10..=RATE as u64 * 6 / 5;

impl Hearing {
    /// Asks the scorer whether a stop word is in the sound of an interjection.
    pub(super) fn listen_for_stop_words(&mut self, utterance: &Utterance) {
        let sounded = sounded(utterance, &mut self.speech);
        let language = self.ears.languages.get();
        let rules = self.ears.rules(&language);
        let question = OpinionRequest {
            key: (utterance.generation, utterance.revision),
            samples: Arc::clone(&utterance.samples),
            words: rules.words.stop_phrases().to_vec(),
            rivals: rivals(&rules, sounded),
        };
        if !self.second.0.ask(question) {
            tracing::debug!("the sound of an interjection is not looked at: there is too much to do");
        }
    }

    /// Asks the scorer about a short answer, where that helps; returns what it is compared with: "stop" while a timer rings,
    /// whatever its transcript says ("start"); yes and no to a question of joi, where the transcript says nothing.
    pub(super) fn asks_its_sound(&mut self, judged: &Judged, rings: bool) -> Option<ExpectedWords> {
        let key = (judged.transcript.generation, judged.transcript.revision);
        let utterance = self.utterance(key)?;
        let is_short = utterance.opened_by == OpenedBy::FollowUp && SHORT.contains(&utterance.voiced);
        let samples = Arc::clone(&utterance.samples);
        let expected = match &judged.judgement.verdict {
            JudgeVerdict::FollowUp(text) if rings && text.split_whitespace().count() == 1 => {
                ExpectedWords::Stop
            }
            JudgeVerdict::Ignore if rings => ExpectedWords::Stop,
            JudgeVerdict::Ignore if self.speech.is_question() => ExpectedWords::Answer,
            _ => return None,
        };
        let language = self.ears.languages.get();
        let rules = self.ears.rules(&language);
        let words = match expected {
            ExpectedWords::Stop => rules.words.stop_phrases().to_vec(),
            ExpectedWords::Answer => answers(&rules),
        };
        let request = OpinionRequest { key, samples, words, rivals: Vec::new() };
        (is_short && self.second.1.ask(request)).then_some(expected)
    }

    /// Returns the judged opinion on an interjection, if it makes joi stop.
    fn stop_word(&mut self, opinion: Opinion) -> Option<Judged> {
        let key = opinion.key;
        let like = opinion
            .result
            .inspect_err(
                |error| tracing::debug!(%error, "the sound of an interjection could not be looked at"),
            )
            .ok()?;
        let utterance = self.utterance(key)?.clone();
        let sounded = sounded(&utterance, &mut self.speech);
        let judgement = judge_sound(&self.ears.rules(&self.ears.languages.get()), sounded, &like)?;
        // Nothing of it goes anywhere but into the record of the turn.
        let loudness =
            FollowUpLoudness { voice_db: 0.0, room_db: 0.0, echo_db: None, overlaps_playback: true };
        let sound = SoundOf {
            began_at: utterance.speech_begins_at,
            began: sounded.began,
            ended: sounded.ended,
            loudness,
        };
        Some(Judged {
            transcript: untranscribed(key, opinion.took),
            judgement,
            sound: Some(sound),
            look: None,
            is_unsure: true,
        })
    }
}

impl Judged {
    /// Replaces the transcript by the word that the sound supports; no recogniser has written it.
    pub(super) fn rescored(self, word: String, reason: &str) -> Self {
        let reason = format!("{reason}; its transcript: {}", self.judgement.reason);
        let transcript = Transcript { text: word.clone(), ..self.transcript };
        let judgement = Judgement { verdict: JudgeVerdict::FollowUp(word), reason };
        Self { transcript, judgement, is_unsure: true, ..self }
    }
}

/// Returns an empty transcript, for a decision that did not wait for one.
fn untranscribed((generation, revision): (u64, u32), took: Duration) -> Transcript {
    Transcript {
        generation,
        revision,
        text: String::new(),
        language: None,
        mean_logprob: 0.0,
        no_speech: 0.0,
        audio_ctx: 0,
        ran_away: false,
        took,
    }
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// Takes in the opinion on an interjection: a stop word counts at once, everything else waits for its words.
    pub(super) async fn interjected_by_sound(&mut self, opinion: Opinion) {
        if let Some(judged) = self.input.hearing.stop_word(opinion) {
            tracing::debug!(reason = judged.judgement.reason, "interjection, by its sound");
            self.step(FlowInput::Interjected(Ok(judged))).await;
        }
    }

    /// Takes in the opinion on a short answer that was not understood.
    pub(super) async fn answered_by_sound(&mut self, opinion: Opinion) {
        let is_it = |doubted: &Doubted| (doubted.generation, doubted.revision) == opinion.key;
        let Some(doubted) = self.input.hearing.doubted.take_if(|doubted| is_it(doubted)) else { return };
        let Doubted { generation, revision, mut judged, at, expected } = doubted;
        let answer = match &opinion.result {
            Ok(like) => {
                let ears = &self.input.hearing.ears;
                let language = ears.languages.get();
                let rules = ears.rules(&language);
                match expected {
                    ExpectedWords::Stop => judge_stop(like),
                    ExpectedWords::Answer => judge_answer(&rules, like),
                }
            }
            Err(error) => {
                tracing::debug!(%error, "the sound of an answer could not be looked at");
                None
            }
        };
        match answer {
            Some(Judgement { verdict: JudgeVerdict::FollowUp(word), reason }) => {
                judged = judged.rescored(word, &reason);
            }
            Some(judgement) => judged.judgement = judgement,
            None => {}
        }
        self.step(FlowInput::Transcribed { result: Ok(judged), generation, revision, at }).await;
    }
}
