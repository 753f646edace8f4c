//! What the schedule should hold after a sentence, and whether it does.
//!
//! Pure: no I/O, no clock.

use jiff::Zoned;
use jiff::civil::{Date, Time};

use super::moment::{self, DueWanted};
use super::sentences::quoted;
use super::texts::is_same_text;
use joi_schedule::{Entry, EntryKind, EntryState};

/// An entry that should be there.
#[derive(Debug, Clone)]
pub(super) struct PlannedEntry {
    kind: EntryKind,
    name: Option<String>,
    due: DueWanted,
    /// A timer's length, in seconds, by which it is called.
    length_s: Option<i64>,
    is_paused: bool,
    is_ringing: bool,
    /// A date on which a series comes, and one that it leaves out.
    first: Option<Date>,
    skips: Option<Date>,
    /// Commands to the house.
    does: Vec<String>,
    /// Any time within the hour is right.
    is_soon: bool,
}

impl PlannedEntry {
    fn of(entry: &Entry, now: &Zoned) -> Self {
        Self {
            kind: entry.kind,
            name: entry.name.clone(),
            due: DueWanted::of(entry, now),
            length_s: entry.length_s.map(i64::from),
            is_paused: entry.is_paused(),
            is_ringing: entry.is_ringing(),
            first: (!entry.days.is_none()).then(|| moment::due(entry, now).date()),
            skips: entry.skips,
            does: does(entry),
            is_soon: false,
        }
    }

    fn new(kind: EntryKind, due: DueWanted) -> Self {
        Self {
            kind,
            name: None,
            due,
            length_s: None,
            is_paused: false,
            is_ringing: false,
            first: None,
            skips: None,
            does: Vec::new(),
            is_soon: false,
        }
    }

    /// Seconds until it is due.
    fn left(&self, now: &Zoned) -> i64 {
        let due = self.due.date.unwrap().to_datetime(self.due.times.0);
        due.duration_since(now.datetime()).as_secs()
    }

    fn fits(&self, entry: &Entry, now: &Zoned, names: NamesCount) -> bool {
        let is_named = match (names, entry.kind) {
            // The program words what it does in the house.
            (_, EntryKind::House) | (NamesCount::No, EntryKind::Alarm) => true,
            _ => is_same_text(self.name.as_deref(), entry.name.as_deref()),
        };
        let zone = now.time_zone();
        let is_due = if self.is_soon {
            (1..=3_600).contains(&entry.left(now).as_secs())
        } else {
            self.due.fits(entry, now)
        };
        let leaves_out = |date: Date| !entry.is_on(date, zone);
        let is_skipped = match self.skips {
            Some(date) => {
                leaves_out(date) && self.first.is_none_or(|first| first == date || !leaves_out(first))
            }
            None => self.first.is_none_or(|first| !leaves_out(first)) && entry.skips.is_none(),
        };
        let state = (entry.is_paused(), entry.is_ringing());
        self.kind == entry.kind
            && is_named
            && is_due
            && is_skipped
            && state == (self.is_paused, self.is_ringing)
            && self.does == does(entry)
    }
}

fn does(entry: &Entry) -> Vec<String> {
    let mut all: Vec<String> = entry.does.iter().map(|one| format!("{}={}", one.item, one.text)).collect();
    all.sort();
    all
}

/// Whether the names of alarms count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamesCount {
    Yes,
    No,
}

/// The schedule as it should be.
pub(super) struct PlannedSchedule<'a> {
    entries: Vec<PlannedEntry>,
    now: &'a Zoned,
}

impl<'a> PlannedSchedule<'a> {
    /// As it is in the scene.
    pub(super) fn of(entries: &[Entry], now: &'a Zoned) -> Self {
        Self { entries: entries.iter().map(|entry| PlannedEntry::of(entry, now)).collect(), now }
    }

    /// Adds commands to the house for `at 22:00 +0` or `in 1800 s`.
    pub(super) fn send_later(&mut self, commands: &[String], when: &str) {
        let due = match when.strip_prefix("at ") {
            Some(at) => DueWanted::read(at, self.now),
            None => self.in_seconds(when.split(' ').nth(1).unwrap().parse().unwrap()),
        };
        let mut does = commands.to_vec();
        does.sort();
        self.entries.push(PlannedEntry { does, ..PlannedEntry::new(EntryKind::House, due) });
    }

    fn in_seconds(&self, seconds: i64) -> DueWanted {
        DueWanted::at(self.now.datetime()).later(seconds)
    }

    /// Changes it as an effect says: `set timer "pasta" 600 s`, `cancel alarm 21:00`.
    pub(super) fn apply(&mut self, words: &[String]) {
        let rest = &words[1..];
        match words[0].as_str() {
            "set" => self.set(rest),
            "cancel" => {
                for at in self.meant(rest).into_iter().rev() {
                    self.entries.remove(at);
                }
            }
            "pause" => self.change(rest, |entry| entry.is_paused = true),
            "resume" => self.change(rest, |entry| entry.is_paused = false),
            "add" => {
                let seconds: i64 = rest[0].parse().unwrap();
                self.change(&rest[2..], |entry| entry.due = entry.due.later(seconds));
            }
            "skip" => {
                let (which, on) = rest.split_at(rest.iter().rposition(|word| word == "on").unwrap());
                let date = moment::date(&on[1], None, self.now);
                self.change(which, |entry| {
                    entry.skips = date;
                    // The only one there is.
                    if entry.first.is_none() {
                        entry.due.series = "left out".to_owned();
                    }
                });
                self.entries.retain(|entry| entry.due.series != "left out");
            }
            "snooze" => {
                let soon = rest.first().map(|seconds| self.in_seconds(seconds.parse().unwrap()));
                for entry in self.entries.iter_mut().filter(|entry| entry.is_ringing) {
                    entry.is_ringing = false;
                    entry.is_soon = soon.is_none();
                    entry.due = soon.clone().unwrap_or_else(|| entry.due.clone());
                }
            }
            "move" => self.shift(rest),
            verb => panic!("{verb}"),
        }
    }

