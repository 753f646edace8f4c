//! Deletes many texts at once: the indexes of their words are made anew instead of being changed row by row.
//!
//! Runs on the database thread, within a transaction. In: how many rows are about to be deleted, and the work that deletes
//! them. A row that is taken out of an index overwrites its words there, which takes about 0.6 ms; making the index of
//! 50,000 texts anew takes a second, and no word of the old one stays either. Of few rows only their own words are touched.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::StoreError;

/// Rows up to which the triggers take the words out.
const FEW: usize = 500;

/// Makes the indexes anew after what their triggers would have done: the words of the texts that are left, and the
/// embeddings of the entries that are left.
const ANEW: &str = "
    DELETE FROM vector WHERE memory NOT IN (SELECT id FROM memory);
    INSERT INTO memory_words (memory_words) VALUES ('delete-all');
    INSERT INTO memory_words (rowid, text) SELECT id, text FROM memory;
    INSERT INTO message_words (message_words) VALUES ('delete-all');
    INSERT INTO message_words (rowid, text) SELECT id, text FROM message WHERE role = 'user';
    INSERT INTO work_archive_words (work_archive_words) VALUES ('delete-all');
    INSERT INTO work_archive_words (rowid, summary, full_text) SELECT id, summary, full_text FROM work_archive;";

/// Runs `work` in a transaction, which deletes about `rows` rows of memories and messages and changes no other.
pub(super) fn deleting<T>(
    db: &Connection,
    rows: usize,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if rows <= FEW {
        return work(db);
    }
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    let done = work(db).and_then(|done| Ok(db.execute_batch(ANEW).map(|()| done)?));
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true)?;
    done
}

/// Counts the rows of `table` that meet `condition`, for [`deleting`]; more than matter are not counted.
pub(super) fn count(
    db: &Connection,
    table: &str,
    condition: &str,
    params: impl rusqlite::Params,
) -> Result<usize, StoreError> {
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {condition} LIMIT {})", FEW + 1);
    let rows: i64 = db.query_row(&sql, params, |row| row.get(0))?;
    Ok(usize::try_from(rows).unwrap_or(usize::MAX))
}
