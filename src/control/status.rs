//! Defines the status that crosses the control socket.
//!
//! Plain data, written by the running program and read by `joi status`. No field ever holds what was said.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

mod room;

use super::journal::JournalEntry;
use joi_audio::{DelayMeter, EchoReport};
use joi_base::machine::MachineHealth;
use joi_base::message::Activity;
use joi_base::pulse::{Beat, Vital};
pub use joi_tools::foreign::ToolServerRow;
pub use room::{RoomConnection, RoomStatus};

/// The state that is shown: of the start, then of the conversation and its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownState {
    /// The services that hear, or without a microphone the channels, are not ready yet.
    Starting,
    /// They are.
    #[serde(untagged)]
    Activity(Activity),
}

impl ShownState {
    /// Returns its name in tables and on the control socket.
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Activity(activity) => activity.name(),
        }
    }
}

impl From<Activity> for ShownState {
    fn from(activity: Activity) -> Self {
        Self::Activity(activity)
    }
}

/// The state a light would show, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEvent {
    /// The state.
    pub state: ShownState,
    /// Since when: RFC 3339, UTC.
    pub at: String,
    /// Why, in one sentence; with `error` always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// State and health of the running program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Of the running program.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// Seconds since its start.
    pub uptime_s: f64,
    /// The state and since when it holds.
    #[serde(flatten)]
    pub shown: StateEvent,
    /// Whether the services that hear, or without a microphone the channels, are ready.
    #[serde(default)]
    pub ready: bool,
    /// Whether the user has switched the microphone off.
    pub muted: bool,
    /// Every service of the daemon, in the order of its start.
    #[serde(default)]
    pub services: Vec<ServiceRow>,
    /// Every long-lived stage.
    pub stages: Vec<StageRow>,
    /// The microphone.
    pub microphone: DeviceStatus,
    /// The speaker.
    pub speaker: DeviceStatus,
    /// Delays of the devices; nothing before they are opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<DeviceDelays>,
    /// Echo cancellation; nothing before the devices are opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<EchoReport>,
    /// The models in use.
    pub models: Models,
    /// The house; nothing where none is connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<HomeStatus>,
    /// Servers of tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_servers: Vec<ToolServerRow>,
    /// The server for rooms beyond this machine; nothing where none is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satellites: Option<SatellitesStatus>,
    /// The satellites in other rooms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<RoomStatus>,
    /// Messages that leave the house; nothing where there is nobody to carry them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessagesStatus>,
    /// Automatic backups; nothing where none are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backups: Option<BackupStatus>,
    /// The machine; nothing where nobody looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineHealth>,
    /// Alarms that nobody has heard yet.
    #[serde(default)]
    pub alarms: usize,
    /// Lengths of the queues between the stages.
    pub queues: Vec<QueueStatus>,
    /// The newest warnings and errors, oldest first.
    pub errors: Vec<JournalEntry>,
    /// Counters since the start.
    pub counters: Counters,
    /// How many events of agents there were, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_events: BTreeMap<String, u64>,
    /// What damaged databases cost, until it is acknowledged. `joi status` adds it; the running program does not know
    /// what another one has acknowledged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
}

/// Delays of microphone and speaker, by their own timestamps.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct DeviceDelays {
    /// Age of the oldest sample of a block when the listener read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microphone: Option<DelayStatus>,
    /// Time from a sample's playback call until it is audible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<DelayStatus>,
}

/// The delay of one device, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DelayStatus {
    /// With its newest block.
    pub last_ms: f64,
    /// At most, since the start.
    pub highest_ms: f64,
}

impl DelayStatus {
    /// Returns what `meter` shows; nothing before the first block.
    pub fn of(meter: &DelayMeter) -> Option<Self> {
        let ms = |delay: Duration| delay.as_secs_f64() * 1e3;
        Some(Self { last_ms: ms(meter.last()?), highest_ms: ms(meter.highest()?) })
    }
}

/// Lost sound and delays of the devices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoundStatus {
    /// Seconds of sound that were lost because the listener was late.
    pub lost_s: f64,
    /// Delays of the devices.
    pub delays: DeviceDelays,
}

/// The connection to the house.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeStatus {
    /// Whether states are live and commands are taken.
    pub is_up: bool,
    /// The connection in words: the server with its address, or what is wrong.
    pub told: String,
    /// Number of items.
    pub items: usize,
}

/// The server for rooms beyond this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SatellitesStatus {
    /// Where it listens.
    pub address: String,
    /// Number of open connections.
    pub connections: usize,
    /// Number of requests since the start.
    pub requests: u64,
    /// Number of connections that were refused since the start.
    pub refused: u64,
}

