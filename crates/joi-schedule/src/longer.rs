//! Entries that are due later, or earlier, by a length.
//!
//! In: which are meant, and by how much. Out: changes to be stored, and a report. What rings is put off; it refuses what
//! would be over, or longer than a timer may be.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::obey::{Choice, Decided, EntryChange, Present};
use joi_language::values::entry::{Due, Entry, EntryKind, EntryState};
use joi_language::values::order::{LONGEST_TIMER_S, Many, OrderReport, Which};

impl Present<'_> {
    /// Makes entries due so many seconds later; negative is earlier. Where only something else than a timer rings, that is put off.
    pub(super) fn add(&self, which: &Which, seconds: i64) -> Decided {
        let rings = self.entries.iter().any(Entry::is_ringing);
        let is_any = *which == Which::of(Some(EntryKind::Timer));
        let has_timer = self.entries.iter().any(|entry| entry.kind == EntryKind::Timer && entry.is_live());
        if let (true, Ok(later)) = (rings && is_any && !has_timer, u32::try_from(seconds)) {
            return self.snooze(&Which::default(), Some(later));
        }
        let entries: Vec<Entry> = match self.chosen(which) {
            Choice::These(entries) if which.many == Many::All => entries.into_iter().cloned().collect(),
            Choice::These(entries) => entries.into_iter().take(1).cloned().collect(),
            Choice::Unclear(report) => return (vec![], report),
        };
        let later: Result<Vec<Entry>, NotLater> =
            entries.into_iter().map(|entry| self.later(entry, seconds)).collect();
        let entries = match later {
            Ok(entries) => entries,
            Err(NotLater::IsOver) => return (vec![], OrderReport::IsOver),
            Err(NotLater::TooLong) => return (vec![], OrderReport::TooLong),
        };
        let changes = entries.iter().cloned().map(EntryChange::Replace).collect();
        match entries.into_iter().next() {
            Some(first) => (changes, OrderReport::Changed(first)),
            None => (vec![], OrderReport::NoSuch(which.clone())),
        }
    }

    fn later(&self, mut entry: Entry, seconds: i64) -> Result<Entry, NotLater> {
        // What rings already gets the time from now on.
        let from = if entry.is_ringing() { self.at() } else { self.moment(&entry) };
        let due = from.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);
        if due <= self.at() {
            return Err(NotLater::IsOver);
        }
        let length = entry.length_s.map(|length| i64::from(length) + seconds);
        if length.is_some_and(|length| length > i64::from(LONGEST_TIMER_S)) {
            return Err(NotLater::TooLong);
        }
        entry.length_s = length.and_then(|length| u32::try_from(length).ok()).or(entry.length_s);
        entry.due = match entry.due {
            Due::Moment(_) => Due::Moment(due),
            Due::Wall(_) => Due::Wall(due.to_zoned(self.now.time_zone().clone()).datetime()),
        };
        entry.state = match entry.state {
            EntryState::Paused { left_s } => {
                EntryState::Paused { left_s: u32::try_from(i64::from(left_s) + seconds).unwrap_or(left_s) }
            }
            _ => EntryState::Waiting,
        };
        Ok(entry)
    }
}

/// Why an entry can't be moved by that much.
enum NotLater {
    /// It would be due already.
    IsOver,
    /// A timer would be longer than the longest.
    TooLong,
}
