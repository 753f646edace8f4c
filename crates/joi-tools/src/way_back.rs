//! What takes back what a tool has just done, where words alone ask for that ("undo that").
//!
//! Pure: no I/O, no clock.

use joi_schedule::EntryId;

/// The way to undo a deed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayBack {
    /// Cancels the entry that was set in the schedule.
    Cancel(EntryId),
    /// Entries that were not there before are taken off this list.
    TakeOff {
        /// The list's name.
        list: String,
        /// The entries, as they are stored.
        entries: Vec<String>,
    },
}
