//! From the listener's events to the flow's inputs: utterances go to whisper, and what comes back is judged.
//!
//! Owned by the conversation's task. In: deliveries of the listener, results of both whisper threads. Out:
//! [`FlowInput`]s. It remembers the last utterances, because the judge looks at the sound behind the words.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Receiver;

use super::first_look::TrialModel;
use super::opinions::ExpectedWords;
use super::recent_speech::RecentSpeech;
use super::second_look::{MoreReadings, SecondLook};
use super::signals::{FlowInput, Judged, SoundOf};
use super::{Conversation, News};
use joi_agent::model::ChatModel;
use joi_audio::RATE;
use joi_base::message::{Transcript, Utterance};
use joi_hear::judge::{
    BargeInPolicy, FollowUpLoudness, JudgeConfig, JudgeInput, JudgeRules, JudgeVerdict, Judgement, Sounded,
    judge_by,
};
use joi_hear::score::{Opinion, OpinionScorer};
use joi_hear::transcript_filter::{self, Evidence, TranscriptFilterConfig};
use joi_hear::wake::strip_call;
use joi_hear::whisper::{DecodeUrgency, Stt, SttError, SttEvent, SttJob};
use joi_hear::{Delivery, HearEvent, Stretch};
use joi_language::{Language, Languages};
use joi_schedule::announce::Presence;
use joi_understand::intents::{Completeness, completeness};

/// Whoever talks over her for so long, in samples, has said a word by then or is no talker: 1.7 s.
const LONG: u64 = RATE as u64 * 17 / 10;

/// Utterances whose transcripts may still come: two on the way in each of the two threads.
const KEPT: usize = 8;

/// What decides whether something was said to her.
#[derive(Debug, Clone)]
pub struct HearingRules {
    /// The wake phrases, to be taken off the beginning of a transcript.
    pub phrases: Vec<String>,
    /// What the sound has to support.
    pub trust: TranscriptFilterConfig,
    /// Echo, stop words, loops.
    pub judge: JudgeConfig,
    /// The language that is spoken.
    pub languages: Languages,
    /// Which model reads what may not be over yet.
    pub trial: TrialModel,
    /// How long what is almost a command is looked at once more; nothing for never.
    pub second_look: Option<Duration>,
    /// What it may be, beside the commands that the language knows.
    pub more_readings: MoreReadings,
}

impl HearingRules {
    /// What is judged by, in `language`.
    pub(super) fn rules<'a>(&'a self, language: &'a Language) -> JudgeRules<'a> {
        JudgeRules { trust: &self.trust, config: &self.judge, words: language.vocabulary() }
    }
}

pub(super) struct Hearing {
    pub(super) stt: Stt,
    pub(super) interjections: Stt,
    pub(super) ears: HearingRules,
    /// The newest revision whose words are known, from whichever model they came.
    pub(super) known: Option<(u64, u32)>,
    utterances: VecDeque<Utterance>,
    /// What she said recently.
    pub(super) speech: RecentSpeech,
    /// The interjection that is looked at now.
    interjection: u64,
    /// Listen to the sound itself: for stop words, and for short answers.
    pub(super) second: (OpinionScorer, OpinionScorer),
    /// An answer that waits for that.
    pub(super) doubted: Option<Doubted>,
    pub(super) second_look: SecondLook,
}

/// A short answer, to a question of hers or to what rings, that was not understood.
#[derive(Debug)]
pub(super) struct Doubted {
    pub(super) generation: u64,
    pub(super) revision: u32,
    pub(super) judged: Judged,
    pub(super) at: Instant,
    pub(super) expected: ExpectedWords,
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

    /// What came of a second look, once it is over. Cancel-safe.
    pub(super) async fn looked(&mut self) -> Judged {
        self.second_look.next().await
    }

    pub(super) fn drop_before(&mut self, generation: u64, revision: u32) {
        self.second_look.drop_before((generation, revision));
        self.stt.cancel_before(generation, revision);
        self.interjections.cancel_before(generation, revision);
    }

    pub(super) fn keep(&mut self, utterance: Utterance) {
        self.utterances.truncate(KEPT - 1);
        self.utterances.push_front(utterance);
    }

    /// The same at once, or nothing when its sound is looked at once more.
    fn look_again(&mut self, judged: Judged) -> Option<Judged> {
        let key = (judged.transcript.generation, judged.transcript.revision);
        let utterance = self.utterances.iter().find(|u| (u.generation, u.revision) == key);
        self.second_look.begin(judged, utterance)
    }

    fn interjected(&mut self, utterance: Utterance, stretch: Stretch) {
        let urgency = match stretch {
            Stretch::SoFar => DecodeUrgency::Speculative,
            Stretch::Whole => DecodeUrgency::Final,
        };
        self.interjection = utterance.generation;
        self.keep(utterance.clone());
        // What is looked at now is of an older sound, and must not keep this one waiting.
        self.second.0.give_up();
        self.interjections.submit(SttJob { utterance: utterance.clone(), urgency });
        self.listen_for_stop_words(&utterance);
    }

    /// The utterance of this generation and revision, if it is kept.
    pub(super) fn utterance(&self, key: (u64, u32)) -> Option<&Utterance> {
        self.utterances.iter().find(|u| (u.generation, u.revision) == key)
    }

    /// Whether somebody talks over her for so long that he must have said a word by now.
    fn is_long(&self, event: &SttEvent) -> bool {
        let utterance = self.utterance((event.generation, event.revision));
        utterance.is_some_and(|utterance| utterance.speech_ends_at - utterance.speech_begins_at >= LONG)
    }

