//! What conversations keep over a restart, by their names: the calls of tools, and whether strangers' words are in them.
//!
//! Runs on the database thread. It is a part of the dialogue: whatever erases that erases this.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Store, StoreError};
use crate::message::ConversationId;

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
