//! Looks through a large database while it is used, and has it set aside when it is damaged.
//!
//! A thread of its own, `joi-store-check`: it waits until the start is over, reads the file once beside the database
//! thread, and ends. In: the path. Out, if something is wrong: one job for the database thread. It ends at once when
//! the last handle of the store goes before its time.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{Job, StoreError, file, memory};

/// The start and the first turns come first.
pub(super) const LATER: Duration = Duration::from_secs(60);

/// What a check needs of the store.
pub(super) struct Wanted {
    pub(super) path: PathBuf,
    pub(super) jobs: mpsc::WeakSender<Job>,
    pub(super) set_aside: Arc<OnceLock<PathBuf>>,
    pub(super) changes: Arc<memory::Changes>,
}

/// Ends a check that has not begun when it is dropped.
#[derive(Clone)]
pub(super) struct Pending {
    _dropped: SyncSender<()>,
}

/// Has the file checked `after` that time, if the store is still used then.
///
/// # Errors
/// There is no thread to be had.
pub(super) fn begin(wanted: Wanted, after: Duration) -> Result<(Pending, JoinHandle<()>), StoreError> {
    let (pending, ended) = sync_channel(0);
    let look = move || {
        if ended.recv_timeout(after) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let Wanted { path, jobs, set_aside, changes } = wanted;
        let Some(why) = file::check(&path) else { return };
        let Some(jobs) = jobs.upgrade() else { return };
        let job: Job = Box::new(move |db| match file::replace(db, &path, &why) {
            Ok(moved) => {
                // Only one check is ever made.
                let _ = set_aside.set(moved);
                changes.note();
            }
            Err(error) => tracing::error!(%error, "the database is damaged, and nothing is kept any more"),
        });
        // Without a database thread there is nothing to be replaced.
        let _ = jobs.blocking_send(job);
    };
    let thread = std::thread::Builder::new().name("joi-store-check".into()).spawn(look);
    Ok((Pending { _dropped: pending }, thread.map_err(StoreError::Thread)?))
}
