//! What conversations keep over a restart, by their names: the calls of tools, and whether strangers' words are in them.
//!
//! Runs on the database thread. It is a part of the dialogue: whatever erases that erases this.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::{Store, StoreError};
use joi_base::message::ConversationId;
use joi_language::words;

impl Store {
    /// The tool history of a conversation, as it was written; nothing when none was.
    ///
    /// # Errors
    /// The database's.
    pub async fn tool_history(&self, of: ConversationId) -> Result<Option<String>, StoreError> {
        self.run(move |db| get(db, &of)).await
    }

    /// Keeps the tool history of a conversation; an empty one is removed.
    ///
    /// # Errors
    /// The database's.
    pub async fn set_tool_history(&self, of: ConversationId, written: String) -> Result<(), StoreError> {
        self.run(move |db| set(db, &of, &written)).await
    }
}

fn get(db: &Connection, of: &ConversationId) -> Result<Option<String>, StoreError> {
    let sql = "SELECT tool_history FROM conversation WHERE channel = ?1 AND place = ?2";
    Ok(db.query_row(sql, params![of.channel.name(), of.place.name()], |row| row.get(0)).optional()?)
}

fn set(db: &Connection, of: &ConversationId, written: &str) -> Result<(), StoreError> {
    let (channel, place) = (of.channel.name(), of.place.name());
    if written.is_empty() {
        db.execute("DELETE FROM conversation WHERE channel = ?1 AND place = ?2", params![channel, place])?;
    } else {
        db.execute(
            "INSERT INTO conversation (channel, place, tool_history) VALUES (?1, ?2, ?3)
             ON CONFLICT (channel, place) DO UPDATE SET tool_history = excluded.tool_history",
            params![channel, place, written],
        )?;
    }
    Ok(())
}

/// The histories that mention a topic, or an answer among the messages `gone`: their row, and what is left of them. Of a
/// list in a history the entries that do are taken out; where it is mentioned all the same, nothing is left but that
/// nothing can be known of it, which counts as tainted.
pub(super) fn without(
    db: &Connection,
    topic: &[String],
    gone: &[i64],
) -> Result<Vec<(i64, String)>, StoreError> {
    let gone: HashSet<i64> = gone.iter().copied().collect();
    let mut query = db.prepare_cached("SELECT rowid, tool_history FROM conversation")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut left = Vec::new();
    for row in rows {
        let (id, written) = row?;
        let pruned = serde_json::from_str(&written).map(|value| prune(value, topic, &gone));
        match pruned {
            Ok(None) => {}
            Ok(Some(rest)) if !mentions(&rest, topic) => left.push((id, rest.to_string())),
            Err(_) if !words::mention(&words::json_words(&written), topic) => {}
            Ok(Some(_)) | Err(_) => left.push((id, UNKNOWN.to_owned())),
        }
    }
    Ok(left)
}

/// A history of which nothing is known.
const UNKNOWN: &str = "erased";

/// The history without what mentions the topic; nothing when there is none of it.
fn prune(mut history: Value, topic: &[String], gone: &HashSet<i64>) -> Option<Value> {
    let is_gone = |entry: &Value| {
        entry.get("answer").and_then(Value::as_i64).is_some_and(|answer| gone.contains(&answer))
    };
    let mut is_pruned = false;
    for entries in history.as_object_mut()?.values_mut().filter_map(Value::as_array_mut) {
        let before = entries.len();
        entries.retain(|entry| !is_gone(entry) && !mentions(entry, topic));
        is_pruned |= entries.len() < before;
    }
    (is_pruned || mentions(&history, topic)).then_some(history)
}

fn mentions(value: &Value, topic: &[String]) -> bool {
    let mut found = Vec::new();
    words::collect(value, &mut found);
    words::mention(&found, topic)
}
