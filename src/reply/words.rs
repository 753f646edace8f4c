//! What she says when the model can't speak for itself.
//!
//! Plain data. Short, calm, and without a word about software.

/// While the model is still starting.
pub const WAKING: &str = "One moment, I'm still waking up.";
/// After a first failed attempt, before the second.
pub const TROUBLE: &str = "I'm having trouble thinking. Give me one more moment.";
/// After the second failed attempt, or when a second makes no sense.
pub const UNWELL: &str = "I'm not feeling well just now. Please ask me again in a little while.";
/// When an answer breaks off in the middle.
pub const LOST_THREAD: &str = "Sorry, I lost my thread there.";
/// When she was about to claim a deed that was not done.
pub const NOT_DONE: &str = "I haven't done anything yet. Please say it once more, a little differently.";
/// When she does not do what she has asked about.
pub const LEFT_ALONE: &str = "All right, I'll leave it.";
/// When an answer needs more steps than there are.
pub const UNFINISHED: &str = "I couldn't find that out. Please ask me for less at a time.";
/// When nothing was said.
pub const NOTHING_HEARD: &str = "I didn't catch that.";
/// When the schedule can't be read or written.
pub const NO_TIMERS: &str = "I can't keep timers just now, so nothing was changed.";
/// In records, in place of what is not to be kept.
pub const NOT_KEPT: &str = "(not kept)";
