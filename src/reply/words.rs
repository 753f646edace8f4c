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
/// When nothing was said.
pub const NOTHING_HEARD: &str = "I didn't catch that.";
