//! Alarms: a danger is announced aloud and to the group, with a fixed text, at any hour, until somebody has heard it.
//!
//! Any task holds an [`Alerts`]. In: dangers, notices of high priority, a house that is gone, a test. Out: an
//! announcement that is repeated, a message to the group, a row in the database. No model is asked, and neither a full
//! disk nor a database that hangs keeps the voice silent. [`endpoint`] takes notices over HTTP.

mod config;
pub mod endpoint;
mod entry;
mod house;
mod rows;
mod service;
mod storing;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex as AsyncMutex, OnceCell};
use tokio_util::sync::CancellationToken;

pub use config::AlertConfig;
pub use entry::{AcknowledgedBy, Alert, AlertKind};
pub use house::{ConnectionNews, HouseConnection};
pub use service::{AlertService, AlertsElsewhere};

use joi_base::pulse::Heart;
use joi_language::Languages;
use joi_messages::outbound::{Audience, Outbox, Outgoing, Urgency};
use joi_schedule::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementOutcome, AnnouncementPriority, Announcer,
    IfUnheard,
};
use joi_store::{Store, StoreError};
use rows::AlertRows;
use storing::{AGAIN, BEFORE_MESSAGE};

/// An alarm that nobody has heard is announced again after a restart, if it is not older than this.
const STILL_TRUE: SignedDuration = SignedDuration::from_hours(24);
/// A test that nobody answers ends by itself.
const TEST_LASTS: SignedDuration = SignedDuration::from_mins(5);
/// Alarms that are read of the database.
const READ: u32 = 100;
/// The database has so long before nobody waits for it any more.
const PATIENCE: Duration = Duration::from_secs(10);
/// A message has so long, which is what is left of that where it had to wait for the database.
const SENT_WITHIN: Duration = PATIENCE.saturating_sub(BEFORE_MESSAGE);

/// The services behind alarms.
pub struct AlertParts {
    /// `[alert]`.
    pub config: AlertConfig,
    /// Says them.
    pub announcer: Announcer,
    /// Takes them to the group.
    pub outbox: Outbox,
    /// Keeps them.
    pub store: Option<Store>,
    /// In which they are announced.
    pub languages: Languages,
}

/// The handle of all alarms; clones share them.
#[derive(Clone)]
pub struct Alerts {
    shared: Arc<AlertShared>,
}

struct AlertShared {
    parts: AlertParts,
    active: Mutex<Vec<ActiveAlert>>,
    rows: Mutex<AlertRows>,
    /// Who writes alarms, one after the other.
    writing: AsyncMutex<()>,
    restored: OnceCell<()>,
    /// The announcement that the house is not connected, while it is not.
    lost: Mutex<Option<AnnouncementId>>,
}

/// One that nobody has heard yet.
#[derive(Clone)]
struct ActiveAlert {
    alert: Alert,
    announced: AnnouncementId,
}

/// One that is announced, and neither stored nor sent yet.
#[derive(Debug)]
#[must_use]
pub struct AnnouncedAlert(Alert);

impl fmt::Debug for Alerts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alerts").field("active", &self.active().len()).finish_non_exhaustive()
    }
}

impl Alerts {
    /// No alarm yet.
    pub fn new(parts: AlertParts) -> Self {
        let (active, rows, writing, restored, lost) = Default::default();
        Self { shared: Arc::new(AlertShared { parts, active, rows, writing, restored, lost }) }
    }

    /// Announces again what nobody has heard before the last end of the program; once, whoever asks for it.
    ///
    /// # Errors
    /// The database's.
    pub async fn restore(&self) -> Result<(), StoreError> {
        self.shared.restored.get_or_try_init(|| self.announce_again()).await.copied()
    }

