//! What an intent changes beyond words: the volume, how much is said unasked, what was done last.

use joi_language::values::Said;

/// A change of the playback volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeChange {
    /// One step louder.
    Up,
    /// One step quieter.
    Down,
    /// To this many percent, 0 to 100.
    Set(u8),
    /// By so many percentage points.
    By(i8),
}

/// A wish about proactive speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuietWish {
    /// "Not now".
    NotNow,
    /// "Don't message me until tomorrow".
    UntilTomorrow,
    /// "I'm going to sleep".
    Sleep,
    /// "Be quiet for an hour": for so many seconds.
    For(u32),
    /// "No messages until noon".
    Until(Said),
    /// "You may talk to me again".
    Over,
    /// "I heard it".
    Heard,
    /// "I've seen it", which means an alarm only while one rings.
    Seen,
}

/// In which words it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakingBack {
    /// "Undo that": whatever was done last.
    Undo,
    /// "Cancel that": what was done in the turn before, else what is going on.
    Cancel,
}
