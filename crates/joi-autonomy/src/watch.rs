//! Watches: what is kept of each, how it decides, how it is set and ended, and the task that follows the house.
//!
//! In: orders, the house as it is, time. Out: sentences for the announcement queue, commands for the house, rows of the
//! database. A watch acts at a change and not at a state: what is so already counts from the next time on.

mod item_condition;
mod keeper;
mod level;
mod look;
mod orders;
pub mod said;
mod service;
mod step;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use joi_base::message::Origin;

pub(crate) use item_condition::ItemCondition;
pub use joi_language::values::{NewWatch, WatchChoice, WatchDeed, WatchId, WatchOrder, WatchRepeat};
pub use keeper::{OrderOrigin, WatchDone, Watches};
pub use look::{Looked, Sight, WatchEffect, WatchPreview, begun, finished, look, preview, resumed};
pub use orders::{MOST_WATCHES, WatchReport};
pub use service::{HouseSource, LOOKS_EVERY, WatchTask};

/// A watch as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Its number; the row has it.
    #[serde(skip)]
    pub id: WatchId,
    /// What it watches for, and what is done then.
    pub wanted: NewWatch,
    /// The words with which it was set.
    pub said: String,
    /// Whose words these are, as [`Origin`] names it.
    pub origin: String,
    /// When it was set.
    pub set_at: Timestamp,
    /// The state of the condition: of each item, or of all of them together.
    pub phases: Vec<WatchPhase>,
    /// When it acted last, by the first item of what has changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub acted_at: BTreeMap<String, Timestamp>,
    /// Whether its things are still in the house.
    #[serde(default)]
    pub gone: WatchGone,
    /// Its command is on its way: marked before it is sent, so that one with an unknown end is reported, not repeated.
    #[serde(default)]
    pub is_sending: bool,
}

impl Watch {
    /// Returns whose words set it.
    pub fn origin(&self) -> Origin {
        Origin::called(&self.origin)
    }
}

/// The state of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchPhase {
    /// Nothing yet.
    Unseen,
    /// It is not so.
    Not,
    /// It is so since then, and has to last.
    Since(Timestamp),
    /// It is so, and that was acted upon, or was so before it was watched.
    So,
    /// The checksum of what was written last.
    Wrote(String),
    /// It will be so then.
    Awaits(Timestamp),
}

/// Whether the things of a watch are in the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchGone {
    /// They are, as far as is known.
    #[default]
    No,
    /// They are missing since then.
    Since(Timestamp),
    /// They are missing, and that was said.
    Said,
}
