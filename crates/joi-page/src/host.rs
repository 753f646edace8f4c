//! What the page needs of the program that it shows.
//!
//! The program implements [`PageHost`]; a test may as well. Every function returns at once or is async; none blocks.

use std::fmt;
use std::future::Future;

use joi_base::message::Private;
use joi_base::trace::TurnRecord;

use crate::LiveFeed;
use crate::views::{
    CheckView, DayView, HealthView, HouseView, ImpulseView, ListView, MemoryView, MentionsView, SettingsView,
    TimerDeed, TimerView, TriedView,
};

/// Why something was not done, for the person who asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageFault {
    /// The microphone is switched off.
    Muted,
    /// The part that would do it is starting, busy or not there.
    NotYet,
    /// No speaker is open.
    NoSpeaker,
    /// It is not there any more.
    Gone,
    /// The text holds a secret, which is not stored.
    Secret,
    /// There is no text.
    Empty,
    /// The text is neither a length nor a time.
    NoTime,
    /// Another reason, in one sentence.
    Because(String),
}

impl PageFault {
    /// The reason that an error gives.
    pub fn of(error: impl fmt::Display) -> Self {
        Self::Because(error.to_string())
    }
}

/// A microphone or a speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceView {
    /// It has not been opened yet.
    Pending,
    /// This one works.
    Works(String),
    /// It does not, for this reason.
    Fault(String),
}

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

/// The program behind the page.
pub trait PageHost: Send + Sync + 'static {
    /// Returns how it is.
    fn now(&self) -> NowView;

    /// Returns the events from here on.
    fn live(&self) -> LiveFeed;

    /// Returns the level of the microphone in dBFS; nothing where it is closed or switched off.
    fn level_db(&self) -> Option<f32>;

    /// Asks what the owner typed. The answer comes as events.
    ///
    /// # Errors
    /// Too much waits already.
    fn ask(&self, text: Private<String>) -> Result<(), PageFault>;

    /// Switches the microphone off or on.
    fn set_mute(&self, is_muted: bool) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Listens now, without the wake phrase.
    ///
    /// # Errors
    /// The microphone is switched off, or nobody listens yet.
    fn listen(&self) -> Result<(), PageFault>;

    /// Stops what is said, typed or rings.
    fn stop(&self) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Sets the volume, in percent.
    ///
    /// # Errors
    /// There is no speaker.
    fn set_volume(&self, percent: u8) -> Result<(), PageFault>;

    /// Returns the newest turns, newest first.
    fn turns(&self, most: u32) -> impl Future<Output = Result<Vec<TurnRecord>, PageFault>> + Send;

    /// Returns how all parts are. Reads a few small files.
    fn health(&self) -> HealthView;

    /// Checks what is stored on this machine, as `joi doctor` does.
    fn checks(&self) -> impl Future<Output = Result<Vec<CheckView>, PageFault>> + Send;

    /// Returns entries of the memory, newest first; only of `kind` where that is one.
    fn memories(&self, kind: &str) -> impl Future<Output = Result<Vec<MemoryView>, PageFault>> + Send;

    /// Returns what would be recalled for `words`.
    fn search(&self, words: &str) -> impl Future<Output = Result<Vec<MemoryView>, PageFault>> + Send;

    /// Remembers a text of the owner's, about `kind`: user, wish or world.
    fn remember(&self, kind: &str, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Puts a text in the place of that of an entry.
    fn correct(&self, id: i64, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Erases an entry.
    fn forget(&self, id: i64) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Returns how much mentions `topic`.
    fn mentions(&self, topic: &str) -> impl Future<Output = Result<MentionsView, PageFault>> + Send;

    /// Erases whatever mentions `topic`; returns how much that was.
    fn forget_about(&self, topic: &str) -> impl Future<Output = Result<MentionsView, PageFault>> + Send;

    /// Returns all lists.
    fn lists(&self) -> impl Future<Output = Result<Vec<ListView>, PageFault>> + Send;

    /// Puts a text of the owner's on a list.
    fn add_to_list(&self, list: &str, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Takes an entry off a list.
    fn remove_from_list(&self, list: &str, text: &str) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Returns all timers, alarms and reminders.
    fn timers(&self) -> impl Future<Output = Result<Vec<TimerView>, PageFault>> + Send;

    /// Sets one as it would be said: `when`, a name, or words to be said then. Returns what came of it, in one sentence.
    fn set_timer(
        &self,
        when: &str,
        name: &str,
        remind: &str,
    ) -> impl Future<Output = Result<String, PageFault>> + Send;

    /// Does something with a timer; returns what came of it, in one sentence.
    fn change_timer(
        &self,
        id: i64,
        deed: TimerDeed,
    ) -> impl Future<Output = Result<String, PageFault>> + Send;

    /// Returns what Joi does by itself.
    fn day(&self) -> impl Future<Output = Result<DayView, PageFault>> + Send;

    /// Returns the newest decisions to speak unasked or not, newest first.
    fn impulses(&self, most: u32) -> impl Future<Output = Result<Vec<ImpulseView>, PageFault>> + Send;

    /// Decides about a call of an agent that waits.
    fn decide(
        &self,
        agent: &str,
        number: u32,
        is_yes: bool,
    ) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Ends a watch.
    fn remove_watch(&self, id: i64) -> impl Future<Output = Result<(), PageFault>> + Send;

    /// Returns the house; nothing where none is connected.
    fn house(&self) -> Option<HouseView>;

    /// Returns what would come of a sentence about the house, of which nothing is done; nothing where it is not about it.
    fn try_sentence(&self, text: &str) -> Option<TriedView>;

    /// Returns the configuration, of this run and of the next.
    fn settings(&self) -> impl Future<Output = Result<SettingsView, PageFault>> + Send;

    /// Writes a key into the file, or takes it out for its default. Nothing else of the file changes.
    fn set_key(&self, key: &str, value: Option<&str>) -> impl Future<Output = Result<(), PageFault>> + Send;
}
