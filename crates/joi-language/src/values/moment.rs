//! From a time as people say it to a moment: "half past six on weekdays", "tomorrow at noon".
//!
//! In: what was said, and now. Out: a date and time on the wall, or why there is none. An hour without AM or PM is
//! the likelier of the two, and the answer says which. Pure: no I/O, no clock.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{ToSpan, Zoned};

use super::entry::{Days, Due, EntryKind, next_on};
use super::order::{Bias, TimeRefusal};
use crate::{ClockSaid, Exactness};

/// Most months that are looked at for one with this day: the 31st is in every second one.
const MONTHS: i64 = 12;

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayPart {
    /// Before noon.
    Morning,
    /// After noon.
    Afternoon,
    /// After noon, and late.
    Evening,
    /// From nine to dawn.
    Night,
}

/// A day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// So many days from today.
    Ahead(i8),
    /// The next one.
    Weekday(Weekday),
    /// Month 1 to 12 and day of the month, in this year or the next.
    Date(i8, i8),
    /// Day of the month, in this month or in the next one that has it.
    OfMonth(i8),
}

/// A moment as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Said {
    /// The time of day.
    pub clock: Option<ClockSaid>,
    /// The part of the day.
    pub part: Option<DayPart>,
    /// The day.
    pub day: Option<Day>,
    /// Again and again on these days.
    pub days: Days,
}

impl Said {
    /// Whether the time of day may be the one of `said`.
    pub fn may_be_at(&self, said: &Self) -> bool {
        let readings = |said: &Self| said.clock.map(|clock| clock.readings(said.part)).unwrap_or_default();
        let own = readings(self);
        readings(said).iter().any(|time| own.contains(time))
    }

    /// Whether the days are those of `said`.
    pub fn is_on(&self, said: &Self) -> bool {
        self.day == said.day && self.days == said.days
    }

    /// Returns whether it is once and today or tomorrow: which of both follows from the time of day.
    pub fn day_goes_without_saying(&self) -> bool {
        self.days.is_none() && self.day.is_none_or(|day| matches!(day, Day::Ahead(..=1)))
    }
}

impl ClockSaid {
    /// The times of day it may mean, earlier first.
    pub fn readings(self, part: Option<DayPart>) -> Vec<Time> {
        let (hour, minute) = (self.hour, self.minute);
        let is_open = self.exactness == Exactness::Either && (1..=12).contains(&hour);
        let half = hour % 12;
        let hours = match part {
            _ if !is_open => vec![hour % 24],
            Some(DayPart::Morning) => vec![half],
            Some(DayPart::Afternoon | DayPart::Evening) => vec![half + 12],
            Some(DayPart::Night) if (5..12).contains(&hour) => vec![half + 12],
            Some(DayPart::Night) => vec![half],
            None => vec![half, half + 12],
        };
        let time = |hour: u8| Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok();
        hours.into_iter().filter_map(time).collect()
    }
}

/// The moment on the wall and the days on which it comes back.
///
/// # Errors
/// What to ask or to say instead.
pub fn resolve(
    said: &Said,
    kind: EntryKind,
    bias: Bias,
    now: &Zoned,
) -> Result<(DateTime, Days), TimeRefusal> {
    let times = times(said, kind)?;
    if !said.days.is_none() {
        let time = likeliest(&times, bias).ok_or(TimeRefusal::NoMoment)?;
        let next = next_on(said.days, time, now).ok_or(TimeRefusal::IsOver)?;
        return Ok((next, said.days));
    }
    let at = match said.day {
        None => soonest(&times, bias, now),
        Some(day) => on_day(day, &times, bias, now),
    };
    at.map(|at| (at, Days::NONE)).ok_or(TimeRefusal::IsOver)
}

/// The times of day that were meant; a reminder for "tomorrow" has one of its own.
fn times(said: &Said, kind: EntryKind) -> Result<Vec<Time>, TimeRefusal> {
    if let Some(clock) = said.clock {
        return Ok(clock.readings(said.part));
    }
    let is_vague = said.day.is_none() && said.days.is_none() && said.part.is_none();
    if kind != EntryKind::Reminder || is_vague {
        return Err(TimeRefusal::NoMoment);
    }
    let hour = match said.part {
        None | Some(DayPart::Morning) => 9,
        Some(DayPart::Afternoon) => 15,
        Some(DayPart::Evening) => 19,
        Some(DayPart::Night) => 21,
    };
    Ok(Time::new(hour, 0, 0, 0).into_iter().collect())
}

/// Of two halves of a day that is not today.
fn likeliest(times: &[Time], bias: Bias) -> Option<Time> {
    let [first, second] = times else { return times.first().copied() };
    let is_morning = match bias {
        Bias::Morning | Bias::Next => (4..12).contains(&first.hour()),
        Bias::ByDay => (7..12).contains(&first.hour()),
    };
    Some(if is_morning { *first } else { *second })
}

