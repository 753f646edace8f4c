//! Hearing: from the microphone to an utterance addressed to the assistant.
//!
//! The listener thread of [`spawn`] reads the source, runs wake phrase detection (`wake`), voice activity
//! detection (`vad`) and endpointing (`endpoint`), and sends [`HearEvent`]s. In: an [`AudioSource`] and
//! [`HearCommand`]s. Out: events on a bounded channel; when it is full the thread waits, and the capture ring
//! behind the source counts what it drops. Transcription is done by `whisper`, elsewhere.

pub mod endpoint;
pub mod enrol;
mod history;
pub mod judge;
mod last_loud;
mod listener;
pub mod recording;
pub mod score;
pub mod transcript_filter;
pub mod vad;
pub mod wake;
pub mod whisper;

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;

use crate::audio::{AudioSource, SourceEvent};
use crate::message::{EndCause, Utterance};
use crate::problem::Problem;
use endpoint::EndpointConfig;
use judge::JudgeConfig;
use transcript_filter::TranscriptFilterConfig;
use vad::{FRAME, VadConfig};
use wake::WakeConfig;
use whisper::SttConfig;

pub use last_loud::last_loud;
pub use listener::{Listener, SoundBlock};

/// Settings of hearing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HearConfig {
    /// Wake phrases.
    pub wake: WakeConfig,
    /// Voice activity detection.
    pub vad: VadConfig,
    /// Where an utterance begins and ends.
    pub endpoint: EndpointConfig,
    /// Speech to text.
    pub stt: SttConfig,
    /// Which transcripts are accepted.
    pub trust: TranscriptFilterConfig,
    /// Echo, stop words, and answers to nobody.
    pub judge: JudgeConfig,
}

impl HearConfig {
    /// All problems, with full keys.
    pub fn check(&self) -> Vec<Problem> {
        [
            self.wake.check(),
            self.vad.check(),
            self.endpoint.check(),
            self.stt.check(),
            self.trust.check(),
            self.judge.check(),
        ]
        .concat()
    }
}

/// What the listener reports.
#[derive(Debug, Clone)]
pub enum HearEvent {
    /// The wake phrase was detected, and listening has begun. An unfinished utterance is void.
    Wake {
        /// Written form of the phrase.
        phrase: String,
        /// The detector's mean probability, 0..1.
        score: f32,
        /// Position of the crossing in samples since the source was opened.
        at: u64,
        /// When that sample was captured.
        when: Instant,
    },
    /// Somebody has begun to speak.
    Started {
        /// Counts utterances.
        generation: u64,
    },
    /// Speech continues the utterance that has just ended: the one of this generation will hold both.
    Continued {
        /// Counts utterances.
        generation: u64,
    },
    /// Somebody has begun to speak during playback (barge-in).
    Interrupting {
        /// Counts utterances.
        generation: u64,
    },
    /// Somebody has said something short during playback or while an answer is being prepared.
    Interjected {
        /// All that was said, or the first seconds of it.
        utterance: Utterance,
        /// Whether more may come.
        stretch: Stretch,
    },
    /// A short silence: worth a speculative transcription.
    Paused {
        /// What was said so far.
        utterance: Utterance,
    },
    /// Speech went on after the pause: a transcription of it is void.
    Resumed {
        /// Of the utterance.
        generation: u64,
        /// The revision from here on.
        revision: u32,
    },
    /// Somebody has finished speaking, and listening is over.
    Ended {
        /// The whole utterance. With the revision of the last pause, it holds the same speech.
        utterance: Utterance,
        /// Why it ended.
        cause: EndCause,
        /// When the sample that decided it was captured.
        decided: Instant,
    },
    /// Nobody has spoken in time, and listening is over.
    NothingSaid,
    /// The microphone is missing; an unfinished utterance is void.
    MicrophoneLost {
        /// One sentence with its remedy.
        fault: String,
    },
    /// The microphone delivers, for the first time or again.
    Hearing {
        /// The device's name.
        device: String,
    },
    /// The user has muted the microphone; an unfinished utterance is void.
    Muted,
    /// The user has unmuted the microphone.
    Unmuted,
    /// A file has been read to its end; nothing comes after this.
    SourceEnded,
}

