//! Orders to the schedule, and its reports.
//!
//! Pure: no I/O, no clock.

use super::entry::{Days, Entry, EntryId, EntryKind};
use super::later::LaterCommand;
use super::moment::{Day, DayPart, Said};
use crate::ClockSaid;
use jiff::civil::{Date, Time};
use jiff::{Timestamp, Zoned};

/// Seconds in a day: the longest timer.
pub const LONGEST_TIMER_S: u32 = 24 * 3600;

/// An order to the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleOrder {
    /// Begin something.
    Set(NewEntry),
    /// Command the house at a moment.
    SetHouse {
        /// The commands, in words.
        name: String,
        /// When, once.
        when: When,
        /// The commands.
        does: Vec<LaterCommand>,
    },
    /// The commands of this entry were sent.
    Finish(EntryId),
    /// Begin something that was begun a moment ago, before all of it was said: the same with another time or a longer
    /// name, counted from when it was first begun. If it is not there, this begins it.
    Amend {
        /// The entry as it was begun.
        before: NewEntry,
        /// Not earlier than this.
        since: Timestamp,
        /// What it is to be.
        wanted: NewEntry,
    },
    /// Forget what was begun a moment ago, since it was not what its speaker was about to say. It is no report if it is
    /// not there.
    Withdraw {
        /// The entry as it was begun.
        before: NewEntry,
        /// Not earlier than this.
        since: Timestamp,
    },
    /// The entries of this kind, or of all.
    List(Option<EntryKind>),
    /// How long until it is due.
    Left(Which),
    /// Forget it.
    Cancel(Which),
    /// Let it be silent once: on the day that was said, or the next time. What comes once is forgotten.
    Skip(Which),
    /// Make it due so many seconds later; negative is earlier.
    Add {
        /// Which.
        which: Which,
        /// Seconds.
        seconds: i64,
    },
    /// Make it due then.
    Move {
        /// Which.
        which: Which,
        /// When; nothing must be asked for.
        when: Option<When>,
    },
    /// Let a timer stand still.
    Pause(Which),
    /// Let a timer that stands still go on.
    Resume(Which),
    /// Let a timer run its whole length once more.
    Restart(Which),
    /// Be silent and ring again later.
    Snooze {
        /// Which.
        which: Which,
        /// After so many seconds; nothing is the configured time.
        seconds: Option<u32>,
    },
    /// Be silent.
    Silence,
}

impl ScheduleOrder {
    /// The same for this entry, where it is for one that is there.
    #[must_use]
    pub fn of(&self, id: EntryId) -> Self {
        let mut order = self.clone();
        if let Self::Left(which)
        | Self::Cancel(which)
        | Self::Skip(which)
        | Self::Add { which, .. }
        | Self::Move { which, .. }
        | Self::Pause(which)
        | Self::Resume(which)
        | Self::Restart(which)
        | Self::Snooze { which, .. } = &mut order
        {
            *which = Which { id: Some(id), ..Which::default() };
        }
        order
    }
}

/// A new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// What.
    pub kind: EntryKind,
    /// Its name, or what to remind of.
    pub name: Option<String>,
    /// When; nothing must be asked for.
    pub when: Option<When>,
    /// The assumption about a time of day.
    pub bias: Bias,
    /// Its name goes back to a stranger's words.
    pub is_foreign: bool,
}

/// What an hour without AM or PM most likely is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bias {
    /// The next such hour by day.
    ByDay,
    /// The next such hour.
    Next,
    /// People are woken in the morning.
    Morning,
}

/// When something is to be due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// After so many seconds.
    In(u32),
    /// At a time of day.
    At(Said),
}

impl When {
    /// This, said after `before`: a time of day, of which the day was said already.
    #[must_use]
    pub fn behind(self, before: Option<&Self>) -> Self {
        match (self, before) {
            (Self::At(said), Some(Self::At(before)))
                if before.clock.is_none() && said.day.is_none() && said.days.is_none() =>
            {
                Self::At(Said { clock: said.clock, part: said.part.or(before.part), ..*before })
            }
            (now, _) => now,
        }
    }
}

impl When {
    /// This as the new time of what was due at `was`: in the nearer half of the day if none was said, and with
    /// `keeps_day` on the same day if none was said.
    #[must_use]
    pub fn near(&self, was: &Zoned, keeps_day: bool) -> Self {
        let Self::At(said) = self else { return self.clone() };
        let readings = said.clock.map(|clock| clock.readings(said.part)).unwrap_or_default();
        let away = |other: &Time| was.time().duration_until(*other).abs();
        let part = match &readings[..] {
            [first, second] if away(first) <= away(second) => Some(DayPart::Morning),
            [_, _] => Some(DayPart::Afternoon),
            _ => said.part,
        };
        let is_dayless = said.clock.is_some() && said.day.is_none() && said.days.is_none();
        let own = Day::Date(was.month(), was.day());
        let day = if is_dayless && keeps_day { Some(own) } else { said.day };
        Self::At(Said { part, day, ..*said })
    }
}

