//! Decides the changes of an order from all entries and the present moment.
//!
//! In: entries, an order, now. Out: changes to be stored, and a report, valid once they are durable. It refuses what is over, too long or too much, and asks when it is not clear what is meant.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp, Zoned};

use super::config::TimersConfig;
use super::names::{date_of, meant, ranked};
use joi_base::message::Place;
use joi_language::PhoneticMatcher;
use joi_language::values::entry::{Days, Due, Entry, EntryId, EntryKind, EntryState};
use joi_language::values::later::LaterCommand;
use joi_language::values::moment::resolve;
use joi_language::values::order::{
    Bias, LONGEST_TIMER_S, Many, NewEntry, OrderReport, ScheduleOrder, ScheduleQuestion, TimeRefusal, When,
    Which,
};

/// Most entries that wait at the same time.
pub(super) const MOST: usize = 1_024;
/// Time after silencing in which an alarm can still be snoozed.
pub(super) const RECENT: SignedDuration = SignedDuration::from_mins(10);
/// What changes the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryChange {
    Add(Entry),
    Replace(Entry),
    Remove(EntryId),
}

/// The state in which an order is decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Present<'a> {
    pub(super) entries: &'a [Entry],
    /// The number of the next new entry.
    pub(super) next_id: i64,
    pub(super) now: &'a Zoned,
    /// The clock shows less than it did before.
    pub(super) in_doubt: bool,
    pub(super) config: &'a TimersConfig,
    /// The room in which the order was given; nothing where it was not spoken.
    pub(super) place: Option<&'a Place>,
    /// Compares names by their sound.
    pub(super) phonetic: PhoneticMatcher,
}

/// Changes, and the report once they are stored.
pub(super) type Decided = (Vec<EntryChange>, OrderReport);

/// Decides.
pub(super) fn obey(present: &Present<'_>, order: &ScheduleOrder) -> Decided {
    match order {
        ScheduleOrder::Set(wanted) => present.set(wanted, &[]),
        ScheduleOrder::SetHouse { name, when, does } => {
            let (name, when) = (Some(name.clone()), Some(when.clone()));
            let (kind, bias) = (EntryKind::House, Bias::Next);
            present.set(&NewEntry { kind, name, when, bias, is_foreign: false }, does)
        }
        ScheduleOrder::Finish(id) => present.finish(*id),
        ScheduleOrder::Amend { before, since, wanted } => present.amend(before, *since, wanted),
        ScheduleOrder::Withdraw { before, since } => present.withdraw(before, *since),
        ScheduleOrder::List(kind) => (vec![], OrderReport::Listed(*kind, present.of_kind(*kind))),
        ScheduleOrder::Left(which) => present.left(which),
        ScheduleOrder::Cancel(which) => present.cancel(which),
        ScheduleOrder::Skip(which) => present.skip(which),
        ScheduleOrder::Add { which, seconds } => present.add(which, *seconds),
        ScheduleOrder::Move { which, when } => present.shift(which, when.as_ref()),
        ScheduleOrder::Pause(which) => present.pause(which),
        ScheduleOrder::Resume(which) => present.resume(which),
        ScheduleOrder::Restart(which) => present.restart(which),
        ScheduleOrder::Snooze { which, seconds } => present.snooze(which, *seconds),
        ScheduleOrder::Silence => present.silence(),
    }
}

/// Which entry is meant, when it must be one.
pub(super) enum Choice<'a> {
    These(Vec<&'a Entry>),
    Unclear(OrderReport),
}

