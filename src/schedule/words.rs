//! What the schedule says, in English: what was understood, what is left, what rings.
//!
//! PURE. Short, and always with what was understood, so that a misheard number is noticed at once.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Zoned};

use super::entry::{Days, Due, Entry, Kind, State};
use super::order::{Question, Report, Which};
use crate::english::{MONTHS, WEEKDAYS};

/// Most entries that are read out.
const READ_OUT: usize = 5;

/// `9 minutes 30 seconds`; nothing is left out but zeros.
pub fn length(seconds: u64) -> String {
    let parts = [(seconds / 3600, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second")];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if told.is_empty() { "0 seconds".to_owned() } else { told.join(" ") }
}

/// `6:30 AM`, `7 PM`, `noon`, `midnight`.
pub fn time_of_day(time: Time) -> String {
    let half = if time.hour() < 12 { "AM" } else { "PM" };
    let hour = match time.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    match (time.hour(), time.minute()) {
        (0, 0) => "midnight".to_owned(),
        (12, 0) => "noon".to_owned(),
        (_, 0) => format!("{hour} {half}"),
        (_, minute) => format!("{hour}:{minute:02} {half}"),
    }
}

/// `on weekdays`, `every day`, `every Monday and Thursday`.
pub fn days(days: Days) -> String {
    match days {
        Days::DAILY => "every day".to_owned(),
        Days::WEEKDAYS => "on weekdays".to_owned(),
        Days::WEEKEND => "on weekends".to_owned(),
        _ => {
            let named = |offset: &i8| {
                Weekday::from_monday_zero_offset(*offset).is_ok_and(|weekday| days.has(weekday))
            };
            let names: Vec<String> =
                (0..7_i8).filter(named).map(|offset| weekday(offset).to_owned()).collect();
            format!("every {}", listed(&names))
        }
    }
}

/// `tomorrow at noon`, `at 6:30 AM on weekdays`, `on Friday at 7 PM`.
pub fn moment(at: DateTime, on: Days, now: &Zoned) -> String {
    let time = time_of_day(at.time());
    if !on.is_none() {
        return format!("at {time} {}", days(on));
    }
    format!("{} at {time}", day(at.date(), now))
}

/// `tomorrow`, `on Friday`, `on June 5`.
fn day(date: Date, now: &Zoned) -> String {
    match date.duration_since(now.date()).as_hours() / 24 {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        -1 => "yesterday".to_owned(),
        2..7 => format!("on {}", weekday(date.weekday().to_monday_zero_offset())),
        _ => {
            let month = usize::try_from(date.month() - 1).ok().and_then(|month| MONTHS.get(month));
            format!("on {} {}", month.copied().unwrap_or_default(), date.day())
        }
    }
}

/// `pasta timer`, `5 minute timer`, `7 AM alarm`, `reminder to call Ann`.
pub fn called(entry: &Entry, zone: &TimeZone) -> String {
    match (entry.kind, &entry.name, entry.length_s) {
        (Kind::Reminder, Some(text), _) => format!("reminder: {text}"),
        (kind, Some(name), _) => format!("{name} {}", kind.name()),
        (Kind::Timer, None, Some(seconds)) => {
            format!("{} timer", length(u64::from(seconds)).replace("s ", " ").trim_end_matches('s'))
        }
        (kind, None, _) => format!("{} {}", time_of_day(wall(entry, zone).time()), kind.name()),
    }
}

/// What is said when it rings.
pub fn rings(entry: &Entry, now: &Zoned) -> String {
    match (entry.kind, &entry.name) {
        (Kind::Reminder, Some(text)) => format!("Reminder: {}.", text.trim_end_matches(['.', '!'])),
        (Kind::Alarm, None) => format!("It's {}.", time_of_day(now.time())),
        (Kind::Alarm, Some(name)) => format!("It's {}: {name}.", time_of_day(now.time())),
        _ => format!("{}.", capital(&called(entry, now.time_zone()))),
    }
}

/// What is said of what nobody noticed.
pub fn missed(entries: &[Entry], now: &Zoned) -> String {
    let told: Vec<String> = entries
        .iter()
        .take(READ_OUT)
        .map(|entry| {
            let at = moment(wall(entry, now.time_zone()), Days::NONE, now);
            format!("the {} was due {at}", called(entry, now.time_zone()))
        })
        .collect();
    format!("You missed something: {}.", listed(&told))
}

/// What is said once when the clock is wrong.
pub const WRONG_CLOCK: &str = "My clock is wrong since the power was off. Alarms wait until it is set again.";

/// What is said of a report; `now` is the present moment.
pub fn tell(report: &Report, now: &Zoned) -> String {
    let zone = now.time_zone();
    match report {
        Report::Set(entry) => format!("{}.", capital(&set(entry, now))),
        Report::Changed(entry) if entry.kind == Kind::Timer => {
            format!("{}, {} left.", capital(&short(entry)), left(entry, now))
        }
        Report::Changed(entry) => format!("{}.", capital(&set(entry, now))),
        Report::Cancelled(entries) => cancelled(entries, zone),
        Report::Skipped(entries, date) => skipped(entries, *date, now),
        Report::Snoozed(entries) => match entries.first() {
            Some(entry) => format!("{} again in {}.", capital(&short(entry)), left(entry, now)),
            None => NOTHING_RINGS.to_owned(),
        },
        Report::Silenced(_) => String::new(),
        Report::Listed(kind, entries) => list(*kind, entries, now),
        Report::Left(entries) => remaining(entries, now),
        Report::NoSuch(which) => no_such(which),
        Report::NothingRings => NOTHING_RINGS.to_owned(),
        Report::IsOver => "That time is over already.".to_owned(),
        Report::TooLong => "A timer lasts 24 hours at most. Set an alarm instead.".to_owned(),
        Report::TooMany => "There are too many already. Cancel some first.".to_owned(),
        Report::Ask(question) => ask(question, zone),
    }
}

const NOTHING_RINGS: &str = "Nothing is ringing.";

/// What waits now: `pasta timer, 9 minutes 30 seconds`.
fn set(entry: &Entry, now: &Zoned) -> String {
    match (entry.kind, entry.due, &entry.name) {
        (Kind::Timer, _, _) => {
            let seconds = entry.length_s.map_or_else(|| left(entry, now), |s| length(u64::from(s)));
            format!("{}, {seconds}", short(entry))
        }
        (Kind::Reminder, due, text) => {
            format!("reminder {}: {}", when(entry, due, now), text.as_deref().unwrap_or("now"))
        }
        (Kind::Alarm, due, _) => format!("{} {}", short(entry), when(entry, due, now)),
    }
}

fn when(entry: &Entry, due: Due, now: &Zoned) -> String {
    match due {
        Due::Wall(at) => moment(at, entry.days, now),
        Due::Moment(_) => format!("in {}", left(entry, now)),
    }
}

/// `pasta timer`, or only `timer`.
fn short(entry: &Entry) -> String {
    match (&entry.name, entry.kind) {
        (Some(name), Kind::Timer | Kind::Alarm) => format!("{name} {}", entry.kind.name()),
        _ => entry.kind.name().to_owned(),
    }
}

fn wall(entry: &Entry, zone: &TimeZone) -> DateTime {
    match entry.due {
        Due::Wall(at) => at,
        Due::Moment(at) => zone.to_datetime(at),
    }
}

/// How long until it is due, without the seconds of hours.
fn left(entry: &Entry, now: &Zoned) -> String {
    let due = entry.due.moment(now.time_zone());
    let left = due.duration_since(now.timestamp()).max(SignedDuration::ZERO);
    let seconds = u64::try_from(left.as_millis()).unwrap_or(0).div_ceil(1000);
    length(if seconds > 3600 { seconds / 60 * 60 } else { seconds })
}

fn remaining(entries: &[Entry], now: &Zoned) -> String {
    let of = |entry: &Entry| match entry.state {
        State::Ringing { .. } => "it rings".to_owned(),
        State::Waiting | State::Over | State::Missed => left(entry, now),
    };
    match entries {
        [only] if only.is_ringing() => format!("The {} is ringing.", called(only, now.time_zone())),
        [only] if only.kind == Kind::Timer => format!("{} left on the {}.", of(only), short(only)),
        [only] => format!("{} until the {}.", of(only), called(only, now.time_zone())),
        _ => {
            let told = entries
                .iter()
                .take(READ_OUT)
                .map(|entry| format!("{}: {}.", capital(&called(entry, now.time_zone())), of(entry)));
            told.collect::<Vec<_>>().join(" ")
        }
    }
}

fn list(kind: Option<Kind>, entries: &[Entry], now: &Zoned) -> String {
    if entries.is_empty() {
        let what = kind.map_or("timers, alarms or reminders".to_owned(), |kind| format!("{}s", kind.name()));
        return format!("There are no {what}.");
    }
    let one = |entry: &Entry| match (entry.state, entry.kind) {
        (State::Missed, _) => {
            let at = moment(wall(entry, now.time_zone()), Days::NONE, now);
            format!("{}: missed {at}.", capital(&called(entry, now.time_zone())))
        }
        (State::Ringing { .. }, _) => format!("{} is ringing.", capital(&called(entry, now.time_zone()))),
        (_, Kind::Timer) => {
            format!("{}: {} left.", capital(&called(entry, now.time_zone())), left(entry, now))
        }
        (_, Kind::Alarm | Kind::Reminder) => format!("{}.", capital(&set(entry, now))),
    };
    let mut told: Vec<String> = entries.iter().take(READ_OUT).map(one).collect();
    if entries.len() > READ_OUT {
        told.push(format!("And {} more.", entries.len() - READ_OUT));
    }
    told.join(" ")
}

fn cancelled(entries: &[Entry], zone: &TimeZone) -> String {
    match entries {
        [only] if only.kind == Kind::Reminder => {
            format!("{} is cancelled.", capital(&called(only, zone)))
        }
        [only] => format!("{} cancelled.", capital(&called(only, zone))),
        [first, rest @ ..] if rest.iter().all(|entry| entry.kind == first.kind) => {
            format!("{} {}s cancelled.", entries.len(), first.kind.name())
        }
        _ => format!("All {} cancelled.", entries.len()),
    }
}

fn skipped(entries: &[Entry], date: Date, now: &Zoned) -> String {
    let names: Vec<String> = entries
        .iter()
        .take(READ_OUT)
        .map(|entry| format!("the {}", called(entry, now.time_zone())))
        .collect();
    format!("{} won't ring {}.", capital(&listed(&names)), day(date, now))
}

fn no_such(which: &Which) -> String {
    let kind = which.kind.map_or("timer", Kind::name);
    match (&which.name, which.length_s) {
        (Some(name), _) => format!("There is no {kind} called {name}."),
        (None, Some(seconds)) => format!("There is no {kind} of {}.", length(u64::from(seconds))),
        (None, None) if which.kind.is_none() => "There are no timers, alarms or reminders.".to_owned(),
        (None, None) if which.clock.is_some() => format!("There is no {kind} at that time."),
        (None, None) if which.day.is_some() => format!("There is no {kind} on that day."),
        (None, None) => format!("There is no {kind}."),
    }
}

fn ask(question: &Question, zone: &TimeZone) -> String {
    match question {
        Question::Length => "For how long?".to_owned(),
        Question::Moment => "For when?".to_owned(),
        Question::Which(entries) => {
            let names: Vec<String> =
                entries.iter().take(READ_OUT).map(|entry| format!("the {}", called(entry, zone))).collect();
            let names = match &names[..] {
                [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                _ => names.join(", "),
            };
            format!("Which one: {names}?")
        }
    }
}

fn weekday(monday_zero: i8) -> &'static str {
    usize::try_from(monday_zero).ok().and_then(|day| WEEKDAYS.get(day)).copied().unwrap_or_default()
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.join(""),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
