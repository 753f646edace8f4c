//! Finds and erases everything that mentions a topic.
//!
//! Runs on the database thread. A text mentions a topic when it contains all of its words, if need be in the plural or
//! the genitive (`words::mention`). A message is erased with its answer, a turn record as a whole, and of a
//! conversation's tool history the answers that mention it. What is stored as JSON is searched without its escapes.

use rusqlite::{Connection, params};

use super::super::{StoreError, conversation};
use super::words;

/// How much mentions, or mentioned, a topic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TopicMentions {
    /// Exchanges: a message and its answer.
    pub exchanges: usize,
    /// Entries of the memory.
    pub memories: usize,
    /// Turn records.
    pub turns: usize,
    /// Conversations whose tool history mentions it, and announcements that wait.
    pub other: usize,
}

impl TopicMentions {
    /// Whether there is nothing.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// The number of items as users count them: a turn record belongs to an exchange that is counted already.
    pub fn things(self) -> usize {
        (self.exchanges + self.memories).max(usize::from(self.turns + self.other > 0))
    }
}

/// The rows that mention a topic.
#[derive(Default)]
pub(super) struct TopicRows {
    messages: Vec<i64>,
    exchanges: usize,
    memories: Vec<i64>,
    turns: Vec<i64>,
    announcements: Vec<i64>,
    /// What is left of each tool history that mentions it; nothing is left of an empty one.
    histories: Vec<(i64, String)>,
}

impl TopicRows {
    pub(super) fn count(&self) -> TopicMentions {
        TopicMentions {
            exchanges: self.exchanges,
            memories: self.memories.len(),
            turns: self.turns.len(),
            other: self.histories.len() + self.announcements.len(),
        }
    }
}

pub(super) fn find(db: &Connection, topic: &str) -> Result<TopicRows, StoreError> {
    let topic = words::words(topic);
    let mut found = TopicRows::default();
    if topic.is_empty() {
        return Ok(found);
    }
    let (plain, json) = (words::words, words::json_words);
    found.memories = matching(db, "SELECT id, text FROM memory WHERE kind <> 'document'", &topic, plain)?;
    found.turns = matching(db, "SELECT id, record FROM turn", &topic, json)?;
    found.announcements = matching(db, "SELECT id, announcement FROM announcement", &topic, json)?;
    let said = matching(db, "SELECT id, text FROM message ORDER BY id", &topic, plain)?;
    let mut role = db.prepare_cached("SELECT role FROM message WHERE id = ?1")?;
    for id in said {
        let is_user = role.query_row([id], |row| row.get::<_, String>(0))? == "user";
        let first = if is_user { id } else { id - 1 };
        if found.messages.last() != Some(&(first + 1)) {
            found.messages.extend([first, first + 1]);
            found.exchanges += 1;
        }
    }
    found.histories = conversation::without(db, &topic, &found.messages)?;
    Ok(found)
}

/// The rows whose text, read by `read`, contains all words of the topic.
fn matching(
    db: &Connection,
    sql: &str,
    topic: &[String],
    read: fn(&str) -> Vec<String>,
) -> Result<Vec<i64>, StoreError> {
    let mut query = db.prepare_cached(sql)?;
    let mut rows = query.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let text = row.get_ref(1)?.as_str().map_err(|e| StoreError::Record(e.to_string()))?;
        if words::mention(&read(text), topic) {
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

pub(super) fn erase(db: &mut Connection, topic: &str) -> Result<TopicMentions, StoreError> {
    let tx = db.transaction()?;
    let found = find(&tx, topic)?;
    for (sql, ids) in [
        ("DELETE FROM message WHERE id = ?1", &found.messages),
        ("DELETE FROM memory WHERE id = ?1", &found.memories),
        ("DELETE FROM turn WHERE id = ?1", &found.turns),
        ("DELETE FROM announcement WHERE id = ?1", &found.announcements),
    ] {
        let mut delete = tx.prepare_cached(sql)?;
        for id in ids {
            delete.execute(params![id])?;
        }
    }
    for (id, left) in &found.histories {
        if left.is_empty() {
            tx.execute("DELETE FROM conversation WHERE rowid = ?1", [id])?;
        } else {
            tx.execute("UPDATE conversation SET tool_history = ?2 WHERE rowid = ?1", params![id, left])?;
        }
    }
    let gone = found.count();
    tx.commit()?;
    Ok(gone)
}
