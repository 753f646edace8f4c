//! What the rooms show of the program. Plain data; every text is shown as text, whoever wrote it.

use jiff::Timestamp;

use crate::DeviceView;

/// How the program is, at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NowView {
    /// The name it answers to.
    pub name: String,
    /// Its state, as in [`LiveEvent::State`](crate::LiveEvent::State).
    pub state: String,
    /// Why, in one sentence.
    pub note: Option<String>,
    /// Whether the microphone is switched off.
    pub is_muted: bool,
    /// The microphone.
    pub microphone: DeviceView,
    /// The speaker.
    pub speaker: DeviceView,
    /// The volume in percent; nothing without a speaker.
    pub volume: Option<u8>,
    /// Which chat model answers, in one line.
    pub model: String,
    /// How the house is connected, in one line; nothing where there is none.
    pub house: Option<String>,
    /// Alarms that nobody has heard yet.
    pub alarms: usize,
}

/// How good something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckTone {
    /// It works.
    Good,
    /// It deserves a look.
    Fair,
    /// It does not work.
    Bad,
}

/// A finding of the checks of `joi doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckView {
    /// The part that was checked.
    pub what: String,
    /// The verdict.
    pub tone: CheckTone,
    /// The finding.
    pub text: String,
    /// What to do; "" where nothing is to be done.
    pub remedy: String,
}

/// A service of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceView {
    /// Its name.
    pub name: String,
    /// Its state: running, restarting, given_up, ending, ended, left_behind.
    pub state: String,
    /// How often it was started again.
    pub restarts: u32,
    /// Why it failed the last time, or what is missing without it.
    pub note: Option<String>,
}

/// A warning or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogView {
    /// When it was logged last: RFC 3339.
    pub at: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// The part that logged it.
    pub from: String,
    /// One sentence.
    pub text: String,
    /// How often in a row.
    pub times: u64,
}

/// Something that is well or not, with its state in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartView {
    /// Its name.
    pub name: String,
    /// Whether it works.
    pub is_well: bool,
    /// Its state in words.
    pub text: String,
}

/// How all parts are.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthView {
    /// Of the program.
    pub version: String,
    /// Seconds since its start.
    pub uptime_s: u64,
    /// Every service.
    pub services: Vec<ServiceView>,
    /// The microphone.
    pub microphone: DeviceView,
    /// The speaker.
    pub speaker: DeviceView,
    /// Speech to text.
    pub speech: String,
    /// The voice.
    pub voice: String,
    /// Which chat model answers, or why none does.
    pub chat: String,
    /// Whether one does.
    pub has_chat: bool,
    /// The house, servers of tools, whoever carries messages.
    pub parts: Vec<PartView>,
    /// Queues with their length and their room.
    pub queues: Vec<(String, usize, usize)>,
    /// Of the processor, in °C.
    pub temperature_c: Option<f32>,
    /// Free and total memory, in bytes.
    pub memory: Option<(u64, u64)>,
    /// Free and total room of the disk, in bytes.
    pub disk: Option<(u64, u64)>,
    /// The newest warnings and errors, newest first.
    pub log: Vec<LogView>,
    /// Automatic backups; nothing where none are made.
    pub backups: Option<(PartView, Option<String>)>,
}

/// How fast a model is on this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModelSpeed {
    /// Tokens that it writes in a second.
    TokensPerSecond(f32),
    /// Milliseconds for three seconds of speech.
    SpeechMs(u64),
}

/// A model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelView {
    /// Its name.
    pub name: String,
    /// Its speed; nothing where it was not measured.
    pub speed: Option<ModelSpeed>,
    /// Why it can't be used; nothing where it can.
    pub fault: Option<String>,
}

/// An entry of the memory, or of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryView {
    /// Its number; nothing for what was said.
    pub id: Option<i64>,
    /// Its kind: user, wish, world, diary, document, said.
    pub kind: &'static str,
    /// When it was said, or happened.
    pub at: Timestamp,
    /// Where it comes from.
    pub source: String,
    /// The words.
    pub text: String,
    /// Whether somebody else's words are in it.
    pub is_foreign: bool,
}

/// How much mentions a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MentionsView {
    /// Messages and their answers.
    pub messages: usize,
    /// Records of turns.
    pub turns: usize,
    /// Entries of the memory, notes, timers and whatever else.
    pub memories: usize,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListView {
    /// Its name.
    pub name: String,
    /// Its entries.
    pub entries: Vec<String>,
    /// Whether somebody else's words are on it.
    pub is_foreign: bool,
}

