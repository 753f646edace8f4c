//! Watches, each as one JSON text, and the announcements that come of them.
//!
//! Runs on the database thread. What a watch has noticed and what is to be said of it are one transaction that is flushed
//! to the disk before it is answered: neither is lost or doubled by a power cut. What the texts mean is their owners'
//! business.

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::handle::durably;
use super::{Store, StoreError};

/// One stored watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchRow {
    /// Its number, never used twice.
    pub id: i64,
    /// The watch as JSON.
    pub watch: String,
}

/// All watches as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchTable {
    /// By number.
    pub rows: Vec<WatchRow>,
    /// The number of the next new one.
    pub next_id: i64,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchChange {
    /// Inserts or replaces the watch with this number.
    Put(i64, String),
    /// Deletes the watch with this number.
    Remove(i64),
}

/// The result of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchWrite<T> {
    /// The changes, in order.
    pub changes: Vec<WatchChange>,
    /// Announcements to be kept, as the announcer writes them.
    pub announcements: Vec<String>,
    /// Returned to the caller once everything is durable.
    pub answer: T,
}

impl Store {
    /// Reads all watches, calls `work`, and writes what it returns, all in one transaction. Returns the answer and the
    /// numbers of the announcements. When this returns, the changes survive a power cut.
    ///
    /// # Errors
    /// The database's; nothing was changed then.
    pub async fn watches<T, F>(&self, work: F) -> Result<(T, Vec<i64>), StoreError>
    where
        T: Send + 'static,
        F: FnOnce(WatchTable) -> Result<WatchWrite<T>, StoreError> + Send + 'static,
    {
        self.run(move |db| durably(db, |db| within(db, work))).await
    }
}

fn within<T>(
    db: &mut Connection,
    work: impl FnOnce(WatchTable) -> Result<WatchWrite<T>, StoreError>,
) -> Result<(T, Vec<i64>), StoreError> {
    // Immediate: no other program may change what was just read.
    let begin = |behavior| Transaction::new_unchecked(db, behavior);
    let tx = match begin(TransactionBehavior::Immediate) {
        // Stored watches can still be read.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
            begin(TransactionBehavior::Deferred)?
        }
        begun => begun?,
    };
    let write = work(read(&tx)?)?;
    for change in &write.changes {
        match change {
            WatchChange::Put(id, watch) => {
                tx.execute(
                    "INSERT INTO watch (id, watch) VALUES (?1, ?2)
                     ON CONFLICT (id) DO UPDATE SET watch = excluded.watch",
                    params![id, watch],
                )?;
            }
            WatchChange::Remove(id) => {
                tx.execute("DELETE FROM watch WHERE id = ?1", [id])?;
            }
        }
    }
    let mut announced = Vec::new();
    for announcement in &write.announcements {
        tx.execute("INSERT INTO announcement (announcement) VALUES (?1)", [announcement])?;
        announced.push(tx.last_insert_rowid());
    }
    match write.changes.is_empty() && announced.is_empty() {
        true => tx.rollback()?,
        false => tx.commit()?,
    }
    Ok((write.answer, announced))
}

fn read(db: &Connection) -> Result<WatchTable, StoreError> {
    let mut query = db.prepare_cached("SELECT id, watch FROM watch ORDER BY id")?;
    let rows = query.query_map([], |row| Ok(WatchRow { id: row.get(0)?, watch: row.get(1)? }))?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let used: Option<i64> = db
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'watch'", [], |row| row.get(0))
        .optional()?;
    Ok(WatchTable { rows, next_id: used.unwrap_or(0) + 1 })
}

#[cfg(test)]
mod tests {
    use super::super::Forget;
    use super::*;

    fn write<T>(changes: Vec<WatchChange>, announcements: &[&str], answer: T) -> WatchWrite<T> {
        let announcements = announcements.iter().map(|text| (*text).to_owned()).collect();
        WatchWrite { changes, announcements, answer }
    }

    async fn rows(store: &Store) -> (Vec<(i64, String)>, i64) {
        let all = |table: WatchTable| {
            let rows = table.rows.into_iter().map(|row| (row.id, row.watch)).collect();
            Ok(write(vec![], &[], (rows, table.next_id)))
        };
        store.watches(all).await.unwrap().0
    }

    #[tokio::test]
    async fn a_change_and_what_is_said_of_it_are_one_transaction_and_no_number_is_used_twice() {
        let store = Store::in_memory().unwrap();
        let put = |id, text: &str| WatchChange::Put(id, text.to_owned());
        let add = vec![put(1, "{}"), put(2, "{\"b\":1}")];
        store.watches(move |_| Ok(write(add, &[], ()))).await.unwrap();
        let ((), said) =
            store.watches(|_| Ok(write(vec![WatchChange::Remove(2)], &["one", "two"], ()))).await.unwrap();
        assert_eq!(rows(&store).await, (vec![(1, "{}".to_owned())], 3));
        let kept: Vec<_> = store.announcements().await.unwrap().into_iter().map(|row| row.id).collect();
        assert_eq!(kept, said);
        let failed = store.watches(|_| Err::<WatchWrite<()>, _>(StoreError::Slow)).await;
        assert!(failed.is_err());
        assert_eq!(rows(&store).await.0.len(), 1);
    }

    #[tokio::test]
    async fn forgetting_the_timers_forgets_the_watches_and_a_topic_those_that_mention_it() {
        let store = Store::in_memory().unwrap();
        let said = |said: &str| format!("{{\"said\":\"{said}\"}}");
        let add = vec![
            WatchChange::Put(1, said("tell me when Philomena comes home")),
            WatchChange::Put(2, said("tell me when the garage opens")),
        ];
        store.watches(move |_| Ok(write(add, &[], ()))).await.unwrap();
        store.forget_about("Philomena").await.unwrap();
        assert_eq!(rows(&store).await.0.len(), 1);
        store.forget(Forget { timers: true, ..Forget::default() }).await.unwrap();
        assert_eq!(rows(&store).await.0, []);
    }
}