    /// The transcript of an utterance as the flow wants it.
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

/// When an utterance sounded, beside what she said.
pub(super) fn sounded<'a>(utterance: &Utterance, speech: &'a mut RecentSpeech) -> Sounded<'a> {
    let moment = |position| utterance.moment(position, utterance.captured);
    let (began, ended) = (moment(utterance.speech_begins_at), moment(utterance.speech_ends_at));
    Sounded { began, ended, said: speech.sentences() }
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// Takes in a listener's event.
    pub(super) async fn delivered(&mut self, delivery: Delivery) {
        self.input.hold(delivery.ack);
        let input = match delivery.event {
            HearEvent::Wake { phrase, score, at, when } => {
                self.tell(News::Woke(phrase.clone())).await;
                self.called(when);
                FlowInput::Wake { phrase, score, at, when }
            }
            HearEvent::Started { .. } => FlowInput::Started { at: Instant::now() },
            HearEvent::Continued { .. } => FlowInput::Continued { at: Instant::now() },
            HearEvent::Interrupting { .. } => FlowInput::Interrupting,
            HearEvent::Interjected { utterance, stretch } => {
                self.input.hearing.interjected(utterance, stretch);
                return;
            }
            HearEvent::Paused { utterance } => FlowInput::Paused(utterance),
            HearEvent::Resumed { generation, revision } => FlowInput::Resumed { generation, revision },
            HearEvent::Ended { utterance, decided, .. } => FlowInput::Ended { utterance, decided },
            HearEvent::NothingSaid => FlowInput::NothingSaid,
            HearEvent::MicrophoneLost { fault } => {
                self.announcements.microphone_lost(Instant::now()).await;
                self.tell(News::Deaf(fault)).await;
                FlowInput::Deaf("the microphone is gone")
            }
            HearEvent::Hearing { device } => {
                self.announcements.microphone_found().await;
                self.tell(News::Hears(device)).await;
                return;
            }
            HearEvent::Muted => {
                // Nobody wants to hear that she can't hear.
                self.announcements.microphone_found().await;
                self.announcements.set_presence(Presence::Muted);
                FlowInput::Deaf("the microphone is muted")
            }
            HearEvent::Unmuted => {
                self.announcements.set_presence(Presence::Here);
                self.speak_up().await;
                return;
            }
            HearEvent::SourceEnded => {
                self.input.end();
                FlowInput::NothingSaid
            }
        };
        self.step(input).await;
    }

    /// Somebody pushes to talk: that interrupts her always.
    pub(super) async fn asked(&mut self) {
        self.tell(News::Asked).await;
        let at = Instant::now();
        self.called(at);
        self.step(FlowInput::Requested { at }).await;
    }

    pub(super) async fn transcribed(&mut self, event: SttEvent) {
        if !self.input.hearing.is_news(&event) {
            return;
        }
        let at = Instant::now();
        let (generation, revision) = (event.generation, event.revision);
        let result = match event.result {
            Ok(transcript) => {
                let judged = self.input.hearing.judged(transcript, BargeInPolicy::Commands);
                let rings = self.announcements.only_timers_ring();
                if let Some(expected) = self.input.hearing.asks_its_sound(&judged, rings) {
                    let doubted = Doubted { generation, revision, judged, at, expected };
                    self.input.hearing.doubted = Some(doubted);
                    return;
                }
                let Some(judged) = self.input.hearing.look_again(judged) else { return };
                Ok(judged)
            }
            Err(error) => Err(self.failed(error).await),
        };
        self.step(FlowInput::Transcribed { result, generation, revision, at }).await;
    }

    /// The second look is over.
    pub(super) async fn looked(&mut self, judged: Judged) {
        let (generation, revision) = (judged.transcript.generation, judged.transcript.revision);
        let at = Instant::now();
        self.step(FlowInput::Transcribed { result: Ok(judged), generation, revision, at }).await;
    }

    /// What was said while she spoke or thought: what makes her stop counts at once, everything else when it is over.
    pub(super) async fn interjected(&mut self, event: SttEvent) {
        if let Some(utterance) = self.input.hearing.glanced_at(&event).cloned() {
            return self.glanced(event, utterance).await;
        }
        let is_newest = event.generation == self.input.hearing.interjection;
        let is_over =
            is_newest && (event.urgency == DecodeUrgency::Final || self.input.hearing.is_long(&event));
        let result = match event.result {
            Ok(transcript) => Ok(self.input.hearing.judged(transcript, self.openness())),
            Err(error) => Err(self.failed(error).await),
        };
        if let Ok(Judged { judgement: Judgement { verdict, reason }, .. }) = &result {
            tracing::debug!(verdict = verdict.name(), reason, "interjection");
        }
        let interrupts = result.as_ref().is_ok_and(|judged| {
            matches!(judged.judgement.verdict, JudgeVerdict::Stop | JudgeVerdict::Interrupts(_))
        });
        if is_over || interrupts {
            self.step(FlowInput::Interjected(result)).await;
        }
    }

    /// What may interrupt her now.
    fn openness(&self) -> BargeInPolicy {
        match (self.flow.is_audible(), self.output.is_echo_cancelled()) {
            (false, _) => BargeInPolicy::Commands,
            (true, false) => BargeInPolicy::StopWords,
            (true, true) => BargeInPolicy::Words,
        }
    }

    async fn failed(&self, error: SttError) -> String {
        tracing::warn!(%error, "an utterance could not be transcribed");
        self.tell(News::Remark(error.to_string())).await;
        error.to_string()
    }
}
