//! Breaks the store on purpose: what tests of other modules need for the faults of a database.
//!
//! Compiled for tests only. In: a store. Out: one whose tables are gone or that never answers.
#![allow(clippy::expect_used, reason = "in a test, what was not expected ends it")]

use tokio::sync::oneshot;

use super::Store;

impl Store {
    /// Makes every later request for the dialogue fail, as a failing disk would.
    pub async fn break_down(&self) {
        self.run(|db| Ok(db.execute_batch("DROP TABLE message")?)).await.expect("a table to drop");
    }

    /// From now on no request is answered, as with a hanging disk.
    pub fn hang(&self) {
        self.hangs.send_replace(true);
    }

    /// The disk that hung answers again.
    pub fn answer_again(&self) {
        self.hangs.send_replace(false);
    }

    /// The answer, awaited even when the test's clock is paused: the database thread runs in real time.
    pub(super) async fn in_stopped_time<T: Send + 'static>(
        &self,
        answered: oneshot::Receiver<T>,
    ) -> Result<T, oneshot::error::RecvError> {
        // The sender is in the store.
        let _ = self.hangs.subscribe().wait_for(|hangs| !hangs).await;
        let waiting = tokio::task::spawn_blocking(move || answered.blocking_recv());
        waiting.await.expect("nothing that could panic")
    }

    /// Makes every later request for the memory fail.
    pub async fn break_memory(&self) {
        self.run(|db| Ok(db.execute_batch("DROP TABLE memory")?)).await.expect("a table to drop");
        self.changes.note();
    }

    /// Makes every later request for notes fail.
    pub async fn break_notes(&self) {
        self.run(|db| Ok(db.execute_batch("DROP TABLE note")?)).await.expect("a table to drop");
    }

    /// Makes every later request for the schedule fail.
    pub async fn break_timers(&self) {
        self.run(|db| Ok(db.execute_batch("DROP TABLE schedule")?)).await.expect("a table to drop");
    }

    /// Makes every later request for announcements fail.
    pub async fn break_announcements(&self) {
        self.run(|db| Ok(db.execute_batch("DROP TABLE announcement")?)).await.expect("a table to drop");
    }

    /// Makes every later request for messages fail.
    pub async fn break_outgoing(&self) {
        self.run(|db| Ok(db.execute_batch("DROP TABLE outgoing")?)).await.expect("a table to drop");
    }

    /// Makes every later write fail, as on a disk that has become read-only.
    pub async fn make_read_only(&self) {
        self.run(|db| Ok(db.execute_batch("PRAGMA query_only = ON")?)).await.expect("a pragma");
    }
}
