//! The records of turns, each as one JSON text.
//!
//! Runs on the database thread. A record that this version can't read is skipped and logged.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::StoreError;
use joi_base::trace::TurnRecord;

pub(super) fn save(db: &Connection, record: &TurnRecord) -> Result<(), StoreError> {
    let at: Timestamp =
        record.at.parse().map_err(|_| StoreError::Record("its time is not in RFC 3339".into()))?;
    let json = serde_json::to_string(record).map_err(|e| StoreError::Record(e.to_string()))?;
    db.execute("INSERT INTO turn (at_ms, record) VALUES (?1, ?2)", params![at.as_millisecond(), json])?;
    Ok(())
}

pub(super) fn newest(
    db: &Connection,
    limit: u32,
    is_wanted: impl Fn(&TurnRecord) -> bool,
) -> Result<Vec<TurnRecord>, StoreError> {
    let mut query = db.prepare_cached("SELECT id, record FROM turn ORDER BY id DESC")?;
    let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let mut records = Vec::new();
    for row in rows {
        if records.len() >= limit as usize {
            break;
        }
        let (id, json) = row?;
        match serde_json::from_str(&json) {
            Ok(record) => records.extend(Some(record).filter(&is_wanted)),
            Err(error) => tracing::debug!(id, %error, "skipped a turn record of another version"),
        }
    }
    Ok(records)
}