    async fn announce_again(&self) -> Result<(), StoreError> {
        let Some(store) = &self.shared.parts.store else { return Ok(()) };
        let now = self.shared.parts.announcer.now().timestamp();
        for row in store.alerts(READ).await?.into_iter().rev() {
            let Ok(alert) = serde_json::from_str::<Alert>(&row.json) else {
                tracing::warn!(id = row.id, "an alarm of another version is left alone");
                continue;
            };
            let is_true = now.duration_since(alert.at) < STILL_TRUE && alert.kind != AlertKind::Test;
            if alert.acknowledged.is_none() && is_true && alert.repeats() && !self.is_active(&alert) {
                let announced = self.announce(&alert).await;
                self.rows().restored(row.id, &alert);
                self.active().push(ActiveAlert { alert: alert.clone(), announced });
                // With the same key: whoever sends it knows whether it went out.
                self.post(&alert).await;
            }
        }
        Ok(())
    }

    /// There is a danger: it is announced, stored and sent. One that is announced already is not announced twice.
    pub async fn raise(&self, alert: Alert) {
        if let Some(announced) = self.announce_new(alert).await {
            self.keep_announced(announced).await;
        }
    }

    /// Does the first half of [`raise`](Self::raise): the announcement of a danger is in the queue, and nothing was
    /// waited for. Nothing for one that is announced already.
    pub async fn announce_new(&self, alert: Alert) -> Option<AnnouncedAlert> {
        if self.is_active(&alert) {
            return None;
        }
        let alert = self.with_its_own_key(alert);
        let kind = alert.kind.name();
        if self.shared.parts.store.is_some() {
            self.rows().raised(&alert);
        }
        let announced = self.announce(&alert).await;
        if alert.repeats() {
            self.active().push(ActiveAlert { alert: alert.clone(), announced });
        } else {
            *self.lost() = Some(announced);
        }
        tracing::warn!(kind, "an alarm");
        Some(AnnouncedAlert(alert))
    }

    /// The second half: it is stored, and sent to the group. Whoever raised it sends it again where the program ended
    /// before it was stored, and then its message would come twice: it leaves behind that, unless the database hangs.
    pub async fn keep_announced(&self, AnnouncedAlert(alert): AnnouncedAlert) {
        let mut storing = std::pin::pin!(self.store_within(PATIENCE));
        match tokio::time::timeout(BEFORE_MESSAGE, &mut storing).await {
            Ok(()) => self.post(&alert).await,
            Err(_) => {
                tokio::join!(storing, self.post(&alert));
            }
        }
    }

    /// Somebody has heard all of them; how many there were.
    pub async fn acknowledge(&self, by: AcknowledgedBy) -> usize {
        let heard = std::mem::take(&mut *self.active());
        self.shared.parts.announcer.silence_alarms();
        self.end(heard, by).await
    }

    /// Somebody has seen the message that was sent under this key: that alarm is silent, others go on. Whether it was
    /// still announced.
    pub async fn acknowledge_sent(&self, key: &str, by: AcknowledgedBy) -> bool {
        let heard: Vec<ActiveAlert> =
            self.active().extract_if(.., |active| active.alert.key() == key).collect();
        for active in &heard {
            self.shared.parts.announcer.withdraw(active.announced).await;
        }
        self.end(heard, by).await > 0
    }

    async fn end(&self, heard: Vec<ActiveAlert>, by: AcknowledgedBy) -> usize {
        let heard: Vec<Alert> = heard.into_iter().map(|active| active.alert).collect();
        for alert in &heard {
            tracing::info!(kind = alert.kind.name(), ?by, "an alarm was acknowledged");
        }
        self.store_heard(&heard, by).await;
        heard.len()
    }

    /// Returns those that nobody has heard yet, the oldest first.
    pub fn unheard(&self) -> Vec<Alert> {
        self.active().iter().map(|active| active.alert.clone()).collect()
    }

    /// Follows what becomes of the announcements, until `stop`: "stop" at the loudspeaker acknowledges, and what was
    /// given up is announced again.
    pub async fn follow(&self, stop: CancellationToken, heart: &Heart) {
        let mut changes = self.shared.parts.announcer.changes();
        loop {
            let looking = heart.work();
            self.look().await;
            drop(looking);
            let again = if self.is_behind() { AGAIN } else { Duration::MAX };
            // Every arm is cancel-safe: what is not written is written again.
            tokio::select! {
                () = stop.cancelled() => return,
                changed = changes.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(again) => self.store_within(PATIENCE).await,
            }
        }
    }