/// The state of automatic backups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatus {
    /// Their folder.
    pub folder: PathBuf,
    /// Whether they can be made.
    pub is_well: bool,
    /// Their state in words.
    pub told: String,
    /// When the newest one was made: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
}

/// The state of outgoing messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagesStatus {
    /// Everybody who can carry them.
    pub carriers: Vec<CarrierRow>,
    /// Number of messages that wait or are underway.
    pub waiting: u32,
    /// Number of messages to the owner in the last hour, without alerts.
    pub last_hour: u32,
    /// Number of messages that were given up within a day.
    pub given_up: u32,
    /// Number of messages of strangers since the start; they are ignored.
    pub strangers: u64,
}

/// Somebody who can carry messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarrierRow {
    /// Its name.
    pub name: String,
    /// Whether it can be reached.
    pub is_up: bool,
    /// Its state in words.
    pub told: String,
}

/// One service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceRow {
    /// Its name.
    pub name: String,
    /// Whether it runs.
    pub state: ServiceState,
    /// Number of further starts.
    pub restarts: u32,
    /// Why it failed the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The loss while it does not run, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// Whether a service runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceState {
    /// It runs.
    Running,
    /// It failed, and is started again after a wait.
    Restarting,
    /// It failed, and is not started again.
    GivenUp,
    /// It was asked to end.
    Ending,
    /// It has ended in good order.
    Ended,
    /// It did not end in time, and was left behind.
    LeftBehind,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageRow {
    /// Its name.
    pub name: String,
    /// Its state.
    pub doing: Beat,
    /// Since how many seconds.
    pub for_s: f64,
    /// Limit of the time of work, or for a round, in seconds.
    pub limit_s: f64,
    /// Whether it is well.
    pub fresh: bool,
}

impl From<&Vital> for StageRow {
    fn from(vital: &Vital) -> Self {
        Self {
            name: vital.stage.to_owned(),
            doing: vital.beat,
            for_s: vital.age.as_secs_f64(),
            limit_s: vital.limit.as_secs_f64(),
            fresh: vital.is_fresh(),
        }
    }
}

/// A microphone or a speaker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceStatus {
    /// It has not been opened yet.
    #[default]
    Pending,
    /// This one works.
    Device(String),
    /// There is none, for this reason.
    Fault(String),
}

impl DeviceStatus {
    /// Returns why it does not work.
    pub fn fault(&self) -> Option<&str> {
        match self {
            Self::Fault(why) => Some(why),
            Self::Pending | Self::Device(_) => None,
        }
    }
}

/// Models in use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Models {
    /// Speech to text.
    pub whisper: String,
    /// Text to speech.
    pub voice: String,
    /// The chat model and which server serves it, and why no better one does; one line.
    pub chat: String,
    /// The model that answers; nothing while none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answering: Option<AnsweringModel>,
    /// Models of uses with a server of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<ModelOfUse>,
}

/// The model of a use with a server of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelOfUse {
    /// "goals", "tasks" or "summaries".
    #[serde(rename = "use")]
    pub purpose: String,
    /// Which server serves which model, and what leaves the house; one line.
    pub told: String,
}

/// The chat model that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweringModel {
    /// As its server calls it.
    pub model: String,
    /// "ollama", "openai", "anthropic" or "local".
    pub by: String,
}

/// The state of the language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatStatus {
    /// In one line.
    pub told: String,
    /// The model that answers; nothing while none does.
    pub answering: Option<AnsweringModel>,
    /// Models of uses with a server of their own.
    pub uses: Vec<ModelOfUse>,
}

/// A queue between two stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueStatus {
    /// Its name, by what waits in it.
    pub name: String,
    /// Number of entries.
    pub length: usize,
    /// Largest number of entries.
    pub capacity: usize,
}

/// Counted since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Spoken turns that are over.
    pub turns: u64,
    /// Time from the last word until the newest answer was heard, in milliseconds; nothing before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audible_ms: Option<f64>,
    /// Seconds of sound that were lost because the listener was late; nothing where nobody counts.
    pub sound_lost_s: Option<f64>,
}

impl Counters {
    /// A spoken turn is over; one without an answer that was heard leaves the time of the one before it.
    pub(super) fn turn_over(&mut self, audible_ms: Option<f64>) {
        self.turns += 1;
        self.audible_ms = audible_ms.or(self.audible_ms);
    }
}
