//! Commands that need no model: time, date, stop, repeat, volume, thanks, never mind, goodbye.
//!
//! PURE, any thread, far below a millisecond. In: a transcript, or a typed line. Out: what was asked
//! for, or nothing, and then the model is asked. The whole utterance, apart from names and politeness,
//! must be one of the known phrasings; a command that is only part of a sentence, asked about or
//! negated never triggers. The phrasings stand in `assets/intents/en.txt`.

mod phrasing;
#[cfg(test)]
mod tests;
mod words;

use jiff::Zoned;

use crate::english::{MONTHS, WEEKDAYS};

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
    /// The user takes leave.
    Goodbye,
    /// The user goes to bed.
    GoodNight,
}

/// An intent and why it was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickIntent {
    /// What to do.
    pub what: Intent,
    /// The phrasing that fits, for `joi why`; it quotes the list of phrasings, not the user.
    pub reason: String,
}

/// Compiles the phrasings, so that the first turn does not wait tens of milliseconds for it.
pub fn warm_up() {
    phrasing::english();
}

/// Recognises a quick command, or nothing when the model should answer.
pub fn match_intent(text: &str) -> Option<QuickIntent> {
    let words = words::normalise(text)?;
    let phrasings = phrasing::english()?;
    words::without_politeness(&words).find_map(|core| {
        let (what, template) = phrasings.recognise(core)?;
        Some(QuickIntent { what, reason: format!("the whole utterance is \"{template}\"") })
    })
}

/// Whether `text` says yes, and nothing else.
pub fn is_consent(text: &str) -> bool {
    let (Some(words), Some(yes)) = (words::normalise(text), phrasing::english_yes()) else { return false };
    yes.fits(&words) || words::without_politeness(&words).any(|core| yes.fits(core))
}

/// What is said once the intent has been carried out; empty when nothing is to be said. `last_reply`
/// is the answer before this one, for [`Intent::Repeat`].
pub fn answer(what: Intent, now: &Zoned, last_reply: Option<&str>) -> String {
    match what {
        Intent::Time => tell_time(now),
        Intent::Date => tell_date(now),
        Intent::Stop => String::new(),
        Intent::Repeat => last_reply.unwrap_or("I haven't said anything yet.").to_owned(),
        Intent::Volume(VolumeChange::Up) => "Louder.".to_owned(),
        Intent::Volume(VolumeChange::Down) => "Quieter.".to_owned(),
        Intent::Volume(VolumeChange::Set(percent)) => format!("Volume at {percent} percent."),
        Intent::Thanks => "You're welcome.".to_owned(),
        Intent::NeverMind => "All right.".to_owned(),
        Intent::Goodbye => "Goodbye.".to_owned(),
        Intent::GoodNight => "Good night.".to_owned(),
    }
}

fn tell_time(now: &Zoned) -> String {
    let half = if now.hour() < 12 { "AM" } else { "PM" };
    let hour = match now.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    match (now.hour(), now.minute()) {
        (0, 0) => "It's midnight.".to_owned(),
        (12, 0) => "It's noon.".to_owned(),
        (_, 0) => format!("It's {hour} {half}."),
        (_, minute) => format!("It's {hour}:{minute:02} {half}."),
    }
}

fn tell_date(now: &Zoned) -> String {
    let weekday = named(&WEEKDAYS, now.weekday().to_monday_zero_offset());
    let day = now.day();
    let ending = match day {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    };
    let month = named(&MONTHS, now.month() - 1);
    format!("It's {weekday}, {month} {day}{ending}, {}.", now.year())
}

fn named(names: &[&'static str], index: i8) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}
