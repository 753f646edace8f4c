//! Reads dates and times of day.
//!
//! Pure: no I/O, no clock.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::matching::{Around, any, group, pattern, replace};
use super::ordinal::day_in_words;
use joi_language::{Dial, fill};
use joi_language::{FirstInDate, ReadingWords};

static ISO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?:[T ](?P<time>\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?",
    )
});
static HALF: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<h>\d{1,2}) ?(?P<half>[aApP]\.[mM]\.|[aApP][mM]\b)"));

#[derive(Debug)]
pub(super) struct Dates {
    words: Arc<ReadingWords>,
    in_figures: Regex,
    month: Regex,
    weekday: Regex,
    span: Regex,
    clock: Regex,
    /// Hours and minutes with a dot between, which only the word behind makes a time.
    dotted: Regex,
}

impl Dates {
    pub(super) fn new(words: &Arc<ReadingWords>) -> Self {
        let dates = &words.dates;
        let sign = regex::escape(&dates.sign);
        // Where a dot parts them, the year may be left out: "24.12.".
        let year = if dates.sign == "." { r"(?P<y>\d{4}|\d{2})?" } else { r"(?P<y>\d{4}|\d{2})" };
        let short = |names: &[Vec<String>]| any(names.iter().flatten().map(String::as_str));
        let (months, weekdays) = (short(&dates.short_months), short(&dates.short_weekdays));
        let endings = any(dates.day_endings.iter().map(String::as_str));
        let month = match dates.first {
            FirstInDate::Month => {
                format!(r"(?P<name>{months})(?P<dot>\.?)(?: (?P<day>\d{{1,2}})(?:{endings})?)?")
            }
            FirstInDate::Day => {
                let all = any(dates.months.iter().map(String::as_str));
                format!(
                    r"(?:(?P<day>\d{{1,2}})(?:\.|{endings})? ?(?P<whole>{all}|{months})(?P<dots>\.?)|(?P<name>{months})(?P<dot>\.))"
                )
            }
        };
        let behind = any(words.clock.behind.iter().map(String::as_str)).replace('\'', "['’]");
        let to = regex::escape(&words.figures.to);
        // With twenty-four hours "am" is a word.
        let (half, short_half) = match words.clock.hours {
            Dial::Twelve => (r"(?P<half> ?(?:[aApP]\.[mM]\.|[aApP][mM]\b))?", "(?: ?[aApP][mM])?"),
            Dial::TwentyFour => ("", ""),
        };
        Self {
            in_figures: pattern(&format!(r"(?P<a>\d{{1,2}}){sign}(?P<b>\d{{1,2}}){sign}{year}")),
            month: pattern(&month),
            weekday: pattern(&format!(r"(?P<name>{weekdays})(?P<dot>\.?)(?P<comma>,?)")),
            span: pattern(&format!(
                r"(?P<from>\d{{1,2}}:\d{{2}}{short_half}) ?(?:[-–]|{to}) ?(?P<to>\d{{1,2}}:\d{{2}})"
            )),
            clock: pattern(&format!(
                r"(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::(?P<s>\d{{2}}))?{half}(?P<said> ?(?:{behind})\b)?"
            )),
            dotted: pattern(&format!(r"(?P<h>\d{{1,2}})\.(?P<m>\d{{2}}) (?:{behind})\b")),
            words: Arc::clone(words),
        }
    }

    pub(super) fn read(&self, text: &str) -> String {
        let text = self.read_times(&self.read_dates(text));
        if self.words.clock.hours == Dial::TwentyFour {
            return text;
        }
        replace(&text, &HALF, |found, around| {
            let hour: u32 = group(found, "h").parse().ok().filter(|hour| (1..=12).contains(hour))?;
            let half = group(found, "half");
            let said = fill(
                &self.words.clock.half,
                &[("time", &hour.to_string()), ("half", self.half_of_day(half))],
            );
            around.is_whole_number().then(|| said + end_of(half, around))
        })
    }

    fn read_dates(&self, text: &str) -> String {
        let text = replace(text, &ISO, |found, around| {
            let date = self.date(group(found, "m"), group(found, "d"), group(found, "y"), around)?;
            let said = match found.name("time") {
                Some(time) => {
                    let time = self.clock(&time.as_str()[..2], &time.as_str()[3..], "")?;
                    fill(&self.words.dates.with_time, &[("date", &date), ("time", &time)])
                }
                None => date,
            };
            let zone = if group(found, "zone") == "Z" { " UTC" } else { "" };
            around.is_whole_number().then(|| format!("{said}{zone}"))
        });
        let text = replace(&text, &self.in_figures, |found, around| {
            let (a, b, y) = (group(found, "a"), group(found, "b"), group(found, "y"));
            if !around.is_whole_number() {
                return None;
            }
            // The dot behind a date without a year may be the end of the text, too.
            let end = if y.is_empty() && around.after.trim().is_empty() { "." } else { "" };
            let (month, day) = match self.words.dates.first {
                FirstInDate::Month => (a, b),
                FirstInDate::Day => (b, a),
            };
            let said = self.date(month, day, y, around).or_else(|| self.date(day, month, y, around))?;
            Some(said + end)
        });
        let text = replace(&text, &self.month, |found, around| self.month_in_words(found, around));
        replace(&text, &self.weekday, |found, around| {
            let (dot, comma) = (!group(found, "dot").is_empty(), !group(found, "comma").is_empty());
            let (names, short) = (&self.words.dates.weekdays, &self.words.dates.short_weekdays);
            let name = full(names, short, group(found, "name"))?;
            let is_meant = comma && found[0].len() < 8 && self.starts_with_day(around.after) || dot && comma;
            (around.is_apart() && is_meant).then(|| format!("{name},"))
        })
    }

