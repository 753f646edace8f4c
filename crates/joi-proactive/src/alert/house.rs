//! The report that the house is not connected, and that an alarm there would go unnoticed.
//!
//! In: whether the house is connected at each look. Out: what is to be announced. A connection
//! that does not last is none, so that one which comes and goes is announced once. [`Alerts`] reports it: to the group
//! at once, aloud when it is no quiet hour, and that it is over.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use super::{Alert, AlertKind, Alerts, PATIENCE, READ};
use joi_language::SentenceName;
use joi_schedule::announce::{Announcement, AnnouncementOrigin, AnnouncementOutcome, AnnouncementPriority};
use joi_store::StoreError;

/// A connection that holds so long counts.
const HOLDS: Duration = Duration::from_secs(60);
/// That the house is back is worth saying for so long.
const NEWS: Duration = Duration::from_secs(1800);

/// The connection of the house over time.
#[derive(Debug, Clone, Copy)]
pub struct HouseConnection {
    /// How long it is gone before that is announced.
    limit: Duration,
    phase: ConnectionPhase,
}

#[derive(Debug, Clone, Copy)]
enum ConnectionPhase {
    Up,
    Gone {
        since: Instant,
        is_told: bool,
        /// It is connected again since then.
        up_since: Option<Instant>,
    },
}

/// A report about the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionNews {
    /// It has been gone for so long.
    Lost(Duration),
    /// It is connected again.
    Back,
}

impl HouseConnection {
    /// One that has not been connected since the start at `now`; whether an earlier run of the program has announced
    /// that.
    pub fn new(limit: Duration, is_told: bool, now: Instant) -> Self {
        Self { limit, phase: ConnectionPhase::Gone { since: now, is_told, up_since: None } }
    }

    /// Looks at `now`.
    pub fn look(&mut self, is_up: bool, now: Instant) -> Option<ConnectionNews> {
        match &mut self.phase {
            ConnectionPhase::Up if is_up => None,
            ConnectionPhase::Up => {
                self.phase = ConnectionPhase::Gone { since: now, is_told: false, up_since: None };
                None
            }
            ConnectionPhase::Gone { is_told, up_since, .. } if is_up => {
                let up_since = *up_since.get_or_insert(now);
                if now.saturating_duration_since(up_since) < HOLDS {
                    return None;
                }
                let news = is_told.then_some(ConnectionNews::Back);
                self.phase = ConnectionPhase::Up;
                news
            }
            ConnectionPhase::Gone { since, is_told, up_since } => {
                *up_since = None;
                let gone = now.saturating_duration_since(*since);
                if *is_told || gone < self.limit {
                    return None;
                }
                *is_told = true;
                Some(ConnectionNews::Lost(gone))
            }
        }
    }
}

impl Alerts {
    /// Returns whether it was announced, before the last end of the program, that the house is gone, and not that it is
    /// back.
    pub async fn has_announced_house_lost(&self) -> bool {
        self.stored_loss().await.is_some()
    }

    /// Announces that the house has been gone for so long. The message waits for no database.
    pub async fn house_is_lost(&self, gone: Duration) {
        let alert = Alert::new(AlertKind::HouseLost { lost_s: gone.as_secs() }, self.now());
        let told = async {
            if self.announce_new(alert.clone()).await.is_some() {
                self.store_within(PATIENCE).await;
            }
        };
        tokio::join!(self.post(&alert), told);
    }

