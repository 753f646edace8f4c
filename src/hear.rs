//! Hearing: from the microphone to a stretch of speech somebody meant for her.
//!
//! The listener thread of [`spawn`] reads the source, looks for the wake phrase (`wake`), for voices
//! (`vad`) and for the end of speech (`endpoint`), and tells [`HearEvent`]s. In: a [`Source`] and
//! [`HearCommand`]s. Out: events on a bounded channel; when that is full the thread waits, and the
//! capture ring behind the source counts what it loses. What was said is `whisper`'s affair.

pub mod endpoint;
pub mod enrol;
mod history;
pub mod judge;
mod listener;
pub mod score;
pub mod trust;
pub mod vad;
pub mod wake;
pub mod whisper;

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;

use crate::audio::{Heard, Source};
use crate::message::{EndCause, Utterance};
use crate::problem::Problem;
use endpoint::EndpointConfig;
use judge::JudgeConfig;
use trust::TrustConfig;
use vad::{FRAME, VadConfig};
use wake::WakeConfig;
use whisper::SttConfig;

pub use listener::{Listener, Sound};

/// How she hears.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HearConfig {
    /// What wakes her.
    pub wake: WakeConfig,
    /// What counts as a voice.
    pub vad: VadConfig,
    /// Where an utterance begins and ends.
    pub endpoint: EndpointConfig,
    /// Speech to text.
    pub stt: SttConfig,
    /// Which transcripts are believed.
    pub trust: TrustConfig,
    /// What is an echo, a stop word, and an answer to nobody.
    pub judge: JudgeConfig,
}

impl HearConfig {
    /// All that is wrong, with full keys.
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

/// What the listener has heard.
#[derive(Debug, Clone)]
pub enum HearEvent {
    /// The wake phrase was said, and the microphone is open. An utterance not ended before is void.
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
    /// Somebody goes on with the utterance that has just ended: the one of this generation will hold both.
    Continued {
        /// Counts utterances.
        generation: u64,
    },
    /// Somebody has begun to speak while she does.
    Interrupting {
        /// Counts utterances.
        generation: u64,
    },
    /// Somebody has said something short while she speaks or thinks.
    Interjected {
        /// All that was said, or the first seconds of it.
        utterance: Utterance,
        /// Whether more may come.
        stretch: Stretch,
    },
    /// A short silence: worth transcribing on trial.
    Paused {
        /// What was said so far.
        utterance: Utterance,
    },
    /// Speech went on after the pause: what was made of it is void.
    Resumed {
        /// Of the utterance.
        generation: u64,
        /// The revision from here on.
        revision: u32,
    },
    /// Somebody has finished speaking, and the microphone is closed.
    Ended {
        /// All that was said. With the revision of the last pause, it holds the same speech.
        utterance: Utterance,
        /// Why it ended.
        cause: EndCause,
        /// When the sample that decided it was captured.
        decided: Instant,
    },
    /// Nobody has spoken in time, and the microphone is closed.
    NothingSaid,
    /// The microphone is missing; an utterance not ended before is void.
    Deaf {
        /// One sentence with its remedy.
        fault: String,
    },
    /// The microphone delivers, for the first time or again.
    Hearing {
        /// The device's name.
        device: String,
    },
    /// The owner has switched the microphone off; an utterance not ended before is void.
    Muted,
    /// The owner has switched the microphone on again.
    Unmuted,
    /// A file has been heard to its end; nothing comes after this.
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

/// What the listener is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HearCommand {
    /// Whether she speaks: if so, only the strict wake cutoff opens the microphone, and what is said is an
    /// interjection.
    Speaking(SpeakingState),
    /// Listen now, without a wake phrase.
    Listen,
    /// Listen, without a wake phrase, to whoever begins to speak in the window.
    FollowUp(Window),
    /// That was nothing: listen on in what is left of the window.
    Reopen,
    /// Somebody talks over her: listen to him from position `since` on, where he began.
    TakeOver {
        /// In samples since the source was opened.
        since: u64,
    },
    /// What the words of a pause tell of the end of the utterance.
    Expect(Outlook),
    /// Close the microphone and forget an open utterance.
    Cancel,
    /// End the thread.
    Stop,
}

/// What the words so far tell of the end of an utterance. It counts for the pause they were said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    /// Of the utterance.
    pub generation: u64,
    /// Of the utterance.
    pub revision: u32,
    /// Whether more will be said.
    pub more: More,
}

/// Whether more will be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// What was said is whole.
    Unlikely,
    /// It is whole, and may go on all the same.
    Possible,
    /// It is only the beginning of something.
    Likely,
}

/// When a follow-up may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When her last sample was played. In [`Pacing::Lockstep`] that is always now.
    pub since: Instant,
    /// The window opens so much later ...
    pub after: Duration,
    /// ... for so long.
    pub lasts: Duration,
}

