//! An announcement: its words, urgency, origin, place, and what becomes of it when it was not heard.
//!
//! Pure: no I/O, no clock.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Wording;
use joi_base::message::Place;

/// The number of an announcement in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnnouncementId(pub(super) u64);

/// How urgent it is; what is more urgent is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnouncementPriority {
    /// Nothing is lost if nobody hears it.
    Background,
    /// Something that should be known.
    Notice,
    /// Something the user wanted to be reminded of.
    Reminder,
    /// A timer or an alarm; everything below waits while something rings.
    Ring,
    /// Danger: it is said at any hour.
    Critical,
}

/// Where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnouncementOrigin {
    /// A timer, an alarm or a reminder the user set, or what is wrong with them.
    Timer,
    /// A microphone, a speaker, the clock.
    Device,
    /// The start of the program.
    StartUp,
    /// Something worth mentioning.
    Impulse,
    /// An agent that worked for the user.
    Agent,
    /// A sensor that found a danger.
    Alert,
    /// A change in the house that the user asked to hear of.
    Watch,
}

/// What becomes of it when it was not heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IfUnheard {
    /// It is said once at most, and lost with the program: it counts only now.
    Drop,
    /// It waits until it was heard to its end, over restarts as well.
    Keep,
    /// It is said again, this long after each time, until it is withdrawn. Whoever sent it sends it again after a
    /// restart.
    Repeat(Duration),
}

/// A call of an agent that an announcement asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncedQuestion {
    /// The agent.
    pub agent: String,
    /// The number of the call.
    pub call: u32,
}

/// Something to be said without having been asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The words.
    pub wording: Wording,
    /// How urgent it is.
    pub priority: AnnouncementPriority,
    /// After this moment it is dropped.
    pub expires: Option<Timestamp>,
    /// Where it comes from.
    pub origin: AnnouncementOrigin,
    /// The only place where it may be said; nothing for any.
    pub place: Option<Place>,
    /// What becomes of it when it was not heard.
    pub if_unheard: IfUnheard,
    /// What a yes to it means; nothing where it asks nothing. It is not kept over a restart.
    pub question: Option<AnnouncedQuestion>,
}

impl Announcement {
    /// One that may be said anywhere, counts for ever, and is dropped when it was not heard.
    pub fn new(
        origin: AnnouncementOrigin,
        priority: AnnouncementPriority,
        wording: impl Into<Wording>,
    ) -> Self {
        let (wording, if_unheard) = (wording.into(), IfUnheard::Drop);
        Self { wording, priority, expires: None, origin, place: None, if_unheard, question: None }
    }
}

impl Announcement {
    /// Returns whether it says only that joi has started.
    pub fn is_greeting(&self) -> bool {
        self.origin == AnnouncementOrigin::StartUp && self.priority == AnnouncementPriority::Background
    }

    /// Returns whether it is a danger that is repeated until somebody has heard it.
    pub fn is_alarm(&self) -> bool {
        let repeats = matches!(self.if_unheard, IfUnheard::Repeat(_));
        self.priority == AnnouncementPriority::Critical && repeats
    }
}
