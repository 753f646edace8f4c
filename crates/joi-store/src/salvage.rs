//! Fills a new database with what can be read of a damaged one, table by table, and the rest from a snapshot.
//!
//! Runs on the thread that replaces the database. In: the damaged file (opened read-only, never written) and the
//! snapshots, newest first. Out: rows in the new database, and what each table lost. Rows are read through SQL; what
//! that does not reach, from the pages themselves; the rest from a snapshot. Columns are matched by name, so that a file
//! of an older schema can be salvaged too. Embeddings and the full-text index are not copied: they are
//! made again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Transaction, params_from_iter};

use self::leaves::Leaf;
use self::rows::RowReader;
use super::beside::with_end;
use super::losses::{LostRows, TableLoss};
use super::{StoreError, snapshot};

mod leaves;
mod rows;
#[cfg(test)]
mod tests;

/// A table that is salvaged.
struct SalvagedTable {
    name: &'static str,
    /// Lists the numbers of all rows from an index, which may be sound when the table is not.
    listed: Option<&'static str>,
    /// Whether rows keep their numbers; otherwise a key of its own identifies a row.
    is_numbered: bool,
}

/// All tables with data that can't be made again, the weightiest first.
const TABLES: [SalvagedTable; 20] = [
    SalvagedTable { name: "schedule", listed: None, is_numbered: true },
    SalvagedTable { name: "watch", listed: None, is_numbered: true },
    SalvagedTable { name: "alert", listed: None, is_numbered: true },
    SalvagedTable { name: "outgoing", listed: None, is_numbered: true },
    SalvagedTable {
        name: "note",
        listed: Some("SELECT rowid FROM note INDEXED BY note_by_list WHERE list >= ''"),
        is_numbered: true,
    },
    SalvagedTable { name: "setting", listed: None, is_numbered: false },
    SalvagedTable {
        name: "memory",
        listed: Some("SELECT rowid FROM memory INDEXED BY memory_by_kind WHERE kind >= ''"),
        is_numbered: true,
    },
    SalvagedTable {
        name: "message",
        listed: Some("SELECT rowid FROM message INDEXED BY message_by_time WHERE at_ms > -9e18"),
        is_numbered: true,
    },
    SalvagedTable {
        name: "turn",
        listed: Some("SELECT rowid FROM turn INDEXED BY turn_by_time WHERE at_ms > -9e18"),
        is_numbered: true,
    },
    SalvagedTable { name: "announcement", listed: None, is_numbered: true },
    SalvagedTable { name: "context_state", listed: None, is_numbered: true },
    SalvagedTable { name: "impulse", listed: None, is_numbered: true },
    SalvagedTable { name: "conversation", listed: None, is_numbered: false },
    SalvagedTable { name: "work", listed: None, is_numbered: true },
    SalvagedTable { name: "work_cell", listed: None, is_numbered: true },
    SalvagedTable { name: "work_note", listed: None, is_numbered: true },
    SalvagedTable { name: "work_archive", listed: None, is_numbered: true },
    SalvagedTable { name: "work_step", listed: None, is_numbered: true },
    SalvagedTable { name: "work_run", listed: None, is_numbered: true },
    SalvagedTable { name: "model_usage", listed: None, is_numbered: true },
];

/// Greatest number looked for where the greatest that existed is unknown.
const UNKNOWN_LAST: i64 = 10_000;
/// From a larger gap the number of rows can't be inferred.
const TELLING_GAP: u64 = 1_000;

/// What came of it.
pub(super) struct Salvaged {
    /// Each table that lost something or was filled from a snapshot.
    pub(super) tables: Vec<TableLoss>,
    /// The day of the snapshot that was used.
    pub(super) snapshot: Option<String>,
}

/// Numbers of rows that could not be read.
enum Missing {
    /// Exactly these.
    Listed(BTreeSet<i64>),
    /// Those in these ranges, if there were any.
    Within(Vec<(i64, i64)>),
    /// Any.
    All,
}

impl Missing {
    fn is_nothing(&self) -> bool {
        match self {
            Self::Listed(ids) => ids.is_empty(),
            Self::Within(gaps) => gaps.is_empty(),
            Self::All => false,
        }
    }

    fn holds(&self, id: i64) -> bool {
        match self {
            Self::Listed(ids) => ids.contains(&id),
            Self::Within(gaps) => gaps.iter().any(|(low, high)| (*low..=*high).contains(&id)),
            Self::All => true,
        }
    }

    /// A row is there again, unless it was there before.
    fn came_back(&mut self, id: i64, rows: usize) {
        match self {
            Self::Listed(ids) => {
                ids.remove(&id);
            }
            Self::Within(gaps) if rows > 0 => {
                let Some(at) = gaps.iter().position(|(low, high)| (*low..=*high).contains(&id)) else {
                    return;
                };
                let (low, high) = gaps.swap_remove(at);
                gaps.extend(
                    [(low, id.saturating_sub(1)), (id.saturating_add(1), high)]
                        .into_iter()
                        .filter(|(a, b)| a <= b),
                );
            }
            Self::Within(_) | Self::All => {}
        }
    }

