//! What crosses from one stage to another.
//!
//! Plain data, any thread. Nothing here decides or does anything.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

/// The rate everything between the microphone and whisper runs at, in Hz.
pub const RATE: u32 = 16_000;

/// One exchange, from the first sample or key stroke to the last played sample. Unique per process run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TurnId(pub u64);

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// By which way a conversation is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Microphone and speaker of a room.
    Voice,
    /// Text typed on this machine.
    Console,
    /// Messages of a Signal thread.
    Signal,
    /// A page of the browser.
    Page,
    /// A program that works by itself, for nobody who waits.
    Agent,
}

impl Channel {
    const ALL: [Self; 5] = [Self::Voice, Self::Console, Self::Signal, Self::Page, Self::Agent];

    /// The channel of that name.
    pub fn called(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.name() == name)
    }

    /// Its name in the database and in `joi why`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Console => "console",
            Self::Signal => "signal",
            Self::Page => "page",
            Self::Agent => "agent",
        }
    }
}

/// Names a conversation: its channel, and the room, thread, page or run it is held in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConversationId {
    /// The way it is held.
    pub channel: Channel,
    /// Where.
    pub place: Place,
}

impl ConversationId {
    /// The place of a home with one microphone, and of the console of this machine.
    pub const HOME: &str = "home";

    /// The conversation by voice in `room`.
    pub fn voice(room: &str) -> Self {
        Self { channel: Channel::Voice, place: Place::named(room) }
    }

    /// What is written over Signal in that thread: the uuid of a person, or the id of a group.
    pub fn signal(thread: &str) -> Self {
        Self { channel: Channel::Signal, place: Place::named(thread) }
    }

    /// What is typed on this machine.
    pub fn console() -> Self {
        Self { channel: Channel::Console, place: Place::named(Self::HOME) }
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.channel.name(), self.place.name())
    }
}

/// Whose words a text is made of. It travels with the text and is stored beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The owner said it.
    Speech,
    /// The owner typed it.
    Typing,
    /// Composed by this program and its model from nothing but the owner's words and its own data.
    Ours,
    /// Words of somebody else were in the prompt it was written from.
    Stranger,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Speech, Self::Typing, Self::Ours, Self::Stranger];

    /// The origin of that name; a stranger where there is none, since nothing else is safe to assume.
    pub fn called(name: &str) -> Self {
        Self::ALL.into_iter().find(|origin| origin.name() == name).unwrap_or(Self::Stranger)
    }

    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speech => "speech",
            Self::Typing => "typing",
            Self::Ours => "ours",
            Self::Stranger => "stranger",
        }
    }

    /// That of what the user says on `channel`.
    pub fn of_user(channel: Channel) -> Self {
        match channel {
            Channel::Voice => Self::Speech,
            Channel::Console | Channel::Signal | Channel::Page | Channel::Agent => Self::Typing,
        }
    }
}

/// Where a conversation is held: the name of a room, a thread, a page or a run; never shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Place(String);

impl Place {
    /// The place of that name.
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// What she is doing, as a light would show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Waiting for the wake phrase.
    Idle,
    /// The microphone is open for what is said to her.
    Listening,
    /// Something was said to her, and the answer has not begun to sound.
    Thinking,
    /// Her voice is in the room.
    Speaking,
    /// The owner has switched the microphone off.
    Muted,
    /// She can't hear or can't speak.
    Error,
    /// A timer rings.
    Timer,
}

impl Activity {
    /// Its name in tables and on the control socket.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Listening => "listening",
            Self::Thinking => "thinking",
            Self::Speaking => "speaking",
            Self::Muted => "muted",
            Self::Error => "error",
            Self::Timer => "timer",
        }
    }
}

/// What may be asked of the alarms from outside.
#[derive(Debug)]
pub enum AlarmRequest {
    /// Try the alarm.
    Test,
    /// All of them were heard; how many there were is told.
    Acknowledge(oneshot::Sender<usize>),
}

/// What somebody outside asks of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideRequest {
    /// Listen now, without the wake phrase (push to talk).
    Listen,
}

/// What opened the microphone for an utterance.
#[derive(Debug, Clone, PartialEq)]
pub enum OpenedBy {
    /// A wake phrase, by its written form, with the detector's probability (0..1).
    Wake {
        /// Written form, for example "hey jarvis".
        phrase: String,
        /// Smoothed probability at the crossing, 0..1.
        score: f32,
    },
    /// A request to listen now (push to talk, `joi listen`).
    Request,
    /// The window for follow-ups after an answer.
    FollowUp,
    /// She was speaking: an utterance too short to be anything but a word to her.
    Interjection,
    /// Somebody talked over her, and she fell silent to listen: it begins with what was said over her.
    Interruption,
}

/// Why an utterance ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndCause {
    /// Silence for the whole hangover.
    Silence,
    /// The maximum length was reached.
    MaxLength,
    /// The source ended (a file).
    SourceEnded,
}

/// A stretch of speech: mono, 16 kHz, f32 in −1..1, from pre-roll to the last sample seen.
#[derive(Debug, Clone)]
pub struct Utterance {
    /// Counts utterances; whatever belongs to an older one is stale.
    pub generation: u64,
    /// Counts how often speech went on after a pause. Two snapshots of one utterance with the same
    /// revision hold the same speech and differ in trailing silence only.
    pub revision: u32,
    /// What opened the microphone.
    pub opened_by: OpenedBy,
    /// The wake phrase, when the audio begins with it, in one breath with what was said.
    pub lead: Option<String>,
    /// The audio.
    pub samples: Arc<[f32]>,
    /// Position of `samples[0]` in 16 kHz samples since the source was opened.
    pub begins_at: u64,
    /// Position of the first voiced sample.
    pub speech_begins_at: u64,
    /// Position just behind the last voiced sample.
    pub speech_ends_at: u64,
    /// How many of the samples belong to voiced frames.
    pub voiced: u64,
    /// The highest probability (0..1) of a voice in any of its frames.
    pub voice: f32,
    /// When the last sample was handed to the listener.
    pub captured: Instant,
}

impl Utterance {
    /// Length of the audio.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.samples.len() as f64 / f64::from(RATE))
    }

    /// The moment of the sample at `position`, counted back in samples from `end`, when its last one was captured:
    /// right also where a file is heard faster than it was spoken.
    pub fn moment(&self, position: u64, end: Instant) -> Instant {
        let behind = (self.begins_at + self.samples.len() as u64).saturating_sub(position);
        let before = Duration::from_secs_f64(behind as f64 / f64::from(RATE));
        end.checked_sub(before).unwrap_or(end)
    }
}

/// What whisper made of an utterance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// Of the utterance.
    pub generation: u64,
    /// Of the utterance.
    pub revision: u32,
    /// The words, trimmed; may be empty.
    pub text: String,
    /// Their language as whisper calls it, where several may be spoken.
    pub language: Option<String>,
    /// Mean natural-log probability of the tokens; 0 is certain.
    pub mean_logprob: f32,
    /// Probability that the audio holds no speech, 0..1.
    pub no_speech: f32,
    /// Length of the encoder's window in 20 ms positions (1500 = 30 s).
    pub audio_ctx: u32,
    /// The decoder repeated itself. Where there was time, this is what it wrote with the whole window.
    pub ran_away: bool,
    /// Time spent decoding.
    pub took: Duration,
}

/// Something that must not stand in a log: spoken text, names, tokens.
#[derive(Clone, PartialEq, Eq)]
pub struct Private<T>(pub T);

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl<T> fmt::Display for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
