//! What goes on, as it comes: the events that an open page is sent.
//!
//! Plain data. They hold what was said, so they are for the owner's eyes: this page, and a subscription to `words` on the
//! control socket.

use joi_base::message::Channel;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

/// The events from here on. When a reader is so slow that some are lost, it gets an error and connects again.
pub type LiveFeed = broadcast::Receiver<LiveEvent>;

/// Something that happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LiveEvent {
    /// The state from here on: starting, idle, listening, thinking, speaking, timer, muted, error.
    State {
        /// Its name.
        state: String,
        /// Why, in one sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The wake phrase was recognised.
    Woke {
        /// As it is written.
        phrase: String,
    },
    /// Somebody asked to be listened to, without the wake phrase.
    Called,
    /// Something was understood, or typed.
    Heard {
        /// Where.
        channel: Channel,
        /// The words.
        text: String,
    },
    /// The next words of the answer to it.
    Words {
        /// Where.
        channel: Channel,
        /// The words.
        text: String,
    },
    /// A sentence beside an answer: a question behind it, or something for the owner.
    Aside {
        /// Where.
        channel: Channel,
        /// The sentence.
        text: String,
    },
    /// The answer is complete.
    Answered {
        /// Where.
        channel: Channel,
        /// The number of the turn.
        turn: u64,
    },
    /// Something was heard that is not answered.
    Ignored {
        /// The number of the turn.
        turn: u64,
        /// Why, in a few words.
        why: String,
    },
    /// Something is said without having been asked for.
    Announced {
        /// The words.
        text: String,
    },
    /// Something rings.
    Rings {
        /// The words.
        text: String,
    },
}
