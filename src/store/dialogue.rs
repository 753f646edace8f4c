//! The messages of the dialogue.
//!
//! Runs on the database thread. In: exchanges whose text is redacted already. Out: messages in the
//! order they were stored.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::StoreError;
use crate::message::{Channel, Private};

/// A clock that is behind the newest message by less than this is the same tick or a turn that
/// ended out of order; by more, the clock was set.
const SAME_TICK_MS: i64 = 120_000;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// Joi.
    Assistant,
}

impl Role {
    /// Its name in the database and towards the model.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What was said and what was answered, both redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Where.
    pub channel: Channel,
    /// When it was said.
    pub asked_at: Timestamp,
    /// What was said.
    pub asked: Private<String>,
    /// When the answer was complete.
    pub answered_at: Timestamp,
    /// The answer.
    pub answer: Private<String>,
}

/// Names a stored exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeId(pub(super) i64);

impl ExchangeId {
    /// The [`DialogueRow::id`] of the answer.
    pub fn answer_row(self) -> i64 {
        self.0
    }
}

/// One stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogueRow {
    /// Grows with every message.
    pub id: i64,
    /// Where it was said.
    pub channel: Channel,
    /// Who said it.
    pub role: Role,
    /// When, to the millisecond; no two messages of one stretch of time share it.
    pub at: Timestamp,
    /// The words, redacted.
    pub text: Private<String>,
}

pub(super) fn add(db: &mut Connection, exchange: &Exchange) -> Result<ExchangeId, StoreError> {
    let tx = db.transaction()?;
    let newest: Option<i64> = tx
        .query_row("SELECT at_ms FROM message ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
        .optional()?;
    let asked_at = following(newest, exchange.asked_at.as_millisecond());
    let answered_at = following(Some(asked_at), exchange.answered_at.as_millisecond());
    let mut insert =
        tx.prepare("INSERT INTO message (channel, at_ms, role, text) VALUES (?1, ?2, ?3, ?4)")?;
    let channel = exchange.channel.name();
    insert.execute(params![channel, asked_at, Role::User.name(), exchange.asked.0])?;
    insert.execute(params![channel, answered_at, Role::Assistant.name(), exchange.answer.0])?;
    drop(insert);
    let id = ExchangeId(tx.last_insert_rowid());
    tx.commit()?;
    Ok(id)
}

/// `at`, or just behind `newest` when both fall into the same tick.
fn following(newest: Option<i64>, at: i64) -> i64 {
    match newest {
        Some(newest) if (0..SAME_TICK_MS).contains(&(newest - at)) => newest + 1,
        _ => at,
    }
}

pub(super) fn amend(db: &mut Connection, id: ExchangeId, heard: &str) -> Result<(), StoreError> {
    let answer = id.0;
    if heard.trim().is_empty() {
        db.execute("DELETE FROM message WHERE id IN (?1 - 1, ?1)", [answer])?;
    } else {
        db.execute("UPDATE message SET text = ?2 WHERE id = ?1", params![answer, heard])?;
    }
    Ok(())
}

pub(super) fn since(db: &Connection, since: Timestamp, limit: u32) -> Result<Vec<DialogueRow>, StoreError> {
    let mut query = db.prepare_cached(
        "SELECT id, channel, role, at_ms, text FROM message WHERE at_ms >= ?1 ORDER BY id DESC LIMIT ?2",
    )?;
    let rows = query.query_map(params![since.as_millisecond(), limit], row)?;
    let mut found = rows.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
    found.reverse();
    Ok(found)
}

/// The oldest `limit` messages behind the number `after`, oldest first.
pub(super) fn after(db: &Connection, after: i64, limit: u32) -> Result<Vec<DialogueRow>, StoreError> {
    let mut query = db.prepare_cached(
        "SELECT id, channel, role, at_ms, text FROM message WHERE id > ?1 ORDER BY id LIMIT ?2",
    )?;
    let rows = query.query_map(params![after, limit], row)?;
    Ok(rows.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}

/// A message, or nothing when it stems from a channel this version does not know.
fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<DialogueRow>> {
    let channel: String = row.get(1)?;
    let role: String = row.get(2)?;
    let role = if role == Role::User.name() { Role::User } else { Role::Assistant };
    let at = Timestamp::from_millisecond(row.get(3)?).unwrap_or(Timestamp::MIN);
    let known = Channel::called(&channel);
    let (id, text) = (row.get(0)?, Private(row.get(4)?));
    Ok(known.map(|channel| DialogueRow { id, channel, role, at, text }))
}