/// Whether she speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakingState {
    /// She does not.
    Silent,
    /// Her voice is in the room.
    Talking,
}

/// Who decides how fast time goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// The source: a microphone, or a file paced like one.
    Live,
    /// The receiver of the events: after each one that wants an answer the thread waits until its
    /// [`Ack`] is gone. A file read as fast as possible can't run ahead of the conversation.
    Lockstep,
}

/// An event on its way.
#[derive(Debug)]
pub struct Delivery {
    /// What was heard.
    pub event: HearEvent,
    /// In [`Pacing::Lockstep`], with a wake phrase, a pause, an end of speech and a silence: hold it until
    /// the listener may go on, then drop it. Commands sent before are obeyed first.
    pub ack: Option<Ack>,
}

/// Lets the listener go on when it is dropped or [`Ack::done`].
#[derive(Debug)]
pub struct Ack(SyncSender<()>);

impl Ack {
    /// The listener may go on.
    pub fn done(self) {
        // The other end is gone only when the listener has ended.
        self.0.try_send(()).ok();
    }
}

/// Starts the listener thread. It ends when it is told to stop, when `commands` or the receiver of
/// `events` are gone, and at the end of a file.
///
/// # Errors
/// The system can't start another thread.
pub fn spawn(
    source: Box<dyn Source>,
    listener: Listener,
    commands: Receiver<HearCommand>,
    events: Sender<Delivery>,
    pacing: Pacing,
) -> std::io::Result<JoinHandle<()>> {
    let mut ear = Ear { source, listener, commands, events, pacing, told: Vec::new() };
    std::thread::Builder::new().name("listener".into()).spawn(move || while ear.turn().is_some() {})
}

/// The listener thread's belongings.
struct Ear {
    source: Box<dyn Source>,
    listener: Listener,
    commands: Receiver<HearCommand>,
    events: Sender<Delivery>,
    pacing: Pacing,
    told: Vec<HearEvent>,
}

impl Ear {
    /// One read of the source; nothing when the thread is to end.
    fn turn(&mut self) -> Option<()> {
        let mut samples = Vec::new();
        self.obey()?;
        match self.source.read(&mut samples) {
            Heard::Samples(_) => self.hear(&samples)?,
            Heard::Nothing => {}
            Heard::Gone(fault) => {
                self.listener.interrupt();
                self.told.push(HearEvent::Deaf { fault: fault.to_string() });
            }
            Heard::Back { device } => self.told.push(HearEvent::Hearing { device }),
            Heard::Muted => {
                self.listener.interrupt();
                self.told.push(HearEvent::Muted);
            }
            Heard::Unmuted => self.told.push(HearEvent::Unmuted),
            Heard::End => {
                self.listener.finish(Instant::now(), &mut self.told);
                self.told.push(HearEvent::SourceEnded);
                self.deliver()?;
                return None;
            }
        }
        self.deliver()
    }

    /// Frame by frame, so that a command is obeyed at the sample it was given at.
    fn hear(&mut self, samples: &[f32]) -> Option<()> {
        let arrived = Instant::now();
        let all = samples.len();
        for begin in (0..all).step_by(FRAME) {
            self.obey()?;
            let frame = begin..all.min(begin + FRAME);
            let now = listener::earlier(arrived, (all - frame.end) as u64);
            let tracks = self.source.tracks().and_then(|tracks| tracks.part(frame.clone()));
            let sound = Sound { samples: &samples[frame], tracks };
            self.listener.step(sound, now, &mut self.told);
            if self.pacing == Pacing::Lockstep {
                self.listener.settle(now, &mut self.told);
            }
            self.deliver()?;
        }
        Some(())
    }

    fn obey(&mut self) -> Option<()> {
        loop {
            match self.commands.try_recv() {
                Ok(HearCommand::Stop) | Err(TryRecvError::Disconnected) => return None,
                // A file has stood still while she spoke.
                Ok(HearCommand::FollowUp(window)) if self.pacing == Pacing::Lockstep => {
                    let since = self.listener.heard_until().unwrap_or(window.since);
                    self.listener.command(HearCommand::FollowUp(Window { since, ..window }));
                }
                Ok(command) => self.listener.command(command),
                Err(TryRecvError::Empty) => return Some(()),
            }
        }
    }

    fn deliver(&mut self) -> Option<()> {
        for event in self.told.drain(..) {
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
        | HearEvent::Deaf { .. }
        | HearEvent::Hearing { .. }
        | HearEvent::Muted
        | HearEvent::Unmuted
        | HearEvent::SourceEnded => false,
    }
}

#[cfg(test)]
pub(crate) mod tests;
