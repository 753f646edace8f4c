//! The messages of the dialogue.
//!
//! Runs on the database thread. In: exchanges whose text is redacted already. Out: messages in the
//! order they were stored.

use std::sync::LazyLock;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::StoreError;
use joi_base::message::{Channel, ConversationId, Origin, Place, Private};

/// A clock that is behind the newest message by less than this is the same tick or a turn that
/// ended out of order; by more, the clock was set.
const SAME_TICK_MS: i64 = 120_000;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogueRole {
    /// The user.
    User,
    /// The assistant.
    Assistant,
}

impl DialogueRole {
    /// Its name in the database and in prompts.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Who found the words of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordedBy {
    /// The model.
    Model,
    /// The program: no model was asked, or nothing of what it wrote went out.
    Fixed,
}

impl WordedBy {
    /// Its name in the database.
    fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Fixed => "fixed",
        }
    }

    /// The one of that name; what is not known is the model's.
    fn called(name: &str) -> Self {
        if name == Self::Fixed.name() { Self::Fixed } else { Self::Model }
    }
}

/// A user's message and its answer, both redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Where.
    pub conversation: ConversationId,
    /// When it was said.
    pub asked_at: Timestamp,
    /// The user's words.
    pub asked: Private<String>,
    /// When the answer was complete.
    pub answered_at: Timestamp,
    /// The answer.
    pub answer: Private<String>,
    /// Whose words the answer goes back to.
    pub answer_origin: Origin,
    /// Whose words the question is made of.
    pub asked_origin: Origin,
    /// Who found the words of the answer.
    pub wording: WordedBy,
}

/// Identifies a stored exchange.
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
    pub conversation: ConversationId,
    /// Who said it.
    pub role: DialogueRole,
    /// When, to the millisecond; no two messages of one stretch of time share it.
    pub at: Timestamp,
    /// The words, redacted.
    pub text: Private<String>,
    /// Whose words they are.
    pub origin: Origin,
    /// Who found the words of the answer; of a question, of the answer to it.
    pub wording: WordedBy,
}

/// The condition that a message was said where the user talks.
pub(super) static OF_USER: LazyLock<String> = LazyLock::new(|| {
    let others = Channel::ALL.into_iter().filter(|channel| !channel.is_of_user());
    let others: Vec<String> = others.map(|channel| format!("'{}'", channel.name())).collect();
    format!("channel NOT IN ({})", others.join(", "))
});

/// The columns of a message that are read.
const COLUMNS: &str = "id, channel, place, role, at_ms, text, origin, wording";

pub(super) fn add(db: &mut Connection, exchange: &Exchange) -> Result<ExchangeId, StoreError> {
    let tx = db.transaction()?;
    let newest: Option<i64> = tx
        .query_row("SELECT at_ms FROM message ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
        .optional()?;
    let asked_at = following(newest, exchange.asked_at.as_millisecond());
    let answered_at = following(Some(asked_at), exchange.answered_at.as_millisecond());
    let mut insert = tx.prepare(
        "INSERT INTO message (channel, place, at_ms, role, text, origin, wording) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let ConversationId { channel, place } = &exchange.conversation;
    let (name, place, wording) = (channel.name(), place.name(), exchange.wording.name());
    let (user, from) = (DialogueRole::User.name(), exchange.asked_origin.name());
    insert.execute(params![name, place, asked_at, user, exchange.asked.0, from, wording])?;
    let (assistant, from) = (DialogueRole::Assistant.name(), exchange.answer_origin.name());
    insert.execute(params![name, place, answered_at, assistant, exchange.answer.0, from, wording])?;
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
    newest(db, &OF_USER, params![since.as_millisecond(), limit])
}

pub(super) fn within(
    db: &Connection,
    conversation: &ConversationId,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<DialogueRow>, StoreError> {
    let ConversationId { channel, place } = conversation;
    let values = params![since.as_millisecond(), limit, channel.name(), place.name()];
    newest(db, "channel = ?3 AND place = ?4", values)
}

/// The newest messages that meet `condition`, oldest first; the first two values are the time and the limit.
fn newest(db: &Connection, condition: &str, values: &[&dyn ToSql]) -> Result<Vec<DialogueRow>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM message WHERE at_ms >= ?1 AND {condition} ORDER BY id DESC LIMIT ?2");
    let mut query = db.prepare_cached(&sql)?;
    let rows = query.query_map(values, row)?;
    let mut found = rows.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
    found.reverse();
    Ok(found)
}

/// The oldest `limit` messages of the user's dialogue behind the number `after`, oldest first.
pub(super) fn after(db: &Connection, after: i64, limit: u32) -> Result<Vec<DialogueRow>, StoreError> {
    let of_user = &*OF_USER;
    let sql = format!("SELECT {COLUMNS} FROM message WHERE id > ?1 AND {of_user} ORDER BY id LIMIT ?2");
    let mut query = db.prepare_cached(&sql)?;
    let rows = query.query_map(params![after, limit], row)?;
    Ok(rows.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}

/// A message, or nothing if its channel is unknown to this version.
fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<DialogueRow>> {
    let channel: String = row.get(1)?;
    let role: String = row.get(3)?;
    let role = if role == DialogueRole::User.name() { DialogueRole::User } else { DialogueRole::Assistant };
    let at = Timestamp::from_millisecond(row.get(4)?).unwrap_or(Timestamp::MIN);
    let origin: String = row.get(6)?;
    let place: String = row.get(2)?;
    let wording: String = row.get(7)?;
    let (id, text) = (row.get(0)?, Private(row.get(5)?));
    let (origin, wording) = (Origin::called(&origin), WordedBy::called(&wording));
    Ok(Channel::called(&channel).map(|channel| {
        let conversation = ConversationId { channel, place: Place::named(&place) };
        DialogueRow { id, conversation, role, at, text, origin, wording }
    }))
}
