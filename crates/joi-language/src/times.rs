//! Words for lengths, times of day and days.
//!
//! In: a length or a moment, and the words of a language. Out: parts of sentences. Pure: no I/O, no clock.

use jiff::Zoned;
use jiff::civil::{Date, DateTime, Time, Weekday};

use super::{Dial, Language, TimeWords, fill};

/// The form of a unit in a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitForm {
    /// `5 minutes`.
    Counted,
    /// `5 minute`, in front of a word.
    Bare,
}

/// `9 minutes 30 seconds`; nothing is left out but zeros.
pub fn length(seconds: u64, language: &Language) -> String {
    length_in(seconds, UnitForm::Counted, &language.sentences().time)
}

/// The same in either form.
pub(crate) fn length_in(seconds: u64, form: UnitForm, words: &TimeWords) -> String {
    let parts =
        [(seconds / 3600, &words.hour), (seconds / 60 % 60, &words.minute), (seconds % 60, &words.second)];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, [one, several])| {
            format!("{count} {}", if *count == 1 || form == UnitForm::Bare { one } else { several })
        })
        .collect();
    if told.is_empty() { format!("0 {}", words.second[1]) } else { told.join(" ") }
}

/// `6:30 AM`, `7 PM`, `noon`, `midnight`.
pub fn time_of_day(time: Time, language: &Language) -> String {
    let words = &language.sentences().time;
    let sentence = match (time.hour(), time.minute()) {
        (0, 0) => &words.midnight,
        (12, 0) => &words.noon,
        (_, 0) => &words.full_hour,
        _ => &words.clock,
    };
    clock(sentence, time, words)
}

/// `6:30 AM`, also for a full hour.
pub fn time_in_full(time: Time, language: &Language) -> String {
    let words = &language.sentences().time;
    clock(&words.clock, time, words)
}

fn clock(sentence: &str, time: Time, words: &TimeWords) -> String {
    let [morning, afternoon] = &words.halves;
    let hour = match (words.hours, time.hour() % 12) {
        (Dial::TwentyFour, _) => time.hour(),
        (Dial::Twelve, 0) => 12,
        (Dial::Twelve, hour) => hour,
    };
    let (hour, minute) = (hour.to_string(), format!("{:02}", time.minute()));
    let half = if time.hour() < 12 { morning } else { afternoon };
    fill(sentence, &[("hour", &hour), ("minute", &minute), ("half", half)])
}

/// `Sunday, November 22nd, 2026`, within `sentence`.
pub fn date_in(sentence: &str, date: Date, language: &Language) -> String {
    let words = &language.sentences().time;
    let (day, year) = (date.day().to_string(), date.year().to_string());
    let values = [
        ("weekday", weekday(date.weekday(), words)),
        ("month", named(&words.months, date.month() - 1)),
        ("nth", named(&words.days, date.day() - 1)),
        ("day", &day),
        ("year", &year),
    ];
    fill(sentence, &values)
}

/// `yesterday at 7 PM`, `tomorrow at noon`, `on Friday at 7 PM`.
pub fn moment(at: DateTime, now: &Zoned, language: &Language) -> String {
    let time = time_of_day(at.time(), language);
    fill(&language.sentences().time.once, &[("day", &day(at.date(), now, language)), ("time", &time)])
}

/// `tomorrow`, `on Friday`, `on June 5`.
pub fn day(date: Date, now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().time;
    match date.duration_since(now.date()).as_hours() / 24 {
        0 => words.today.clone(),
        1 => words.tomorrow.clone(),
        -1 => words.yesterday.clone(),
        2..7 => fill(&words.on_weekday, &[("weekday", weekday(date.weekday(), words))]),
        _ => date_in(&words.on_date, date, language),
    }
}

/// The name of a day.
pub fn weekday(day: Weekday, words: &TimeWords) -> &str {
    named(&words.weekdays, day.to_monday_zero_offset())
}

fn named(names: &[String], index: i8) -> &str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).map(String::as_str).unwrap_or_default()
}
