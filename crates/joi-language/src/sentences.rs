//! What is said without a model, in one language: the sentences of `sentences.toml`.
//!
//! PURE, read once. In: the file's text. Out: sentences, in which [`fill`](super::fill) puts what they are about. It refuses a file
//! in which a sentence is missing, or names something that is not known where it is said.

use serde::Deserialize;

mod initiative;
mod repeats;
mod tools;
mod weather;

pub use initiative::{AlertSentences, WindSentences};
pub use repeats::RepeatWords;
pub use tools::ToolSentences;
pub use weather::{SkyWords, WeatherSentences};

use super::placeholders;

/// All of them; what they are for is said beside them in the file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct Sentences {
    pub time: TimeWords,
    pub schedule: ScheduleSentences,
    pub reply: ReplySentences,
    pub home: HomeSentences,
    pub device: DeviceSentences,
    pub memory: MemorySentences,
    pub messages: MessageSentences,
    pub tools: ToolSentences,
    pub weather: WeatherSentences,
    pub wind: WindSentences,
    pub alert: AlertSentences,
}

/// Lengths, times of day and days, and how things are listed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct TimeWords {
    pub hour: [String; 2],
    pub minute: [String; 2],
    pub second: [String; 2],
    pub halves: [String; 2],
    pub hours: Dial,
    pub noon: String,
    pub midnight: String,
    pub full_hour: String,
    pub clock: String,
    pub weekdays: [String; 7],
    pub months: [String; 12],
    /// The days of a month, from the first on.
    pub days: Vec<String>,
    pub today: String,
    pub tomorrow: String,
    pub yesterday: String,
    pub on_weekday: String,
    pub on_date: String,
    pub daily: String,
    pub workdays: String,
    pub weekend: String,
    pub every: String,
    pub once: String,
    pub again: String,
    pub after: String,
    pub and: String,
    pub or: String,
    pub context: String,
    pub context_date: String,
    pub nowhere: String,
    pub repeats: RepeatWords,
}

/// How many hours a clock counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u8")]
pub enum Dial {
    /// Twice twelve.
    Twelve,
    /// Once twenty-four.
    TwentyFour,
}

impl TryFrom<u8> for Dial {
    type Error = String;

    fn try_from(hours: u8) -> Result<Self, String> {
        match hours {
            12 => Ok(Self::Twelve),
            24 => Ok(Self::TwentyFour),
            other => Err(format!("time.hours is {other}; allowed: 12 or 24")),
        }
    }
}

/// What a kind of entry is called.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct KindWords {
    pub one: String,
    pub many: String,
    pub the: String,
    pub no: String,
}

/// What the schedule says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct ScheduleSentences {
    pub timer: KindWords,
    pub alarm: KindWords,
    pub reminder: KindWords,
    pub house: KindWords,
    pub to_do: String,
    pub to_do_at: String,
    pub set_house: String,
    pub house_missed: String,
    pub house_failed: String,
    pub house_unknown: String,
    pub named: String,
    pub foreign_named: String,
    pub to_remind: String,
    pub by_length: String,
    pub by_time: String,
    pub rings: String,
    pub rings_named: String,
    pub rings_reminder: String,
    pub missed: String,
    pub was_due: String,
    pub wrong_clock: String,
    pub unreadable: String,
    pub set_timer: String,
    pub set_alarm: String,
    pub set_reminder: String,
    pub of_nothing: String,
    pub changed_timer: String,
    pub snoozed: String,
    pub paused: String,
    pub resumed: String,
    pub is_ringing: String,
    pub left_on: String,
    pub left_until: String,
    pub left_each: String,
    pub it_rings: String,
    pub it_stands: String,
    pub list_ringing: String,
    pub list_left: String,
    pub list_missed: String,
    pub list_more: String,
    pub none: String,
    pub none_of: String,
    pub cancelled: String,
    pub cancelled_reminder: String,
    pub cancelled_of: String,
    pub cancelled_all: String,
    pub skipped: [String; 2],
    pub no_such: String,
    pub no_such_name: String,
    pub no_such_length: String,
    pub no_such_time: String,
    pub no_such_day: String,
    pub which: String,
    pub for_how_long: String,
    pub for_when: String,
    pub nothing_rings: String,
    pub is_over: String,
    pub too_long: String,
    pub too_many: String,
}