    async fn look(&self) {
        let announcer = &self.shared.parts.announcer;
        let over: Vec<(ActiveAlert, AnnouncementOutcome)> = {
            let mut active = self.active();
            let outcome = |active: &ActiveAlert| {
                announcer.outcome(active.announced).unwrap_or(AnnouncementOutcome::Dropped)
            };
            // One that had to leave a full queue waits here until there is room: announced at once, it would drive out
            // another one.
            let is_over = |active: &mut ActiveAlert| {
                !announcer.is_waiting(active.announced)
                    && (outcome(active) != AnnouncementOutcome::Dropped || announcer.has_room())
            };
            active.extract_if(.., is_over).map(|active| (active.clone(), outcome(&active))).collect()
        };
        let mut heard = Vec::new();
        for (active, outcome) in over {
            match outcome {
                AnnouncementOutcome::Silenced | AnnouncementOutcome::Heard => heard.push(active),
                AnnouncementOutcome::Expired => self.rows().ended(&active.alert),
                AnnouncementOutcome::Dropped
                | AnnouncementOutcome::Withdrawn
                | AnnouncementOutcome::CutShort => {
                    let announced = self.announce(&active.alert).await;
                    self.active().push(ActiveAlert { announced, ..active });
                }
            }
        }
        if !heard.is_empty() {
            self.end(heard, AcknowledgedBy::Voice).await;
        }
    }

    async fn announce(&self, alert: &Alert) -> AnnouncementId {
        let AlertConfig { repeat_s, .. } = self.shared.parts.config;
        let (priority, if_unheard) = if alert.repeats() {
            let pause = Duration::from_secs(repeat_s.into());
            (AnnouncementPriority::Critical, IfUnheard::Repeat(pause))
        } else {
            (AnnouncementPriority::Notice, IfUnheard::Keep)
        };
        let expires = match alert.kind {
            AlertKind::Test => alert.at.checked_add(TEST_LASTS).ok(),
            _ => None,
        };
        let new = Announcement::new(AnnouncementOrigin::Alert, priority, alert.sentence());
        self.shared.parts.announcer.announce(Announcement { if_unheard, expires, ..new }).await
    }

    /// To the group; what can't be sent in time is logged.
    async fn post(&self, alert: &Alert) {
        let parts = &self.shared.parts;
        let text = alert.sentence().sentence(&parts.languages.get(), &parts.announcer.now());
        let message = Outgoing {
            audience: Audience::Group,
            text,
            urgency: Urgency::Critical,
            key: Some(alert.key()),
            expires: None,
        };
        match tokio::time::timeout(SENT_WITHIN, parts.outbox.post(message)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::error!(%error, "an alarm was not sent to the group"),
            Err(_) => tracing::error!("an alarm was not sent to the group in time"),
        }
    }

    /// Two notices of one millisecond are two messages.
    fn with_its_own_key(&self, mut alert: Alert) -> Alert {
        let (active, rows) = (self.active(), self.rows());
        let is_taken = |key: &str| active.iter().any(|active| active.alert.key() == key) || rows.has_key(key);
        while is_taken(&alert.key())
            && let Ok(later) = alert.at.checked_add(SignedDuration::from_millis(1))
        {
            alert.at = later;
        }
        alert
    }

    fn is_active(&self, alert: &Alert) -> bool {
        self.active().iter().any(|active| active.alert.is_same(alert))
    }

    fn active(&self) -> MutexGuard<'_, Vec<ActiveAlert>> {
        self.shared.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lost(&self) -> MutexGuard<'_, Option<AnnouncementId>> {
        self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody is at home, or somebody is again.
    pub fn set_away(&self, is_away: bool) {
        self.shared.parts.announcer.set_away(is_away);
    }

    /// Returns the present moment.
    pub fn now(&self) -> Timestamp {
        self.shared.parts.announcer.now().timestamp()
    }
}