    /// "Jan. 5", "4. März".
    fn month_in_words(&self, found: &regex::Captures<'_>, around: Around<'_>) -> Option<String> {
        let dates = &self.words.dates;
        let (dot, day) = (!group(found, "dot").is_empty(), group(found, "day"));
        let written =
            if found.name("whole").is_some() { group(found, "whole") } else { group(found, "name") };
        let name = full(&dates.months, &dates.short_months, written)
            .or_else(|| dates.months.iter().find(|name| *name == written).map(String::as_str))?;
        match (dot, day.parse()) {
            (_, Ok(day)) if around.is_apart() => {
                let end =
                    if !group(found, "dots").is_empty() && around.after.trim().is_empty() { "." } else { "" };
                let day = day_in_words(dates, day, around.before)?;
                Some(fill(&dates.day_and_month, &[("day", &day), ("month", name)]) + end)
            }
            (true, Err(_)) if around.is_apart() && !around.ends_sentence() => Some(name.to_owned()),
            _ => None,
        }
    }

    fn read_times(&self, text: &str) -> String {
        let text = replace(text, &self.span, |found, around| {
            let (from, to) = (group(found, "from"), group(found, "to"));
            around.is_whole_number().then(|| format!("{from} {} {to}", self.words.figures.to))
        });
        let text = replace(&text, &self.clock, |found, around| {
            let half = group(found, "half");
            let said = self.clock(group(found, "h"), group(found, "m"), half)?;
            if !around.is_whole_number() {
                return None;
            }
            let said = match found.name("s") {
                Some(seconds) => {
                    let seconds: u8 = seconds.as_str().parse().ok()?;
                    fill(
                        &self.words.clock.with_seconds,
                        &[("time", &said), ("seconds", &seconds.to_string())],
                    )
                }
                None => said,
            };
            Some(said + end_of(half, around))
        });
        if !self.words.clock.dotted {
            return text;
        }
        replace(&text, &self.dotted, |found, around| {
            let said = self.clock(group(found, "h"), group(found, "m"), "")?;
            around.is_whole_number().then_some(said)
        })
    }

    /// Returns whether a date follows: " 4", " March", " Mar 4".
    fn starts_with_day(&self, after: &str) -> bool {
        let after = after.trim_start();
        let months = || self.words.dates.months.iter().chain(self.words.dates.short_months.iter().flatten());
        after.starts_with(|c: char| c.is_ascii_digit())
            || months().any(|month| after.starts_with(month.as_str()))
    }

    /// `March 4th, 2026`, without a year that is not given.
    fn date(&self, month: &str, day: &str, year: &str, around: Around<'_>) -> Option<String> {
        let dates = &self.words.dates;
        let name = dates.months.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
        let day = day_in_words(dates, day.parse().ok()?, around.before)?;
        let date = fill(&dates.day_and_month, &[("day", &day), ("month", name)]);
        let year = match year.len() {
            0 => return Some(date),
            2 => format!("20{year}"),
            _ => year.to_owned(),
        };
        Some(fill(&dates.with_year, &[("date", &date), ("year", &year)]))
    }

    /// `9 oh 5`, `5 PM`, `9 o'clock`; with twelve hours a time of 24 becomes one of twelve.
    fn clock(&self, hour: &str, minute: &str, half: &str) -> Option<String> {
        let words = &self.words.clock;
        let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
        if hour > 24 || minute > 59 || (hour == 24 && minute > 0) {
            return None;
        }
        let is_night = hour == 0 || hour == 24;
        if is_night && minute == 0 && half.is_empty() {
            return Some(words.midnight.clone());
        }
        let half = match (words.hours, half) {
            (Dial::TwentyFour, _) => None,
            (Dial::Twelve, _) if is_night => Some(&words.halves[0]),
            (Dial::Twelve, _) if hour > 12 => Some(&words.halves[1]),
            (Dial::Twelve, "") => None,
            (Dial::Twelve, half) => Some(if is_morning(half) { &words.halves[0] } else { &words.halves[1] }),
        };
        let hour = match (words.hours, hour) {
            (Dial::Twelve, 0 | 24) => 12,
            (Dial::Twelve, 13..) => hour - 12,
            (_, hour) => hour,
        };
        let shown = if hour == 1 && !words.one.is_empty() { words.one.clone() } else { hour.to_string() };
        let minutes = minute.to_string();
        let with = |sentence: &str| fill(sentence, &[("hour", &shown), ("minute", &minutes)]);
        let time = match (minute, half) {
            (0, Some(_)) => shown.clone(),
            (0, None) => with(&words.full_hour),
            (1..=9, _) => with(&words.few_minutes),
            _ => with(&words.minutes),
        };
        Some(match half {
            Some(half) => fill(&words.half, &[("time", &time), ("half", half)]),
            None => time,
        })
    }

    fn half_of_day(&self, half: &str) -> &str {
        let [morning, afternoon] = &self.words.clock.halves;
        if is_morning(half) { morning } else { afternoon }
    }
}

fn is_morning(half: &str) -> bool {
    half.trim().starts_with(['a', 'A'])
}

/// Returns the full stop of "p.m." that also ended the sentence.
fn end_of(half: &str, around: Around<'_>) -> &'static str {
    if half.ends_with('.') && around.ends_sentence() { "." } else { "" }
}

/// Returns the name that `written` is short for.
fn full<'n>(names: &'n [String], short: &[Vec<String>], written: &str) -> Option<&'n str> {
    let place = short.iter().position(|short| short.iter().any(|short| short == written))?;
    names.get(place).map(String::as_str)
}
