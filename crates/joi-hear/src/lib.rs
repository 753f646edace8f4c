//! Hearing: from the microphone to an utterance addressed to the assistant.
//!
//! The listener thread of [`spawn`] reads the source, runs wake phrase detection ([`wake`]), voice activity
//! detection ([`vad`]) and endpointing (`endpoint`), and sends [`HearEvent`]s. In: an
//! [`AudioSource`](joi_audio::AudioSource) and [`HearCommand`]s. Out: events on a bounded channel; when it is full
//! the thread waits, and the capture ring behind the source counts what it drops. Transcription is done by [`whisper`],
//! elsewhere.
//!
//! Example: `cargo run -p joi-hear --example transcribe -- MODEL.bin IN.wav`.

mod endpoint;
pub mod enrol;
mod history;
pub mod judge;
mod last_loud;
mod listener;
mod listener_thread;
mod measurement;
mod recording;
pub mod score;
pub mod transcript_filter;
pub mod vad;
pub mod wake;
pub mod whisper;

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use joi_base::message::{EndCause, Utterance};
use joi_base::problem::Problem;
use judge::JudgeConfig;
use transcript_filter::TranscriptFilterConfig;
use vad::VadConfig;
use wake::WakeConfig;
use whisper::SttConfig;

pub use endpoint::{EndpointConfig, EndpointPatience};
pub use last_loud::last_loud;
pub use listener::{Listener, SoundBlock};
pub use listener_thread::spawn;
pub use measurement::{Measurable, Measurement};
pub use recording::{pieces, recorded, transcribe_recording};

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
    /// Returns all problems, with full keys.
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

/// A report of the listener.
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
    /// Speech has started.
    Started {
        /// Counts utterances.
        generation: u64,
    },
    /// Speech continues the utterance that has just ended: the one of this generation will hold both.
    Continued {
        /// Counts utterances.
        generation: u64,
    },
    /// Speech has started during playback (barge-in).
    Interrupting {
        /// Counts utterances.
        generation: u64,
    },
    /// Short speech during playback or while an answer is being prepared.
    Interjected {
        /// The speech, or its first seconds.
        utterance: Utterance,
        /// Whether more may come.
        stretch: Stretch,
    },
    /// A short silence: worth a speculative transcription.
    Paused {
        /// The speech so far.
        utterance: Utterance,
    },
    /// Speech went on after the pause: a transcription of it is void.
    Resumed {
        /// Of the utterance.
        generation: u64,
        /// The revision from here on.
        revision: u32,
    },
    /// Speech has ended, and listening is over.
    Ended {
        /// The whole utterance. With the revision of the last pause, it holds the same speech.
        utterance: Utterance,
        /// Why it ended.
        cause: EndCause,
        /// When the sample that decided it was captured.
        decided: Instant,
    },
    /// No speech started in time, and listening is over.
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

/// The outlook on the end of an utterance, from its words so far. It applies to the pause after them.
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
    /// Returns the outlook during playback: unless speech over it is heard, the request being answered is not continued.
    #[must_use]
    pub fn over_playback(self, is_heard: bool) -> Self {
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
    /// It is complete, but may still be continued, even over the playback of its answer.
    Amendable,
    /// It is a whole question, but may still be continued: the answer in preparation is then discarded.
    Answerable,
    /// It is a whole sentence.
    Sentence,
    /// It is complete, but may still be continued.
    Possible,
    /// It is only the beginning of something.
    Likely,
}

/// When a follow-up may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUpWindow {
    /// When the last sample of the answer was played. In [`Pacing::Lockstep`] that is always now.
    pub since: Instant,
    /// Delay until the window opens.
    pub after: Duration,
    /// Length of the window.
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

/// The clock of the listener.
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
    /// The event.
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

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
