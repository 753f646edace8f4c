//! What the database is still to learn of alarms.
//!
//! In: alarms that are raised, heard or over, and what was written. Out: the next thing to be written, and whether an
//! alarm is stored. An alarm is added as it was raised, and amended only once its row is known: so it may be added
//! again where nobody knows whether it was. At most [`MOST`] wait; one that was heard gives way first.
//! Pure: no I/O, no clock.

use jiff::Timestamp;

use super::{AcknowledgedBy, Alert};

/// Alarms of which the database may have to learn something.
const MOST: usize = 100;

/// One write of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AlertWrite {
    /// This alarm is new, unless it is there already.
    Add(Alert),
    /// The alarm of this row stands so now.
    Amend(i64, Alert),
}

/// All alarms that may still change, or are not stored.
#[derive(Debug, Default)]
pub(super) struct AlertRows(Vec<AlertRow>);

#[derive(Debug)]
struct AlertRow {
    raised: Alert,
    now: Alert,
    row: Option<i64>,
    /// The database knows how it stands now.
    is_written: bool,
    /// It does not change any more.
    is_over: bool,
}

impl AlertRows {
    /// A new alarm.
    pub(super) fn raised(&mut self, alert: &Alert) {
        let (raised, now) = (alert.clone(), alert.clone());
        self.put(AlertRow { raised, now, row: None, is_written: false, is_over: !alert.repeats() });
    }

    /// One of before the last end of the program.
    pub(super) fn restored(&mut self, row: i64, alert: &Alert) {
        let (raised, now) = (alert.clone(), alert.clone());
        self.put(AlertRow { raised, now, row: Some(row), is_written: true, is_over: false });
    }

    fn put(&mut self, new: AlertRow) {
        if self.0.len() >= MOST {
            let oldest = self.0.iter().position(|row| row.is_over).unwrap_or(0);
            self.0.remove(oldest);
        }
        self.0.push(new);
    }

    /// Somebody has heard it.
    pub(super) fn heard(&mut self, alert: &Alert, at: Timestamp, by: AcknowledgedBy) {
        if let Some(row) = self.0.iter_mut().find(|row| row.raised == *alert) {
            (row.now.acknowledged, row.now.by) = (Some(at), Some(by));
            (row.is_written, row.is_over) = (false, true);
        }
    }

    /// It is announced no more, though nobody has heard it.
    pub(super) fn ended(&mut self, alert: &Alert) {
        self.0.retain(|row| row.raised != *alert || !row.is_written);
        self.0.iter_mut().filter(|row| row.raised == *alert).for_each(|row| row.is_over = true);
    }

    /// Returns what is to be written next.
    pub(super) fn next(&self) -> Option<AlertWrite> {
        let row = self.0.iter().find(|row| !row.is_written)?;
        Some(match row.row {
            Some(id) => AlertWrite::Amend(id, row.now.clone()),
            None => AlertWrite::Add(row.raised.clone()),
        })
    }

    /// That was written, and this is the row.
    pub(super) fn written(&mut self, write: &AlertWrite, id: i64) {
        let is_it = |row: &&mut AlertRow| match write {
            AlertWrite::Add(alert) => row.raised == *alert,
            AlertWrite::Amend(of, _) => row.row == Some(*of),
        };
        let (AlertWrite::Add(stored) | AlertWrite::Amend(_, stored)) = write;
        if let Some(row) = self.0.iter_mut().find(is_it) {
            // It may have been heard meanwhile.
            (row.row, row.is_written) = (Some(id), row.now == *stored);
        }
        self.0.retain(|row| !row.is_written || !row.is_over);
    }

    /// Returns whether the database has every alarm that reports the same.
    pub(super) fn is_stored(&self, alert: &Alert) -> bool {
        self.0.iter().all(|row| row.row.is_some() || !row.raised.is_same(alert))
    }

    /// Returns whether the database has all alarms, heard or not.
    pub(super) fn are_stored(&self) -> bool {
        self.0.iter().all(|row| row.row.is_some())
    }

    /// Returns whether another alarm has this key.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.0.iter().any(|row| row.raised.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use super::super::AlertKind;
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn high(text: &str, second: i64) -> Alert {
        Alert::new(AlertKind::High { text: text.to_owned() }, at(second))
    }

    #[test]
    fn an_alarm_that_was_heard_before_it_was_stored_is_added_and_then_amended() {
        let (mut rows, alert) = (AlertRows::default(), high("Smoke", 1));
        rows.raised(&alert);
        assert!(!rows.is_stored(&high("Smoke", 9)) && rows.is_stored(&high("Water", 9)));
        let add = AlertWrite::Add(alert.clone());
        assert_eq!(rows.next(), Some(add.clone()));
        rows.heard(&alert, at(2), AcknowledgedBy::Socket);
        assert_eq!(rows.next(), Some(add.clone()), "the same again: it may be there");
        rows.written(&add, 7);
        assert!(rows.is_stored(&alert) && rows.are_stored());
        let by = Some(AcknowledgedBy::Socket);
        let amend = AlertWrite::Amend(7, Alert { acknowledged: Some(at(2)), by, ..alert });
        assert_eq!(rows.next(), Some(amend.clone()));
        rows.written(&amend, 7);
        assert_eq!((rows.next(), rows.0.len()), (None, 0), "nothing is left to be known");
    }

    #[test]
    fn nothing_is_kept_of_alarms_that_are_stored_and_over_and_never_more_than_can_be() {
        let mut rows = AlertRows::default();
        let back = Alert::new(AlertKind::HouseLost { lost_s: 600 }, at(1));
        rows.raised(&back);
        rows.written(&AlertWrite::Add(back), 1);
        let test = Alert::new(AlertKind::Test, at(2));
        rows.raised(&test);
        rows.written(&AlertWrite::Add(test.clone()), 2);
        rows.ended(&test);
        assert_eq!(rows.0.len(), 0);
        let count = i64::try_from(MOST).unwrap();
        for n in 0..count {
            rows.raised(&high("Smoke", n));
        }
        rows.heard(&high("Smoke", 5), at(99), AcknowledgedBy::Voice);
        rows.raised(&high("Water", count));
        assert_eq!(rows.0.len(), MOST);
        assert!(rows.has_key(&high("Smoke", 0).key()) && !rows.has_key(&high("Smoke", 5).key()));
    }
}
