//! The user's wish for quiet: until a moment, over restarts.
//!
//! Any task. In: the moment, or that the wish is over. Out: the queue keeps silent until then, beside its quiet hours;
//! the moment is in the database. Where it can't be stored the wish holds until the program ends, which is logged, and
//! goes before what is stored.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use jiff::{Timestamp, Zoned};

use super::{Announcer, QuietHours};
use joi_store::{Store, StoreError};

/// Key of the moment, in milliseconds.
const KEY: &str = "announce.quiet_until_ms";

impl Announcer {
    /// Nothing is said unasked until `until`, but what is critical and what the user set to ring; nothing: as always.
    pub async fn be_quiet_until(&self, until: Option<Timestamp>) {
        self.wish(until);
        self.shared.changed.send_replace(());
        let Some(store) = &self.shared.store else { return };
        let text = until.map_or_else(String::new, |until| until.as_millisecond().to_string());
        let stored = store.set_setting(KEY, text).await;
        self.shared.is_wish_unstored.store(stored.is_err(), Ordering::Relaxed);
        if let Err(error) = stored {
            tracing::warn!(%error, "the wish for quiet is not stored and ends with the program");
        }
    }

    /// Reads the wish again: another program with this database may have taken one.
    pub async fn read_wish(&self) {
        let Some(store) = &self.shared.store else { return };
        if self.shared.is_wish_unstored.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(until) = stored(store).await {
            let is_new = {
                let now = self.now();
                let before = self.quiet();
                before.wished_until(&now) != before.clone().with_wish(until).wished_until(&now)
            };
            if is_new {
                self.wish(until);
                self.shared.changed.send_replace(());
            }
        }
    }

    /// When it is quiet: the hours of the configuration, and the wish.
    pub fn quiet(&self) -> QuietHours {
        self.shared.quiet.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When the quiet ends, if it is quiet at `now`.
    pub fn quiet_until(&self, now: &Zoned) -> Option<Zoned> {
        self.quiet().until(now)
    }

    /// When quiet hours begin next; nothing where none are configured.
    pub fn quiet_from(&self, now: &Zoned) -> Option<Zoned> {
        self.quiet().next_begin(now)
    }

    pub(super) fn wish(&self, until: Option<Timestamp>) {
        let mut quiet = self.shared.quiet.lock().unwrap_or_else(PoisonError::into_inner);
        *quiet = std::mem::take(&mut *quiet).with_wish(until);
    }
}

/// The stored wish; nothing where there is none, or none that makes sense.
pub(super) async fn stored(store: &Store) -> Result<Option<Timestamp>, StoreError> {
    let text = store.setting(KEY).await?.unwrap_or_default();
    Ok(text.parse().ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()))
}
