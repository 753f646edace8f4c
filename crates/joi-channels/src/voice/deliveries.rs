//! Takes in the events of the listener and the results of transcription, and passes them to the flow.
//!
//! Owned by the conversation's task. In: deliveries of the listener, results of both whisper threads, ends of second
//! looks. Out: [`FlowInput`]s, and [`News`] of the microphone. What the words mean is judged by [`super::hearing`].

use std::time::Instant;

use super::doubt::Doubted;
use super::signals::{FlowInput, Judged};
use super::{Conversation, News};
use joi_agent::model::ChatModel;
use joi_hear::judge::{BargeInPolicy, JudgeVerdict, Judgement};
use joi_hear::whisper::{DecodeUrgency, SttError, SttEvent};
use joi_hear::{Delivery, HearEvent};
use joi_schedule::announce::Presence;

impl<M: ChatModel + 'static> Conversation<M> {
    /// Takes in an event of the listener.
    pub(super) async fn delivered(&mut self, delivery: Delivery) {
        self.input.hold(delivery.ack);
        let input = match delivery.event {
            HearEvent::Wake { phrase, score, at, when } => {
                self.report(News::Woke(phrase.clone())).await;
                self.called(when);
                FlowInput::Wake { phrase, score, at, when }
            }
            HearEvent::Started { .. } => {
                self.report(News::Begins).await;
                FlowInput::Started { at: Instant::now() }
            }
            HearEvent::Continued { .. } => {
                self.report(News::Begins).await;
                FlowInput::Continued { at: Instant::now() }
            }
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
                self.report(News::Deaf(fault)).await;
                FlowInput::Deaf("the microphone is gone")
            }
            HearEvent::Hearing { device } => {
                self.announcements.microphone_found().await;
                self.report(News::Hears(device)).await;
                return;
            }
            HearEvent::Muted => {
                // A muted microphone is not announced.
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

    /// Somebody pushes to talk, which always interrupts speech.
    pub(super) async fn asked(&mut self) {
        self.report(News::Asked).await;
        let at = Instant::now();
        self.called(at);
        self.step(FlowInput::Requested { at }).await;
    }

    /// Takes in the transcript of an utterance.
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

    /// Takes in the result of a second look.
    pub(super) async fn looked(&mut self, judged: Judged) {
        let (generation, revision) = (judged.transcript.generation, judged.transcript.revision);
        let at = Instant::now();
        self.step(FlowInput::Transcribed { result: Ok(judged), generation, revision, at }).await;
    }

    /// Takes in what was said during speech or thinking: what stops joi counts at once, everything else when it is over.
    pub(super) async fn interjected(&mut self, event: SttEvent) {
        if let Some(utterance) = self.input.hearing.glanced_at(&event).cloned() {
            return self.glanced(event, utterance).await;
        }
        let is_newest = event.generation == self.input.hearing.newest_interjection();
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

    /// Returns what may interrupt joi now.
    fn openness(&self) -> BargeInPolicy {
        match (self.flow.is_audible(), self.output.is_echo_cancelled()) {
            (false, _) => BargeInPolicy::Commands,
            (true, false) => BargeInPolicy::StopWords,
            (true, true) => BargeInPolicy::Words,
        }
    }

    /// Reports that a transcription failed; returns the sentence about it.
    async fn failed(&self, error: SttError) -> String {
        tracing::warn!(%error, "an utterance could not be transcribed");
        self.report(News::Remark(error.to_string())).await;
        error.to_string()
    }
}
