//! What the schedule holds: one timer, alarm or reminder, and when it is due.
//!
//! Data as it is stored (JSON) and shown. A moment by the clock on the wall is kept as such, so that half past six stays
//! half past six when the zone or its rules change. Pure: no I/O, no clock.

use std::fmt;

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use super::later::LaterCommand;

/// Names a stored entry; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryId(pub i64);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// After a length of time.
    Timer,
    /// At a time of day, once or on certain days.
    Alarm,
    /// Words to be said at a moment.
    Reminder,
    /// Commands to the house at a moment; it never rings.
    House,
}

impl EntryKind {
    /// Its name, in the singular.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::Alarm => "alarm",
            Self::Reminder => "reminder",
            Self::House => "house",
        }
    }
}

/// Days on which an entry comes back, of the week or of the month; none for one that is due once. Stored as a number:
/// days of the week in the lowest bits, where they have always been, which of them in a month and the day of a month
/// above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct Days(u16);

/// A day of every month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonthRule {
    /// The first to fourth such weekday; nothing is the last.
    Weekday(Option<u8>, Weekday),
    /// This day, or the last one of a shorter month.
    Day(u8),
}

/// Where which of the weekdays of a month stands, and the number for the last.
const WEEK: u32 = 7;
const LAST_WEEK: u16 = 5;
/// Where the day of a month stands.
const MONTH_DAY: u32 = 10;

impl Days {
    /// None: once.
    pub const NONE: Self = Self(0);
    /// Monday to Friday.
    pub const WEEKDAYS: Self = Self(0b001_1111);
    /// Saturday and Sunday.
    pub const WEEKEND: Self = Self(0b110_0000);
    /// All seven.
    pub const DAILY: Self = Self(0b111_1111);

    /// One day.
    pub fn on(day: Weekday) -> Self {
        Self(1 << day.to_monday_zero_offset())
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// A day of every month; nothing for a day that none has.
    pub fn monthly(rule: MonthRule) -> Option<Self> {
        match rule {
            MonthRule::Weekday(None, day) => Some(Self(Self::on(day).0 | (LAST_WEEK << WEEK))),
            MonthRule::Weekday(Some(week @ 1..=4), day) => {
                Some(Self(Self::on(day).0 | (u16::from(week) << WEEK)))
            }
            MonthRule::Day(day @ 1..=31) => Some(Self(u16::from(day) << MONTH_DAY)),
            MonthRule::Weekday(..) | MonthRule::Day(_) => None,
        }
    }

    /// The day of every month, if it is one.
    pub fn month_rule(self) -> Option<MonthRule> {
        let (week, day) = ((self.0 >> WEEK) & 0b111, (self.0 >> MONTH_DAY) & 0b1_1111);
        let weekday = || {
            (0..7)
                .find_map(|offset| Weekday::from_monday_zero_offset(offset).ok().filter(|day| self.has(*day)))
        };
        match (u8::try_from(week), u8::try_from(day)) {
            (Ok(0), Ok(0)) => None,
            (Ok(0), Ok(day)) => Some(MonthRule::Day(day)),
            (Ok(week), _) => Some(MonthRule::Weekday((week <= 4).then_some(week), weekday()?)),
            (Err(_), _) => None,
        }
    }

    /// Whether it comes back on `date`.
    pub fn is_on(self, date: Date) -> bool {
        let (day, last) = (date.day(), date.days_in_month());
        match self.month_rule() {
            None => self.has(date.weekday()),
            Some(MonthRule::Day(wanted)) => i8::try_from(wanted).is_ok_and(|wanted| day == wanted.min(last)),
            Some(MonthRule::Weekday(week, weekday)) => {
                let is_it = match week {
                    None => day + 7 > last,
                    Some(week) => i8::try_from(week).is_ok_and(|week| (day - 1) / 7 + 1 == week),
                };
                is_it && date.weekday() == weekday
            }
        }
    }

    /// From one day to another, both included.
    pub fn from_to(first: Weekday, last: Weekday) -> Self {
        let mut days = Self::on(last);
        let mut day = first;
        while day != last {
            days = days.and(Self::on(day));
            day = day.next();
        }
        days
    }

    /// Whether there is none.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether `day` is one of them.
    pub fn has(self, day: Weekday) -> bool {
        self.0 & Self::on(day).0 != 0
    }

    /// The one weekday of every week, where it is one.
    pub fn only(self) -> Option<Weekday> {
        Weekday::Monday.cycle_forward().take(7).find(|day| Self::on(*day) == self)
    }
}

/// When an entry is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Due {
    /// At this moment, wherever that is.
    Moment(Timestamp),
    /// When clocks on the wall show this.
    Wall(DateTime),
}

impl Due {
    /// The moment, for clocks in `zone`. A time that is skipped in spring is an hour later, one that comes
    /// twice in autumn is the first.
    pub fn moment(self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Moment(at) => at,
            Self::Wall(at) => zone.to_timestamp(at).unwrap_or(Timestamp::MAX),
        }
    }
}

