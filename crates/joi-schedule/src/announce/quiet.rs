//! Quiet hours, as periods of the wall clock.
//!
//! In: periods such as "23:00-07:00" or "sat,sun 22:00-09:00", and a moment with its time zone. Out: when the quiet
//! ends, if it is quiet. A period is one stretch of real time from its first to its last moment, so an hour that the
//! clocks repeat or skip neither opens nor closes it twice.
//! Pure: no I/O, no clock.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Time, Weekday};
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::{Deserialize, Serialize};

/// Days by their names in the configuration, in the order of [`Weekday`].
const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];
/// Periods that follow one another without a gap: more of them than days in a week never end.
const MOST_IN_A_ROW: usize = 16;

/// A text that is no period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("allowed: \"HH:MM-HH:MM\", with days before it if it is not for all, as in \"sat,sun 22:00-09:00\"")]
pub struct NotAPeriod;

/// A period of the day in which nothing is announced; it may cross midnight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuietPeriod {
    /// The days on which it begins; none for every day.
    days: Vec<Weekday>,
    from: Time,
    /// As early as `from` or earlier: on the next day.
    to: Time,
}

impl QuietPeriod {
    /// Every day between these times.
    pub const fn daily(from: Time, to: Time) -> Self {
        Self { days: Vec::new(), from, to }
    }

    /// When it begins on `date`, if it does.
    fn begin(&self, date: Date, now: &Zoned) -> Option<Zoned> {
        let is_day = self.days.is_empty() || self.days.contains(&date.weekday());
        let begin = || now.time_zone().to_ambiguous_zoned(date.to_datetime(self.from)).earlier().ok();
        is_day.then(begin).flatten()
    }

    /// When the period ends that began on `date`, if `now` is inside.
    fn end_if_inside(&self, date: Date, now: &Zoned) -> Option<Zoned> {
        if !(self.days.is_empty() || self.days.contains(&date.weekday())) {
            return None;
        }
        let zone = now.time_zone();
        let last_date = if self.to <= self.from { date.tomorrow().ok()? } else { date };
        let begin = zone.to_ambiguous_zoned(date.to_datetime(self.from)).earlier().ok()?;
        let end = zone.to_ambiguous_zoned(last_date.to_datetime(self.to)).later().ok()?;
        (begin <= *now && *now < end).then_some(end)
    }
}

impl FromStr for QuietPeriod {
    type Err = NotAPeriod;

    fn from_str(text: &str) -> Result<Self, NotAPeriod> {
        let (days, hours) = text.trim().rsplit_once(' ').unwrap_or(("", text.trim()));
        let (from, to) = hours.split_once('-').ok_or(NotAPeriod)?;
        let day = |name: &str| {
            let name = name.trim().to_lowercase();
            DAYS.iter().find(|(known, _)| *known == name).map(|(_, day)| *day).ok_or(NotAPeriod)
        };
        let days = if days.is_empty() { Ok(Vec::new()) } else { days.split(',').map(day).collect() };
        Ok(Self { days: days?, from: time(from)?, to: time(to)? })
    }
}

/// `HH:MM`.
fn time(text: &str) -> Result<Time, NotAPeriod> {
    let (hour, minute) = text.split_once(':').ok_or(NotAPeriod)?;
    let number = |digits: &str| digits.parse().map_err(|_| NotAPeriod);
    Time::new(number(hour)?, number(minute)?, 0, 0).map_err(|_| NotAPeriod)
}

impl TryFrom<String> for QuietPeriod {
    type Error = NotAPeriod;

    fn try_from(text: String) -> Result<Self, NotAPeriod> {
        text.parse()
    }
}

impl From<QuietPeriod> for String {
    fn from(period: QuietPeriod) -> Self {
        period.to_string()
    }
}

impl fmt::Display for QuietPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = DAYS.iter().filter(|(_, day)| self.days.contains(day)).map(|(name, _)| *name);
        let names = names.collect::<Vec<_>>().join(",");
        if !names.is_empty() {
            write!(f, "{names} ")?;
        }
        write!(f, "{}-{}", self.from.strftime("%H:%M"), self.to.strftime("%H:%M"))
    }
}

/// When it is quiet: periods of the day, and a wish for quiet that ends by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuietHours {
    periods: Vec<QuietPeriod>,
    wished_until: Option<Timestamp>,
}

impl QuietHours {
    /// All of these.
    pub fn new(periods: Vec<QuietPeriod>) -> Self {
        Self { periods, wished_until: None }
    }

    /// The same with quiet until this moment, whatever the time of day; nothing: no wish any more.
    #[must_use]
    pub fn with_wish(mut self, until: Option<Timestamp>) -> Self {
        self.wished_until = until;
        self
    }

    /// When the quiet ends that the user has wished for, if it has not ended yet.
    pub fn wished_until(&self, now: &Zoned) -> Option<Zoned> {
        let until = self.wished_until.filter(|until| *until > now.timestamp())?;
        Some(until.to_zoned(now.time_zone().clone()))
    }

