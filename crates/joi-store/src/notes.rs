//! Notes and list entries.
//!
//! Runs on the database thread. In: redacted text. Out: lists as stored. A write has reached the disk when
//! its future is ready.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::handle::durably;
use super::{Store, StoreError};
use joi_base::message::Origin;
use joi_language::words;

/// Most entries of one list; the oldest are dropped first.
const MOST_ENTRIES: i64 = 500;

/// Stands on a list that was begun; it is no entry.
const BEGUN: &str = "";

/// What became of an entry that was to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteRemoval {
    /// This one was.
    Removed(String),
    /// Each of these may be meant: none was.
    Several(Vec<String>),
    /// There is no such entry.
    Missing,
}

impl Store {
    /// Adds entries to `list` and returns the whole list. Existing ones are not duplicated.
    pub async fn add_notes(
        &self,
        list: &str,
        entries: Vec<String>,
        at: Timestamp,
    ) -> Result<Vec<String>, StoreError> {
        self.add_notes_of(list, entries, at, Origin::Ours).await
    }

    /// The same with entries made of the words of `origin`.
    pub async fn add_notes_of(
        &self,
        list: &str,
        entries: Vec<String>,
        at: Timestamp,
        origin: Origin,
    ) -> Result<Vec<String>, StoreError> {
        let list = list.to_owned();
        self.run(move |db| durably(db, |db| add(db, &list, &entries, (at, origin)))).await
    }

    /// Whether a stranger's words are on `list`, or words of which nobody noted whose they are.
    pub async fn has_foreign_notes(&self, list: &str) -> Result<bool, StoreError> {
        let list = list.to_owned();
        self.run(move |db| {
            let mut query = db.prepare_cached("SELECT DISTINCT origin FROM note WHERE list = ?1")?;
            let origins = query.query_map([list], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
            Ok(origins.iter().any(|origin| Origin::called(origin) == Origin::Stranger))
        })
        .await
    }

    /// Begins `list`, which is there from then on, also without an entry.
    pub async fn begin_list(&self, list: &str, at: Timestamp) -> Result<(), StoreError> {
        let list = list.to_owned();
        self.run(move |db| {
            durably(db, |db| add(db, &list, &[BEGUN.to_owned()], (at, Origin::Ours)).map(drop))
        })
        .await
    }

    /// The entries of `list`, oldest first.
    pub async fn notes(&self, list: &str) -> Result<Vec<String>, StoreError> {
        let list = list.to_owned();
        self.run(move |db| entries(db, &list)).await
    }

    /// The lists that were begun or on which something stands, the oldest first.
    pub async fn note_lists(&self) -> Result<Vec<String>, StoreError> {
        self.run(|db| {
            let mut query = db.prepare_cached("SELECT list FROM note GROUP BY list ORDER BY MIN(id)")?;
            Ok(query.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?)
        })
        .await
    }

    /// Removes the entry of `list` that is `text`, else the only one that holds all of its words, if need be in the plural.
    pub async fn remove_note(&self, list: &str, text: &str) -> Result<NoteRemoval, StoreError> {
        let (list, text) = (list.to_owned(), text.to_owned());
        self.run(move |db| durably(db, |db| remove(db, &list, &text))).await
    }

    /// The entries of `list` that `text` means.
    pub async fn notes_of(&self, list: &str, text: &str) -> Result<Vec<String>, StoreError> {
        let (all, text) = (self.notes(list).await?, text.to_owned());
        let numbered: Vec<(i64, String)> = (0..).zip(all).collect();
        Ok(meant(&numbered, &text).into_iter().map(|(_, entry)| entry.clone()).collect())
    }

    /// Empties `list` and returns how many entries it had.
    pub async fn clear_notes(&self, list: &str) -> Result<usize, StoreError> {
        let list = list.to_owned();
        self.run(move |db| durably(db, |db| Ok(db.execute("DELETE FROM note WHERE list = ?1", [&list])?)))
            .await
    }
}

fn add(
    db: &mut Connection,
    list: &str,
    new: &[String],
    (at, origin): (Timestamp, Origin),
) -> Result<Vec<String>, StoreError> {
    let tx = db.transaction()?;
    for entry in new {
        tx.execute(
            "INSERT INTO note (list, text, at_ms, origin) SELECT ?1, ?2, ?3, ?4
             WHERE NOT EXISTS (SELECT 1 FROM note WHERE list = ?1 AND text = ?2)",
            params![list, entry, at.as_millisecond(), origin.name()],
        )?;
    }
    tx.execute(
        "DELETE FROM note WHERE list = ?1 AND id NOT IN
         (SELECT id FROM note WHERE list = ?1 ORDER BY id DESC LIMIT ?2)",
        params![list, MOST_ENTRIES],
    )?;
    tx.commit()?;
    entries(db, list)
}

fn entries(db: &Connection, list: &str) -> Result<Vec<String>, StoreError> {
    let mut query = db.prepare_cached("SELECT text FROM note WHERE list = ?1 AND text <> '' ORDER BY id")?;
    Ok(query.query_map([list], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn remove(db: &mut Connection, list: &str, text: &str) -> Result<NoteRemoval, StoreError> {
    let tx = db.transaction()?;
    let entries = {
        let mut query =
            tx.prepare_cached("SELECT id, text FROM note WHERE list = ?1 AND text <> '' ORDER BY id")?;
        let rows = query.query_map([list], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<Vec<(i64, String)>, _>>()?
    };
    let removal = match meant(&entries, text)[..] {
        [] => NoteRemoval::Missing,
        [(id, entry)] => {
            tx.execute("DELETE FROM note WHERE id = ?1", [id])?;
            NoteRemoval::Removed(entry.clone())
        }
        ref several => NoteRemoval::Several(several.iter().map(|(_, entry)| entry.clone()).collect()),
    };
    tx.commit()?;
    Ok(removal)
}

/// The entries that `text` may mean: the one that it is, else those with all of its words, of them those with no other.
fn meant<'a>(entries: &'a [(i64, String)], text: &str) -> Vec<&'a (i64, String)> {
    let (wanted, lower) = (words::words(text), text.to_lowercase());
    if let Some(same) = entries.iter().find(|(_, entry)| entry.to_lowercase() == lower) {
        return vec![same];
    }
    let holds = |(_, entry): &&(i64, String)| words::mention(&words::words(entry), &wanted);
    let holding: Vec<_> = entries.iter().filter(holds).collect();
    let is_whole = |(_, entry): &&(i64, String)| words::words(entry).len() == wanted.len();
    let whole: Vec<_> = holding.iter().copied().filter(is_whole).collect();
    if whole.is_empty() { holding } else { whole }
}
