//! Long-term memory beyond the dialogue: facts about the user, standing wishes, facts about the world, the
//! diary, and the user's documents.
//!
//! Runs on the database thread. In: redacted text. An entry replaces an older one that says the same or less.
//! A write has reached the disk when its future is ready; erased entries are overwritten in the tables, in
//! the full-text index and among the embeddings, and the write-ahead log is emptied.

use std::sync::atomic::Ordering;

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};

use super::handle::durably;
use super::{Store, StoreError, word_index};
use joi_base::message::Private;
use joi_language::values::deed::MemoryKind;
use joi_language::words;

mod diary;
mod embeddings;
mod export;
mod search;
#[cfg(test)]
mod tests;
mod topic;

pub use diary::DiaryPage;
pub use embeddings::{Embedding, Unembedded};
pub use export::{Imported, Portable};
pub use search::{HitSource, MemoryHit, MemoryQuery};
pub use topic::TopicMentions;

/// Entries compared at most when looking for one that says the same.
const LOOKED_THROUGH: u32 = 2_000;

/// A new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// Its kind.
    pub kind: MemoryKind,
    /// When it was said, or happened.
    pub at: Timestamp,
    /// The words, redacted.
    pub text: Private<String>,
    /// Its source: `said`, `typed`, `tool`, `diary`, [`STRANGER`], or a document's name.
    pub source: String,
}

/// The source of an entry that goes back to a stranger's words.
pub const STRANGER: &str = "stranger";

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Its number, never used twice.
    pub id: i64,
    /// Its kind.
    pub kind: MemoryKind,
    /// When it was said, or happened.
    pub at: Timestamp,
    /// The words.
    pub text: Private<String>,
    /// Its source.
    pub source: String,
}

/// The entries that are part of every prompt; each list newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryProfile {
    /// About the user.
    pub user: Vec<Memory>,
    /// Standing wishes.
    pub wishes: Vec<Memory>,
    /// The last conversation that has ended.
    pub last: Option<Memory>,
}

/// Those of `memories` that go back to no stranger.
fn own(mut memories: Vec<Memory>) -> Vec<Memory> {
    memories.retain(|memory| memory.source != STRANGER);
    memories
}

impl Store {
    /// Grows whenever this program changes something that is part of every prompt, or sees that another one has
    /// erased something (see [`Store::times_forgotten`]).
    pub fn profile_changes(&self) -> u64 {
        self.changes.all.load(Ordering::Acquire)
    }

    /// Stores entries and returns their numbers. Of two that say the same the newer one stays.
    pub async fn remember(&self, new: Vec<NewMemory>) -> Result<Vec<i64>, StoreError> {
        let is_warm = new.iter().any(|new| new.kind.is_warm());
        let ids = self.run(move |db| durably(db, |db| add_all(db, &new))).await;
        if is_warm {
            self.changes.note();
        }
        ids
    }

    /// The newest `limit` entries, of one kind or of all, newest first.
    pub async fn memories(&self, kind: Option<MemoryKind>, limit: u32) -> Result<Vec<Memory>, StoreError> {
        self.run(move |db| newest(db, kind, limit)).await
    }

    /// Counts all entries but the pages of the diary.
    pub async fn memory_count(&self) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM memory WHERE kind <> 'diary'";
        let count: i64 = self.run(move |db| Ok(db.query_row(sql, [], |row| row.get(0))?)).await?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The entry with this number.
    pub async fn memory(&self, id: i64) -> Result<Option<Memory>, StoreError> {
        self.run(move |db| Ok(select(db, "WHERE id = ?1", [id])?.pop())).await
    }

    /// The entries that are part of every prompt: at most `limit` of each kind, and none of a stranger's words.
    pub async fn profile(&self, limit: u32) -> Result<MemoryProfile, StoreError> {
        self.run(move |db| {
            Ok(MemoryProfile {
                user: own(newest(db, Some(MemoryKind::User), limit)?),
                wishes: own(newest(db, Some(MemoryKind::Wish), limit)?),
                last: own(newest(db, Some(MemoryKind::Diary), 1)?).pop(),
            })
        })
        .await
    }

