//! Builds the `[Context: …]` line about time and place, and words the age of earlier messages.
//!
//! The line never stands in a message of its own. It holds what the owner configured, nothing that is looked up.
//! Pure: no I/O, no clock.

use jiff::{Timestamp, Zoned, tz::TimeZone};

use crate::config::{ContextConfig, TimeKind};
use joi_answer::marks;
use joi_language::times::date_in;
use joi_language::{Language, fill};

/// The line with weekday, date, time, zone and place, as they are worded in `language`.
pub(crate) fn line(cfg: &ContextConfig, now: &Zoned, language: &Language) -> String {
    let now = match cfg.time {
        TimeKind::Local => now.clone(),
        TimeKind::Utc => now.with_time_zone(TimeZone::UTC),
    };
    let zone =
        now.time_zone().iana_name().map_or_else(|| format!("UTC{}", now.strftime("%:z")), str::to_owned);
    let words = &language.sentences().time;
    let place = Some(cfg.location.trim()).filter(|place| !place.is_empty()).unwrap_or(&words.nowhere);
    let clock = now.strftime("%H:%M").to_string();
    let date = date_in(&words.context_date, now.date(), language);
    let told = fill(&words.context, &[("date", &date), ("time", &clock), ("zone", &zone), ("place", place)]);
    format!("{} {told}]", marks::CONTEXT)
}

/// Returns how long before `from` a message was said, coarse enough to be read aloud.
pub(crate) fn ago(at: Timestamp, from: Timestamp) -> String {
    let minutes = from.duration_since(at).as_mins().max(0);
    match minutes {
        0..=1 => "a moment ago".into(),
        2..=59 => format!("{minutes} minutes ago"),
        60..=119 => "an hour ago".into(),
        120..=1439 => format!("{} hours ago", minutes / 60),
        1440..=2879 => "a day ago".into(),
        _ => format!("{} days ago", minutes / 1440),
    }
}