/// Whether an interjection is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// There is a short silence behind it.
    SoFar,
    /// It is over.
    Whole,
}

/// Commands to the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HearCommand {
    /// Whether playback is audible: if so, only the strict wake cutoff starts listening, and speech is an
    /// interjection.
    Speaking(SpeakingState),
    /// Listen now, without a wake phrase.
    Listen,
    /// Listen, without a wake phrase, to speech that begins in the window.
    FollowUp(FollowUpWindow),
    /// That utterance was rejected: listen on in what is left of the window.
    Reopen,
    /// Barge-in was confirmed: listen to that utterance from position `since` on, where it began.
    TakeOver {
        /// In samples since the source was opened.
        since: u64,
    },
    /// What the words before a pause say about the end of the utterance.
    Expect(Outlook),
    /// Stop listening and discard an unfinished utterance.
    Cancel,
    /// End the thread.
    Stop,
}

/// What the words so far say about the end of an utterance. It applies to the pause they were said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    /// Of the utterance.
    pub generation: u64,
    /// Of the utterance.
    pub revision: u32,
    /// Whether more will be said.
    pub more: More,
}

impl Outlook {
    /// The same where whoever talks over her is heard, or is not: then there is no taking up what she answers already.
    #[must_use]
    pub fn over_her(self, is_heard: bool) -> Self {
        match (self.more, is_heard) {
            (More::Amendable | More::Answerable, false) => Self { more: More::Possible, ..self },
            (_, true) | (More::Unlikely | More::Sentence | More::Possible | More::Likely, _) => self,
        }
    }
}

/// Whether more will be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// It is complete.
    Unlikely,
    /// It is complete, and may go on all the same, also when it is answered already: who does so is heard over her.
    Amendable,
    /// It is a whole question, and may go on all the same: that makes another one of it, and nothing is lost, since the
    /// answer takes a while and is thrown away.
    Answerable,
    /// It is a whole sentence.
    Sentence,
    /// It is complete, and may go on all the same.
    Possible,
    /// It is only the beginning of something.
    Likely,
}

/// When a follow-up may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUpWindow {
    /// When the last sample of the answer was played. In [`Pacing::Lockstep`] that is always now.
    pub since: Instant,
    /// The window opens so much later ...
    pub after: Duration,
    /// ... for so long.
    pub lasts: Duration,
}

/// Whether playback is audible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakingState {
    /// It is not.
    Silent,
    /// Playback is in the room.
    Talking,
}

/// What sets the pace of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// The source: a microphone, or a file paced like one.
    Live,
    /// The receiver of the events: after each event that needs an answer the thread waits until its [`Ack`]
    /// is dropped. A file read as fast as possible can't get ahead of the conversation.
    Lockstep,
}

/// An event with its acknowledgement.
#[derive(Debug)]
pub struct Delivery {
    /// What was heard.
    pub event: HearEvent,
    /// In [`Pacing::Lockstep`], with a wake phrase, a pause, an end of speech and a silence: hold it until
    /// the listener may go on, then drop it. Commands sent before are executed first.
    pub ack: Option<Ack>,
}

/// Lets the listener go on when it is dropped or [`Ack::done`].
#[derive(Debug)]
pub struct Ack(SyncSender<()>);

impl Ack {
    /// The listener may go on.
    pub fn done(self) {
        // Fails only when the listener has ended.
        self.0.try_send(()).ok();
    }
}

/// Starts the listener thread. It ends on [`HearCommand::Stop`], when `commands` or the receiver of `events`
/// are dropped, and at the end of a file.
///
/// # Errors
/// The system can't start another thread.
pub fn spawn(
    source: Box<dyn AudioSource>,
    listener: Listener,
    commands: Receiver<HearCommand>,
    events: Sender<Delivery>,
    pacing: Pacing,
) -> std::io::Result<JoinHandle<()>> {
    let mut ear = ListenerThread { source, listener, commands, events, pacing, pending: Vec::new() };
    std::thread::Builder::new().name("listener".into()).spawn(move || while ear.turn().is_some() {})
}