/// A timer, an alarm or a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerView {
    /// Its number.
    pub id: i64,
    /// What it is: timer, alarm, reminder, house.
    pub kind: &'static str,
    /// What it is called, or says.
    pub name: String,
    /// When it is due, in words; "" while it stands still.
    pub due: String,
    /// How long until then, in words.
    pub left: String,
    /// How it is.
    pub state: TimerState,
    /// Whether it can stand still.
    pub can_pause: bool,
}

/// How a timer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerState {
    /// It runs.
    Waiting,
    /// It stands still.
    Paused,
    /// It rings.
    Ringing,
    /// It came while nobody could ring.
    Missed,
}

/// A change of a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerDeed {
    /// Forget it.
    Cancel,
    /// It stands still.
    Pause,
    /// It goes on.
    Resume,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// When it looks.
    pub pace: String,
    /// What it does.
    pub doing: String,
    /// When it looks again: RFC 3339; nothing where something has to happen.
    pub next: Option<String>,
    /// Calls that wait for a yes: their number, and the deed in words.
    pub approvals: Vec<(u32, String)>,
}

/// Something that waits to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingView {
    /// The words.
    pub text: String,
    /// Where it comes from.
    pub origin: String,
}

/// Something that might be worth mentioning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicView {
    /// The fact, in words.
    pub text: String,
    /// Since when.
    pub at: Timestamp,
    /// Whether somebody else's words are in it.
    pub is_foreign: bool,
}

/// What Joi does by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayView {
    /// The agents.
    pub agents: Vec<AgentView>,
    /// The watches: their number, and what is watched for.
    pub watches: Vec<(i64, String)>,
    /// What might be worth mentioning, in the order in which it came.
    pub topics: Vec<TopicView>,
    /// What waits to be said.
    pub waiting: Vec<WaitingView>,
    /// Quiet hours, as they are written.
    pub quiet: Vec<String>,
    /// When the quiet of now ends.
    pub quiet_until: Option<Timestamp>,
}

/// A decision whether to say something unasked.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpulseView {
    /// When.
    pub at: Timestamp,
    /// Base, silence, context, time, chance, damper (negative), habit, boost.
    pub factors: [f64; 8],
    /// Their sum.
    pub total: f64,
    /// The threshold.
    pub needed: f64,
    /// Whether it was reached and nothing spoke against it.
    pub speaks: bool,
    /// The decision, in a word.
    pub decided: String,
    /// What it was about, and what it came to.
    pub about: String,
}

/// A thing of the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThingView {
    /// What it is called.
    pub name: String,
    /// Its name at the server.
    pub id: String,
    /// Further names.
    pub names: Vec<String>,
    /// What it is.
    pub kind: String,
    /// Its state.
    pub state: String,
    /// What may be done with it by voice.
    pub permission: String,
}

/// A room of the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomView {
    /// What it is called; "" for things without a room.
    pub name: String,
    /// Its things.
    pub things: Vec<ThingView>,
}

/// The house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseView {
    /// Whether its states are live.
    pub is_up: bool,
    /// The connection in words.
    pub link: String,
    /// Its rooms, those without things left out.
    pub rooms: Vec<RoomView>,
    /// Names of the configuration that the house does not have, things without a meaning.
    pub unmapped: Vec<String>,
}

/// What would come of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedView {
    /// Commands that would be sent: the thing, and the command.
    pub commands: Vec<(String, String)>,
    /// What would be said; "" where that depends on what comes of it.
    pub says: String,
}

/// Where a value of the configuration comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// It is built in.
    Default,
    /// The file.
    File,
    /// The environment or the command line, which the file does not change.
    Elsewhere,
}

/// A key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyView {
    /// As it is written, with its section.
    pub key: String,
    /// Its meaning, with unit and range.
    pub about: String,
    /// The value that runs.
    pub value: String,
    /// The value of the next start, where it is another one.
    pub next: Option<String>,
    /// Its default.
    pub default: String,
    /// Words that may be chosen from; none where anything may be typed.
    pub choices: Vec<String>,
    /// Where its value comes from.
    pub origin: KeyOrigin,
}

/// A section of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsSection {
    /// Its name; "" for the head of the file.
    pub name: String,
    /// Its keys.
    pub keys: Vec<KeyView>,
}

/// The configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsView {
    /// Its file.
    pub file: String,
    /// All sections.
    pub sections: Vec<SettingsSection>,
}
