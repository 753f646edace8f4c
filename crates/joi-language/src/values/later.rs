//! Commands to the house at a later moment: what is kept of them, and who carries them out.
//!
//! Plain data, and a seam: the schedule knows no house. A command is sent once. It is marked on the disk before it is
//! sent, so that one with an unknown end is reported and not repeated.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// One command, as it was checked when it was ordered; it is checked anew when it is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaterCommand {
    /// The server's name of the item.
    pub item: String,
    /// The command as it is sent.
    pub text: String,
}

/// What became of commands that were due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaterOutcome {
    /// All of them were done, or are on their way.
    Done,
    /// One of them was not done.
    Failed,
    /// Of one of them nobody knows.
    Unknown,
}

/// Carries out what is due in the house.
pub trait HouseHand: Send + Sync {
    /// Sends each command once. Ends within half a minute.
    fn obey(&self, commands: Vec<LaterCommand>) -> BoxFuture<'static, LaterOutcome>;
}
