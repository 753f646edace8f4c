//! Sessions of agents that are over: their summary and full text, and the search in both.
//!
//! Runs on the database thread. A session is archived once: the same transaction marks its cells and clears its inner
//! history, and does nothing where another one has done so.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::super::handle::durably;
use super::super::{Store, StoreError};
use super::moment;
use joi_base::message::Origin;
use joi_language::words;

/// A session that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedSession {
    /// Its number.
    pub id: i64,
    /// Whose.
    pub work: i64,
    /// When it began and ended.
    pub began: Timestamp,
    /// Its end.
    pub ended: Timestamp,
    /// Why it was archived.
    pub reason: String,
    /// Messages in it.
    pub messages: u32,
    /// Calls in it.
    pub calls: u32,
    /// Two or three sentences.
    pub summary: String,
    /// Whose words it holds.
    pub origin: Origin,
}

/// A session to be archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewArchive {
    /// Whose.
    pub work: i64,
    /// Its last cell.
    pub last_cell: i64,
    /// Its first message.
    pub began: Timestamp,
    /// Its last one.
    pub ended: Timestamp,
    /// Why it is archived.
    pub reason: String,
    /// Messages in it.
    pub messages: u32,
    /// Calls in it.
    pub calls: u32,
    /// Two or three sentences.
    pub summary: String,
    /// Everything that was said and done.
    pub full_text: String,
    /// Whose words it holds.
    pub origin: Origin,
}

const COLUMNS: &str =
    "SELECT id, work, began_ms, ended_ms, reason, messages, calls, summary, origin FROM work_archive";

impl Store {
    /// Archives a session; returns whether it was not archived before.
    ///
    /// # Errors
    /// The database's.
    pub async fn archive_session(&self, new: NewArchive) -> Result<bool, StoreError> {
        self.run(move |db| {
            durably(db, |db| {
                let tx = db.transaction()?;
                let row = params![
                    new.work,
                    new.began.as_millisecond(),
                    new.ended.as_millisecond(),
                    new.reason,
                    new.messages,
                    new.calls,
                    new.summary,
                    new.full_text,
                    new.origin.name()
                ];
                tx.execute(
                    "INSERT INTO work_archive (work, began_ms, ended_ms, reason, messages, calls, summary, full_text,
                     origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    row,
                )?;
                let id = tx.last_insert_rowid();
                let mark = "UPDATE work_cell SET archive = ?3 WHERE work = ?1 AND archive IS NULL AND id <= ?2";
                if tx.execute(mark, [new.work, new.last_cell, id])? == 0 {
                    return Ok(false);
                }
                tx.execute("DELETE FROM work_step WHERE work = ?1", [new.work])?;
                tx.commit()?;
                Ok(true)
            })
        })
        .await
    }

    /// Returns the newest archived sessions of an agent, newest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn archived_sessions(&self, work: i64, limit: u32) -> Result<Vec<ArchivedSession>, StoreError> {
        self.run(move |db| {
            let mut query =
                db.prepare_cached(&format!("{COLUMNS} WHERE work = ?1 ORDER BY id DESC LIMIT ?2"))?;
            Ok(query.query_map(params![work, limit], session)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns the archived sessions since `since` whose summary or text holds the words, the best first; `work` 0 is every
    /// agent.
    ///
    /// # Errors
    /// The database's.
    pub async fn search_sessions(
        &self,
        work: i64,
        query: &str,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ArchivedSession>, StoreError> {
        // Each word quoted: none of them is an operator of the search.
        let wanted: Vec<String> =
            words::words(query).iter().map(|word| format!("\"{}\"*", word.replace('"', ""))).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = wanted.join(" OR ");
        self.run(move |db| {
            let sql = format!(
                "{COLUMNS} JOIN work_archive_words ON work_archive_words.rowid = work_archive.id
                 WHERE work_archive_words MATCH ?1 AND (?2 = 0 OR work = ?2) AND ended_ms >= ?3
                 ORDER BY bm25(work_archive_words), id DESC LIMIT ?4"
            )
            .replace("summary, origin", "work_archive.summary, origin");
            let mut found = db.prepare_cached(&sql)?;
            let row = params![wanted, work, since.as_millisecond(), limit];
            Ok(found.query_map(row, session)?.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn session(row: &Row<'_>) -> rusqlite::Result<ArchivedSession> {
    Ok(ArchivedSession {
        id: row.get(0)?,
        work: row.get(1)?,
        began: moment(row.get(2)?),
        ended: moment(row.get(3)?),
        reason: row.get(4)?,
        messages: row.get(5)?,
        calls: row.get(6)?,
        summary: row.get(7)?,
        origin: Origin::called(&row.get::<_, String>(8)?),
    })
}
