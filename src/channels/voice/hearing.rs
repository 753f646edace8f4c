//! From the listener's events to the flow's inputs: utterances go to whisper, and what comes back is judged.
//!
//! Owned by the conversation's task. In: deliveries of the listener, results of both whisper threads. Out:
//! [`Input`]s. It remembers the last utterances, because the judge looks at the sound behind the words.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::flow::moment_of;
use super::said::Said;
use super::second_look::SecondLook;
use super::signals::{Input, Judged, SoundOf};
use super::{Conversation, News};
use crate::hear::judge::{Case, JudgeConfig, Judgement, Loudness, Verdict, judge};
use crate::hear::trust::{Evidence, TrustConfig};
use crate::hear::wake::strip_phrase;
use crate::hear::whisper::{Stt, SttError, SttEvent, SttJob, Urgency};
use crate::hear::{Delivery, HearEvent, Stretch};
use crate::message::{Transcript, Utterance};
use crate::reply::model::ChatModel;

/// Utterances whose transcripts may still come: two on the way in each of the two threads.
const KEPT: usize = 4;

/// What decides whether something was said to her.
#[derive(Debug, Clone, Default)]
pub struct Ears {
    /// The wake phrases, to be taken off the beginning of a transcript.
    pub phrases: Vec<String>,
    /// What the sound has to support.
    pub trust: TrustConfig,
    /// Echo, stop words, loops.
    pub judge: JudgeConfig,
    /// How long what is almost a command is looked at once more; nothing for never.
    pub second_look: Option<Duration>,
}

pub(super) struct Hearing {
    stt: Stt,
    interjections: Stt,
    ears: Ears,
    utterances: VecDeque<Utterance>,
    /// What she said lately.
    pub(super) said: Said,
    /// The interjection that is looked at now.
    interjection: u64,
    second_look: SecondLook,
}

impl Hearing {
    pub(super) fn new(stt: Stt, interjections: Stt, ears: Ears) -> Self {
        let second_look = SecondLook::new(interjections.lender(), ears.second_look);
        let (utterances, said) = (VecDeque::new(), Said::default());
        Self { stt, interjections, ears, utterances, said, interjection: 0, second_look }
    }

    /// What came of a second look, once it is over. Cancel-safe.
    pub(super) async fn looked(&mut self) -> Judged {
        self.second_look.next().await
    }

    /// Has an utterance transcribed.
    pub(super) fn decode(&mut self, job: SttJob) {
        self.keep(job.utterance.clone());
        self.stt.submit(job);
    }

    pub(super) fn drop_before(&mut self, generation: u64, revision: u32) {
        self.second_look.drop_before((generation, revision));
        self.stt.cancel_before(generation, revision);
    }