/// How far an entry has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum EntryState {
    /// It is not due yet.
    Waiting,
    /// A timer that stands still, with so many seconds left.
    Paused {
        /// Seconds.
        left_s: u32,
    },
    /// It rings; of commands to the house: they are being sent.
    Ringing {
        /// Since when.
        since: Timestamp,
    },
    /// It rang and was silenced; it can still be snoozed.
    Over,
    /// It was due and nobody noticed.
    Missed,
}

/// A timer, an alarm or a reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the store.
    pub id: EntryId,
    /// What it is.
    pub kind: EntryKind,
    /// What it is called; for a reminder what is to be said, for the house what is to be done. Spoken words: never logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was set, by the clock of that moment.
    pub set_at: Timestamp,
    /// A timer's length in seconds, with all that was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_s: Option<u32>,
    /// When it is due next.
    pub due: Due,
    /// When it comes back.
    #[serde(default, skip_serializing_if = "Days::is_none_ref")]
    pub days: Days,
    /// A day of those on which it does not come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skips: Option<Date>,
    /// The commands to the house.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub does: Vec<LaterCommand>,
    /// How far it has come.
    pub state: EntryState,
    /// When it was silenced last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silenced_at: Option<Timestamp>,
    /// It was set while the clock was known to be wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// Its name goes back to a stranger's words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_foreign: bool,
    /// The room in which it was set, and in which it rings; nothing where it was not set by voice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Days {
    fn is_none_ref(&self) -> bool {
        self.is_none()
    }
}

impl Entry {
    /// Whether it rings now.
    pub fn is_ringing(&self) -> bool {
        self.kind != EntryKind::House && matches!(self.state, EntryState::Ringing { .. })
    }

    /// Whether it stands still.
    pub fn is_paused(&self) -> bool {
        matches!(self.state, EntryState::Paused { .. })
    }

    /// Whether it is still to come, or rings.
    pub fn is_live(&self) -> bool {
        self.state == EntryState::Waiting || self.is_paused() || self.is_ringing()
    }

    /// How long until it is due, or will be once it goes on; negative when it was due before.
    pub fn left(&self, now: &Zoned) -> SignedDuration {
        match self.state {
            EntryState::Paused { left_s } => SignedDuration::from_secs(i64::from(left_s)),
            _ => self.due.moment(now.time_zone()).duration_since(now.timestamp()),
        }
    }

    /// The next moment on one of its days behind `now`; nothing for an entry that is due once.
    pub fn next_after(&self, now: &Zoned) -> Option<DateTime> {
        let Due::Wall(at) = self.due else { return None };
        let next = next_on(self.days, at.time(), now)?;
        if self.skips != Some(next.date()) {
            return Some(next);
        }
        next_on(self.days, at.time(), &next.to_zoned(now.time_zone().clone()).ok()?)
    }

    /// Whether it is due on `date`, then or when it comes back.
    pub fn is_on(&self, date: Date, zone: &TimeZone) -> bool {
        let due = zone.to_datetime(self.due.moment(zone)).date();
        let comes_back = self.days.is_on(date) && due <= date && self.skips != Some(date);
        due == date || comes_back
    }

    /// The same entry, that comes back on other days than `date`; nothing when it does not come back.
    pub fn without(&self, date: Date, now: &Zoned) -> Option<Self> {
        let Due::Wall(at) = self.due else { return None };
        if self.days.is_none() {
            return None;
        }
        let skipping = Self { skips: Some(date), ..self.clone() };
        if at.date() != date {
            return Some(skipping);
        }
        let then = at.to_zoned(now.time_zone().clone()).ok()?;
        let next = next_on(self.days, at.time(), if then > *now { &then } else { now })?;
        Some(Self { due: Due::Wall(next), skips: None, ..self.clone() })
    }

    /// The entry once it was silenced or given up: waiting for its next day, or `state`.
    #[must_use]
    pub fn settled(&self, now: &Zoned, state: EntryState) -> Self {
        match self.next_after(now) {
            Some(next) => Self { due: Due::Wall(next), state: EntryState::Waiting, ..self.clone() },
            None => Self { state, ..self.clone() },
        }
    }
}

/// The first moment behind `now` at `time` on one of `days`.
pub fn next_on(days: Days, time: jiff::civil::Time, now: &Zoned) -> Option<DateTime> {
    let mut date: Date = now.date();
    // Today may be over, and a change of clocks may skip a day: two weeks, or two months, are more than enough.
    let most = if days.month_rule().is_some() { 70 } else { 15 };
    for _ in 0..most {
        let at = date.to_datetime(time);
        if days.is_on(date) && Due::Wall(at).moment(now.time_zone()) > now.timestamp() {
            return Some(at);
        }
        date = date.tomorrow().ok()?;
    }
    None
}
