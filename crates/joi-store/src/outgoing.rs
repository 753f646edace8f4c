//! Messages that are to be sent, each as one JSON text beside the moment at which it was posted.
//!
//! Runs on the database thread. One change is one transaction that has reached the disk before it is answered. What the
//! texts mean is the outbox's business.

use jiff::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};

use super::handle::durably;
use super::{Store, StoreError};

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingRow {
    /// Its number, never used twice.
    pub id: i64,
    /// The message as JSON.
    pub message: String,
    /// When it was posted.
    pub at: Timestamp,
}

/// One change of the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutgoingChange {
    /// Adds a message that is posted at this moment.
    Add(String, Timestamp),
    /// Replaces the message with this number, if it is there still.
    Put(i64, String),
    /// Deletes the message with this number.
    Remove(i64),
}

impl Store {
    /// Reads all messages, oldest first, and writes the changes that `work` makes of them. Returns the numbers of those
    /// that were added, in their order.
    ///
    /// # Errors
    /// The database's; then nothing was changed.
    pub async fn change_outgoing<F>(&self, work: F) -> Result<Vec<i64>, StoreError>
    where
        F: FnOnce(Vec<OutgoingRow>) -> Result<Vec<OutgoingChange>, StoreError> + Send + 'static,
    {
        self.run(move |db| durably(db, |db| change(db, work))).await
    }

    /// All messages, oldest first.
    ///
    /// # Errors
    /// The database's.
    pub async fn outgoing(&self) -> Result<Vec<OutgoingRow>, StoreError> {
        self.run(|db| all(db)).await
    }
}

fn change(
    db: &mut Connection,
    work: impl FnOnce(Vec<OutgoingRow>) -> Result<Vec<OutgoingChange>, StoreError>,
) -> Result<Vec<i64>, StoreError> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut added = Vec::new();
    for change in work(all(&tx)?)? {
        match change {
            OutgoingChange::Add(message, at) => {
                let row = params![message, at.as_millisecond()];
                tx.execute("INSERT INTO outgoing (message, at_ms) VALUES (?1, ?2)", row)?;
                added.push(tx.last_insert_rowid());
            }
            OutgoingChange::Put(id, message) => {
                tx.execute("UPDATE outgoing SET message = ?2 WHERE id = ?1", params![id, message])?;
            }
            OutgoingChange::Remove(id) => {
                tx.execute("DELETE FROM outgoing WHERE id = ?1", [id])?;
            }
        }
    }
    tx.commit()?;
    Ok(added)
}

fn all(db: &Connection) -> Result<Vec<OutgoingRow>, StoreError> {
    let mut query = db.prepare_cached("SELECT id, message, at_ms FROM outgoing ORDER BY id")?;
    let rows = query.query_map([], |row| {
        let at = Timestamp::from_millisecond(row.get(2)?).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(OutgoingRow { id: row.get(0)?, message: row.get(1)?, at })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::super::Forget;
    use super::*;

    #[tokio::test]
    async fn messages_survive_the_end_of_the_program_and_no_number_is_used_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("joi.db");
        let store = Store::open(&path).unwrap();
        let add = |text: &str| OutgoingChange::Add(text.to_owned(), Timestamp::UNIX_EPOCH);
        let ids = store.change_outgoing(move |_| Ok(vec![add("a"), add("b")])).await.unwrap();
        let put = vec![OutgoingChange::Put(ids[0], "c".into()), OutgoingChange::Remove(ids[1])];
        store.change_outgoing(move |_| Ok(put)).await.unwrap();
        store.close().await.unwrap();
        let store = Store::open(&path).unwrap();
        let row = OutgoingRow { id: ids[0], message: "c".into(), at: Timestamp::UNIX_EPOCH };
        assert_eq!(store.outgoing().await.unwrap(), [row]);
        let again = store.change_outgoing(move |_| Ok(vec![add("d")])).await.unwrap();
        assert!(again[0] > ids[1], "{again:?}");
    }

    #[tokio::test]
    async fn forgetting_the_dialogue_forgets_what_was_to_be_sent_but_no_alert() {
        let store = Store::in_memory().unwrap();
        let add = |urgency: &str| {
            OutgoingChange::Add(format!("{{\"urgency\":\"{urgency}\"}}"), Timestamp::UNIX_EPOCH)
        };
        store.change_outgoing(move |_| Ok(vec![add("direct"), add("critical")])).await.unwrap();
        store.forget(Forget { dialogue: true, ..Forget::default() }).await.unwrap();
        let left: Vec<_> = store.outgoing().await.unwrap().into_iter().map(|row| row.message).collect();
        assert_eq!(left, ["{\"urgency\":\"critical\"}"]);
    }
}
