//! The one way to send a message out of the house: an outbox in the database, and whoever carries its messages.
//!
//! Any task posts to an [`Outbox`] and is done; one task, the [`Dispatcher`], sends. In: alerts, answers to messages,
//! words unasked. Out: messages to the [`Carrier`]s that are set up, by urgency and within the rates of
//! [`rates`]. A message is in the database before `post` returns, and marked as underway before it is handed to a
//! carrier: whatever was underway when the program died is sent again with a mark, so that nothing critical is lost.
//! It decides nothing about what is worth sending, and sends nothing where no carrier is set up.

pub mod carrier;
mod config;
mod decide;
mod dispatcher;
mod held;
mod letter;
pub mod ntfy;
mod outbox;
mod outcome;
pub mod rates;
#[cfg(test)]
pub(crate) mod tests;
mod wording;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use carrier::{Carrier, CarrierLink, CarrierName, CarryFault, MessageStamp};
pub use config::{NtfyConfig, OutboundConfig};
pub use dispatcher::Dispatcher;
pub use letter::LetterState;
pub use outbox::{Outbox, OutboxCounts, OutboxParts, SentLetter};

/// How urgent a message is; what is more urgent is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Urgency {
    /// Danger that an event has reported: at any time, without limit, by every carrier.
    Critical,
    /// Urgent in the model's judgement: by every carrier, within a limit of its own.
    Escalated,
    /// An answer to the owner's message.
    Direct,
    /// Unasked: only while there is room for answers.
    Proactive,
}

/// Who is to get a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// The owner alone.
    Owner,
    /// The group for alerts; the owner where there is none.
    Group,
}

/// A message that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Who is to get it.
    pub audience: Audience,
    /// The words.
    pub text: String,
    /// How urgent it is.
    pub urgency: Urgency,
    /// Another message with this key within a day is the same one and is not sent again; nothing for one that is unlike
    /// all others.
    pub key: Option<String>,
    /// After this moment it is dropped; nothing for the usual time of its urgency.
    pub expires: Option<Timestamp>,
}

/// The number of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutgoingId(pub i64);
