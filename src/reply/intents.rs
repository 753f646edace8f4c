//! Commands that need no model: time, date, stop, repeat, volume, thanks, never mind.
//!
//! PURE, any thread, far below a millisecond. In: a transcript without its wake phrase, or a typed
//! line. Out: what was asked for, or nothing, and then the model is asked. The whole utterance must be
//! one of the known phrasings; a command that is only part of a sentence, asked about or negated never
//! triggers.

use jiff::Zoned;

/// A change of the playback volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeChange {
    /// One step louder.
    Up,
    /// One step quieter.
    Down,
    /// To this many percent, 0 to 100.
    Set(u8),
}

/// What can be done without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// Tell the time of day.
    Time,
    /// Tell today's date.
    Date,
    /// Be silent at once and end the conversation.
    Stop,
    /// Say the last answer again.
    Repeat,
    /// Change the volume.
    Volume(VolumeChange),
    /// The user said thank you.
    Thanks,
    /// The user no longer wants anything.
    NeverMind,
}

/// An intent and why it was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickIntent {
    /// What to do.
    pub what: Intent,
    /// The phrasing that fits, for `joi why`; it holds no word of the user's.
    pub reason: String,
}

/// Recognises a quick command, or nothing when the model should answer.
pub fn match_intent(_text: &str) -> Option<QuickIntent> {
    None
}

/// What is said after the intent was carried out; empty when nothing is to be said. `last_reply` is
/// what was said before, for [`Intent::Repeat`].
pub fn answer(_what: Intent, _now: &Zoned, _last_reply: Option<&str>) -> String {
    String::new()
}
