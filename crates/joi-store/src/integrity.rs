//! Checks a large database in the background, and has it replaced when it is damaged.
//!
//! A thread of its own, `joi-store-check`: it waits until the start is over, reads the file once beside the
//! database thread, and ends. In: the path. Out, if something is wrong: one job for the database thread. It
//! ends at once when the last handle of the store is dropped early.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc;

use super::handle::{Changes, Job, PendingCheck};
use super::in_use::InUse;
use super::{StoreError, file};

/// Delay of the check: the start and the first turns come first.
pub(super) const LATER: Duration = Duration::from_secs(60);

/// Everything a check needs.
pub(super) struct CheckRequest {
    pub(super) path: PathBuf,
    pub(super) jobs: mpsc::WeakSender<Job>,
    pub(super) set_aside: Arc<OnceLock<PathBuf>>,
    pub(super) changes: Arc<Changes>,
    pub(super) in_use: Arc<InUse>,
}

/// Checks the file `after` that time, if the store is still used then.
///
/// # Errors
/// There is no thread to be had.
pub(super) fn begin(
    wanted: CheckRequest,
    after: Duration,
) -> Result<(PendingCheck, JoinHandle<()>), StoreError> {
    let (pending, ended) = sync_channel(0);
    let look = move || {
        if ended.recv_timeout(after) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let CheckRequest { path, jobs, set_aside, changes, in_use } = wanted;
        let Some(why) = file::check(&path) else { return };
        let Some(jobs) = jobs.upgrade() else { return };
        let job: Job = Box::new(move |db| match file::replace(db, &path, &why, &in_use) {
            Ok(moved) => {
                // Only one check is ever made.
                let _ = moved.map(|moved| set_aside.set(moved));
                changes.note();
            }
            Err(error) => {
                tracing::error!(%error, "the database is damaged and could not be replaced; nothing is stored")
            }
        });
        // Without a database thread there is nothing to replace.
        let _ = jobs.blocking_send(job);
    };
    let thread = std::thread::Builder::new().name("joi-store-check".into()).spawn(look);
    Ok((PendingCheck { _dropped: pending }, thread.map_err(StoreError::Thread)?))
}