    /// The end of the quiet hours that it is now, or else of those that come next; without any, the next 7 o'clock.
    pub fn next_end(&self, now: &Zoned) -> Zoned {
        self.end_of_next(&self.periods, now)
    }

    /// When quiet hours begin next; nothing where none are configured.
    pub fn next_begin(&self, now: &Zoned) -> Option<Zoned> {
        begin_after(&self.periods, now)
    }

    /// The same as the end, of the night alone: a rest at noon is over before tomorrow.
    pub fn next_morning(&self, now: &Zoned) -> Zoned {
        let nights: Vec<_> = self.periods.iter().filter(|period| period.to <= period.from).cloned().collect();
        self.end_of_next(&nights, now)
    }

    /// When it is not quiet any more after that one of `begun` that it is now, or else the next one.
    fn end_of_next(&self, begun: &[QuietPeriod], now: &Zoned) -> Zoned {
        let all = Self::new(self.periods.clone());
        if Self::new(begun.to_vec()).until(now).is_some()
            && let Some(end) = all.until(now)
        {
            return end;
        }
        let end = begin_after(begun, now).and_then(|begin| all.until(&begin));
        end.unwrap_or_else(|| {
            let today = now.date().at(7, 0, 0, 0).to_zoned(now.time_zone().clone()).ok();
            let later = today.clone().filter(|seven| seven > now);
            later.or_else(|| today?.tomorrow().ok()).unwrap_or_else(|| now.clone())
        })
    }

    /// When the quiet ends, if it is quiet at `now`. For one that has no end, its first days are returned.
    pub fn until(&self, now: &Zoned) -> Option<Zoned> {
        let mut end: Option<Zoned> = None;
        for _ in 0..MOST_IN_A_ROW {
            let at = end.as_ref().unwrap_or(now);
            match self.end_at(at) {
                Some(later) => end = Some(later),
                None => break,
            }
        }
        end
    }

    /// The last end of the periods that hold `at`.
    fn end_at(&self, at: &Zoned) -> Option<Zoned> {
        // A period that holds now began today or yesterday.
        let dates = [at.date().yesterday().ok(), Some(at.date())];
        let ends = self
            .periods
            .iter()
            .flat_map(|period| dates.into_iter().flatten().filter_map(|date| period.end_if_inside(date, at)));
        ends.chain(self.wished_until(at)).max()
    }
}

