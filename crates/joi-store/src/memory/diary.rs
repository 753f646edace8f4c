//! The diary's progress through the dialogue, and the writing of a page.
//!
//! Runs on the database thread. A page and the progress are written in one transaction, so that a
//! conversation is summarised once, whatever fails in between. A conversation of which something was erased
//! meanwhile is not written: the page might contain the erased words.

use rusqlite::{Connection, OptionalExtension, params};

use super::super::dialogue::{self, DialogueRow};
use super::super::handle::durably;
use super::super::{Store, StoreError, settings};
use super::{NewMemory, add};

/// The last message that the diary covers.
const THROUGH: &str = "diary.through";

/// A conversation that has ended, with its summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryPage {
    /// The conversation, as it was read.
    pub rows: Vec<DialogueRow>,
    /// The entries to be stored.
    pub memories: Vec<NewMemory>,
}

impl Store {
    /// Returns the oldest `limit` messages that the diary does not cover yet, oldest first.
    pub async fn beyond_diary(&self, limit: u32) -> Result<Vec<DialogueRow>, StoreError> {
        self.run(move |db| dialogue::after(db, through(db)?, limit)).await
    }

    /// Writes a page. Returns whether it was written: it is not when its messages have changed since.
    pub async fn write_diary(&self, page: DiaryPage) -> Result<bool, StoreError> {
        let written = self.run(move |db| durably(db, |db| write(db, &page))).await;
        self.changes.note();
        written
    }
}

fn through(db: &Connection) -> Result<i64, StoreError> {
    let known = settings::get(db, THROUGH)?.and_then(|id| id.parse().ok());
    if let Some(known) = known {
        return Ok(known);
    }
    // Imported messages have smaller numbers than the first.
    let first: Option<i64> =
        db.query_row("SELECT min(id) FROM message", [], |row| row.get(0)).optional()?.flatten();
    Ok(first.unwrap_or(1) - 1)
}

fn write(db: &mut Connection, page: &DiaryPage) -> Result<bool, StoreError> {
    let (Some(first), Some(last)) = (page.rows.first(), page.rows.last()) else { return Ok(false) };
    let tx = db.transaction()?;
    let known = through(&tx)?;
    let mut is_same = known < first.id;
    {
        let mut text = tx.prepare_cached("SELECT text FROM message WHERE id = ?1")?;
        for row in &page.rows {
            let now: Option<String> = text.query_row(params![row.id], |row| row.get(0)).optional()?;
            is_same &= now.as_ref() == Some(&row.text.0);
        }
    }
    if !is_same {
        return Ok(false);
    }
    for memory in &page.memories {
        add(&tx, memory)?;
    }
    settings::set(&tx, THROUGH, &last.id.to_string())?;
    tx.commit()?;
    Ok(true)
}
