//! When something of the set is due: `7:15 +1`, `evening on sunday every week`, `20.4.`.
//!
//! Pure: no I/O, no clock.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{ToSpan, Zoned};

use joi_language::values::entry::{Days, MonthRule};
use joi_schedule::{Due, Entry};

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// When an entry is to be due: between two times of day, on a date or in a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DueWanted {
    /// The first and the last time of day that is right; the last is the earlier one where midnight lies between.
    pub(super) times: (Time, Time),
    /// The date, where it is due once.
    pub(super) date: Option<Date>,
    /// The series as the set writes it; empty where it is due once.
    pub(super) series: String,
}

impl DueWanted {
    /// One at this very moment.
    pub(super) fn at(moment: DateTime) -> Self {
        Self { times: (moment.time(), moment.time()), date: Some(moment.date()), series: String::new() }
    }

    /// That of an entry.
    pub(super) fn of(entry: &Entry, now: &Zoned) -> Self {
        let due = due(entry, now);
        match series(entry.days) {
            written if written.is_empty() => Self::at(due),
            written => Self { times: (due.time(), due.time()), date: None, series: written },
        }
    }

    /// The same later.
    pub(super) fn later(&self, seconds: i64) -> Self {
        let at = self.date.unwrap_or_default().to_datetime(self.times.0);
        Self::at(at.checked_add(seconds.seconds()).unwrap())
    }

    /// Reads `7:15 +1` and the like; without a day it is the next occurrence after `now`.
    pub(super) fn read(text: &str, now: &Zoned) -> Self {
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        let midnight = Time::midnight();
        let whole = (midnight, Time::MAX);
        let hours = |from: i8, to: i8| (Time::constant(from, 0, 0, 0), Time::constant(to, 59, 59, 0));
        let (times, day) = match (first, clock(first)) {
            (_, Some(time)) => ((time, time), rest),
            ("morning", _) => (hours(4, 11), rest),
            ("afternoon", _) => (hours(12, 17), rest),
            ("evening", _) => (hours(17, 23), rest),
            ("night", _) => (hours(20, 4), rest),
            _ => (whole, text),
        };
        let exact = (times.0 == times.1).then_some(times.0);
        match date(day, exact, now) {
            Some(date) => Self { times, date: Some(date), series: String::new() },
            None => Self { times, date: None, series: day.to_owned() },
        }
    }

    /// Whether an entry is due then.
    pub(super) fn fits(&self, entry: &Entry, now: &Zoned) -> bool {
        let (due, (first, last)) = (due(entry, now), self.times);
        let time = due.time();
        let is_time =
            if first <= last { (first..=last).contains(&time) } else { time >= first || time <= last };
        // The night of a day lasts until the next morning.
        let night = if first > last && time <= last { due.date().yesterday().unwrap() } else { due.date() };
        is_time && series(entry.days) == self.series && self.date.is_none_or(|date| date == night)
    }
}

/// When an entry is due next, by the clock on the wall; a paused one once it goes on.
pub(super) fn due(entry: &Entry, now: &Zoned) -> DateTime {
    now.checked_add(entry.left(now)).unwrap().datetime()
}

fn clock(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

/// Returns the date of `+1`, `friday`, `20.4.`, or the next one at `exact`; nothing for a series.
pub(super) fn date(text: &str, exact: Option<Time>, now: &Zoned) -> Option<Date> {
    let today = now.date();
    let is_over = exact.is_some_and(|time| time <= now.time());
    if text.is_empty() {
        return Some(if is_over { today.tomorrow().unwrap() } else { today });
    }
    if let Some(days) = text.strip_prefix('+') {
        return today.checked_add(days.parse::<i64>().ok()?.days()).ok();
    }
    if let Some((_, weekday)) = WEEKDAYS.iter().find(|(name, _)| *name == text) {
        let ahead = (0..8).map(|days: i64| (days, today.checked_add(days.days()).unwrap()));
        let mut those = ahead.filter(|(days, date)| date.weekday() == *weekday && (*days > 0 || !is_over));
        return those.next().map(|(_, date)| date);
    }
    let (day, month) = text.strip_suffix('.')?.split_once('.')?;
    let this_year = Date::new(today.year(), month.parse().ok()?, day.parse().ok()?).ok()?;
    Some(if this_year < today { this_year.checked_add(1.year()).ok()? } else { this_year })
}

/// Returns a series as the set writes it; empty for none.
fn series(days: Days) -> String {
    let name = |wanted: Weekday| WEEKDAYS.iter().find(|(_, day)| *day == wanted).unwrap().0;
    let count = |day: u8| match day {
        1 | 21 | 31 => format!("{day}st"),
        2 | 22 => format!("{day}nd"),
        3 | 23 => format!("{day}rd"),
        _ => format!("{day}th"),
    };
    match days.month_rule() {
        Some(MonthRule::Day(day)) => format!("on the {} of every month", count(day)),
        Some(MonthRule::Weekday(None, day)) => format!("on the last {} of every month", name(day)),
        Some(MonthRule::Weekday(Some(week), day)) => {
            format!("on the {} {} of every month", count(week), name(day))
        }
        None if days.is_none() => String::new(),
        None if days == Days::DAILY => "every day".to_owned(),
        None if days == Days::WEEKDAYS => "on weekdays".to_owned(),
        None if days == Days::WEEKEND => "on weekends".to_owned(),
        None => {
            let those: Vec<&str> =
                WEEKDAYS.iter().filter(|(_, day)| days.has(*day)).map(|(name, _)| *name).collect();
            format!("on {} every week", those.join(" "))
        }
    }
}

/// Returns the days of a series, as far as entries of a scene have one.
pub(super) fn days(text: &str) -> Days {
    let weekly = |day: Days| series(day) == text;
    let each = (0..7).map(|at| Days::on(WEEKDAYS[at].1));
    [Days::DAILY, Days::WEEKDAYS, Days::WEEKEND].into_iter().chain(each).find(|day| weekly(*day)).unwrap()
}

/// Returns the next moment on one of these days.
pub(super) fn first_on(days: Days, time: Time, now: &Zoned) -> Due {
    Due::Wall(joi_language::values::entry::next_on(days, time, now).unwrap())
}

#[test]
fn days_are_resolved_and_series_are_written_as_in_the_set() {
    let now: Zoned = "2026-03-02T09:00:00+01:00[Europe/Berlin]".parse().unwrap();
    let once = |text: &str| DueWanted::read(text, &now).date.map(|date| date.to_string());
    for (text, expected) in [
        ("8:00", Some("2026-03-03")),
        ("9:30", Some("2026-03-02")),
        ("8:00 monday", Some("2026-03-09")),
        ("friday", Some("2026-03-06")),
        ("evening +1", Some("2026-03-03")),
        ("20.4.", Some("2026-04-20")),
        ("7:00 1.3.", Some("2027-03-01")),
        ("10:00 on weekends", None),
    ] {
        assert_eq!(once(text).as_deref(), expected, "{text}");
    }
    for text in ["every day", "on weekdays", "on weekends", "on wednesday every week"] {
        assert_eq!(series(days(text)), text);
    }
    let monthly = |rule| series(Days::monthly(rule).unwrap());
    assert_eq!(monthly(MonthRule::Day(1)), "on the 1st of every month");
    assert_eq!(monthly(MonthRule::Weekday(None, Weekday::Friday)), "on the last friday of every month");
}
