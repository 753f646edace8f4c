//! How messages leave: the seam between what is to be sent and whoever sends it.
//!
//! Plain data and one narrow trait. In: a message with its audience and urgency. Out: done when it is sure to be sent,
//! or why not. Rates of answers, repeats after failures and de-duplication by key are the courier's business.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use crate::message::Private;

/// Who is to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourierAudience {
    /// The owner alone.
    Owner,
    /// The group for what is critical.
    Group,
}

/// How urgent it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourierUrgency {
    /// A danger: never held back, never counted.
    Critical,
    /// A model called it urgent.
    Escalated,
    /// An answer.
    Direct,
    /// Something mentioned unasked.
    Proactive,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CourierMessage {
    /// Who is to read it.
    pub audience: CourierAudience,
    /// What it says.
    pub text: Private<String>,
    /// How urgent it is.
    pub urgency: CourierUrgency,
    /// Of several with one key only the first is sent.
    pub key: Option<String>,
    /// After this moment it is not sent any more.
    pub expires: Option<Timestamp>,
}

/// It is not sent. Keep what it was about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the message can't be sent: {0}")]
pub struct NotPosted(pub String);

/// Takes messages.
pub trait Courier: Send + Sync {
    /// Takes a message; when this is done, it survives the end of the program.
    fn post(&self, message: CourierMessage) -> BoxFuture<'_, Result<(), NotPosted>>;

    /// Direct messages, answers included, that went out within `window` before `now`.
    fn sent_within(&self, window: SignedDuration, now: Timestamp) -> usize;

    /// Whether the owner can be reached.
    fn reaches_owner(&self) -> bool;
}

/// There is no way to send anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCourier;

impl Courier for NoCourier {
    fn post(&self, message: CourierMessage) -> BoxFuture<'_, Result<(), NotPosted>> {
        let result = match message.urgency {
            // The voice tells it; that there is no group is no fault.
            CourierUrgency::Critical => Ok(()),
            _ => Err(NotPosted("no channel is configured".to_owned())),
        };
        async move { result }.boxed()
    }

    fn sent_within(&self, _: SignedDuration, _: Timestamp) -> usize {
        0
    }

    fn reaches_owner(&self) -> bool {
        false
    }
}