/// The next such time, today or tomorrow.
fn soonest(times: &[Time], bias: Bias, now: &Zoned) -> Option<DateTime> {
    let suits = |at: &DateTime| match bias {
        Bias::Next => true,
        Bias::ByDay => (6..23).contains(&at.hour()),
        Bias::Morning => (4..12).contains(&at.hour()),
    };
    let today = now.date();
    let days = [Some(today), today.tomorrow().ok()];
    let ahead: Vec<DateTime> = days
        .into_iter()
        .flatten()
        .flat_map(|date| times.iter().map(move |time| date.to_datetime(*time)))
        .filter(|at| is_ahead(*at, now))
        .collect();
    ahead.iter().find(|at| suits(at)).or_else(|| ahead.first()).copied()
}

/// The dates a day may mean, the likelier first.
pub fn dates(day: Day, now: &Zoned) -> Vec<Date> {
    let today = now.date();
    let in_days = |days: i64| today.checked_add(days.days()).ok();
    let dates = match day {
        Day::Ahead(days) => [in_days(days.into()), None],
        Day::Weekday(weekday) if weekday == today.weekday() => [Some(today), in_days(7)],
        Day::Weekday(weekday) => [today.nth_weekday(1, weekday).ok(), None],
        Day::Date(month, day) => {
            [Date::new(today.year(), month, day).ok(), Date::new(today.year() + 1, month, day).ok()]
        }
        Day::OfMonth(day) => {
            let mut those = of_month(day, today);
            [those.next(), those.next()]
        }
    };
    dates.into_iter().flatten().collect()
}

/// This day of the months from the one of `today` on, where they have it.
fn of_month(day: i8, today: Date) -> impl Iterator<Item = Date> {
    let first = today.first_of_month();
    let month = move |ahead: i64| first.checked_add(ahead.months()).ok();
    (0..MONTHS).filter_map(move |ahead| month(ahead)?.with().day(day).build().ok())
}

/// The date of a day: of one in a calendar the next, today included. Nothing for a day that is not in it.
pub fn date_on(day: Day, now: &Zoned) -> Option<Date> {
    let is_past = |date: &Date| matches!(day, Day::Date(..) | Day::OfMonth(_)) && *date < now.date();
    dates(day, now).into_iter().find(|date| !is_past(date))
}

fn on_day(day: Day, times: &[Time], bias: Bias, now: &Zoned) -> Option<DateTime> {
    let today = now.date();
    let date = match day {
        Day::Ahead(days) => today.checked_add(i64::from(days).days()).ok()?,
        Day::Weekday(weekday) if weekday == today.weekday() => {
            return on_date(today, times, bias, now)
                .or_else(|| on_date(today.checked_add(1.week()).ok()?, times, bias, now));
        }
        Day::Weekday(weekday) => today.nth_weekday(1, weekday).ok()?,
        Day::OfMonth(day) => {
            return of_month(day, today).find_map(|date| on_date(date, times, bias, now));
        }
        Day::Date(month, day) => {
            let this_year = Date::new(today.year(), month, day).ok();
            return this_year
                .and_then(|date| on_date(date, times, bias, now))
                .or_else(|| on_date(Date::new(today.year() + 1, month, day).ok()?, times, bias, now));
        }
    };
    on_date(date, times, bias, now)
}

/// On this date: today the next of the times, on any other day the likeliest.
fn on_date(date: Date, times: &[Time], bias: Bias, now: &Zoned) -> Option<DateTime> {
    let likely = likeliest(times, bias).map(|time| date.to_datetime(time));
    if date != now.date() {
        return likely.filter(|at| is_ahead(*at, now));
    }
    times.iter().map(|time| date.to_datetime(*time)).find(|at| is_ahead(*at, now))
}

fn is_ahead(at: DateTime, now: &Zoned) -> bool {
    Due::Wall(at).moment(now.time_zone()) > now.timestamp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_of_the_month_is_in_the_next_month_that_has_it() {
        for (day, today, expected) in [
            (15, "2026-03-02", "2026-03-15"),
            (2, "2026-03-02", "2026-03-02"),
            (1, "2026-03-02", "2026-04-01"),
            (31, "2026-04-01", "2026-05-31"),
            (30, "2026-02-01", "2026-03-30"),
        ] {
            let now: Zoned = format!("{today}T09:00:00+00:00[UTC]").parse().unwrap();
            let found = date_on(Day::OfMonth(day), &now).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{day} after {today}");
        }
        let now: Zoned = "2026-03-02T09:00:00+00:00[UTC]".parse().unwrap();
        assert_eq!(date_on(Day::OfMonth(32), &now), None);
    }
}
