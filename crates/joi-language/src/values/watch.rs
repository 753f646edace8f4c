//! The content of a watch: a condition of the house, how often, until when, and what is to be done then.
//!
//! Plain data that is stored (JSON), so names of fields and variants are never renamed. Pure: no I/O, no clock.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::later::LaterCommand;

/// The number of a watch, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct WatchId(pub i64);

/// What has to become true of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchTest {
    /// It is on, or runs, or plays.
    On,
    /// It is off.
    Off,
    /// It is open, or up.
    Open,
    /// It is closed, or down.
    Closed,
    /// It is locked.
    Locked,
    /// It is unlocked.
    Unlocked,
    /// A machine has finished.
    Done,
    /// It rings: it is switched on, or writes down another moment or text.
    Rings,
    /// Somebody is at home.
    Home,
    /// Somebody is not at home.
    Away,
    /// Its value is below this.
    Below(WatchLimit),
    /// Its value is above this.
    Above(WatchLimit),
    /// The moment that it names has come: the sun sets.
    Sunset,
    /// The same for sunrise.
    Sunrise,
}

/// A limit in the unit of the item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchLimit {
    /// The value.
    pub value: f64,
    /// As the server writes it: `°C`, `%`, `W`; empty for a bare number.
    pub unit: String,
}

/// An item that is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedItem {
    /// The server's name.
    pub item: String,
    /// The name that the user knows.
    pub title: String,
}

/// How many of several items it must be true of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchMany {
    /// Of each by itself.
    #[default]
    Any,
    /// Of all of them at once.
    All,
}

/// A condition of the house.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchCondition {
    /// What has to become true.
    pub test: WatchTest,
    /// Of what; never empty.
    pub items: Vec<WatchedItem>,
    /// Of how many of them.
    #[serde(default)]
    pub many: WatchMany,
    /// For so many seconds without a break; 0 for at once.
    #[serde(default)]
    pub for_s: u32,
}

/// The deed of a watch once its condition becomes true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchDeed {
    /// The user hears of it.
    Tell,
    /// The house is commanded.
    Command {
        /// The commands, in words.
        name: String,
        /// The commands, as they were checked when they were ordered.
        commands: Vec<LaterCommand>,
    },
}

/// How often a watch acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchRepeat {
    /// Once; then it is over.
    #[default]
    Once,
    /// Whenever the condition becomes true.
    Always,
}

/// A watch that is to be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewWatch {
    /// The condition.
    pub condition: WatchCondition,
    /// The deed.
    pub deed: WatchDeed,
    /// How often.
    pub repeats: WatchRepeat,
    /// At this moment it is over.
    pub until: Option<Timestamp>,
}

/// Which watches are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchChoice {
    /// All of them.
    All,
    /// The one with this number.
    Number(WatchId),
    /// Those of these items, which were called so.
    Of {
        /// The server's names.
        items: Vec<String>,
        /// As it was said.
        said: String,
    },
}

/// An order about watches.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchOrder {
    /// Begin to watch.
    Add(NewWatch),
    /// All watches.
    List,
    /// Stop watching.
    Remove(WatchChoice),
}