    /// The house is connected again: that it was not is not said any more, and everybody who heard of it learns so.
    pub async fn house_is_back(&self) {
        let announcer = &self.shared.parts.announcer;
        let lost = self.lost().take();
        let was_heard = lost.and_then(|id| announcer.outcome(id)) == Some(AnnouncementOutcome::Heard);
        // Also one that was kept over a restart.
        let waiting = announcer.waiting();
        let of_loss = waiting.iter().filter(|w| w.announcement.wording.is(SentenceName::HouseLost));
        for waiting in of_loss {
            announcer.withdraw(waiting.id).await;
        }
        if was_heard {
            let (origin, priority) = (AnnouncementOrigin::Alert, AnnouncementPriority::Notice);
            let back = Announcement::new(origin, priority, SentenceName::HouseBack);
            let expires = announcer.moment_after(NEWS);
            announcer.announce(Announcement { expires, ..back }).await;
        }
        let back = Alert::new(AlertKind::HouseBack, self.now());
        self.post(&back).await;
        self.store_within(PATIENCE).await;
        if let (Some((row, loss)), Some(store)) = (self.stored_loss().await, &self.shared.parts.store) {
            let over = Alert { acknowledged: Some(back.at), ..loss };
            let Ok(json) = serde_json::to_string(&over) else { return };
            let amended = tokio::time::timeout(PATIENCE, store.amend_alert(row, json)).await;
            if let Err(error) = amended.unwrap_or(Err(StoreError::Slow)) {
                tracing::warn!(%error, "that the house is back is told again after a restart");
            }
        }
    }

    /// Returns the newest loss that is not over, as it is stored.
    async fn stored_loss(&self) -> Option<(i64, Alert)> {
        let rows = tokio::time::timeout(PATIENCE, self.shared.parts.store.as_ref()?.alerts(READ)).await;
        let rows = rows.ok()?.inspect_err(|error| tracing::warn!(%error, "alarms can't be read")).ok()?;
        let alerts =
            rows.iter().filter_map(|row| Some((row.id, serde_json::from_str::<Alert>(&row.json).ok()?)));
        let (row, newest) =
            alerts.into_iter().find(|(_, alert)| matches!(alert.kind, AlertKind::HouseLost { .. }))?;
        newest.acknowledged.is_none().then_some((row, newest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(600);

    /// Returns what is announced when the house is connected, or not, from these seconds on; looked at every ten seconds.
    fn news_of(changes: &[(u64, bool)], until: u64) -> Vec<(u64, ConnectionNews)> {
        let start = Instant::now();
        let mut connection = HouseConnection::new(LIMIT, false, start);
        let is_up =
            |second| changes.iter().rev().find(|(from, _)| *from <= second).is_some_and(|(_, up)| *up);
        let look = |second| {
            let news = connection.look(is_up(second), start + Duration::from_secs(second))?;
            Some((second, news))
        };
        (0..=until).step_by(10).filter_map(look).collect()
    }

    #[test]
    fn a_house_that_is_gone_for_ten_minutes_is_announced_once_and_that_it_is_back() {
        assert_eq!(news_of(&[(0, true)], 90_000), []);
        assert_eq!(news_of(&[(0, true), (1000, false), (1590, true)], 90_000), []);
        let lost = |at| (at, ConnectionNews::Lost(LIMIT));
        assert_eq!(news_of(&[(0, true), (1000, false)], 90_000), [lost(1600)]);
        let gone = [(0, true), (1000, false), (5000, true)];
        assert_eq!(news_of(&gone, 90_000), [lost(1600), (5060, ConnectionNews::Back)]);
        assert_eq!(news_of(&[], 90_000), [lost(600)], "it never was there");
    }

    #[test]
    fn a_connection_that_comes_and_goes_is_reported_once() {
        let mut changes = vec![(0, true)];
        // Every five minutes it is there for half a minute.
        for n in 0..40 {
            changes.extend([(1000 + n * 300, false), (1270 + n * 300, true)]);
        }
        let told = news_of(&changes, 20_000);
        let [(_, ConnectionNews::Lost(_)), (back, ConnectionNews::Back)] = told[..] else {
            panic!("{told:?}")
        };
        assert!(back > 12_970, "when it stays");
    }

    #[test]
    fn what_was_announced_before_a_restart_is_not_announced_again() {
        let start = Instant::now();
        let mut connection = HouseConnection::new(LIMIT, true, start);
        assert_eq!(connection.look(false, start + LIMIT * 2), None);
        assert_eq!(connection.look(true, start + LIMIT * 3), None);
        assert_eq!(connection.look(true, start + LIMIT * 3 + HOLDS), Some(ConnectionNews::Back));
    }
}
