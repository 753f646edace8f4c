//! Finds and erases everything that mentions a topic.
//!
//! Runs on the database thread. A text mentions a topic when it contains all of its words, if need be in the plural or
//! the genitive (`words::mention`). A message is erased with its answer, a turn record as a whole, of a document the parts
//! that mention it, of a conversation's tool history and of the context state the entries that do. What is stored as JSON
//! is searched without its escapes; of what others act on (timers, messages to be sent, alarms) only the words count. A
//! danger that nobody has acknowledged stays, and its message with it.

use rusqlite::{Connection, params};

use super::super::{StoreError, conversation, initiative, word_index, work};
use super::NewMemory;
use joi_language::words;

/// How much mentions, or mentioned, a topic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TopicMentions {
    /// Exchanges: a message and its answer.
    pub exchanges: usize,
    /// Entries of the memory, and parts of documents.
    pub memories: usize,
    /// Turn records.
    pub turns: usize,
    /// Notes and entries of lists, those of goals included.
    pub notes: usize,
    /// Timers, alarms, reminders, and commands to the house at a later moment.
    pub timers: usize,
    /// Conversations whose tool history mentions it, announcements and messages that wait, alarms, decisions to speak
    /// up, the context state, and what was said and done for goals.
    pub other: usize,
}

impl TopicMentions {
    /// Whether there is nothing.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// The number of items as users count them: a turn record belongs to an exchange that is counted already.
    pub fn things(self) -> usize {
        let things = self.exchanges + self.memories + self.notes + self.timers;
        things.max(usize::from(self.turns + self.other > 0))
    }
}

/// A table that is searched row by row.
struct TopicTable {
    name: &'static str,
    /// The numbers and texts of its rows.
    sql: &'static str,
    read: fn(&str) -> Vec<String>,
}

impl TopicTable {
    const fn of_words(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, read: words::words }
    }

    const fn of_json(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, read: words::json_words }
    }
}

/// A part of a document is in what the document is called, and an entry on what the list is.
const TABLES: [TopicTable; 14] = [
    TopicTable::of_words(
        "memory",
        "SELECT id, CASE kind WHEN 'document' THEN source || ' ' || text ELSE text END FROM memory",
    ),
    TopicTable::of_json("turn", "SELECT id, record FROM turn"),
    TopicTable::of_words("note", "SELECT id, list || ' ' || text FROM note"),
    TopicTable::of_words(
        "schedule",
        "SELECT id, CASE WHEN json_valid(entry) THEN ifnull('' || json_extract(entry, '$.name'), '')
         ELSE entry END FROM schedule",
    ),
    TopicTable::of_words(
        "watch",
        "SELECT id, CASE WHEN json_valid(watch) THEN ifnull('' || json_extract(watch, '$.said'), '')
         ELSE watch END FROM watch",
    ),
    TopicTable::of_json("announcement", "SELECT id, announcement FROM announcement"),
    TopicTable::of_words(
        "outgoing",
        "SELECT id, CASE WHEN json_valid(message) THEN ifnull('' || json_extract(message, '$.text'), '')
         ELSE message END FROM outgoing WHERE NOT (message LIKE '%\"urgency\":\"critical\"%')",
    ),
    TopicTable::of_words(
        "alert",
        "SELECT id, CASE WHEN json_valid(alert) THEN ifnull('' || json_extract(alert, '$.what'), '') || ' '
         || ifnull('' || json_extract(alert, '$.kind.text'), '') ELSE alert END FROM alert
         WHERE CASE WHEN json_valid(alert) THEN ifnull(json_extract(alert, '$.kind.is'), '') <> 'danger'
         OR json_extract(alert, '$.acknowledged') IS NOT NULL ELSE 1 END",
    ),
    TopicTable::of_words(
        "impulse",
        "SELECT id, CASE WHEN json_valid(record) THEN ifnull('' || json_extract(record, '$.why'), '')
         ELSE record END FROM impulse",
    ),
    TopicTable::of_words(
        "work",
        "SELECT id, name || ' ' || brief FROM work WHERE parent <> 0 OR kind = 'goal'",
    ),
    TopicTable::of_words("work_cell", "SELECT id, text FROM work_cell"),
    TopicTable::of_words("work_step", "SELECT id, text FROM work_step"),
    TopicTable::of_words("work_note", "SELECT id, text || ' ' || source FROM work_note"),
    TopicTable::of_words("work_archive", "SELECT id, summary || ' ' || full_text FROM work_archive"),
];

/// The rows that mention a topic.
#[derive(Default)]
pub(super) struct TopicRows {
    messages: Vec<i64>,
    exchanges: usize,
    /// Of each of [`TABLES`].
    rows: Vec<(&'static str, Vec<i64>)>,
    /// The rest of each tool history that mentions it; nothing of an empty one.
    histories: Vec<(i64, String)>,
    /// The rest of the context state, if that mentions it.
    context: Option<String>,
}

impl TopicRows {
    pub(super) fn count(&self) -> TopicMentions {
        let of = |table: &str| {
            self.rows.iter().filter(|(name, _)| *name == table).map(|(_, ids)| ids.len()).sum::<usize>()
        };
        let others = [
            "announcement",
            "outgoing",
            "alert",
            "impulse",
            "work",
            "work_cell",
            "work_step",
            "work_archive",
        ];
        let other: usize = others.into_iter().map(of).sum();
        TopicMentions {
            exchanges: self.exchanges,
            memories: of("memory"),
            turns: of("turn"),
            notes: of("note") + of("work_note"),
            timers: of("schedule") + of("watch"),
            other: other + self.histories.len() + usize::from(self.context.is_some()),
        }
    }
}

pub(super) fn find(db: &Connection, topic: &str) -> Result<TopicRows, StoreError> {
    let topic = words::words(topic);
    let mut found = TopicRows::default();
    if topic.is_empty() {
        return Ok(found);
    }
    for table in &TABLES {
        found.rows.push((table.name, matching(db, table.sql, &topic, table.read)?));
    }
    let said = matching(db, "SELECT id, text FROM message ORDER BY id", &topic, words::words)?;
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
    found.context = initiative::context_without(db, &topic)?;
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

/// Erases what mentions `topic`, and adds `instead` in the same transaction.
pub(super) fn erase(
    db: &mut Connection,
    topic: &str,
    instead: Option<&NewMemory>,
) -> Result<TopicMentions, StoreError> {
    let tx = db.transaction()?;
    let found = find(&tx, topic)?;
    let memories = found.count().memories;
    word_index::deleting(&tx, memories + found.messages.len(), |tx| {
        let rows = found.rows.iter().map(|(table, ids)| (*table, ids));
        for (table, ids) in rows.chain([("message", &found.messages)]) {
            let mut delete = tx.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?;
            for id in ids {
                delete.execute(params![id])?;
            }
        }
        // A goal goes with all that belongs to it.
        work::sweep(tx)
    })?;
    for (id, left) in &found.histories {
        if left.is_empty() {
            tx.execute("DELETE FROM conversation WHERE rowid = ?1", [id])?;
        } else {
            tx.execute("UPDATE conversation SET tool_history = ?2 WHERE rowid = ?1", params![id, left])?;
        }
    }
    if let Some(left) = &found.context {
        initiative::put_context(&tx, left)?;
    }
    if let Some(new) = instead {
        super::add(&tx, new)?;
    }
    let gone = found.count();
    tx.commit()?;
    Ok(gone)
}
