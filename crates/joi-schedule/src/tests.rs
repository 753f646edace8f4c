//! The schedule's decisions, and the whole of it over a database.

use std::sync::Arc;

use jiff::civil::{Weekday, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;

use super::*;
use joi_base::clock::ManualClock;
use joi_language::testing::{english, german, in_english};

mod decisions;
mod house;
mod idle;
mod monthly;
mod pauses;
mod places;
mod ringing;

fn vienna() -> TimeZone {
    TimeZone::get("Europe/Vienna").unwrap()
}

/// 4 March 2026 was a Wednesday.
fn at(hour: i8, minute: i8) -> Zoned {
    date(2026, 3, 4).at(hour, minute, 0, 0).to_zoned(vienna()).unwrap()
}

fn clock(hour: u8, minute: u8) -> ClockSaid {
    ClockSaid { hour, minute, exactness: Exactness::Either }
}

fn timer(name: Option<&str>, seconds: u32) -> ScheduleOrder {
    let name = name.map(str::to_owned);
    ScheduleOrder::Set(NewEntry {
        kind: EntryKind::Timer,
        name,
        when: Some(When::In(seconds)),
        bias: Bias::Next,
        is_foreign: false,
    })
}

fn alarm(said: Said) -> ScheduleOrder {
    ScheduleOrder::Set(NewEntry {
        kind: EntryKind::Alarm,
        name: None,
        when: Some(When::At(said)),
        bias: Bias::Morning,
        is_foreign: false,
    })
}

fn reminder(text: &str, said: Said) -> ScheduleOrder {
    let name = Some(text.to_owned());
    ScheduleOrder::Set(NewEntry {
        kind: EntryKind::Reminder,
        name,
        when: Some(When::At(said)),
        bias: Bias::ByDay,
        is_foreign: false,
    })
}

fn called(name: &str) -> Which {
    Which { kind: Some(EntryKind::Timer), name: Some(name.into()), ..Which::default() }
}

/// Entries in memory, to be decided about.
struct Table {
    entries: Vec<Entry>,
    next_id: i64,
    now: Zoned,
    /// Where orders are given.
    place: Option<Place>,
}

impl Table {
    fn at(now: Zoned) -> Self {
        Self { entries: Vec::new(), next_id: 1, now, place: None }
    }

    fn later(&mut self, seconds: i64) -> &mut Self {
        self.now = self.now.checked_add(seconds.seconds()).unwrap();
        self
    }

    fn order(&mut self, order: &ScheduleOrder) -> OrderReport {
        let config = TimersConfig::default();
        let present = Present {
            entries: &self.entries,
            next_id: self.next_id,
            now: &self.now,
            in_doubt: false,
            config: &config,
            place: self.place.as_ref(),
            phonetic: english().phonetic(),
        };
        let (changes, report) = obey::obey(&present, order);
        self.apply(changes);
        report
    }

    fn say(&mut self, order: &ScheduleOrder) -> String {
        let report = self.order(order);
        words::reported(&report, &self.now, english())
    }

    fn look(&mut self, is_first: bool) -> Seen {
        self.look_with(is_first, Trust::Right, ClockJump::NONE)
    }

    fn look_with(&mut self, is_first: bool, trust: Trust, jump: ClockJump) -> Seen {
        let config = TimersConfig::default();
        let seen = watch::look(&ScheduleView {
            entries: &self.entries,
            now: &self.now,
            trust,
            jump,
            is_first,
            config: &config,
        });
        self.apply(seen.changes.clone());
        seen
    }

    fn apply(&mut self, changes: Vec<EntryChange>) {
        for change in changes {
            match change {
                EntryChange::Add(entry) => {
                    assert!(entry.id.0 >= self.next_id, "{entry:?} has a new number");
                    self.next_id = entry.id.0 + 1;
                    self.entries.push(entry);
                }
                EntryChange::Replace(entry) => {
                    let old = self.entries.iter_mut().find(|old| old.id == entry.id).unwrap();
                    *old = entry;
                }
                EntryChange::Remove(id) => self.entries.retain(|entry| entry.id != id),
            }
        }
    }

    fn rings(&self) -> Vec<i64> {
        self.entries.iter().filter(|entry| entry.is_ringing()).map(|entry| entry.id.0).collect()
    }
}
