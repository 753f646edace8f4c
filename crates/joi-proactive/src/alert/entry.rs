//! Plain data: an alarm, as it is announced and stored.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::awareness::{CriticalId, Happening, HouseEvent};
use joi_language::{SentenceField, SentenceName, SentenceTemplate};

/// The cause of an alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum AlertKind {
    /// A detector has found a danger.
    Danger {
        /// Which.
        id: CriticalId,
    },
    /// Somebody sent an alert of high priority.
    High {
        /// Its text.
        text: String,
    },
    /// Nothing: somebody tries the alarm.
    Test,
    /// The house has not been connected for so many seconds.
    HouseLost {
        /// Seconds.
        lost_s: u64,
    },
    /// The house is connected again.
    HouseBack,
}

/// Who has heard it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcknowledgedBy {
    /// Somebody who said so.
    Voice,
    /// Somebody who typed it, or a button on the control socket.
    Socket,
    /// Somebody who answered the message.
    Message,
}

/// An alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// The cause of an alarm.
    pub kind: AlertKind,
    /// The name of the detector.
    pub what: String,
    /// The item's name; empty where there is none.
    pub item: String,
    /// Since when.
    pub at: Timestamp,
    /// When somebody has heard it.
    #[serde(default)]
    pub acknowledged: Option<Timestamp>,
    /// Who.
    #[serde(default)]
    pub by: Option<AcknowledgedBy>,
}

impl AlertKind {
    /// In one word, without what it says.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Danger { id } => id.name(),
            Self::High { .. } => "high",
            Self::Test => "test",
            Self::HouseLost { .. } => "house_lost",
            Self::HouseBack => "house_back",
        }
    }
}

impl Alert {
    /// One that nobody has heard.
    pub fn new(kind: AlertKind, at: Timestamp) -> Self {
        Self { kind, what: String::new(), item: String::new(), at, acknowledged: None, by: None }
    }

    /// The alarm that a critical event is; nothing for any other.
    pub fn of(event: &HouseEvent) -> Option<Self> {
        let kind = match &event.happening {
            Happening::Critical { id } => AlertKind::Danger { id: *id },
            Happening::Notice { text, is_high: true } => AlertKind::High { text: text.clone() },
            _ => return None,
        };
        Some(Self { what: event.what.clone(), item: event.item.clone(), ..Self::new(kind, event.at) })
    }

    /// Returns whether it is announced until somebody has heard it.
    pub fn repeats(&self) -> bool {
        !matches!(self.kind, AlertKind::HouseLost { .. } | AlertKind::HouseBack)
    }

    /// Returns whether the other one reports the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.item == other.item && self.what == other.what
    }

    /// Under which it is sent once only.
    pub fn key(&self) -> String {
        format!("alert-{}-{}-{}", self.kind.name(), self.item, self.at.as_millisecond())
    }

    /// Returns its fixed text, put into words when it is said.
    pub fn sentence(&self) -> SentenceTemplate {
        let words = |words: &str| SentenceField::Words(words.to_owned());
        match &self.kind {
            AlertKind::Danger { id } => SentenceTemplate::from(id.sentence()).with("name", words(&self.what)),
            AlertKind::High { text } => {
                SentenceTemplate::from(SentenceName::HighAlert).with("text", words(text))
            }
            AlertKind::Test => SentenceName::TestAlarm.into(),
            AlertKind::HouseLost { lost_s } => SentenceTemplate::from(SentenceName::HouseLost)
                .with("length", SentenceField::Length(lost_s / 60 * 60)),
            AlertKind::HouseBack => SentenceName::HouseBack.into(),
        }
    }
}
