//! PURE: dates and times of day.

use std::sync::LazyLock;

use regex::Regex;

use super::{group, ordinal, pattern, replace};
use crate::english::{MONTHS, WEEKDAYS};

static ISO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?:[T ](?P<time>\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?",
    )
});
static SLASHED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4}|\d{2})"));
static MONTH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<name>Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?P<dot>\.?)(?: (?P<day>\d{1,2})(?:st|nd|rd|th)?)?",
    )
});
static WEEKDAY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<name>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)(?P<dot>\.?)(?P<comma>,?)"));
static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2}))?(?P<half> ?(?:[aApP]\.[mM]\.|[aApP][mM]\b))?(?P<oclock> o['’]clock)?",
    )
});
static SPAN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<from>\d{1,2}:\d{2}(?: ?[aApP][mM])?) ?[-–] ?(?P<to>\d{1,2}:\d{2})"));
static HALF: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<h>\d{1,2}) ?(?P<half>[aApP]\.[mM]\.|[aApP][mM]\b)"));

pub(super) fn read(text: &str) -> String {
    let text = replace(text, &ISO, |found, around| {
        let date = date(group(found, "m"), group(found, "d"), group(found, "y"))?;
        let time = match found.name("time") {
            Some(time) => format!(" at {}", clock(&time.as_str()[..2], &time.as_str()[3..], "")?),
            None => String::new(),
        };
        let zone = if group(found, "zone") == "Z" { " UTC" } else { "" };
        around.is_whole_number().then(|| format!("{date}{time}{zone}"))
    });
    let text = replace(&text, &SLASHED, |found, around| {
        let (a, b, y) = (group(found, "a"), group(found, "b"), group(found, "y"));
        if !around.is_whole_number() {
            return None;
        }
        date(a, b, y).or_else(|| date(b, a, y))
    });
    let text = replace(&text, &MONTH, |found, around| {
        let (dot, day) = (!group(found, "dot").is_empty(), group(found, "day"));
        let is_apart = around.is_apart();
        let name = full(&MONTHS, group(found, "name"))?;
        match (dot, day.parse()) {
            (_, Ok(day)) if is_apart && (1..=31).contains(&day) => Some(format!("{name} {}", ordinal(day))),
            (true, Err(_)) if is_apart && !around.ends_sentence() => Some(name.to_owned()),
            _ => None,
        }
    });
    let text = replace(&text, &WEEKDAY, |found, around| {
        let (dot, comma) = (!group(found, "dot").is_empty(), !group(found, "comma").is_empty());
        let name = full(&WEEKDAYS, group(found, "name"))?;
        let is_meant = comma && found[0].len() < 8 && starts_with_day(around.after) || dot && comma;
        (around.is_apart() && is_meant).then(|| format!("{name},"))
    });
    let text = replace(&text, &SPAN, |found, around| {
        around.is_whole_number().then(|| format!("{} to {}", group(found, "from"), group(found, "to")))
    });
    let text = replace(&text, &CLOCK, |found, around| {
        let mut said = clock(group(found, "h"), group(found, "m"), group(found, "half"))?;
        if !around.is_whole_number() {
            return None;
        }
        if let Some(seconds) = found.name("s") {
            said.push_str(&format!(" and {} seconds", seconds.as_str().trim_start_matches('0')));
            said = said.replace("and  seconds", "and 0 seconds");
        }
        Some(said + end_of(group(found, "half"), around))
    });
    replace(&text, &HALF, |found, around| {
        let hour: u32 = group(found, "h").parse().ok().filter(|hour| (1..=12).contains(hour))?;
        let half = group(found, "half");
        around.is_whole_number().then(|| format!("{hour} {}{}", half_of_day(half), end_of(half, around)))
    })
}

/// Whether a date follows: " 4", " March", " Mar 4".
fn starts_with_day(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with(|c: char| c.is_ascii_digit())
        || MONTHS.iter().any(|month| after.starts_with(&month[..3]))
}

/// The full stop of "p.m." that also ended the sentence.
fn end_of(half: &str, around: super::Around<'_>) -> &'static str {
    if half.ends_with('.') && around.ends_sentence() { "." } else { "" }
}

/// The name that begins like `short`.
fn full<'n>(names: &[&'n str], short: &str) -> Option<&'n str> {
    names.iter().find(|name| name.starts_with(&short[..3])).copied()
}

/// `March 4th, 2026`.
fn date(month: &str, day: &str, year: &str) -> Option<String> {
    let name = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let day: u32 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
    let year = if year.len() == 2 { format!("20{year}") } else { year.to_owned() };
    Some(format!("{name} {}, {year}", ordinal(day)))
}

/// `9 oh 5`, `5 PM`, `9 o'clock`; a 24-hour time becomes one of twelve hours.
fn clock(hour: &str, minute: &str, half: &str) -> Option<String> {
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    if hour > 24 || minute > 59 || (hour == 24 && minute > 0) {
        return None;
    }
    let minutes = match minute {
        0 => String::new(),
        1..=9 => format!(" oh {minute}"),
        _ => format!(" {minute}"),
    };
    Some(match (hour, half.trim()) {
        (0 | 24, "") if minute == 0 => "midnight".to_owned(),
        (0 | 24, _) => format!("12{minutes} AM"),
        (13.., _) => format!("{}{minutes} PM", hour - 12),
        (_, "") if minute == 0 => format!("{hour} o'clock"),
        (_, "") => format!("{hour}{minutes}"),
        (_, half) => format!("{hour}{minutes} {}", half_of_day(half)),
    })
}

fn half_of_day(half: &str) -> &'static str {
    if half.trim().starts_with(['a', 'A']) { "AM" } else { "PM" }
}