    fn lost(&self, restored: u64) -> LostRows {
        let width = |(low, high): &(i64, i64)| high.abs_diff(*low).saturating_add(1);
        match self {
            _ if self.is_nothing() => LostRows::Nothing,
            Self::Listed(ids) => LostRows::Exactly((ids.len() as u64).saturating_sub(restored)),
            Self::Within(gaps) => match gaps.iter().map(width).fold(0, u64::saturating_add) {
                count @ ..=TELLING_GAP => LostRows::AtMost(count.saturating_sub(restored)),
                _ => LostRows::Unknown,
            },
            Self::All => LostRows::Unknown,
        }
    }
}

/// Fills `fresh` from the file at `damaged`, and what that lacks from the newest snapshot that can be read.
pub(super) fn fill(fresh: &mut Connection, damaged: &Path) -> Result<Salvaged, StoreError> {
    let source = open(damaged);
    let (behind, day) = snapshot::newest_first(damaged).into_iter().find_map(snapshot_source).unzip();
    let tx = fresh.transaction()?;
    let mut found = Vec::new();
    for table in &TABLES {
        let (saved, missing) = match &source {
            Some(source) => from_damaged(&tx, source, table)?,
            None => (0, Missing::All),
        };
        found.push(Found { table, saved, missing, from_snapshot: 0 });
    }
    if found.iter().any(|found| !found.missing.is_nothing()) {
        from_pages(&tx, damaged, &mut found)?;
    }
    if let Some(behind) = &behind {
        for found in found.iter_mut().filter(|found| !found.missing.is_nothing()) {
            found.from_snapshot = copy_missing(&tx, behind, found.table, &found.missing)?;
        }
    }
    let tables: Vec<TableLoss> =
        found.iter().filter(|found| !found.missing.is_nothing()).map(Found::loss).collect();
    for source in source.iter().chain(&behind) {
        continue_numbers(&tx, source)?;
    }
    if tables.iter().any(|table| table.table == "conversation") {
        taint_what_is_unknown(&tx)?;
    }
    tx.commit()?;
    let is_used = tables.iter().any(|table| table.from_snapshot > 0);
    Ok(Salvaged { tables, snapshot: day.filter(|_| is_used) })
}

/// The result for one table.
struct Found {
    table: &'static SalvagedTable,
    saved: u64,
    missing: Missing,
    from_snapshot: u64,
}

impl Found {
    fn loss(&self) -> TableLoss {
        TableLoss {
            table: self.table.name.to_owned(),
            saved: self.saved,
            from_snapshot: self.from_snapshot,
            lost: self.missing.lost(self.from_snapshot),
        }
    }
}

/// Adds the missing rows that stand in pages which no tree leads to.
fn from_pages(tx: &Transaction<'_>, damaged: &Path, found: &mut [Found]) -> Result<(), StoreError> {
    // Pages in the log are newer than those of the file: what stands there may have been changed or erased since.
    let log = with_end(damaged, "-wal");
    if std::fs::metadata(log).is_ok_and(|about| about.len() > 0) {
        return Ok(());
    }
    let mut failed = None;
    let take = |(name, columns): leaves::Kind, leaf: Leaf| {
        let Some(found) = found.iter_mut().find(|found| found.table.name == name) else { return };
        if found.missing.is_nothing() || found.table.is_numbered && !found.missing.holds(leaf.id) {
            return;
        }
        let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
        let number = found.table.is_numbered.then_some(Value::Integer(leaf.id));
        let stored = tx
            .prepare_cached(&insert(found.table, &columns))
            .and_then(|mut insert| insert.execute(params_from_iter(number.into_iter().chain(leaf.values))));
        match stored {
            Ok(rows) => {
                found.saved += rows as u64;
                found.missing.came_back(leaf.id, rows);
            }
            // A row that the new table refuses is no row of it.
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => {}
            Err(error) => failed = Some(error),
        }
    };
    if let Err(error) = leaves::scan(damaged, take) {
        tracing::warn!(%error, "the pages of the damaged database can't be read");
    }
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// The damaged file, if anything can be read of it. It is not written to.
fn open(path: &Path) -> Option<Connection> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    // A damaged definition of one table must not hide the others.
    db.execute_batch("PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON").ok()?;
    let tables: i64 =
        db.query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'", [], |row| row.get(0)).ok()?;
    (tables > 0).then_some(db)
}

fn snapshot_source(path: PathBuf) -> Option<(Connection, String)> {
    let db = open(&path)?;
    let verdict: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).ok()?;
    (verdict == "ok").then(|| (db, snapshot::day(&path)))
}

