//! The hearing side of an endpoint: listener, transcripts and second opinions, as one stream of events.
//!
//! Owned by the conversation's task. In: what the listener's and both whisper threads send. Out: [`InputEvent`]s, and
//! commands to the listener. What the words mean is decided in [`super::hearing`].

use std::sync::mpsc::SyncSender;

use tokio::sync::mpsc::Receiver;

use super::endpoint::EndpointInput;
use super::hearing::Hearing;
use super::signals::Judged;
use joi_hear::score::Opinion;
use joi_hear::whisper::SttEvent;
use joi_hear::{Ack, Delivery, HearCommand};

/// The hearing side.
pub(super) struct InputSide {
    pub(super) hearing: Hearing,
    commands: SyncSender<HearCommand>,
    deliveries: Receiver<Delivery>,
    transcripts: Receiver<SttEvent>,
    interjections: Receiver<SttEvent>,
    /// Opinions on the sound of interjections, and of short answers.
    opinions: (Receiver<Opinion>, Receiver<Opinion>),
    source: SourceState,
    /// Lets a source that was held back go on when it is dropped.
    ack: Option<Ack>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceState {
    Open,
    Ended,
}

/// An event of the hearing side.
pub(super) enum InputEvent {
    /// The listener heard something.
    Delivery(Delivery),
    /// The listener has ended without a command.
    ListenerEnded,
    /// The transcript of an utterance.
    Transcribed(SttEvent),
    /// The transcript of an interjection.
    Interjected(SttEvent),
    /// The opinion on the sound of an interjection.
    InterjectionBySound(Opinion),
    /// The opinion on the sound of a short answer.
    AnswerBySound(Opinion),
    /// The second look at an utterance is over.
    LookedAgain(Judged),
}

impl InputSide {
    pub(super) fn new(parts: EndpointInput) -> Self {
        let (hearing, opinions) = Hearing::new(parts.stt.0, parts.interjections.0, parts.to_her);
        Self {
            hearing,
            commands: parts.commands,
            deliveries: parts.deliveries,
            transcripts: parts.stt.1,
            interjections: parts.interjections.1,
            opinions,
            source: SourceState::Open,
            ack: None,
        }
    }

    /// Waits for the next event. Cancel-safe: every arm only receives.
    pub(super) async fn next(&mut self) -> InputEvent {
        tokio::select! {
            delivery = self.deliveries.recv(), if self.source == SourceState::Open => match delivery {
                Some(delivery) => InputEvent::Delivery(delivery),
                None => {
                    self.source = SourceState::Ended;
                    InputEvent::ListenerEnded
                }
            },
            Some(result) = self.transcripts.recv() => InputEvent::Transcribed(result),
            Some(result) = self.interjections.recv() => InputEvent::Interjected(result),
            Some(opinion) = self.opinions.0.recv() => InputEvent::InterjectionBySound(opinion),
            Some(opinion) = self.opinions.1.recv() => InputEvent::AnswerBySound(opinion),
            judged = self.hearing.looked() => InputEvent::LookedAgain(judged),
        }
    }

    /// Returns whether nothing will be heard any more.
    pub(super) fn has_ended(&self) -> bool {
        self.source == SourceState::Ended
    }

    /// The file that plays the microphone is over.
    pub(super) fn end(&mut self) {
        self.source = SourceState::Ended;
    }

    /// Keeps the newest acknowledgement: a newer event says that the conversation has caught up with the older one.
    pub(super) fn hold(&mut self, ack: Option<Ack>) {
        self.ack = ack;
    }

    /// A microphone that was held back (a file) may go on.
    pub(super) fn release(&mut self) {
        self.ack = None;
    }

    /// Sends a command to the listener. A listener that hangs takes none, which its heart shows.
    pub(super) fn command(&self, command: HearCommand) {
        if self.commands.try_send(command).is_err() {
            tracing::debug!(?command, "the listener took no command");
        }
    }
}