/// When the first of these periods begins after `now`.
fn begin_after(periods: &[QuietPeriod], now: &Zoned) -> Option<Zoned> {
    let dates = (0..8).filter_map(|day| now.date().checked_add(SignedDuration::from_hours(24 * day)).ok());
    let begins = dates.flat_map(|date| periods.iter().filter_map(move |period| period.begin(date, now)));
    begins.filter(|begin| begin > now).min()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn hours(periods: &[&str]) -> QuietHours {
        QuietHours::new(periods.iter().map(|period| period.parse().unwrap()).collect())
    }

    /// A moment of the week that begins on Monday, 2 March 2026.
    fn at(day: i8, hour: i8, minute: i8) -> Zoned {
        date(2026, 3, 1 + day).at(hour, minute, 0, 0).to_zoned(TimeZone::UTC).unwrap()
    }

    fn in_vienna(text: &str) -> Zoned {
        format!("{text}[Europe/Vienna]").parse().unwrap()
    }

    #[test]
    fn a_period_may_cross_midnight_and_ends_with_its_last_minute() {
        let night = hours(&["23:00-07:00"]);
        assert_eq!(night.until(&at(3, 22, 59)), None);
        assert_eq!(night.until(&at(3, 23, 0)), Some(at(4, 7, 0)));
        assert_eq!(night.until(&at(4, 3, 0)), Some(at(4, 7, 0)));
        assert_eq!(night.until(&at(4, 7, 0)), None);
        assert_eq!(hours(&["mon 08:00-08:00"]).until(&at(2, 7, 59)), Some(at(2, 8, 0)), "a whole day");
    }

    #[test]
    fn several_periods_that_touch_are_one_and_each_may_have_its_days() {
        let some = hours(&["23:00-07:00", "sat,sun 07:00-09:30", "13:00-14:00"]);
        assert_eq!(some.until(&at(5, 23, 30)), Some(at(6, 9, 30)), "the night before Saturday");
        assert_eq!(some.until(&at(4, 6, 0)), Some(at(4, 7, 0)), "a Thursday");
        assert_eq!(some.until(&at(4, 13, 30)), Some(at(4, 14, 0)));
        let friday = hours(&["fri 23:00-07:00"]);
        assert_eq!(friday.until(&at(6, 1, 0)), Some(at(6, 7, 0)), "it began on Friday");
        assert_eq!(friday.until(&at(5, 1, 0)), None);
        assert!(hours(&["00:00-00:00"]).until(&at(1, 12, 0)).is_some(), "always, and yet it returns");
    }

    #[test]
    fn the_wall_clock_counts_in_the_nights_of_summer_time() {
        let night = hours(&["23:00-07:00"]);
        for evening in ["2026-03-28T23:30", "2026-10-24T23:30"] {
            let now = in_vienna(evening);
            let end = night.until(&now).unwrap();
            assert_eq!((end.hour(), end.minute()), (7, 0), "{end}");
            assert_ne!(end.duration_since(&now).as_secs(), 7 * 3600 + 1800, "an hour more or less: {end}");
        }
        // 2:30 comes twice: it is quiet until the second one, and the first is no gap.
        let short = hours(&["23:00-02:30"]);
        let first = in_vienna("2026-10-25T02:45+02:00");
        assert_eq!(short.until(&first), Some(in_vienna("2026-10-25T02:30+01:00")));
        // It does not come at all.
        let skipped = short.until(&in_vienna("2026-03-29T01:59")).unwrap();
        assert_eq!(skipped, in_vienna("2026-03-29T03:30"));
    }

    #[test]
    fn a_wish_for_quiet_counts_like_a_period_until_it_ends() {
        let night = hours(&["23:00-07:00"]);
        let wished = night.clone().with_wish(Some(at(3, 20, 30).timestamp()));
        assert_eq!(wished.until(&at(3, 20, 0)), Some(at(3, 20, 30)));
        assert_eq!(wished.until(&at(3, 20, 30)), None);
        let into_night = night.clone().with_wish(Some(at(3, 23, 30).timestamp()));
        assert_eq!(into_night.until(&at(3, 20, 0)), Some(at(4, 7, 0)), "one goes over into the other");
        assert_eq!(night.with_wish(None).until(&at(3, 20, 0)), None);
    }

    #[test]
    fn the_next_morning_is_the_end_of_the_quiet_hours_that_are_or_come_next() {
        let night = hours(&["23:00-07:00", "sat,sun 13:00-14:00"]);
        assert_eq!(night.next_end(&at(3, 20, 0)), at(4, 7, 0));
        assert_eq!(night.next_end(&at(4, 1, 0)), at(4, 7, 0), "it is night already");
        assert_eq!(night.next_end(&at(6, 12, 0)), at(6, 14, 0), "Saturday");
        assert_eq!(hours(&[]).next_end(&at(3, 20, 0)), at(4, 7, 0), "none is configured");
        assert_eq!(hours(&[]).next_end(&at(3, 6, 0)), at(3, 7, 0));
        assert_eq!(night.next_end(&in_vienna("2026-03-28T22:00")), in_vienna("2026-03-29T07:00"));
    }

    #[test]
    fn quiet_hours_begin_next_on_the_first_day_that_has_some() {
        let some = hours(&["23:00-07:00", "sat,sun 13:00-14:00"]);
        assert_eq!(some.next_begin(&at(3, 22, 59)), Some(at(3, 23, 0)));
        assert_eq!(some.next_begin(&at(3, 23, 0)), Some(at(4, 23, 0)), "these have begun");
        assert_eq!(some.next_begin(&at(6, 8, 0)), Some(at(6, 13, 0)), "Saturday");
        assert_eq!(hours(&["mon 20:00-21:00"]).next_begin(&at(1, 20, 0)), Some(at(8, 20, 0)), "in a week");
        assert_eq!(hours(&[]).next_begin(&at(3, 22, 59)), None);
        let eve = in_vienna("2026-03-28T22:30");
        assert_eq!(some.next_begin(&eve), Some(in_vienna("2026-03-28T23:00")));
    }

    #[test]
    fn tomorrow_is_after_the_night_and_not_after_a_rest_at_noon() {
        let both = hours(&["23:00-07:00", "13:00-14:00", "sat,sun 07:00-09:30"]);
        assert_eq!(both.next_morning(&at(3, 10, 0)), at(4, 7, 0));
        assert_eq!(both.next_morning(&at(3, 13, 30)), at(4, 7, 0));
        assert_eq!(both.next_morning(&at(4, 1, 0)), at(4, 7, 0), "the night that it is");
        assert_eq!(both.next_morning(&at(5, 10, 0)), at(6, 9, 30), "it goes over into the morning's");
        assert_eq!(hours(&["13:00-14:00"]).next_morning(&at(3, 10, 0)), at(4, 7, 0));
    }

    #[test]
    fn a_period_is_written_as_it_was_read_and_anything_else_is_refused() {
        for text in ["23:00-07:00", "sat,sun 22:30-09:00", "mon 00:00-00:00"] {
            assert_eq!(text.parse::<QuietPeriod>().unwrap().to_string(), text);
        }
        assert_eq!("Sun,SAT 9:00-10:00".parse::<QuietPeriod>().unwrap().to_string(), "sat,sun 09:00-10:00");
        for text in
            ["", "23:00", "23-7", "24:00-07:00", "23:60-07:00", "someday 23:00-07:00", "23:00-07:00 mon"]
        {
            assert_eq!(text.parse::<QuietPeriod>(), Err(NotAPeriod), "{text}");
        }
    }
}