    fn keep(&mut self, utterance: Utterance) {
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
            Stretch::SoFar => Urgency::Speculative,
            Stretch::Whole => Urgency::Final,
        };
        self.interjection = utterance.generation;
        self.keep(utterance.clone());
        self.interjections.submit(SttJob { utterance, urgency });
    }

    /// The transcript of an utterance as the flow wants it.
    fn judged(&mut self, mut transcript: Transcript) -> Judged {
        let key = (transcript.generation, transcript.revision);
        transcript.text = strip_phrase(&transcript.text, &self.ears.phrases).to_owned();
        let of = |u: &&Utterance| (u.generation, u.revision) == key;
        let Some(utterance) = self.utterances.iter().find(of) else {
            let reason = "its sound is not known any more".to_owned();
            let judgement = Judgement { verdict: Verdict::Ignore, reason };
            return Judged { transcript, judgement, sound: None, second_look: None };
        };
        let evidence = Evidence::of(utterance, &transcript);
        let moment = |position| moment_of(position, utterance, utterance.captured);
        let case = Case {
            text: &transcript.text,
            evidence: &evidence,
            opened_by: &utterance.opened_by,
            began: moment(utterance.speech_begins_at),
            ended: moment(utterance.speech_ends_at),
            said: self.said.lately(),
            names: &self.ears.phrases,
            prompt: None,
        };
        let judgement = judge(&case, &self.ears.trust, &self.ears.judge);
        let loudness = Loudness {
            voice_db: evidence.voice_db,
            room_db: evidence.quiet_db,
            echo_db: None,
            overlaps_her: case.said.iter().any(|sentence| sentence.until > case.began),
        };
        let sound = Some(SoundOf { ended: case.ended, loudness });
        Judged { judgement, sound, transcript, second_look: None }
    }
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// Takes in a listener's event; tells whether it was the last one.
    pub(super) async fn hear(&mut self, delivery: Delivery) -> bool {
        // A newer event says that the conversation has caught up with the older one.
        self.ack = delivery.ack;
        let input = match delivery.event {
            HearEvent::Wake { phrase, score, at, .. } => {
                self.tell(News::Woke(phrase.clone())).await;
                self.answer_ring();
                self.read_ahead();
                Input::Wake { phrase, score, at }
            }
            HearEvent::Started { .. } => return false,
            HearEvent::Continued { .. } => Input::Continued,
            HearEvent::Interrupting { .. } => Input::Interrupting,
            HearEvent::Interjected { utterance, stretch } => {
                self.hearing.interjected(utterance, stretch);
                return false;
            }
            HearEvent::Paused { utterance } => Input::Paused(utterance),
            HearEvent::Resumed { generation, revision } => Input::Resumed { generation, revision },
            HearEvent::Ended { utterance, decided, .. } => Input::Ended { utterance, decided },
            HearEvent::NothingSaid => Input::NothingSaid,
            HearEvent::Deaf { fault } => {
                self.pending = self.announcer.deaf(Instant::now(), &self.clock.now()).or(self.pending);
                self.tell(News::Deaf(fault)).await;
                Input::Deaf("the microphone is gone")
            }
            HearEvent::Hearing { device } => {
                self.pending = None;
                self.tell(News::Hears(device)).await;
                return false;
            }
            HearEvent::Muted => {
                // Nobody wants to hear that she can't hear.
                self.pending = None;
                Input::Deaf("the microphone is muted")
            }
            HearEvent::Unmuted => return false,
            HearEvent::SourceEnded => {
                self.step(Input::NothingSaid).await;
                return true;
            }
        };
        self.step(input).await;
        false
    }

    pub(super) async fn transcribed(&mut self, event: SttEvent) {
        let at = Instant::now();
        let (generation, revision) = (event.generation, event.revision);
        let result = match event.result {
            Ok(transcript) => {
                let judged = self.hearing.judged(transcript);
                let Some(judged) = self.hearing.look_again(judged) else { return };
                Ok(judged)
            }
            Err(error) => Err(self.failed(error).await),
        };
        self.step(Input::Transcribed { result, generation, revision, at }).await;
    }

    /// The second look is over.
    pub(super) async fn looked(&mut self, judged: Judged) {
        let (generation, revision) = (judged.transcript.generation, judged.transcript.revision);
        let at = Instant::now();
        self.step(Input::Transcribed { result: Ok(judged), generation, revision, at }).await;
    }

    /// What was said while she spoke: a stop word counts at once, everything else when it is over.
    pub(super) async fn interjected(&mut self, event: SttEvent) {
        let is_over = event.urgency == Urgency::Final && event.generation == self.hearing.interjection;
        let result = match event.result {
            Ok(transcript) => Ok(self.hearing.judged(transcript)),
            Err(error) => Err(self.failed(error).await),
        };
        if let Ok(Judged { judgement: Judgement { verdict, reason }, .. }) = &result {
            tracing::debug!(verdict = verdict.name(), reason, "interjection");
        }
        let is_stop = result.as_ref().is_ok_and(|judged| judged.judgement.verdict == Verdict::Stop);
        if is_over || is_stop {
            self.step(Input::Interjected(result)).await;
        }
    }

    async fn failed(&self, error: SttError) -> String {
        tracing::warn!(%error, "an utterance could not be transcribed");
        self.tell(News::Remark(error.to_string())).await;
        error.to_string()
    }
}
