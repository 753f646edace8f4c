//! Timers that stand still, go on, and begin again.
//!
//! In: which are meant. Out: changes to be stored, and a report.
//! Pure: no I/O, no clock.

use super::obey::{Choice, Decided, EntryChange, Present};
use joi_language::values::entry::{Entry, EntryKind, EntryState};
use joi_language::values::order::{LONGEST_TIMER_S, OrderReport, Which};

impl Present<'_> {
    /// Only timers stand still: an alarm belongs to its time of day.
    pub(super) fn pause(&self, which: &Which) -> Decided {
        let runs = |entry: &Entry| entry.kind == EntryKind::Timer && entry.state == EntryState::Waiting;
        let pause = |entry: &Entry| {
            // A second that has begun counts whole.
            let left_s = u32::try_from(entry.left(self.now).as_millis().max(0).unsigned_abs().div_ceil(1000));
            Entry { state: EntryState::Paused { left_s: left_s.unwrap_or(LONGEST_TIMER_S) }, ..entry.clone() }
        };
        self.changed(which, runs, pause, OrderReport::Paused)
    }

    pub(super) fn resume(&self, which: &Which) -> Decided {
        let resume = |entry: &Entry| {
            let left_s = u32::try_from(entry.left(self.now).as_secs()).unwrap_or(LONGEST_TIMER_S);
            let (due, state, in_doubt) = (self.after(left_s), EntryState::Waiting, self.in_doubt);
            Entry { due, state, in_doubt, ..entry.clone() }
        };
        self.changed(which, Entry::is_paused, resume, OrderReport::Resumed)
    }

    /// Whatever is left of it, a timer gets its whole length.
    pub(super) fn restart(&self, which: &Which) -> Decided {
        let has_length = |entry: &Entry| entry.kind == EntryKind::Timer && entry.length_s.is_some();
        let restart = |entry: &Entry| {
            let due = self.after(entry.length_s.unwrap_or_default());
            Entry { due, state: EntryState::Waiting, in_doubt: self.in_doubt, ..entry.clone() }
        };
        let report = |mut entries: Vec<Entry>| match entries.pop() {
            Some(one) if entries.is_empty() => OrderReport::Changed(one),
            last => OrderReport::Resumed(entries.into_iter().chain(last).collect()),
        };
        self.changed(which, has_length, restart, report)
    }

    /// Those of the entries that `which` may mean which `can` be changed. Where none can, but some are meant, how long they
    /// have left is the reason.
    fn changed(
        &self,
        which: &Which,
        can: impl Fn(&Entry) -> bool,
        change: impl Fn(&Entry) -> Entry,
        report: impl Fn(Vec<Entry>) -> OrderReport,
    ) -> Decided {
        let able: Vec<Entry> = self.entries.iter().filter(|entry| can(entry)).cloned().collect();
        match (Present { entries: &able, ..*self }).chosen(which) {
            Choice::These(entries) => {
                let changed: Vec<Entry> = entries.into_iter().map(change).collect();
                (changed.iter().cloned().map(EntryChange::Replace).collect(), report(changed))
            }
            Choice::Unclear(OrderReport::NoSuch(_)) => self.left(which),
            Choice::Unclear(unclear) => (vec![], unclear),
        }
    }
}
