//! A condition of one item, outside of a stored watch: whether it has just become so.
//!
//! It is read and stepped as that of a watch. Pure: no I/O, no clock.

use jiff::Timestamp;
use joi_home::house::Item;
use joi_language::values::WatchTest;

use super::WatchPhase;
use super::level::level;
use super::step::step;

/// A condition with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemCondition {
    test: WatchTest,
    phase: WatchPhase,
}

impl ItemCondition {
    /// A condition of which nothing is known.
    pub(crate) fn new(test: WatchTest) -> Self {
        Self { test, phase: WatchPhase::Unseen }
    }

    /// Looks at the item; returns whether it has just become so. What is so at the first look counts from the next time on.
    pub(crate) fn becomes_so(&mut self, item: &Item, now: Timestamp) -> bool {
        let was_so = matches!(self.phase, WatchPhase::So | WatchPhase::Since(_));
        let stepped = step(&self.phase, level(&self.test, item, was_so).as_ref(), 0, now);
        self.phase = stepped.phase;
        stepped.fired.is_some()
    }
}
