//! Export and import of memory and dialogue, one item after the other.
//!
//! Runs on the database thread. Existing items are not duplicated, so an import may be repeated. Messages
//! older than the present ones are inserted before them.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::super::handle::durably;
use super::super::{DialogueRole, Store, StoreError};
use super::{MemoryKind, NewMemory, add, insert};
use joi_base::message::{Channel, ConversationId, Origin, Place, Private};

/// One item, one line of an export.
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
        /// Its source.
        source: String,
    },
    /// A message of the dialogue.
    Message {
        /// `voice`, `console`, `signal`, `page` or `agent`.
        channel: Channel,
        /// The room, thread or page of it.
        #[serde(default = "home")]
        place: String,
        /// `user` or `assistant`.
        role: String,
        /// When, in RFC 3339.
        at: Timestamp,
        /// The words.
        text: String,
        /// Whose words they are: `speech`, `typing`, `ours` or `stranger`.
        #[serde(default)]
        origin: Option<Origin>,
    },
}

fn home() -> String {
    ConversationId::HOME.to_owned()
}

/// What an import came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Entries of the memory that are new.
    pub memories: usize,
    /// Messages that are new.
    pub messages: usize,
    /// Items that already existed.
    pub known: usize,
}

impl Store {
    /// All items: entries, then messages, oldest first.
    pub async fn export(&self) -> Result<Vec<Portable>, StoreError> {
        self.run(|db| read(db)).await
    }

    /// Imports the items of an export, all of them or, on a failure, none. Texts must be redacted before.
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
    let mut query =
        db.prepare("SELECT channel, role, at_ms, text, place, origin FROM message ORDER BY id")?;
    let rows = query.query_map([], |row| {
        let (channel, role, at): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (text, place, origin): (_, _, String) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let origin = Some(Origin::called(&origin));
        let message = |channel| Portable::Message { channel, place, role, at: time(at), text, origin };
        Ok(Channel::called(&channel).map(message))
    })?;
    for row in rows {
        pieces.extend(row?);
    }
    Ok(pieces)
}

fn time(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MIN)
}

/// The fields by which two pieces are the same; an older export lacks whose words an answer goes back to.
fn identity(piece: &Portable) -> Option<String> {
    let mut piece = piece.clone();
    if let Portable::Message { origin, .. } = &mut piece {
        *origin = None;
    }
    serde_json::to_string(&piece).ok()
}

/// A message of an export.
struct ImportedMessage {
    conversation: ConversationId,
    role: String,
    at: Timestamp,
    text: String,
    origin: Origin,
}

fn write(db: &mut Connection, pieces: &[Portable]) -> Result<Imported, StoreError> {
    let tx = db.transaction()?;
    let mut done = Imported::default();
    let there = read(&tx)?;
    let there: HashSet<String> = there.iter().filter_map(identity).collect();
    let mut said = Vec::new();
    for piece in pieces {
        if identity(piece).is_some_and(|identity| there.contains(&identity)) {
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
            Portable::Message { channel, place, role, at, text, origin } => {
                let conversation = ConversationId { channel: *channel, place: Place::named(place) };
                let (role, at, text) = (role.clone(), *at, text.clone());
                // An older export lacks whose words an answer goes back to.
                let is_user = role == DialogueRole::User.name();
                let unknown = if is_user { Origin::of_user(*channel) } else { Origin::Stranger };
                said.push(ImportedMessage {
                    conversation,
                    role,
                    at,
                    text,
                    origin: origin.unwrap_or(unknown),
                });
            }
        }
    }
    done.messages = said.len();
    put_messages(&tx, &said)?;
    tx.commit()?;
    Ok(done)
}

/// Inserts messages before or behind the present ones, question and answer side by side.
fn put_messages(tx: &Transaction<'_>, said: &[ImportedMessage]) -> Result<(), StoreError> {
    let bounds: Option<(i64, i64, i64)> = tx
        .query_row("SELECT min(id), max(id), max(at_ms) FROM message", [], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.zip(row.get(1)?).zip(row.get(2)?).map(|((a, b), c)| (a, b, c)))
        })
        .optional()?
        .flatten();
    let is_behind =
        |said: &&ImportedMessage| bounds.is_none_or(|(_, _, newest)| said.at.as_millisecond() > newest);
    let (behind, before): (Vec<&ImportedMessage>, Vec<&ImportedMessage>) = said.iter().partition(is_behind);
    let first = bounds.map_or(1, |(first, ..)| first) - i64::try_from(before.len()).unwrap_or(0);
    let next = bounds.map_or(0, |(_, last, _)| last) + 1;
    for (from, block) in [(first, before), (next, behind)] {
        for (id, said) in (from..).zip(block) {
            let is_known =
                [DialogueRole::User, DialogueRole::Assistant].iter().any(|role| role.name() == said.role);
            if !is_known {
                return Err(StoreError::Record(format!("nobody in a dialogue is called {}", said.role)));
            }
            tx.prepare_cached(
                "INSERT INTO message (id, channel, place, at_ms, role, text, origin)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                id,
                said.conversation.channel.name(),
                said.conversation.place.name(),
                said.at.as_millisecond(),
                said.role,
                said.text,
                said.origin.name()
            ])?;
        }
    }
    Ok(())
}
