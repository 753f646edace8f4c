//! The handle of the database thread, and how a job reaches that thread.
//!
//! Any thread. Input: a closure over the connection. Output: its result, once. A full queue makes the caller wait; a
//! thread that has ended is an error. What the jobs do is in the files of the tables.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;

pub(super) type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Handle of the database thread; clones share it.
#[derive(Clone)]
pub struct Store {
    pub(super) jobs: mpsc::Sender<Job>,
    /// Where the database is; nothing for one in memory.
    pub(super) file: Option<Arc<Path>>,
    pub(super) set_aside: Arc<OnceLock<PathBuf>>,
    pub(super) _check: Option<PendingCheck>,
    pub(super) changes: Arc<Changes>,
    #[cfg(any(test, feature = "testing"))]
    pub(super) hangs: Arc<tokio::sync::watch::Sender<bool>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("set_aside", &self.set_aside).finish_non_exhaustive()
    }
}

impl Store {
    /// Runs `work` on the database thread. Dropping the future does not undo it.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            // Fails only when the caller has stopped waiting.
            let _ = answer.send(work(db));
        });
        self.jobs.send(job).await.map_err(|_| StoreError::ThreadEnded)?;
        #[cfg(any(test, feature = "testing"))]
        let answered = self.in_stopped_time(answered);
        answered.await.map_err(|_| StoreError::ThreadEnded)?
    }
}

/// Runs `work` so that its result survives a power cut.
pub(super) fn durably<T>(
    db: &mut Connection,
    work: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    db.execute_batch("PRAGMA synchronous = FULL")?;
    let done = work(db);
    db.execute_batch("PRAGMA synchronous = NORMAL")?;
    done
}

/// Counts changes of the profile, so that it need not be read for every prompt.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) all: AtomicU64,
    /// Erasures of this database that were seen, by whichever program.
    erasures: AtomicU64,
}

impl Changes {
    pub(super) fn note(&self) {
        self.all.fetch_add(1, Ordering::Release);
    }

    /// So often something was erased by now: what is held of it beside the database is to go, too.
    pub(super) fn saw_erasures(&self, times: u64) {
        if self.erasures.swap(times, Ordering::AcqRel) != times {
            self.note();
        }
    }
}

/// Cancels a check that has not begun when it is dropped.
#[derive(Clone)]
pub(super) struct PendingCheck {
    pub(super) _dropped: SyncSender<()>,
}
