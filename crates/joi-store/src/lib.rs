//! Persistent data: dialogue, turn records, memory, schedule, announcements that wait, goals and
//! their tasks, remembered settings.
//!
//! One SQLite database in WAL mode, owned by the thread `joi-store`. Every request is a job in a bounded
//! queue (16: a full one makes the caller wait) that is answered once. A [`Store`] is a handle; the thread
//! ends with the last of them. A damaged database is kept under another name and replaced by what can be read of it
//! and of the daily snapshots; a large one is checked in the background. Nothing here redacts: callers pass redacted
//! text only.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use joi_store::Store;
//!
//! let store = Store::in_memory()?;
//! store.set_setting("language", "de".to_owned()).await?;
//! assert_eq!(store.setting("language").await?.as_deref(), Some("de"));
//! store.close().await?;
//! # Ok::<(), joi_store::StoreError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use joi_base::message::ConversationId;
use joi_base::problem::Problem;
use joi_base::pulse::Heart;
use joi_base::trace::TurnRecord;

mod announcements;
pub mod backup;
mod beside;
mod connection;
mod conversation;
mod dialogue;
mod erase;
mod erasures;
mod error;
mod file;
mod handle;
mod in_use;
mod initiative;
mod integrity;
mod losses;
mod memory;
mod notes;
mod outgoing;
mod repair;
mod rights;
mod salvage;
mod schedule;
mod settings;
mod snapshot;
#[cfg(any(test, feature = "testing"))]
mod test_faults;
#[cfg(test)]
mod tests;
mod turns;
pub mod unfinished;
mod watches;
mod word_index;
mod work;

pub use announcements::AnnouncementRow;
pub use dialogue::{DialogueRole, DialogueRow, Exchange, ExchangeId, WordedBy};
pub use erase::{Deleted, Forget};
pub use error::StoreError;
pub use handle::Store;
pub use initiative::InitiativeRow;
pub use joi_language::values::deed::MemoryKind;
pub use losses::{Loss, LostRows, TableLoss, unacknowledged};
pub use memory::{
    DiaryPage, Embedding, HitSource, Imported, Memory, MemoryHit, MemoryProfile, MemoryQuery, NewMemory,
    Portable, STRANGER, TopicMentions, Unembedded,
};
pub use notes::NoteRemoval;
pub use outgoing::{OutgoingChange, OutgoingRow};
pub use schedule::{ScheduleChange, ScheduleRow, ScheduleTable, ScheduleWrite};
pub use settings::{AGENTS, LAST_RUN};
pub use snapshot::{day as snapshot_day, newest_first as snapshots};
pub use watches::{WatchChange, WatchRow, WatchTable, WatchWrite};
pub use work::{
    ArchivedSession, InnerStep, NewArchive, NewCell, NewWork, NewWorkNote, RunEnd, RunRow, ThreadCell,
    UsageRow, UsageSum, WorkChange, WorkNote, WorkRow,
};

use handle::Job;

/// Jobs queued for the database thread; one more makes its sender wait.
const QUEUE: usize = 16;

/// `[store]`: how long data is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// Days that dialogue and turn records are kept, 1 to 3650. More days, more history and more disk.
    pub retention_days: u32,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self { retention_days: 30 }
    }
}

impl StoreConfig {
    /// All problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        let days = f64::from(self.retention_days);
        Problem::outside("store.retention_days", days, 1.0..=3650.0, "days").into_iter().collect()
    }

    /// Everything older than this is purged.
    pub fn cutoff(&self, now: Timestamp) -> Timestamp {
        let kept = SignedDuration::from_hours(24 * i64::from(self.retention_days));
        now.checked_sub(kept).unwrap_or(Timestamp::MIN)
    }
}

