//! Reads the readable rows of one table of a damaged database.
//!
//! Runs on the thread that replaces the database. In: a connection, a table, bounds of its row numbers. Out: each row
//! once, and the ranges of numbers that could not be read. A damaged page costs its own rows only: the table is read
//! upward to the damage, downward to the damage, and what lies between is halved until single numbers are left.
//! The number of failed reads is bounded.

use rusqlite::Connection;
use rusqlite::types::Value;

/// Failed reads of one table; what lies behind them is given up. Some seconds on a slow card.
const MOST_FAILURES: u32 = 100_000;

/// Receives a row with its number; returns whether it could be used.
pub(super) type RowTake<'a> = dyn FnMut(i64, Vec<Value>) -> bool + 'a;

/// Reads one table.
pub(super) struct RowReader<'a> {
    db: &'a Connection,
    upward: String,
    downward: String,
    take: &'a mut RowTake<'a>,
    failures: u32,
    gaps: Vec<(i64, i64)>,
}

/// How far a pass came.
struct SalvagePass {
    last: Option<i64>,
    is_complete: bool,
}

impl<'a> RowReader<'a> {
    /// A reader of `columns` of `table`.
    pub(super) fn new(
        db: &'a Connection,
        table: &str,
        columns: &[String],
        take: &'a mut RowTake<'a>,
    ) -> Self {
        let select = format!(
            "SELECT rowid, {} FROM {table} WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid",
            columns.join(", ")
        );
        let downward = format!("{select} DESC");
        Self { db, upward: select, downward, take, failures: 0, gaps: Vec::new() }
    }

    /// Reads all rows; returns the unreadable ranges of numbers in order. `bounds` are the least and the greatest
    /// number there may be, for a table of which neither end can be read.
    pub(super) fn read(mut self, bounds: (i64, i64)) -> Vec<(i64, i64)> {
        let up = self.upward(i64::MIN, i64::MAX);
        if up.is_complete {
            return merged(self.gaps);
        }
        let low = up.last.map_or(bounds.0, |last| last.saturating_add(1));
        let down = self.downward(low, i64::MAX);
        if !down.is_complete {
            let high = down.last.map_or(bounds.1.max(low), |last| last.saturating_sub(1));
            self.between(low, high);
        }
        merged(self.gaps)
    }

    fn between(&mut self, low: i64, high: i64) {
        let mut open = vec![(low, high)];
        while let Some((low, high)) = open.pop() {
            if low > high {
                continue;
            }
            if self.failures >= MOST_FAILURES {
                self.gaps.push((low, high));
                continue;
            }
            let middle = low.midpoint(high);
            let up = self.upward(middle, high);
            if !up.is_complete {
                if up.last.is_none() {
                    self.gaps.push((middle, middle));
                }
                open.push((up.last.unwrap_or(middle).saturating_add(1), high));
            }
            let below = middle.saturating_sub(1);
            if low > below {
                continue;
            }
            let down = self.downward(low, below);
            if !down.is_complete {
                if down.last.is_none() {
                    self.gaps.push((below, below));
                }
                open.push((low, down.last.unwrap_or(below).saturating_sub(1)));
            }
        }
    }

    fn upward(&mut self, from: i64, through: i64) -> SalvagePass {
        let sql = self.upward.clone();
        self.pass(&sql, (from, through), |last, id| id > last)
    }

    fn downward(&mut self, from: i64, through: i64) -> SalvagePass {
        let sql = self.downward.clone();
        self.pass(&sql, (from, through), |last, id| id < last)
    }

    fn pass(&mut self, sql: &str, (from, through): (i64, i64), follows: fn(i64, i64) -> bool) -> SalvagePass {
        let mut last = None;
        let failed = |last| SalvagePass { last, is_complete: false };
        self.failures += 1;
        let db = self.db;
        let Ok(mut query) = db.prepare_cached(sql) else { return failed(last) };
        let count = query.column_count();
        let Ok(mut rows) = query.query([from, through]) else { return failed(last) };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => break,
                Err(_) => return failed(last),
            };
            let Ok(id) = row.get::<_, i64>(0) else { return failed(last) };
            // A damaged tree may lead in circles.
            if last.is_some_and(|last| !follows(last, id)) {
                return failed(last);
            }
            last = Some(id);
            let values: Result<Vec<Value>, _> = (1..count).map(|column| row.get(column)).collect();
            if !values.is_ok_and(|values| (self.take)(id, values)) {
                self.gaps.push((id, id));
            }
        }
        self.failures -= 1;
        SalvagePass { last, is_complete: true }
    }
}

/// Ranges in order; those that touch become one.
fn merged(mut gaps: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    gaps.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (low, high) in gaps {
        match merged.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = high.max(*end),
            _ => merged.push((low, high)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_become_one() {
        assert_eq!(merged(vec![(5, 5), (1, 2), (3, 3), (7, 9), (8, 8)]), [(1, 3), (5, 5), (7, 9)]);
        assert_eq!(merged(Vec::new()), []);
    }

    #[test]
    fn a_sound_table_is_read_once_and_a_row_that_is_refused_is_a_gap() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO t VALUES (1,'a'),(4,'b'),(9,'c')",
        )
        .unwrap();
        let mut seen = Vec::new();
        let mut take = |id: i64, _: Vec<Value>| {
            seen.push(id);
            id != 4
        };
        let gaps = RowReader::new(&db, "t", &["x".to_owned()], &mut take).read((1, 9));
        assert_eq!((gaps, seen), (vec![(4, 4)], vec![1, 4, 9]));
    }
}