impl Present<'_> {
    pub(super) fn at(&self) -> Timestamp {
        self.now.timestamp()
    }

    pub(super) fn moment(&self, entry: &Entry) -> Timestamp {
        self.at().checked_add(entry.left(self.now)).unwrap_or(Timestamp::MAX)
    }

    /// Live and missed entries, the next one first.
    fn of_kind(&self, kind: Option<EntryKind>) -> Vec<Entry> {
        let shown =
            |entry: &&Entry| entry.state != EntryState::Over && kind.is_none_or(|kind| kind == entry.kind);
        let mut entries: Vec<Entry> = self.entries.iter().filter(shown).cloned().collect();
        entries.sort_by_key(|entry| (self.moment(entry), entry.id));
        entries
    }

    pub(super) fn chosen(&self, which: &Which) -> Choice<'_> {
        let mut found = meant(self.entries, which, self.now, self.phonetic);
        if found.is_empty() && which.kind.is_some() && which.name.is_some() {
            // "the pasta alarm" may well be a timer.
            found = meant(self.entries, &Which { kind: None, ..which.clone() }, self.now, self.phonetic);
        }
        found.sort_by_key(|entry| (self.moment(entry), entry.id));
        if let Some(rank) = which.rank {
            found = ranked(&found, rank, self.now);
        }
        match (found.len(), which.many) {
            (0, _) => Choice::Unclear(OrderReport::NoSuch(which.clone())),
            (1, _) | (_, Many::All) => Choice::These(found),
            (_, Many::One) => {
                let ringing: Vec<&Entry> = found.iter().copied().filter(|entry| entry.is_ringing()).collect();
                match ringing[..] {
                    [one] => Choice::These(vec![one]),
                    _ => {
                        // In the order in which they were set: "the second" is the one that was named second.
                        found.sort_by_key(|entry| entry.id);
                        let several = found.into_iter().cloned().collect();
                        Choice::Unclear(OrderReport::Ask(ScheduleQuestion::Which(several)))
                    }
                }
            }
        }
    }

    fn set(&self, wanted: &NewEntry, does: &[LaterCommand]) -> Decided {
        if wanted.kind == EntryKind::Reminder && wanted.name.is_none() {
            return (vec![], OrderReport::Ask(ScheduleQuestion::Text));
        }
        let Some(when) = &wanted.when else {
            let question = if wanted.kind == EntryKind::Timer {
                ScheduleQuestion::Length
            } else {
                ScheduleQuestion::Moment
            };
            return (vec![], OrderReport::Ask(question));
        };
        if self.entries.iter().filter(|entry| entry.is_live()).count() >= MOST {
            return (vec![], OrderReport::TooMany);
        }
        let (due, days, length_s) = match self.due(when, wanted.kind, wanted.bias) {
            Ok(due) => due,
            Err(refusal) => return (vec![], refusal.into()),
        };
        let entry = Entry {
            id: EntryId(self.next_id),
            kind: wanted.kind,
            name: wanted.name.clone(),
            set_at: self.at(),
            length_s: length_s.filter(|_| wanted.kind == EntryKind::Timer),
            due,
            days,
            skips: None,
            does: does.to_vec(),
            state: EntryState::Waiting,
            silenced_at: None,
            in_doubt: self.in_doubt,
            is_foreign: wanted.is_foreign,
            place: self.place.map(|place| place.name().to_owned()),
        };
        (vec![EntryChange::Add(entry.clone())], OrderReport::Set(entry))
    }

    /// Entries begun as `before` since then that still wait.
    fn begun(&self, before: &NewEntry, since: Timestamp) -> Option<&Entry> {
        let is_it = |entry: &&Entry| {
            let is_alike = (entry.kind, &entry.name) == (before.kind, &before.name);
            is_alike && entry.state == EntryState::Waiting && entry.set_at >= since
        };
        self.entries.iter().filter(is_it).max_by_key(|entry| entry.id)
    }

    fn withdraw(&self, before: &NewEntry, since: Timestamp) -> Decided {
        let begun: Vec<Entry> = self.begun(before, since).into_iter().cloned().collect();
        let changes = begun.iter().map(|entry| EntryChange::Remove(entry.id)).collect();
        (changes, OrderReport::Cancelled(begun))
    }

    fn amend(&self, before: &NewEntry, since: Timestamp, wanted: &NewEntry) -> Decided {
        let begun = self.begun(before, since);
        let (Some(begun), Some(when)) = (begun, &wanted.when) else { return self.set(wanted, &[]) };
        let now = begun.set_at.to_zoned(self.now.time_zone().clone());
        match (Present { now: &now, ..*self }).due(when, wanted.kind, wanted.bias) {
            Ok((due, days, length_s)) => {
                let length_s = length_s.filter(|_| wanted.kind == EntryKind::Timer);
                let entry = Entry { name: wanted.name.clone(), due, days, length_s, ..begun.clone() };
                (vec![EntryChange::Replace(entry.clone())], OrderReport::Set(entry))
            }
            Err(refusal) => (vec![], refusal.into()),
        }
    }

    fn due(&self, when: &When, kind: EntryKind, bias: Bias) -> Result<(Due, Days, Option<u32>), TimeRefusal> {
        match when {
            When::In(0) => Err(TimeRefusal::NoLength),
            When::In(seconds) if *seconds > LONGEST_TIMER_S && kind == EntryKind::Timer => {
                Err(TimeRefusal::TooLong)
            }
            When::In(seconds) => Ok((self.after(*seconds), Days::NONE, Some(*seconds))),
            When::At(said) => {
                let (at, days) = resolve(said, kind, bias, self.now)?;
                Ok((Due::Wall(at), days, None))
            }
        }
    }

    pub(super) fn after(&self, seconds: u32) -> Due {
        let later = self.at().checked_add(SignedDuration::from_secs(i64::from(seconds)));
        Due::Moment(later.unwrap_or(Timestamp::MAX))
    }

    fn finish(&self, id: EntryId) -> Decided {
        let finished: Vec<Entry> = self.entries.iter().filter(|entry| entry.id == id).cloned().collect();
        let changes = finished.iter().map(|entry| EntryChange::Remove(entry.id)).collect();
        (changes, OrderReport::Cancelled(finished))
    }

    pub(super) fn left(&self, which: &Which) -> Decided {
        match self.chosen(&Which { many: Many::All, ..which.clone() }) {
            Choice::These(entries) => (vec![], OrderReport::Left(entries.into_iter().cloned().collect())),
            Choice::Unclear(report) => (vec![], report),
        }
    }

    /// Leaves out the day that was said, else the next one. Several that come back are not silenced by one word.
    fn skip(&self, which: &Which) -> Decided {
        match self.chosen(which) {
            Choice::These(entries) => {
                let next = entries
                    .first()
                    .map(|entry| self.moment(entry).to_zoned(self.now.time_zone().clone()).date());
                let said =
                    which.day.and_then(|day| entries.iter().find_map(|entry| date_of(entry, day, self.now)));
                self.without(&entries, said.or(next)).unwrap_or_else(|| self.cancel(which))
            }
            Choice::Unclear(report) => (vec![], report),
        }
    }

    /// Leaves out a day of entries that come back; nothing where one of them does not.
    fn without(&self, entries: &[&Entry], date: Option<jiff::civil::Date>) -> Option<Decided> {
        let date = date?;
        let skipped =
            entries.iter().map(|entry| entry.without(date, self.now)).collect::<Option<Vec<_>>>()?;
        let changes = skipped.into_iter().map(EntryChange::Replace).collect();
        Some((changes, OrderReport::Skipped(entries.iter().map(|entry| (*entry).clone()).collect(), date)))
    }

    fn cancel(&self, which: &Which) -> Decided {
        let entries = match self.chosen(which) {
            Choice::These(entries) => entries,
            Choice::Unclear(report) => return (vec![], report),
        };
        let date = |day| entries.iter().find_map(|entry| date_of(entry, day, self.now));
        if let Some(skipped) = self.without(&entries, which.day.and_then(date)) {
            return skipped;
        }
        // What rings comes back on its next day: it is silenced, not forgotten.
        let change = |entry: &&Entry| match entry.next_after(self.now) {
            Some(_) if entry.is_ringing() => EntryChange::Replace(self.silenced(entry)),
            _ => EntryChange::Remove(entry.id),
        };
        let changes = entries.iter().map(change).collect();
        (changes, OrderReport::Cancelled(entries.into_iter().cloned().collect()))
    }

    fn shift(&self, which: &Which, when: Option<&When>) -> Decided {
        let entry = match self.chosen(&Which { many: Many::One, ..which.clone() }) {
            Choice::These(entries) => entries.first().copied().cloned(),
            Choice::Unclear(report) => return (vec![], report),
        };
        let Some(mut entry) = entry else { return (vec![], OrderReport::NoSuch(which.clone())) };
        let Some(when) = when else {
            let question = if entry.kind == EntryKind::Timer {
                ScheduleQuestion::Length
            } else {
                ScheduleQuestion::Moment
            };
            return (vec![], OrderReport::Ask(question));
        };
        let was = self.moment(&entry).to_zoned(self.now.time_zone().clone());
        let is_once_later =
            entry.days.is_none() && was.date() > self.now.date() && entry.kind != EntryKind::Timer;
        match self.due(&when.near(&was, is_once_later), entry.kind, self.likely(&entry)) {
            Ok((due, days, length_s)) => {
                entry.length_s = length_s.filter(|_| entry.kind == EntryKind::Timer);
                entry.due = due;
                // "Change the alarm to seven" leaves the days as they are.
                if !days.is_none() {
                    entry.days = days;
                } else if let (Due::Wall(at), false) = (due, entry.days.is_none()) {
                    let next = joi_language::values::entry::next_on(entry.days, at.time(), self.now);
                    entry.due = next.map_or(due, Due::Wall);
                }
                entry.state = EntryState::Waiting;
                (vec![EntryChange::Replace(entry.clone())], OrderReport::Changed(entry))
            }
            Err(refusal) => (vec![], refusal.into()),
        }
    }

    /// A moved entry most likely stays in its half of the day.
    fn likely(&self, entry: &Entry) -> Bias {
        let zone = self.now.time_zone();
        let is_morning = self.moment(entry).to_zoned(zone.clone()).hour() < 12;
        match entry.kind {
            EntryKind::Reminder => Bias::ByDay,
            EntryKind::Alarm if is_morning => Bias::Morning,
            EntryKind::Alarm | EntryKind::Timer | EntryKind::House => Bias::Next,
        }
    }

    pub(super) fn snooze(&self, which: &Which, seconds: Option<u32>) -> Decided {
        if seconds == Some(0) {
            return (vec![], OrderReport::Ask(ScheduleQuestion::Length));
        }
        let seconds = seconds.unwrap_or(self.config.snooze_min * 60);
        let rang = self.just_rang(which);
        if rang.is_empty() {
            return (vec![], OrderReport::NothingRings);
        }
        let (mut changes, mut snoozed) = (Vec::new(), Vec::new());
        for entry in rang {
            let later = Entry {
                due: self.after(seconds),
                days: Days::NONE,
                skips: None,
                state: EntryState::Waiting,
                silenced_at: None,
                ..entry.clone()
            };
            if entry.days.is_none() {
                changes.push(EntryChange::Replace(later.clone()));
                snoozed.push(later);
            } else {
                // The next day stays, and beside it stands this one more time.
                let added = snoozed.len();
                let id = EntryId(self.next_id + i64::try_from(added).unwrap_or_default());
                let later = Entry { id, ..later };
                let settled = if entry.is_ringing() { self.silenced(entry) } else { entry.clone() };
                changes.push(EntryChange::Replace(Entry { silenced_at: None, ..settled }));
                changes.push(EntryChange::Add(later.clone()));
                snoozed.push(later);
            }
        }
        (changes, OrderReport::Snoozed(snoozed))
    }

    /// What rings, or else what was silenced last, a moment ago.
    fn just_rang(&self, which: &Which) -> Vec<&Entry> {
        let is_meant = |entry: &&Entry| which.kind.is_none_or(|kind| kind == entry.kind);
        let ringing: Vec<&Entry> =
            self.entries.iter().filter(|entry| entry.is_ringing()).filter(is_meant).collect();
        if !ringing.is_empty() {
            return ringing;
        }
        let last = self.entries.iter().filter(is_meant).filter_map(|entry| entry.silenced_at).max();
        let is_recent = |at: &Timestamp| self.at().duration_since(*at) <= RECENT;
        let last = last.filter(is_recent);
        self.entries.iter().filter(|entry| last.is_some() && entry.silenced_at == last).collect()
    }

    /// Silences what rings here: a ring in another room is not meant.
    fn silence(&self) -> Decided {
        let is_here = |entry: &&Entry| match (&entry.place, self.place) {
            (Some(place), Some(here)) => place == here.name(),
            (None, _) | (_, None) => true,
        };
        let ringing: Vec<&Entry> =
            self.entries.iter().filter(|entry| entry.is_ringing()).filter(is_here).collect();
        if ringing.is_empty() {
            return (vec![], OrderReport::NothingRings);
        }
        let changes = ringing.iter().map(|entry| EntryChange::Replace(self.silenced(entry))).collect();
        (changes, OrderReport::Silenced(ringing.into_iter().cloned().collect()))
    }

    fn silenced(&self, entry: &Entry) -> Entry {
        Entry { silenced_at: Some(self.at()), ..entry.settled(self.now, EntryState::Over) }
    }
}