impl Store {
    /// Opens or creates the database at `path`, its folder included, readable by its owner only. Blocks while
    /// SQLite checks the file, some milliseconds whatever its size: anything beyond 4 MB is checked a minute
    /// later, in the background. A damaged file is renamed, and what can be read of it copied into a new one; see
    /// [`Store::set_aside`] and [`Store::losses`].
    ///
    /// # Errors
    /// The folder or file can't be written, or was made by a newer version of this program. The
    /// caller may go on with [`Store::in_memory`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_watched(path, Heart::unwatched())
    }

    /// The same; the thread reports its work to `heart`.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_watched(path: &Path, heart: Heart) -> Result<Self, StoreError> {
        Ok(Self::open_checked(path, heart, integrity::LATER)?.0)
    }

    /// The same; a large file is checked `after` that time on a thread, which is returned.
    fn open_checked(
        path: &Path,
        heart: Heart,
        after: Duration,
    ) -> Result<(Self, Option<JoinHandle<()>>), StoreError> {
        let opened = file::open(path)?;
        let in_use = Arc::new(opened.in_use);
        let mut store = Self::serve(opened.db, Some(Arc::clone(&in_use)), heart)?;
        store.file = Some(path.into());
        if let Some(moved) = opened.set_aside {
            let _ = store.set_aside.set(moved);
        }
        if opened.checked == file::CheckExtent::Whole {
            return Ok((store, None));
        }
        let wanted = integrity::CheckRequest {
            path: path.to_owned(),
            jobs: store.jobs.downgrade(),
            set_aside: Arc::clone(&store.set_aside),
            changes: Arc::clone(&store.changes),
            in_use,
        };
        let (pending, thread) = integrity::begin(wanted, after)?;
        store._check = Some(pending);
        Ok((store, Some(thread)))
    }

    /// A database that is dropped with its last handle: for tests, and when the disk can't be used.
    ///
    /// # Errors
    /// No memory, or no thread to be had.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::serve(file::in_memory()?, None, Heart::unwatched())
    }

    fn serve(
        mut db: Connection,
        in_use: Option<Arc<in_use::InUse>>,
        heart: Heart,
    ) -> Result<Self, StoreError> {
        let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
        std::thread::Builder::new()
            .name("joi-store".into())
            .spawn(move || {
                // As long as the connection is open.
                let _in_use = in_use;
                while let Some(job) = queue.blocking_recv() {
                    let _working = heart.work();
                    job(&mut db);
                }
            })
            .map_err(StoreError::Thread)?;
        Ok(Self {
            jobs,
            file: None,
            set_aside: Arc::default(),
            _check: None,
            changes: Arc::default(),
            #[cfg(any(test, feature = "testing"))]
            hangs: Arc::default(),
        })
    }

    /// Reports how many jobs are queued and the capacity, as long as the queue is open.
    pub fn waiting(&self) -> impl Fn() -> Option<(usize, usize)> + Send + Sync + 'static {
        let (queue, most) = (self.jobs.downgrade(), self.jobs.max_capacity());
        move || Some((most - queue.upgrade()?.capacity(), most))
    }

    /// Where a damaged database was moved to, when this one was opened or since.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.get().map(PathBuf::as_path)
    }

    /// Stores an exchange as two messages.
    pub async fn add_exchange(&self, exchange: Exchange) -> Result<ExchangeId, StoreError> {
        self.run(move |db| dialogue::add(db, &exchange)).await
    }

    /// Replaces the answer of an exchange by the part that was really played. An empty text deletes the whole
    /// exchange.
    pub async fn amend_answer(&self, id: ExchangeId, heard: String) -> Result<(), StoreError> {
        self.run(move |db| dialogue::amend(db, id, &heard)).await
    }

    /// The newest `limit` messages of all channels on which the user talks since `since`, oldest first.
    pub async fn dialogue_since(&self, since: Timestamp, limit: u32) -> Result<Vec<DialogueRow>, StoreError> {
        self.run(move |db| dialogue::since(db, since, limit)).await
    }

    /// The newest `limit` messages of that conversation alone since `since`, oldest first.
    pub async fn dialogue_within(
        &self,
        conversation: ConversationId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<DialogueRow>, StoreError> {
        self.run(move |db| dialogue::within(db, &conversation, since, limit)).await
    }

    /// Stores the record of a turn.
    pub async fn save_turn(&self, record: &TurnRecord) -> Result<(), StoreError> {
        let record = record.clone();
        self.run(move |db| turns::save(db, &record)).await
    }

    /// The record of the newest turn.
    pub async fn last_turn(&self) -> Result<Option<TurnRecord>, StoreError> {
        Ok(self.turns(1).await?.pop())
    }

    /// The records of the newest `limit` turns, newest first.
    pub async fn turns(&self, limit: u32) -> Result<Vec<TurnRecord>, StoreError> {
        self.run(move |db| turns::newest(db, limit, |_| true)).await
    }

    /// The records of the newest `limit` turns of the user, newest first.
    pub async fn turns_of_user(&self, limit: u32) -> Result<Vec<TurnRecord>, StoreError> {
        self.run(move |db| turns::newest(db, limit, |record| record.channel.is_of_user())).await
    }

    /// Reads the whole schedule, calls `work`, and writes the changes it returns, all in one transaction.
    /// When this returns, the changes survive a power cut.
    pub async fn schedule<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(ScheduleTable) -> Result<ScheduleWrite<T>, StoreError> + Send + 'static,
    {
        self.run(move |db| schedule::change(db, work)).await
    }

    /// A remembered setting.
    pub async fn setting(&self, key: &'static str) -> Result<Option<String>, StoreError> {
        self.run(move |db| settings::get(db, key)).await
    }

    /// Stores a setting.
    pub async fn set_setting(&self, key: &'static str, value: String) -> Result<(), StoreError> {
        self.run(move |db| settings::set(db, key, &value)).await
    }

    /// Waits for all queued jobs and checkpoints the write-ahead log: the last call before the program ends.
    pub async fn close(self) -> Result<(), StoreError> {
        self.run(|db| Ok(db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?)).await
    }
}
