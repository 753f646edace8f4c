//! Everything that is remembered, one piece after the other, as it leaves and comes back.
//!
//! Runs on the database thread. What is there already is not doubled, so that an import may be repeated. Messages
//! that are older than the present ones are put in front of them.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::super::{Role, Store, StoreError, durably};
use super::{MemoryKind, NewMemory, add, insert};
use crate::message::{Channel, Private};

/// One piece, as one line of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Portable {
    /// An entry of the memory.
    Memory {
        /// `user`, `wish`, `world`, `diary` or `document`.
        kind: String,
        /// When it was said, or happened, in RFC 3339.
        at: Timestamp,
        /// The words.
        text: String,
        /// Where it is from.
        source: String,
    },
    /// A message of the dialogue.
    Message {
        /// `voice` or `console`.
        channel: Channel,
        /// `user` or `assistant`.
        role: String,
        /// When, in RFC 3339.
        at: Timestamp,
        /// The words.
        text: String,
    },
}

/// What an import came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Entries of the memory that are new.
    pub memories: usize,
    /// Messages that are new.
    pub messages: usize,
    /// Pieces that were there already.
    pub known: usize,
}

impl Store {
    /// Everything that is remembered: entries, then messages, oldest first.
    pub async fn export(&self) -> Result<Vec<Portable>, StoreError> {
        self.run(|db| read(db)).await
    }

    /// Takes what an export holds, all of it or, on a failure, nothing. Texts are to be redacted before.
    pub async fn import(&self, pieces: Vec<Portable>) -> Result<Imported, StoreError> {
        let done = self.run(move |db| durably(db, |db| write(db, &pieces))).await;
        self.changes.note();
        done
    }
}

fn read(db: &Connection) -> Result<Vec<Portable>, StoreError> {
    let mut pieces = Vec::new();
    let mut query = db.prepare("SELECT kind, at_ms, text, source FROM memory ORDER BY at_ms, id")?;
    let rows = query.query_map([], |row| {
        let (kind, at, text, source) = (row.get(0)?, time(row.get(1)?), row.get(2)?, row.get(3)?);
        Ok(Portable::Memory { kind, at, text, source })
    })?;
    for row in rows {
        pieces.push(row?);
    }
    let mut query = db.prepare("SELECT channel, role, at_ms, text FROM message ORDER BY id")?;
    let rows = query.query_map([], |row| {
        let (channel, role, at): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((Channel::called(&channel), role, time(at), row.get(3)?))
    })?;
    for row in rows {
        if let (Some(channel), role, at, text) = row? {
            pieces.push(Portable::Message { channel, role, at, text });
        }
    }
    Ok(pieces)
}

fn time(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MIN)
}

/// A message of an export.
struct Said {
    channel: Channel,
    role: String,
    at: Timestamp,
    text: String,
}

fn write(db: &mut Connection, pieces: &[Portable]) -> Result<Imported, StoreError> {
    let tx = db.transaction()?;
    let mut done = Imported::default();
    let there = read(&tx)?;
    let there: HashSet<String> = there.iter().filter_map(|piece| serde_json::to_string(piece).ok()).collect();
    let mut said = Vec::new();
    for piece in pieces {
        if serde_json::to_string(piece).is_ok_and(|line| there.contains(&line)) {
            done.known += 1;
            continue;
        }
        match piece {
            Portable::Memory { kind, at, text, source } => {
                let Some(kind) = MemoryKind::called(kind) else {
                    return Err(StoreError::Record(format!("there is no kind of memory called {kind}")));
                };
                let new = NewMemory { kind, at: *at, text: Private(text.clone()), source: source.clone() };
                if kind.is_merged() {
                    add(&tx, &new)?
                } else {
                    insert(&tx, &new)?
                };
                done.memories += 1;
            }
            Portable::Message { channel, role, at, text } => {
                let (channel, role, at, text) = (*channel, role.clone(), *at, text.clone());
                said.push(Said { channel, role, at, text });
            }
        }
    }
    done.messages = said.len();
    put_messages(&tx, &said)?;
    tx.commit()?;
    Ok(done)
}

/// Puts messages in front of the present ones or behind them, question and answer side by side.
fn put_messages(tx: &Transaction<'_>, said: &[Said]) -> Result<(), StoreError> {
    let bounds: Option<(i64, i64, i64)> = tx
        .query_row("SELECT min(id), max(id), max(at_ms) FROM message", [], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.zip(row.get(1)?).zip(row.get(2)?).map(|((a, b), c)| (a, b, c)))
        })
        .optional()?
        .flatten();
    let is_behind = |said: &&Said| bounds.is_none_or(|(_, _, newest)| said.at.as_millisecond() > newest);
    let (behind, before): (Vec<&Said>, Vec<&Said>) = said.iter().partition(is_behind);
    let first = bounds.map_or(1, |(first, ..)| first) - i64::try_from(before.len()).unwrap_or(0);
    let next = bounds.map_or(0, |(_, last, _)| last) + 1;
    for (from, block) in [(first, before), (next, behind)] {
        for (id, said) in (from..).zip(block) {
            let is_known = [Role::User, Role::Assistant].iter().any(|role| role.name() == said.role);
            if !is_known {
                return Err(StoreError::Record(format!("nobody in a dialogue is called {}", said.role)));
            }
            tx.prepare_cached(
                "INSERT INTO message (id, channel, at_ms, role, text) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                id,
                said.channel.name(),
                said.at.as_millisecond(),
                said.role,
                said.text
            ])?;
        }
    }
    Ok(())
}
