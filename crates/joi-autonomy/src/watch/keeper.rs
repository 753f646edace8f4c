//! The handle of the watches: orders, and what their task has noticed, each as one transaction of the database.
//!
//! Any task; clones share it. In: orders, changes. Out: reports, once they are durable. Several programs may give orders
//! at the same time; the one that watches is woken by whoever changed something.

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Zoned};
use tokio::sync::Notify;

use super::orders::{self, WatchReport};
use super::{Sight, Watch};
use joi_base::clock::Clock;
use joi_base::message::Origin;
use joi_home::house::House;
use joi_language::values::{WatchId, WatchOrder};
use joi_schedule::announce::Announcement;
use joi_schedule::{Bell, WakeUp};
use joi_store::{Store, StoreError, WatchChange, WatchTable, WatchWrite};

/// The words of an order, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderOrigin {
    /// As they were said or typed.
    pub said: String,
    /// Whose they are.
    pub origin: Origin,
}

/// An order that was carried out, durably.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchDone {
    /// What became of it.
    pub report: WatchReport,
    /// Whether a program is running that watches.
    pub bell: Bell,
    /// When it was carried out.
    pub at: Zoned,
}

/// A change of a watch that its task has decided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settling {
    pub(super) id: WatchId,
    /// As it is from now on; nothing when it is over.
    pub(super) watch: Option<Watch>,
    pub(super) says: Vec<Announcement>,
}

/// A handle of the watches; clones share it.
#[derive(Clone)]
pub struct Watches {
    store: Store,
    pub(super) clock: Arc<dyn Clock>,
    changed: Arc<Notify>,
    wake_up: Option<WakeUp>,
}

impl fmt::Debug for Watches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watches").finish_non_exhaustive()
    }
}

impl Watches {
    /// Watches in `store`; `wake_up` wakes the program that watches, nothing when that is this one. Starts nothing.
    pub fn new(store: Store, clock: Arc<dyn Clock>, wake_up: Option<WakeUp>) -> Self {
        Self { store, clock, changed: Arc::default(), wake_up }
    }

    /// Carries out an order. When this returns, its changes are on the disk. `house` is the house while its states are
    /// live: what is so already is known from then on.
    ///
    /// # Errors
    /// The database's; nothing was changed then, and nothing may be confirmed.
    pub async fn obey(
        &self,
        order: WatchOrder,
        words: OrderOrigin,
        house: Option<House>,
    ) -> Result<WatchDone, StoreError> {
        let at = self.clock.now();
        let now = at.timestamp();
        let work = move |table: WatchTable| {
            let watches = read(&table);
            let next = WatchId(table.next_id);
            let words = (words.said, words.origin.name().to_owned());
            let sight = Sight { house: house.as_ref(), event: None, now, moved: SignedDuration::ZERO };
            let (added, gone, report) = orders::obey(&watches, next, &order, words, &sight);
            let mut changes = added.iter().map(put).collect::<Result<Vec<_>, _>>()?;
            changes.extend(gone.into_iter().map(|id| WatchChange::Remove(id.0)));
            let has_changed = !changes.is_empty();
            Ok(WatchWrite { changes, announcements: Vec::new(), answer: (report, has_changed) })
        };
        let ((report, has_changed), _) = self.store.watches(work).await?;
        let bell = if has_changed { self.wake().await } else { Bell::Somebody };
        Ok(WatchDone { report, bell, at })
    }

    /// All watches, by number.
    ///
    /// # Errors
    /// The database's.
    pub async fn all(&self) -> Result<Vec<Watch>, StoreError> {
        let work = |table: WatchTable| {
            Ok(WatchWrite { changes: Vec::new(), announcements: Vec::new(), answer: read(&table) })
        };
        Ok(self.store.watches(work).await?.0)
    }

    /// Somebody else has changed something.
    pub fn look_again(&self) {
        self.changed.notify_one();
    }

    /// Waits for the next change by somebody else. Cancel-safe.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Stores what was noticed, together with what is to be said of it. Returns the numbers of the announcements of each
    /// change; nothing for a watch that somebody has ended meanwhile.
    pub(super) async fn settle(&self, settling: Vec<Settling>) -> Result<Vec<Option<Vec<i64>>>, StoreError> {
        let work = move |table: WatchTable| {
            let (mut changes, mut announcements, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            for one in &settling {
                if table.rows.iter().all(|row| row.id != one.id.0) {
                    counts.push(None);
                    continue;
                }
                changes.push(match &one.watch {
                    Some(watch) => put(watch)?,
                    None => WatchChange::Remove(one.id.0),
                });
                for announcement in &one.says {
                    announcements.push(announcement.kept()?);
                }
                counts.push(Some(one.says.len()));
            }
            Ok(WatchWrite { changes, announcements, answer: counts })
        };
        let (counts, rows) = self.store.watches(work).await?;
        let mut rows = rows.into_iter();
        Ok(counts.into_iter().map(|count| count.map(|count| rows.by_ref().take(count).collect())).collect())
    }

    async fn wake(&self) -> Bell {
        self.look_again();
        let Some(wake_up) = self.wake_up.clone() else { return Bell::Somebody };
        match tokio::task::spawn_blocking(move || wake_up()).await {
            Ok(true) => Bell::Somebody,
            Ok(false) | Err(_) => Bell::Nobody,
        }
    }
}

/// The stored watches; one of another version is left alone.
fn read(table: &WatchTable) -> Vec<Watch> {
    let read = |row: &joi_store::WatchRow| match serde_json::from_str::<Watch>(&row.watch) {
        Ok(watch) => Some(Watch { id: WatchId(row.id), ..watch }),
        Err(error) => {
            tracing::warn!(id = row.id, %error, "a watch of another version is left alone");
            None
        }
    };
    table.rows.iter().filter_map(read).collect()
}

fn put(watch: &Watch) -> Result<WatchChange, StoreError> {
    let text = serde_json::to_string(watch).map_err(|error| StoreError::Record(error.to_string()))?;
    Ok(WatchChange::Put(watch.id.0, text))
}
