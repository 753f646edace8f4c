//! What must not be lost is in the database until it was heard.
//!
//! Any task. In: announcements that are kept, and what became of them. Out: rows of the database. A database that hangs
//! keeps nobody waiting who speaks: that lasts no longer than [`PATIENCE`].

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::queue::WaitingAnnouncement;
use super::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer, IfUnheard, Wording,
};
use joi_base::message::Place;
use joi_store::{Store, StoreError};

/// Whoever speaks waits for the database no longer than this.
const PATIENCE: Duration = Duration::from_millis(500);

/// An announcement as it stands in the database.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The name it had when there were no templates.
    #[serde(rename = "text")]
    wording: Wording,
    priority: AnnouncementPriority,
    expires: Option<Timestamp>,
    origin: AnnouncementOrigin,
    place: Option<Place>,
}

impl From<Kept> for Announcement {
    fn from(Kept { wording, priority, expires, origin, place }: Kept) -> Self {
        Self { wording, priority, expires, origin, place, if_unheard: IfUnheard::Keep, question: None }
    }
}

/// An announcement as it was stored.
pub(super) fn read(text: &str) -> serde_json::Result<Announcement> {
    serde_json::from_str::<Kept>(text).map(Announcement::from)
}

impl Announcement {
    /// Returns it as it stands in the database, for whoever stores it together with something else.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn kept(&self) -> Result<String, StoreError> {
        let Announcement { wording, priority, expires, origin, place, .. } = self.clone();
        let kept = Kept { wording, priority, expires, origin, place };
        serde_json::to_string(&kept).map_err(|error| StoreError::Record(error.to_string()))
    }
}

impl Announcer {
    /// Has something said that is in the database already, in this row.
    pub async fn announce_kept(&self, announcement: Announcement, row: i64) -> AnnouncementId {
        self.push(announcement, Some(row)).await
    }

    /// Stores one that is in the queue; it may be over when the database has it.
    pub(super) async fn keep(&self, id: AnnouncementId, announcement: &Announcement) {
        let Some(store) = &self.shared.store else { return };
        match add(store, announcement).await {
            Ok(row) => {
                let gone = self.queue().keep(id, row);
                self.forget_row(gone).await;
            }
            Err(error) => tracing::warn!(%error, "an announcement is not kept"),
        }
    }

    /// Whether it was kept on the disk and has been erased there, by this program or another one. A database that does not
    /// answer has erased nothing.
    pub(super) async fn was_erased(&self, id: AnnouncementId) -> bool {
        let row = self.queue().waiting().iter().find(|waiting| waiting.id == id).and_then(|w| w.row);
        let (Some(store), Some(row)) = (&self.shared.store, row) else { return false };
        let kept = tokio::time::timeout(PATIENCE, store.announcements()).await;
        kept.is_ok_and(|kept| kept.is_ok_and(|kept| kept.iter().all(|kept| kept.id != row)))
    }

    /// Takes it off the disk, if it is there.
    pub(super) async fn forget(&self, gone: Option<WaitingAnnouncement>) {
        self.forget_row(gone.and_then(|waiting| waiting.row)).await;
    }

    async fn forget_row(&self, row: Option<i64>) {
        let (Some(store), Some(row)) = (&self.shared.store, row) else { return };
        let removed = tokio::time::timeout(PATIENCE, store.remove_announcement(row)).await;
        if let Err(error) = removed.unwrap_or(Err(StoreError::Slow)) {
            tracing::warn!(%error, "an announcement is still kept, and may be said again after a restart");
        }
    }
}

async fn add(store: &Store, announcement: &Announcement) -> Result<i64, StoreError> {
    store.add_announcement(announcement.kept()?).await
}