    fn set(&mut self, words: &[String]) {
        let kind = kind(&words[0]);
        let name = quoted(&words[1]).map(str::to_owned);
        let when = &words[1 + usize::from(name.is_some())..];
        let due = match when[0].as_str() {
            "at" => DueWanted::read(&when[1..].join(" "), self.now),
            seconds => self.in_seconds(seconds.parse().unwrap()),
        };
        let name = name.filter(|name| !name.is_empty());
        self.entries.push(PlannedEntry { name, ..PlannedEntry::new(kind, due) });
    }

    /// `alarm 6:30 to 7:00`, `timer "pasta" 900 s`: the day stays.
    fn shift(&mut self, words: &[String]) {
        let Some(to) = words.iter().position(|word| word == "to") else {
            let (which, seconds) = words.split_at(words.len() - 2);
            let due = self.in_seconds(seconds[0].parse().unwrap());
            return self.change(which, |entry| entry.due = due.clone());
        };
        let times = DueWanted::read(&words[to + 1], self.now).times;
        self.change(&words[..to], |entry| entry.due.times = times);
    }

    fn change(&mut self, which: &[String], change: impl Fn(&mut PlannedEntry)) {
        for at in self.meant(which) {
            change(&mut self.entries[at]);
        }
    }

    /// The entries that `timer "pasta"`, `timer 3600 s left 600 s`, `alarm 21:00`, `all timer` or `timer` mean.
    fn meant(&self, words: &[String]) -> Vec<usize> {
        let is_all = words[0] == "all";
        let words = &words[usize::from(is_all)..];
        let kind = kind(&words[0]);
        let clock: Option<Time> = words.get(1).filter(|word| word.contains(':')).and_then(|word| {
            let read = DueWanted::read(word, self.now).times;
            (read.0 == read.1).then_some(read.0)
        });
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<i64>().ok());
        let name = words.get(1).and_then(|word| quoted(word));
        let is_meant = |entry: &PlannedEntry| {
            entry.kind == kind
                && name.is_none_or(|name| entry.name.as_deref() == Some(name))
                && clock.is_none_or(|clock| entry.due.times.0 == clock)
                && number(1).is_none_or(|length| entry.length_s == Some(length))
                && number(4).is_none_or(|left| entry.left(self.now) == left)
        };
        let found: Vec<usize> = (0..self.entries.len()).filter(|at| is_meant(&self.entries[*at])).collect();
        assert!(is_all || found.len() == 1, "{words:?}: {found:?}");
        found
    }

    /// Whether `entries` are these, each of them once.
    pub(super) fn fits(&self, entries: &[Entry], names: NamesCount) -> bool {
        let mut open: Vec<&Entry> = entries.iter().collect();
        self.entries.iter().all(|planned| {
            let found = open.iter().position(|entry| planned.fits(entry, self.now, names));
            found.map(|at| open.remove(at)).is_some()
        }) && open.is_empty()
    }

    /// Texts of which one names the only entry that `left` or `list` means; one list for each where all are meant.
    pub(super) fn named(&self, words: &[String]) -> Vec<Vec<String>> {
        let kind = kind(&words[1]);
        let which: Vec<usize> = match words[0].as_str() {
            "left" => self.meant(&words[1..]),
            _ => (0..self.entries.len()).filter(|at| self.entries[*at].kind == kind).collect(),
        };
        which.into_iter().map(|at| self.signs(&self.entries[at])).collect()
    }

    /// What may be said of an entry so that it is known which: its name, its time, what is left of it.
    fn signs(&self, entry: &PlannedEntry) -> Vec<String> {
        let mut signs: Vec<String> = entry.name.iter().cloned().collect();
        let (hour, minute) = (entry.due.times.0.hour(), entry.due.times.0.minute());
        if entry.kind == EntryKind::Timer {
            let left = entry.left(self.now);
            let (hours, minutes) = (left / 3_600, left % 3_600 / 60);
            signs.push(format!("{}", if hours > 0 { hours } else { minutes }));
            return signs;
        }
        let twelve = (hour + 11) % 12 + 1;
        let half = if hour < 12 { "AM" } else { "PM" };
        signs.push(format!("{hour}:{minute:02}"));
        signs.push(format!("{twelve}:{minute:02}"));
        if minute == 0 {
            signs.extend([format!("{twelve} {half}"), format!("{hour} Uhr")]);
        } else {
            signs.push(format!("{hour} Uhr {minute}"));
        }
        signs
    }
}

fn kind(word: &str) -> EntryKind {
    let all = [EntryKind::Timer, EntryKind::Alarm, EntryKind::Reminder];
    all.into_iter().find(|kind| kind.name() == word).unwrap_or_else(|| panic!("{word}"))
}

/// Whether an entry waits for the house.
pub(super) fn waits_for_house(entry: &Entry) -> bool {
    entry.kind == EntryKind::House && entry.state == EntryState::Waiting
}
