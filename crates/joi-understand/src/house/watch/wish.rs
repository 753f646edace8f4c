//! What an utterance about watches comes to.
//!
//! Plain data. Pure: no I/O, no clock.

use super::super::decision::{NamedThing, PlannedCommand};
use super::refusal::WatchRefusal;
use joi_language::values::{WatchCondition, WatchOrder};

/// The wish of an utterance.
#[derive(Debug, Clone, PartialEq)]
pub enum WatchWish {
    /// This is to be done; the commands of a new watch stand beside it as they were checked.
    Order(WatchOrder, Vec<PlannedCommand>),
    /// Ask which of these is meant.
    Which(Vec<NamedThing>),
    /// Ask in which room it is.
    Where(Vec<NamedThing>),
    /// Nothing is done, for this reason.
    Refused(WatchRefusal),
}

/// The reading of a condition.
pub(super) enum ConditionRead {
    /// The condition, and whether it is something that happens.
    So(WatchCondition, bool),
    /// This is asked or refused.
    Wish(WatchWish),
}