/// State of the listener thread.
struct ListenerThread {
    source: Box<dyn AudioSource>,
    listener: Listener,
    commands: Receiver<HearCommand>,
    events: Sender<Delivery>,
    pacing: Pacing,
    pending: Vec<HearEvent>,
}

impl ListenerThread {
    /// One read of the source; nothing when the thread is to end.
    fn turn(&mut self) -> Option<()> {
        let mut samples = Vec::new();
        self.obey()?;
        match self.source.read(&mut samples) {
            SourceEvent::Samples(_) => self.hear(&samples)?,
            SourceEvent::Nothing => {}
            SourceEvent::Gone(fault) => {
                self.listener.interrupt();
                self.pending.push(HearEvent::MicrophoneLost { fault: fault.to_string() });
            }
            SourceEvent::Back { device } => self.pending.push(HearEvent::Hearing { device }),
            SourceEvent::Muted => {
                self.listener.interrupt();
                self.pending.push(HearEvent::Muted);
            }
            SourceEvent::Unmuted => self.pending.push(HearEvent::Unmuted),
            SourceEvent::End => {
                self.listener.finish(Instant::now(), &mut self.pending);
                self.pending.push(HearEvent::SourceEnded);
                self.deliver()?;
                return None;
            }
        }
        self.deliver()
    }

    /// Frame by frame, so that a command takes effect at the sample it was given at.
    fn hear(&mut self, samples: &[f32]) -> Option<()> {
        let now = Instant::now();
        let arrived = now.checked_sub(self.source.latency()).unwrap_or(now);
        let all = samples.len();
        for begin in (0..all).step_by(FRAME) {
            self.obey()?;
            let frame = begin..all.min(begin + FRAME);
            let now = listener::earlier(arrived, (all - frame.end) as u64);
            let tracks = self.source.tracks().and_then(|tracks| tracks.part(frame.clone()));
            let sound = SoundBlock { samples: &samples[frame], tracks };
            self.listener.step(sound, now, &mut self.pending);
            if self.pacing == Pacing::Lockstep {
                self.listener.settle(now, &mut self.pending);
            }
            self.deliver()?;
        }
        Some(())
    }

    fn obey(&mut self) -> Option<()> {
        loop {
            match self.commands.try_recv() {
                Ok(HearCommand::Stop) | Err(TryRecvError::Disconnected) => return None,
                // A file has stood still during playback.
                Ok(HearCommand::FollowUp(window)) if self.pacing == Pacing::Lockstep => {
                    let since = self.listener.heard_until().unwrap_or(window.since);
                    self.listener.command(HearCommand::FollowUp(FollowUpWindow { since, ..window }));
                }
                Ok(command) => self.listener.command(command),
                Err(TryRecvError::Empty) => return Some(()),
            }
        }
    }

    fn deliver(&mut self) -> Option<()> {
        for event in self.pending.drain(..) {
            let (ack, gone) = sync_channel(1);
            let waits = self.pacing == Pacing::Lockstep && wants_answer(&event);
            let ack = waits.then_some(Ack(ack));
            self.events.blocking_send(Delivery { event, ack }).ok()?;
            if waits {
                gone.recv().ok(); // an error says the same: the ack is gone
            }
        }
        Some(())
    }
}

fn wants_answer(event: &HearEvent) -> bool {
    match event {
        HearEvent::Wake { .. }
        | HearEvent::Paused { .. }
        | HearEvent::Ended { .. }
        | HearEvent::NothingSaid => true,
        HearEvent::Started { .. }
        | HearEvent::Continued { .. }
        | HearEvent::Interrupting { .. }
        | HearEvent::Interjected { .. }
        | HearEvent::Resumed { .. }
        | HearEvent::MicrophoneLost { .. }
        | HearEvent::Hearing { .. }
        | HearEvent::Muted
        | HearEvent::Unmuted
        | HearEvent::SourceEnded => false,
    }
}

#[cfg(test)]
pub(crate) mod tests;