    /// The search results, best first.
    pub async fn search(&self, search: MemoryQuery) -> Result<Vec<MemoryHit>, StoreError> {
        self.run(move |db| search::find(db, &search)).await
    }

    /// What mentions `topic`: how much [`Store::forget_about`] would erase.
    pub async fn known_about(&self, topic: &str) -> Result<TopicMentions, StoreError> {
        let topic = topic.to_owned();
        self.run(move |db| topic::find(db, &topic).map(|found| found.count())).await
    }

    /// Erases everything that mentions `topic`, so that no byte of it stays in the file: messages with their answers,
    /// entries, parts of documents, records, lists, timers, messages to be sent, alarms, the context state.
    pub async fn forget_about(&self, topic: &str) -> Result<TopicMentions, StoreError> {
        let topic = topic.to_owned();
        self.erase(move |db| topic::erase(db, &topic, None)).await
    }

    /// Erases the same, and stores `instead`: both or neither.
    pub async fn replace_about(&self, topic: &str, instead: NewMemory) -> Result<TopicMentions, StoreError> {
        let topic = topic.to_owned();
        self.erase(move |db| topic::erase(db, &topic, Some(&instead))).await
    }

    /// Erases these entries, so that no byte of them stays in the file; returns how many there were.
    pub async fn forget_memories(&self, ids: Vec<i64>) -> Result<usize, StoreError> {
        self.erase(move |db| remove(db, &ids)).await
    }

    /// Erases a document and returns how many parts it had.
    pub async fn forget_document(&self, name: &str) -> Result<usize, StoreError> {
        let name = name.to_owned();
        self.erase(move |db| {
            let tx = db.transaction()?;
            let pieces = remove_document(&tx, &name)?;
            tx.commit()?;
            Ok(pieces)
        })
        .await
    }

    /// Replaces the parts of a document.
    pub async fn put_document(
        &self,
        name: &str,
        pieces: Vec<String>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let name = name.to_owned();
        let put = move |db: &mut Connection| {
            let tx = db.transaction()?;
            remove_document(&tx, &name)?;
            for text in pieces {
                let (kind, text, source) = (MemoryKind::Document, Private(text), name.clone());
                insert(&tx, &NewMemory { kind, at, text, source })?;
            }
            Ok(tx.commit()?)
        };
        self.run(move |db| durably(db, put)).await
    }

    /// Erases entries of one kind from before `cutoff`, in the snapshots too; returns how many.
    pub async fn purge_memories(&self, kind: MemoryKind, cutoff: Timestamp) -> Result<usize, StoreError> {
        let purge = move |db: &mut Connection| -> Result<usize, StoreError> {
            let tx = db.transaction()?;
            let gone = remove_where(&tx, "kind = ?1 AND at_ms < ?2", (kind.name(), cutoff.as_millisecond()))?;
            tx.commit()?;
            Ok(gone)
        };
        let gone = self.run(purge).await;
        self.changes.note();
        self.purge_snapshots(purge).await?;
        gone
    }
}

fn add_all(db: &mut Connection, new: &[NewMemory]) -> Result<Vec<i64>, StoreError> {
    let tx = db.transaction()?;
    let ids = new.iter().map(|new| add(&tx, new)).collect::<Result<Vec<_>, _>>()?;
    tx.commit()?;
    Ok(ids)
}

