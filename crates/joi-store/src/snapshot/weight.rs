//! Whether a database says more than a snapshot of it: the log of decisions, the state of the house, and when the clock
//! and the program last ran don't count.
//!
//! Runs on the thread of its caller. In: both files, open. Out: whether a table that counts differs. Both are read in
//! order and nothing is written, not even beside them; the first difference ends it.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use crate::{StoreError, settings};

/// Tables that change by themselves while nobody does or says anything, and are made again as quickly.
const LIGHT: [&str; 2] = ["impulse", "context_state"];

/// Whether `database` holds what `snapshot` does not, or the other way round.
pub(super) fn differs(database: &Connection, snapshot: &Connection) -> Result<bool, StoreError> {
    let tables = tables(database)?;
    if schema(database)? != schema(snapshot)? || tables != self::tables(snapshot)? {
        return Ok(true);
    }
    // First what is quickly known of all tables.
    for look in [extent, content] {
        for table in &tables {
            if look(database, table)? != look(snapshot, table)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The tables that count. An index of words follows from its table.
fn tables(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name";
    let mut query = db.prepare(sql)?;
    let names = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let counts = |name: &String| !LIGHT.contains(&name.as_str()) && !name.starts_with("sqlite_");
    Ok(names.into_iter().filter(counts).collect())
}

fn schema(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The rows of a table that count, as a query names them.
fn weighty(table: &str) -> String {
    match table {
        "setting" => format!("setting WHERE key NOT IN ('{}')", settings::BOOKKEEPING.join("', '")),
        table => format!("\"{table}\""),
    }
}

/// How many rows there are.
fn extent(db: &Connection, table: &str) -> rusqlite::Result<String> {
    let sql = format!("SELECT count(*) FROM {}", weighty(table));
    let rows: i64 = db.query_row(&sql, [], |row| row.get(0))?;
    Ok(rows.to_string())
}

/// The digest of all rows in their order.
fn content(db: &Connection, table: &str) -> rusqlite::Result<String> {
    let mut query = db.prepare(&format!("SELECT * FROM {} ORDER BY rowid", weighty(table)))?;
    let (columns, mut digest) = (query.column_count(), Sha256::new());
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            digest_value(&mut digest, row.get_ref(column)?);
        }
    }
    Ok(format!("{:x?}", digest.finalize().as_slice()))
}

/// A value with its kind and length, so that no two rows look alike that are not.
fn digest_value(digest: &mut Sha256, value: ValueRef<'_>) {
    let (kind, bytes): (u8, &[u8]) = match &value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(number) => return of_kind(digest, 1, &number.to_le_bytes()),
        ValueRef::Real(number) => return of_kind(digest, 2, &number.to_le_bytes()),
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(blob) => (4, blob),
    };
    of_kind(digest, kind, bytes);
}

fn of_kind(digest: &mut Sha256, kind: u8, bytes: &[u8]) {
    digest.update([kind]);
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}