/// What is said in answers without a model, and where a model can't speak for itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct ReplySentences {
    pub time: String,
    pub date: String,
    /// Of another day, and of one that is over.
    pub date_of: String,
    pub date_ahead: String,
    pub date_was: String,
    pub no_such_day: String,
    pub heads: String,
    pub tails: String,
    pub rolled: String,
    pub abilities: String,
    pub nature: String,
    pub hears: String,
    pub home_again: String,
    pub nothing_said_yet: String,
    pub nothing_to_take_back: String,
    pub not_taken_back: String,
    pub louder: String,
    pub quieter: String,
    pub volume: String,
    pub welcome: String,
    pub all_right: String,
    pub good_morning: String,
    pub good_afternoon: String,
    pub good_evening: String,
    pub goodbye: String,
    pub good_night: String,
    pub waking: String,
    pub trouble: String,
    pub unwell: String,
    pub lost_thread: String,
    pub not_done: String,
    /// The same, after something else was done.
    pub not_all_done: String,
    pub left_alone: String,
    pub is_that_a_yes: String,
    pub not_understood: String,
    pub unfinished: String,
    /// In front of what was found out so far.
    pub not_finished: String,
    pub nothing_heard: String,
    pub no_timers: String,
    pub muddled: String,
    pub came_out_wrong: String,
    /// In place of an answer that only repeats the request.
    pub no_answer: String,
    /// The same, where the user has told something of himself.
    pub listening: String,
    pub listening_sad: String,
    pub listening_glad: String,
    /// In answer to what only the user can know.
    pub untold: String,
    pub shall_i: String,
    /// The same, in the user's own words.
    pub shall_i_do: String,
    pub forbidden_by_settings: String,
    pub go_on: String,
    /// When nothing new comes behind it.
    pub no_more: String,
}

/// What is said to a command for the home while none is connected.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct HomeSentences {
    pub missing: String,
    pub on: String,
    pub off: String,
    pub up: String,
    pub down: String,
    pub open: String,
    pub close: String,
    pub lock: String,
    pub unlock: String,
    pub colour: String,
    pub percent: String,
    pub degrees: String,
}

/// What is said unasked of devices, and of the start.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct DeviceSentences {
    pub microphone_lost: String,
    pub awake: String,
}

/// What is said of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct MemorySentences {
    pub remembered: String,
    pub wished: String,
    pub no_secrets: String,
    pub failed: String,
    pub nothing_about: String,
    pub one_thing: String,
    pub things: String,
    pub one_thing_set: String,
    pub things_set: String,
    pub everything: String,
    pub left_alone: String,
    pub gone_one: String,
    pub gone: String,
    pub gone_everything: String,
    pub facts: String,
    pub wishes: String,
    pub nothing: String,
    pub one_more: String,
    pub more: String,
    pub diary: String,
    pub was_damaged: String,
    pub lost_at_most: String,
    pub lost_timers: [String; 3],
    pub lost_notes: [String; 3],
    pub lost_memories: [String; 3],
    pub lost_messages: [String; 3],
    pub lost_other: [String; 3],
}

/// What is written beside answers and alerts that leave the house as messages.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is explained where it is written, in the files")]
pub struct MessageSentences {
    pub perhaps_again: String,
    pub late: String,
    pub last: String,
    pub stale: String,
    pub too_long: String,
    pub too_many: String,
    pub words_only: String,
    pub note_unknown: String,
    pub note_too_long: String,
    pub note_unclear: String,
    pub note_unheard: String,
    pub thumb_up: String,
    pub test: String,
}

impl Sentences {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used: the key, the value, and what is allowed.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        placeholders::check(&table)?;
        let sentences: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if sentences.wind.openings.len() <= 5 {
            return Err(format!("wind.openings has {}; allowed: 6 or more", sentences.wind.openings.len()));
        }
        let days = sentences.time.days.len();
        (days == 31).then_some(sentences).ok_or_else(|| format!("time.days has {days} days; allowed: 31"))
    }
}

impl TimeWords {
    /// `a`, `a and b`, `a, b and c`.
    pub fn listed(&self, names: &[String]) -> String {
        joined(names, &self.and)
    }

    /// `a`, `a or b`, `a, b or c`.
    pub fn either(&self, names: &[String]) -> String {
        joined(names, &self.or)
    }
}

fn joined(names: &[String], word: &str) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => names.join(""),
    }
}