/// Copies what can be read; returns how many rows, and which could not.
fn from_damaged(
    tx: &Transaction<'_>,
    source: &Connection,
    table: &SalvagedTable,
) -> Result<(u64, Missing), StoreError> {
    let columns = match common_columns(tx, source, table.name)? {
        Columns::Known(columns) => columns,
        Columns::NoTable => return Ok((0, Missing::Within(Vec::new()))),
        Columns::Unreadable => return Ok((0, Missing::All)),
    };
    let insert = insert(table, &columns);
    let mut insert = tx.prepare(&insert)?;
    let mut saved = BTreeSet::new();
    let mut take = |id: i64, values: Vec<Value>| {
        let number = table.is_numbered.then_some(Value::Integer(id));
        let is_stored = insert.execute(params_from_iter(number.into_iter().chain(values))).is_ok();
        if is_stored {
            saved.insert(id);
        }
        is_stored
    };
    let last = last_number(source, table.name);
    let bounds = (1, last.unwrap_or(UNKNOWN_LAST));
    let gaps = RowReader::new(source, table.name, &columns, &mut take).read(bounds);
    let count = saved.len() as u64;
    if gaps.is_empty() {
        return Ok((count, Missing::Within(gaps)));
    }
    let listed = table.listed.and_then(|sql| listed(source, sql));
    Ok(match listed {
        // An index that misses rows which were read is damaged itself.
        Some(listed) if saved.is_subset(&listed) => (count, Missing::Listed(&listed - &saved)),
        _ if saved.is_empty() && last.is_none() => (count, Missing::All),
        _ => (count, Missing::Within(gaps)),
    })
}

/// Copies the missing rows that the snapshot has; returns how many.
fn copy_missing(
    tx: &Transaction<'_>,
    snapshot: &Connection,
    table: &SalvagedTable,
    missing: &Missing,
) -> Result<u64, StoreError> {
    let Columns::Known(columns) = common_columns(tx, snapshot, table.name)? else { return Ok(0) };
    let mut insert = tx.prepare(&insert(table, &columns))?;
    let mut copied = 0;
    let mut take = |id: i64, values: Vec<Value>| {
        if table.is_numbered && !missing.holds(id) {
            return true;
        }
        let number = table.is_numbered.then_some(Value::Integer(id));
        let stored = insert.execute(params_from_iter(number.into_iter().chain(values)));
        copied += stored.map_or(0, |rows| rows as u64);
        true
    };
    RowReader::new(snapshot, table.name, &columns, &mut take).read((1, 1));
    Ok(copied)
}

fn insert(table: &SalvagedTable, columns: &[String]) -> String {
    let number = if table.is_numbered { "id, " } else { "" };
    let count = columns.len() + usize::from(table.is_numbered);
    let marks = vec!["?"; count].join(", ");
    format!("INSERT OR IGNORE INTO {} ({number}{}) VALUES ({marks})", table.name, columns.join(", "))
}

enum Columns {
    Known(Vec<String>),
    /// The file is of a schema without this table.
    NoTable,
    Unreadable,
}

/// Columns, but for the number, that a table has in both databases.
fn common_columns(fresh: &Connection, source: &Connection, table: &str) -> Result<Columns, StoreError> {
    let read = |db: &Connection| -> rusqlite::Result<Vec<String>> {
        let mut query = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
        query.query_map([table], |row| row.get(0))?.collect()
    };
    let wanted = read(fresh)?;
    let there = match read(source) {
        Ok(there) if there.is_empty() => {
            let sql = "SELECT count(*) FROM sqlite_schema WHERE name = ?1";
            let is_named = source.query_row(sql, [table], |row| row.get::<_, i64>(0));
            return Ok(if is_named.is_ok_and(|count| count == 0) {
                Columns::NoTable
            } else {
                Columns::Unreadable
            });
        }
        Ok(there) => there,
        Err(_) => return Ok(Columns::Unreadable),
    };
    Ok(Columns::Known(wanted.into_iter().filter(|name| name != "id" && there.contains(name)).collect()))
}

fn listed(source: &Connection, sql: &str) -> Option<BTreeSet<i64>> {
    let mut query = source.prepare(sql).ok()?;
    query.query_map([], |row| row.get(0)).ok()?.collect::<Result<_, _>>().ok()
}

/// The greatest number a table ever used.
fn last_number(db: &Connection, table: &str) -> Option<i64> {
    db.query_row("SELECT seq FROM sqlite_sequence WHERE name = ?1", [table], |row| row.get(0)).ok()
}

/// Numbers are never used twice, also after a salvage.
fn continue_numbers(tx: &Transaction<'_>, source: &Connection) -> Result<(), StoreError> {
    for table in TABLES.iter().filter(|table| table.is_numbered) {
        let Some(last) = last_number(source, table.name) else { continue };
        let sql = "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1";
        if tx.execute(sql, rusqlite::params![table.name, last])? == 0 {
            tx.execute("INSERT INTO sqlite_sequence VALUES (?1, ?2)", rusqlite::params![table.name, last])?;
        }
    }
    Ok(())
}

/// A conversation whose tool history is lost may have held strangers' words: a history that can't be read counts as
/// tainted.
fn taint_what_is_unknown(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT OR IGNORE INTO conversation (channel, place, tool_history)
         SELECT DISTINCT channel, place, 'lost' FROM message",
        [],
    )?;
    Ok(())
}
