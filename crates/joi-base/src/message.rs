//! Messages between the stages.
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

/// The medium of a conversation.
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
    /// A program that works on its own, with nobody waiting for the result.
    Agent,
    /// Another program that asks, over the Model Context Protocol.
    Program,
}

impl Channel {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Voice, Self::Console, Self::Signal, Self::Page, Self::Agent, Self::Program];

    /// Returns whether the user talks there. What is said on these channels is one dialogue; each conversation on
    /// another channel is one of its own.
    pub fn is_of_user(self) -> bool {
        match self {
            Self::Voice | Self::Console | Self::Signal | Self::Page => true,
            Self::Agent | Self::Program => false,
        }
    }

    /// Returns the channel of that name.
    pub fn called(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.name() == name)
    }

    /// Returns its name in the database and in `joi why`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Console => "console",
            Self::Signal => "signal",
            Self::Page => "page",
            Self::Agent => "agent",
            Self::Program => "program",
        }
    }
}

/// Names a conversation: its channel, and the room, thread, page or run it is held in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConversationId {
    /// The medium.
    pub channel: Channel,
    /// Where.
    pub place: Place,
}

impl ConversationId {
    /// The place of a home with one microphone, and of the console of this machine.
    pub const HOME: &str = "home";

    /// Returns the conversation by voice in `room`.
    pub fn voice(room: &str) -> Self {
        Self { channel: Channel::Voice, place: Place::named(room) }
    }

    /// Returns the conversation of a Signal thread: the uuid of a person, or the id of a group.
    pub fn signal(thread: &str) -> Self {
        Self { channel: Channel::Signal, place: Place::named(thread) }
    }

    /// Returns the conversation typed on this machine.
    pub fn console() -> Self {
        Self { channel: Channel::Console, place: Place::named(Self::HOME) }
    }

    /// Returns the conversation typed on the page, which all browsers share.
    pub fn page() -> Self {
        Self { channel: Channel::Page, place: Place::named(Self::HOME) }
    }

    /// Returns the conversation of an agent with itself, in one run.
    pub fn agent(run: &str) -> Self {
        Self { channel: Channel::Agent, place: Place::named(run) }
    }

    /// Returns the conversation with other programs.
    pub fn program() -> Self {
        Self { channel: Channel::Program, place: Place::named(Self::HOME) }
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
    /// Written from a prompt that held words of somebody else.
    Stranger,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Speech, Self::Typing, Self::Ours, Self::Stranger];

    /// Returns the origin of that name; a stranger for an unknown name, since nothing else is safe to assume.
    pub fn called(name: &str) -> Self {
        Self::ALL.into_iter().find(|origin| origin.name() == name).unwrap_or(Self::Stranger)
    }

    /// Returns its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speech => "speech",
            Self::Typing => "typing",
            Self::Ours => "ours",
            Self::Stranger => "stranger",
        }
    }

    /// Returns whether the owner said or typed it: only then it can be a request or a yes.
    pub fn is_owners(self) -> bool {
        matches!(self, Self::Speech | Self::Typing)
    }

    /// Returns the origin of what is asked on `channel`.
    pub fn of_user(channel: Channel) -> Self {
        match channel {
            Channel::Voice => Self::Speech,
            Channel::Console | Channel::Signal | Channel::Page => Self::Typing,
            Channel::Agent => Self::Ours,
            Channel::Program => Self::Stranger,
        }
    }
}

/// Where a conversation is held: the name of a room, a thread, a page or a run; never shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Place(String);

impl Place {
    /// Returns the place of that name.
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The activity that a light or a status line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Waiting for the wake phrase.
    Idle,
    /// The microphone is open for a request.
    Listening,
    /// A request was heard, and playback of the answer has not started.
    Thinking,
    /// Speech output is playing.
    Speaking,
    /// The owner has switched the microphone off.
    Muted,
    /// Hearing or speaking does not work.
    Error,
    /// A timer rings.
    Timer,
}

impl Activity {
    /// Returns its name in tables and on the control socket.
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

/// A request to the alarms from outside.
#[derive(Debug)]
pub enum AlarmRequest {
    /// Try the alarm.
    Test,
    /// Acknowledge all alarms; the reply is their number.
    Acknowledge(oneshot::Sender<usize>),
}

/// A request to the conversation from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideRequest {
    /// Listen now, without the wake phrase (push to talk).
    Listen,
    /// Be silent, as if somebody had said "stop".
    Stop,
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
    /// Speech during playback, too short to be anything but a word to the assistant.
    Interjection,
    /// Speech over playback, which was stopped for it. The utterance begins with that speech.
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

    /// Returns the moment of the sample at `position`, counted back in samples from `end`, when its last one was
    /// captured: right also where a file is heard faster than it was spoken.
    pub fn moment(&self, position: u64, end: Instant) -> Instant {
        let behind = (self.begins_at + self.samples.len() as u64).saturating_sub(position);
        let before = Duration::from_secs_f64(behind as f64 / f64::from(RATE));
        end.checked_sub(before).unwrap_or(end)
    }
}

/// The transcript of an utterance.
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
