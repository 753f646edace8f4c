//! A message as it stands in the outbox, one for each carrier.
//!
//! Plain data, any thread; stored as JSON, so its names stay. Once it was sent, its words are erased: what is left
//! counts for the rates and for keys until a day has passed.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Audience, CarrierName, MessageStamp, Outgoing, Urgency};

/// The state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LetterState {
    /// It waits.
    Waiting,
    /// A carrier has it.
    Underway,
    /// It was sent.
    Sent,
    /// It is not sent any more.
    GivenUp,
}

/// A message in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Letter {
    pub(super) urgency: Urgency,
    pub(super) carrier: CarrierName,
    pub(super) audience: Audience,
    pub(super) state: LetterState,
    pub(super) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    pub(super) posted: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires: Option<Timestamp>,
    /// How often it was tried in vain.
    #[serde(default)]
    pub(super) tries: u32,
    /// How often nobody knew whether it had arrived.
    #[serde(default)]
    pub(super) doubts: u32,
    /// Not before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) not_before: Option<Timestamp>,
    /// When it was last handed to the carrier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) handed: Option<Timestamp>,
    /// It says that no more come for a while.
    #[serde(default)]
    pub(super) tells_limit: bool,
    /// The carrier's name for it, once it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stamp: Option<MessageStamp>,
}

impl Letter {
    /// A message for `carrier`, that waits from `now` on.
    pub(super) fn new(message: &Outgoing, carrier: CarrierName, now: Timestamp) -> Self {
        let lasts = usual_life(message.urgency);
        Self {
            urgency: message.urgency,
            carrier,
            audience: message.audience,
            state: LetterState::Waiting,
            text: message.text.clone(),
            key: message.key.clone(),
            posted: now,
            expires: message.expires.or_else(|| now.checked_add(lasts).ok()),
            tries: 0,
            doubts: 0,
            not_before: None,
            handed: None,
            tells_limit: false,
            stamp: None,
        }
    }

    /// Returns whether it may still be sent.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, LetterState::Waiting | LetterState::Underway)
    }

    /// Returns the letter without its text, once it is not to be sent any more.
    pub(super) fn ended(self, state: LetterState) -> Self {
        Self { state, text: String::new(), not_before: None, ..self }
    }
}

/// Returns how long a message is worth being sent, where its sender says nothing.
fn usual_life(urgency: Urgency) -> SignedDuration {
    SignedDuration::from_hours(match urgency {
        Urgency::Critical => 24 * 7,
        Urgency::Escalated | Urgency::Direct => 24,
        Urgency::Proactive => 1,
    })
}