/// Adds an entry; entries that say no more than it does are replaced. A stranger's never replaces the owner's, nor the
/// other way round.
fn add(tx: &Transaction<'_>, new: &NewMemory) -> Result<i64, StoreError> {
    let mut same =
        if new.kind.is_merged() { newest(tx, Some(new.kind), LOOKED_THROUGH)? } else { Vec::new() };
    same.retain(|old| (old.source == STRANGER) == (new.source == STRANGER));
    let mine = words::words(&new.text.0);
    for old in &same {
        let theirs = words::words(&old.text.0);
        if theirs.iter().all(|word| mine.contains(word)) && old.at <= new.at {
            tx.execute("DELETE FROM memory WHERE id = ?1", [old.id])?;
        } else if mine.iter().all(|word| theirs.contains(word)) {
            // An existing one is newer and the same, or says more: only its date is updated.
            let at = old.at.max(new.at).as_millisecond();
            tx.execute("UPDATE memory SET at_ms = ?2 WHERE id = ?1", params![old.id, at])?;
            return Ok(old.id);
        }
    }
    insert(tx, new)
}

fn insert(tx: &Transaction<'_>, new: &NewMemory) -> Result<i64, StoreError> {
    tx.prepare_cached("INSERT INTO memory (kind, at_ms, text, source) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![new.kind.name(), new.at.as_millisecond(), new.text.0, new.source])?;
    Ok(tx.last_insert_rowid())
}

/// Erases all entries.
pub(super) fn remove_all(db: &mut Connection) -> Result<usize, StoreError> {
    let tx = db.transaction()?;
    let gone = word_index::deleting(&tx, usize::MAX, |tx| Ok(tx.execute("DELETE FROM memory", [])?))?;
    tx.commit()?;
    Ok(gone)
}

/// Erases a document and returns how many parts it had.
fn remove_document(tx: &Transaction<'_>, name: &str) -> Result<usize, StoreError> {
    remove_where(tx, "kind = 'document' AND source = ?1", [name])
}

/// Erases the entries that meet `condition`, and returns how many there were.
fn remove_where(
    tx: &Transaction<'_>,
    condition: &str,
    params: impl rusqlite::Params + Clone,
) -> Result<usize, StoreError> {
    let rows = word_index::count(tx, "memory", condition, params.clone())?;
    let sql = format!("DELETE FROM memory WHERE {condition}");
    word_index::deleting(tx, rows, |tx| Ok(tx.execute(&sql, params)?))
}

fn remove(db: &mut Connection, ids: &[i64]) -> Result<usize, StoreError> {
    let tx = db.transaction()?;
    let gone = word_index::deleting(&tx, ids.len(), |tx| {
        let mut delete = tx.prepare_cached("DELETE FROM memory WHERE id = ?1")?;
        ids.iter().try_fold(0, |gone, id| Ok(gone + delete.execute([id])?))
    })?;
    tx.commit()?;
    Ok(gone)
}

fn newest(db: &Connection, kind: Option<MemoryKind>, limit: u32) -> Result<Vec<Memory>, StoreError> {
    let order = "ORDER BY at_ms DESC, id DESC LIMIT ?2";
    match kind {
        Some(kind) => select(db, &format!("WHERE kind = ?1 {order}"), params![kind.name(), limit]),
        None => select(db, &format!("WHERE ?1 IS NULL {order}"), params![rusqlite::types::Null, limit]),
    }
}

/// Entries that meet a condition. Kinds unknown to this version are skipped.
fn select(
    db: &Connection,
    condition: &str,
    params: impl rusqlite::Params,
) -> Result<Vec<Memory>, StoreError> {
    let sql = format!("SELECT id, kind, at_ms, text, source FROM memory {condition}");
    let mut query = db.prepare_cached(&sql)?;
    let rows = query.query_map(params, |row| {
        let kind: String = row.get(1)?;
        let at = Timestamp::from_millisecond(row.get(2)?).unwrap_or(Timestamp::MIN);
        let (id, text, source) = (row.get(0)?, Private(row.get(3)?), row.get(4)?);
        Ok(MemoryKind::called(&kind).map(|kind| Memory { id, kind, at, text, source }))
    })?;
    Ok(rows.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}