/// How many are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Many {
    /// One; if there are several, it is asked which.
    #[default]
    One,
    /// All that fit.
    All,
}

/// Which entries are meant. What is not said fits all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Which {
    /// This one.
    pub id: Option<EntryId>,
    /// Of this kind.
    pub kind: Option<EntryKind>,
    /// Called like this, or nearly.
    pub name: Option<String>,
    /// A timer of so many seconds.
    pub length_s: Option<u32>,
    /// Due at this time of day.
    pub clock: Option<(ClockSaid, Option<DayPart>)>,
    /// Due on this day.
    pub day: Option<Day>,
    /// Coming back on these days.
    pub days: Days,
    /// Due in this part of the day, where no time of day was said.
    pub part: Option<DayPart>,
    /// Its place among those that fit otherwise.
    pub rank: Option<Rank>,
    /// How many.
    pub many: Many,
    /// Not these.
    pub except: Option<Box<Which>>,
}

/// The place of an entry among several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Due before the others.
    Soonest,
    /// Due after the others.
    Latest,
    /// At an earlier time of day than the others.
    Early,
    /// At a later time of day than the others.
    Late,
    /// Set for longer than the others.
    Longest,
    /// Set for less long than the others.
    Shortest,
    /// Set after the others.
    Newest,
    /// In the order in which they are due, from 1 on.
    Nth(u8),
}

impl Which {
    /// Any of a kind.
    pub fn of(kind: Option<EntryKind>) -> Self {
        Self { kind, ..Self::default() }
    }
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderReport {
    /// This waits now.
    Set(Entry),
    /// This was changed.
    Changed(Entry),
    /// These are gone.
    Cancelled(Vec<Entry>),
    /// These come back, but not on this day.
    Skipped(Vec<Entry>, Date),
    /// These ring again later.
    Snoozed(Vec<Entry>),
    /// These stand still.
    Paused(Vec<Entry>),
    /// These go on.
    Resumed(Vec<Entry>),
    /// These are silent.
    Silenced(Vec<Entry>),
    /// These are there.
    Listed(Option<EntryKind>, Vec<Entry>),
    /// These are due in a while.
    Left(Vec<Entry>),
    /// There is no such entry.
    NoSuch(Which),
    /// Nothing rings, and nothing has just rung.
    NothingRings,
    /// That moment is over.
    IsOver,
    /// Longer than [`LONGEST_TIMER_S`].
    TooLong,
    /// There are too many already.
    TooMany,
    /// The order is not clear yet.
    Ask(ScheduleQuestion),
}

impl OrderReport {
    /// Whether it names something in a stranger's words.
    pub fn is_foreign(&self) -> bool {
        match self {
            Self::Set(entry) | Self::Changed(entry) => entry.is_foreign,
            Self::Cancelled(of)
            | Self::Skipped(of, _)
            | Self::Snoozed(of)
            | Self::Paused(of)
            | Self::Resumed(of)
            | Self::Silenced(of)
            | Self::Listed(_, of)
            | Self::Left(of)
            | Self::Ask(ScheduleQuestion::Which(of)) => of.iter().any(|entry| entry.is_foreign),
            Self::NoSuch(_)
            | Self::NothingRings
            | Self::IsOver
            | Self::TooLong
            | Self::TooMany
            | Self::Ask(ScheduleQuestion::Length | ScheduleQuestion::Moment | ScheduleQuestion::Text) => {
                false
            }
        }
    }

    /// Whether what was ordered was done.
    pub fn is_done(&self) -> bool {
        match self {
            Self::Set(_)
            | Self::Changed(_)
            | Self::Cancelled(_)
            | Self::Skipped(..)
            | Self::Snoozed(_)
            | Self::Paused(_)
            | Self::Resumed(_)
            | Self::Silenced(_)
            | Self::Listed(..)
            | Self::Left(_) => true,
            Self::NoSuch(_)
            | Self::NothingRings
            | Self::IsOver
            | Self::TooLong
            | Self::TooMany
            | Self::Ask(_) => false,
        }
    }
}

/// Why there is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeRefusal {
    /// For how long?
    NoLength,
    /// When?
    NoMoment,
    /// It is over.
    IsOver,
    /// Longer than [`LONGEST_TIMER_S`].
    TooLong,
}

impl From<TimeRefusal> for OrderReport {
    fn from(refusal: TimeRefusal) -> Self {
        match refusal {
            TimeRefusal::NoLength => Self::Ask(ScheduleQuestion::Length),
            TimeRefusal::NoMoment => Self::Ask(ScheduleQuestion::Moment),
            TimeRefusal::IsOver => Self::IsOver,
            TimeRefusal::TooLong => Self::TooLong,
        }
    }
}

/// What has to be asked before an order can be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleQuestion {
    /// For how long?
    Length,
    /// When?
    Moment,
    /// Of what is it to remind?
    Text,
    /// Which of these?
    Which(Vec<Entry>),
}
