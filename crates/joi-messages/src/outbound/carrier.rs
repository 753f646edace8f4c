//! What carries a message out of the house: Signal, ntfy.
//!
//! A trait with one file per carrier. A carrier says of each message what became of it; that it is not known whether it
//! arrived is an answer of its own. It never repeats anything itself: the outbox does.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{Audience, Urgency};
use joi_base::message::Private;

/// The carriers there are; the name stands in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CarrierName {
    /// Signal, through the signal-cli daemon.
    Signal,
    /// A topic of an ntfy server.
    Ntfy,
}

impl CarrierName {
    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Signal => "signal",
            Self::Ntfy => "ntfy",
        }
    }
}

/// The state of a carrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CarrierLink {
    /// It can.
    Up,
    /// It can't, for this reason; messages wait.
    Down(String),
}

/// A message as it is handed to a carrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// Who is to get it.
    pub audience: Audience,
    /// How urgent it is.
    pub urgency: Urgency,
    /// The words.
    pub text: Private<String>,
}

/// Why a message was not sent, or may not have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CarryFault {
    /// It certainly was not sent: try again.
    #[error("not sent: {0}")]
    Unsent(String),
    /// The server takes no more for now: try again after this time, if it reported one.
    #[error("the server takes no more messages for now: {why}")]
    RateLimited {
        /// The words of the server.
        why: String,
        /// How long it wants to be left alone.
        after: Option<Duration>,
    },
    /// Nobody knows whether it arrived: it may be sent again, with a mark.
    #[error("it is not known whether it arrived: {0}")]
    Unknown(String),
    /// It will not be sent as it is: report it to the owner.
    #[error("refused: {0}")]
    Refused(String),
}

/// A carrier's name for a message that it has sent, as reactions and quotes use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageStamp(pub i64);

/// Something that carries messages.
pub trait Carrier: Send + Sync {
    /// Returns its name.
    fn name(&self) -> CarrierName;
    /// Returns whether it can send.
    fn link(&self) -> watch::Receiver<CarrierLink>;
    /// Sends one message, to its end: dropping the future leaves it unknown whether it was sent. Gives the message's name
    /// where the carrier has names.
    fn carry(&self, parcel: Parcel) -> BoxFuture<'static, Result<Option<MessageStamp>, CarryFault>>;
}
