//! A call that waits for a yes, with the answer it belongs to.
//!
//! Plain data. It waits in its session; anything but a yes in time drops it.

use jiff::Timestamp;

use super::state::LoopState;
use joi_answer::protocol::WrittenCall;

/// A call that waits for a yes.
pub(crate) struct PendingCall {
    /// The answer, as far as it has got.
    pub(crate) state: LoopState,
    /// The call.
    pub(crate) call: WrittenCall,
    /// Calls of the same reply that were not looked at yet.
    pub(crate) rest: Vec<WrittenCall>,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
    /// It was asked once more, because the first yes could not be relied on.
    pub(crate) is_repeated: bool,
}

impl PendingCall {
    /// Returns whether a yes at `now` still counts.
    pub(crate) fn is_open(&self, now: Timestamp) -> bool {
        now <= self.until
    }
}
