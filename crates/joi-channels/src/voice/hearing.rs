//! Passes utterances to whisper and judges what comes back.
//!
//! Owned by the conversation's task. In: utterances, results of both whisper threads. Out: jobs for the threads, and
//! judged transcripts. Keeps the last utterances, because the judge looks at the sound behind the words.

use std::collections::VecDeque;

use tokio::sync::mpsc::Receiver;

use super::doubt::Doubted;
use super::hearing_rules::HearingRules;
use super::recent_speech::RecentSpeech;
use super::second_look::SecondLook;
use super::signals::{Judged, SoundOf};
use joi_audio::RATE;
use joi_base::message::{Transcript, Utterance};
use joi_hear::Stretch;
use joi_hear::judge::{
    BargeInPolicy, FollowUpLoudness, JudgeInput, JudgeVerdict, Judgement, Sounded, judge_by,
};
use joi_hear::score::{Opinion, OpinionScorer};
use joi_hear::transcript_filter::{self, Evidence};
use joi_hear::wake::strip_call;
use joi_hear::whisper::{DecodeUrgency, Stt, SttEvent, SttJob};
use joi_understand::intents::{Completeness, completeness};

/// Speech over playback longer than this without a recognised word is treated as noise: 1.7 s, in samples.
const LONG: u64 = RATE as u64 * 17 / 10;

/// Utterances whose transcripts may still come: two on the way in each of the two threads.
const KEPT: usize = 8;

/// Both transcribers of an endpoint, and what is needed to judge their results.
pub(super) struct Hearing {
    pub(super) stt: Stt,
    pub(super) interjections: Stt,
    pub(super) ears: HearingRules,
    /// The newest revision whose words are known, from whichever model they came.
    pub(super) known: Option<(u64, u32)>,
    utterances: VecDeque<Utterance>,
    /// The sentences joi has spoken recently.
    pub(super) speech: RecentSpeech,
    /// The newest interjection, by its generation.
    interjection: u64,
    /// Score the sound itself: for stop words, and for short answers.
    pub(super) second: (OpinionScorer, OpinionScorer),
    /// An answer that waits for that.
    pub(super) doubted: Option<Doubted>,
    pub(super) second_look: SecondLook,
}

impl Hearing {
    pub(super) fn new(
        stt: Stt,
        interjections: Stt,
        ears: HearingRules,
    ) -> (Self, (Receiver<Opinion>, Receiver<Opinion>)) {
        let (cries, of_cries) = OpinionScorer::new(interjections.lender());
        let (answers, of_answers) = OpinionScorer::new(interjections.lender());
        let hearing = Self {
            stt,
            second_look: SecondLook::new(interjections.lender(), ears.languages.clone(), ears.second_look)
                .with(ears.more_readings.clone()),
            interjections,
            ears,
            known: None,
            utterances: VecDeque::new(),
            speech: RecentSpeech::default(),
            interjection: 0,
            second: (cries, answers),
            doubted: None,
        };
        (hearing, (of_cries, of_answers))
    }

    /// Waits for the result of a second look. Cancel-safe.
    pub(super) async fn looked(&mut self) -> Judged {
        self.second_look.next().await
    }

    /// Drops the work on everything before this revision of this utterance.
    pub(super) fn drop_before(&mut self, generation: u64, revision: u32) {
        self.second_look.drop_before((generation, revision));
        self.stt.cancel_before(generation, revision);
        self.interjections.cancel_before(generation, revision);
    }

    /// Keeps an utterance until its transcript was judged.
    pub(super) fn keep(&mut self, utterance: Utterance) {
        self.utterances.truncate(KEPT - 1);
        self.utterances.push_front(utterance);
    }

    /// Returns the same at once, or `None` when its sound is compared once more.
    pub(super) fn look_again(&mut self, judged: Judged) -> Option<Judged> {
        let key = (judged.transcript.generation, judged.transcript.revision);
        let utterance = self.utterances.iter().find(|u| (u.generation, u.revision) == key);
        self.second_look.begin(judged, utterance)
    }

    /// Passes an interjection to the quick model and to the scorer of stop words.
    pub(super) fn interjected(&mut self, utterance: Utterance, stretch: Stretch) {
        let urgency = match stretch {
            Stretch::SoFar => DecodeUrgency::Speculative,
            Stretch::Whole => DecodeUrgency::Final,
        };
        self.interjection = utterance.generation;
        self.keep(utterance.clone());
        // The current look is at an older sound, and must not keep this one waiting.
        self.second.0.give_up();
        self.interjections.submit(SttJob { utterance: utterance.clone(), urgency });
        self.listen_for_stop_words(&utterance);
    }

    /// The utterance of this generation and revision, if it is kept.
    pub(super) fn utterance(&self, key: (u64, u32)) -> Option<&Utterance> {
        self.utterances.iter().find(|u| (u.generation, u.revision) == key)
    }

    /// Returns whether somebody has talked over playback for so long that a word must have been said by now.
    pub(super) fn is_long(&self, event: &SttEvent) -> bool {
        let utterance = self.utterance((event.generation, event.revision));
        utterance.is_some_and(|utterance| utterance.speech_ends_at - utterance.speech_begins_at >= LONG)
    }

    /// The newest interjection, by its generation.
    pub(super) fn newest_interjection(&self) -> u64 {
        self.interjection
    }

    /// Judges the transcript of an utterance.
    pub(super) fn judged(&mut self, mut transcript: Transcript, openness: BargeInPolicy) -> Judged {
        let key = (transcript.generation, transcript.revision);
        let language = self.ears.languages.heard(transcript.language.as_deref());
        let is_request = |rest: &str| match completeness(&language, rest) {
            Completeness::Question => true,
            meaning => meaning.is_whole(),
        };
        transcript.text = strip_call(&transcript.text, &self.ears.phrases, is_request).to_owned();
        let Some(utterance) = self.utterances.iter().find(|u| (u.generation, u.revision) == key) else {
            let reason = "its sound is not known any more".to_owned();
            let judgement = Judgement { verdict: JudgeVerdict::Ignore, reason };
            return Judged { transcript, judgement, sound: None, look: None, is_unsure: true };
        };
        let evidence = Evidence::of(utterance, &transcript);
        let moment = |position| utterance.moment(position, utterance.captured);
        let case = JudgeInput {
            text: &transcript.text,
            evidence: &evidence,
            opened_by: &utterance.opened_by,
            began: moment(utterance.speech_begins_at),
            ended: moment(utterance.speech_ends_at),
            said: self.speech.sentences(),
            names: &self.ears.phrases,
            prompt: None,
        };
        let judgement = judge_by(&self.ears.rules(&language), &case, openness);
        let loudness = FollowUpLoudness {
            voice_db: evidence.voice_db,
            room_db: evidence.quiet_db,
            echo_db: None,
            overlaps_playback: case.said.iter().any(|sentence| sentence.until > case.began),
        };
        let began_at = utterance.speech_begins_at;
        let sound = Some(SoundOf { began_at, began: case.began, ended: case.ended, loudness });
        let is_unsure = transcript_filter::is_unsure(&evidence, &self.ears.trust);
        Judged { judgement, sound, transcript, look: None, is_unsure }
    }
}

/// Returns when an utterance sounded, beside what joi said.
pub(super) fn sounded<'a>(utterance: &Utterance, speech: &'a mut RecentSpeech) -> Sounded<'a> {
    let moment = |position| utterance.moment(position, utterance.captured);
    let (began, ended) = (moment(utterance.speech_begins_at), moment(utterance.speech_ends_at));
    Sounded { began, ended, said: speech.sentences() }
}
