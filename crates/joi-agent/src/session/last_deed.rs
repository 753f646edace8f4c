//! The last action and how it is taken back. Plain data.

use jiff::Timestamp;
use joi_tools::WayBack;

/// The last action outside of the house.
#[derive(Debug, Clone)]
pub(crate) struct LastDeed {
    pub(crate) back: WayBack,
    pub(crate) at: Timestamp,
    /// It was done in the turn before.
    pub(crate) is_fresh: bool,
}

impl LastDeed {
    /// Returns what was done at `at`, in this turn.
    pub(crate) fn new(back: WayBack, at: Timestamp) -> Self {
        Self { back, at, is_fresh: true }
    }

    /// Another turn begins.
    pub(crate) fn passes(&mut self) {
        self.is_fresh = false;
    }
}
