//! Watches the house while the program runs: raises alarms and keeps the context state of [`Awareness`].
//!
//! One task. In: changes of the house, notices of other programs, time. Out: alarms at once, topics in the state, the
//! state in the database. A database that cannot be written keeps nothing from being noticed.

mod alert_item;
mod known;
mod telling;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use joi_base::pulse::Heart;
use joi_home::HomeView;
use joi_home::house::{House, HouseRevision, ItemMeaning, MeaningConfig, meaning};
use joi_proactive::alert::endpoint::SentNotice;
use joi_proactive::alert::{AlertConfig, Alerts, ConnectionNews, HouseConnection};
use joi_proactive::awareness::{HomePresence, MeaningSource, Noticed, observations};
use joi_proactive::impulse::rhythm::{Rhythm, RhythmDue};
pub(super) use known::Awareness;
use telling::OwedNotices;

/// Notices of other programs that wait. When full, further ones are refused.
const NOTICES: usize = 16;
/// Longest time between two looks: the wall clock may have been set.
const AT_LEAST: Duration = Duration::from_secs(30);
/// Time limit for the database at the start: a danger must be announced within two seconds.
const RESTORE: Duration = Duration::from_secs(1);
/// Time limit for the database at the end of the program.
const END: Duration = Duration::from_secs(12);
/// Shortest time between two writes of changes that nothing depends on.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Returns the queue of notices.
pub(super) fn notices() -> (mpsc::Sender<SentNotice>, mpsc::Receiver<SentNotice>) {
    mpsc::channel(NOTICES)
}

/// Returns the service.
pub(super) fn awareness(
    brain: &Brain,
    config: &Config,
    house: Option<watch::Receiver<HomeView>>,
    notices: mpsc::Receiver<SentNotice>,
) -> Service {
    let (awareness, alerts) = (brain.awareness.clone(), brain.alerts.clone());
    let (meaning, alert) = (config.home.meaning.clone(), config.alert.clone());
    let notices = Arc::new(tokio::sync::Mutex::new(notices));
    let run = move |context: ServiceContext| {
        let watcher = HouseWatcher::new(
            awareness.clone(),
            alerts.clone(),
            (meaning.clone(), alert.clone()),
            house.clone(),
        );
        let notices = Arc::clone(&notices);
        async move {
            watcher.run(&mut *notices.lock().await, (context.stop, &context.heart)).await;
            Ok(())
        }
    };
    let service =
        Service::new("awareness", "nothing that happens in the house is noticed, no alarm either", run);
    service.heartbeat(3 * AT_LEAST)
}

/// The task.
pub(super) struct HouseWatcher {
    awareness: Awareness,
    alerts: Alerts,
    meaning: MeaningConfig,
    alert: AlertConfig,
    house: Option<watch::Receiver<HomeView>>,
    /// The meanings of this layout of the house.
    meanings: (Option<HouseRevision>, BTreeMap<String, ItemMeaning>),
    connection: HouseConnection,
    saved: Instant,
    is_dirty: bool,
    cleanup: RhythmDue,
    /// Tasks that wait for the database or a messenger: the next danger does not.
    behind: JoinSet<()>,
    owed: OwedNotices,
}

impl HouseWatcher {
    pub(super) fn new(
        awareness: Awareness,
        alerts: Alerts,
        (meaning, alert): (MeaningConfig, AlertConfig),
        house: Option<watch::Receiver<HomeView>>,
    ) -> Self {
        let cleanup = RhythmDue::after(Rhythm::CLEANUP, awareness.clock.now().timestamp(), 0.5);
        let connection = HouseConnection::new(lost_after(&alert), false, Instant::now().into_std());
        Self {
            awareness,
            alerts,
            meaning,
            alert,
            house,
            meanings: (None, BTreeMap::new()),
            connection,
            saved: Instant::now(),
            is_dirty: false,
            cleanup,
            behind: JoinSet::new(),
            owed: OwedNotices::default(),
        }
    }

    pub(super) async fn run(
        mut self,
        notices: &mut mpsc::Receiver<SentNotice>,
        (stop, heart): (CancellationToken, &Heart),
    ) {
        // Alerts that were announced already must not count as new.
        match tokio::time::timeout(RESTORE, self.alerts.restore()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "alarms of before are not known"),
            Err(_) => tracing::warn!("alarms of before are not known: the database does not answer"),
        }
        if tokio::time::timeout(RESTORE, self.alerts.has_announced_house_lost()).await == Ok(true) {
            let now = Instant::now().into_std();
            self.connection = HouseConnection::new(lost_after(&self.alert), true, now);
        }
        loop {
            heart.beat();
            self.look().await;
            let wait = self.wait();
            // Every arm is cancel-safe.
            let notice = tokio::select! {
                () = stop.cancelled() => break,
                () = changed(self.house.as_mut()) => None,
                Some(notice) = notices.recv() => Some(notice),
                () = tokio::time::sleep(wait) => None,
            };
            if let Some(SentNotice { notice, taken }) = notice {
                self.noticed(notice, taken).await;
            }
        }
        let ending = async { while self.behind.join_next().await.is_some() {} };
        if tokio::time::timeout(END, ending).await.is_err() {
            tracing::warn!("what the database does not take is given up: the program ends");
        }
        self.awareness.save_after(&self.alerts).await;
    }

    /// Looks at everything once.
    async fn look(&mut self) {
        while self.behind.try_join_next().is_some() {}
        let now = self.awareness.clock.now();
        let mut found = self.observe();
        if self.is_house_known() {
            let ticked = self.awareness.state().tick(&self.awareness.rules, &now);
            self.is_dirty |= !ticked.is_empty();
            found.extend(ticked);
        }
        let announced = self.announce(&found).await;
        if !announced.is_empty() {
            self.keep_behind(announced);
        }
        self.alerts.set_away(self.is_nobody_home());
        self.watch_connection();
        if self.cleanup.is_due(now.timestamp()) {
            self.is_dirty |= self.forget_old(now.timestamp());
            self.cleanup.done(now.timestamp(), 0.5);
        }
        let is_unsaved = self.is_dirty || self.awareness.is_unsaved.load(Ordering::Acquire);
        if is_unsaved && self.saved.elapsed() >= SAVE_EVERY {
            self.keep_behind(Vec::new());
        }
    }

    /// Returns whether the states of doors are current: they may be closed while the house is not connected.
    fn is_house_known(&self) -> bool {
        self.house.as_ref().is_none_or(|house| house.borrow().link.is_up())
    }

    fn is_nobody_home(&self) -> bool {
        self.is_house_known() && matches!(self.awareness.state().presence, HomePresence::Away { .. })
    }

    /// Forgets what is too old. Returns whether there was any, since an unchanged state is not written.
    fn forget_old(&self, now: Timestamp) -> bool {
        let mut state = self.awareness.state();
        let before = state.clone();
        state.forget_old(&self.awareness.rules, now);
        *state != before
    }

    /// Returns what is new in the house.
    fn observe(&mut self) -> Vec<Noticed> {
        let Some(house) = &mut self.house else { return Vec::new() };
        let house = house.borrow_and_update().house.clone();
        let now = self.awareness.clock.now();
        if self.meanings.0.map(|revision| revision.layout) != Some(house.revision().layout) {
            let rules = self.awareness.rules();
            self.meanings = (Some(house.revision()), meanings(&self.meaning, rules.meanings, &house));
            let unknown = self.meaning.unknown(&house);
            if !house.is_empty() && !unknown.is_empty() {
                let items = unknown.join(", ");
                tracing::warn!(
                    items,
                    "[home.meaning] names items that the house does not have; they raise no alarm"
                );
            }
        }
        let said = observations(&house, &self.meanings.1);
        let text = alert_item::text(&house, &self.alert.item);
        let mut state = self.awareness.state();
        let notice = text.and_then(|text| alert_item::new_alert(&mut state.alert_text, &text));
        let mut found = state.observe(&said, self.awareness.rules(), &now);
        if let Some(notice) = notice {
            let event = notice.event(&self.alert.item, now.timestamp());
            found.push(state.take(event, self.awareness.rules(), &now));
        }
        self.is_dirty |= !found.is_empty();
        found
    }

    /// Announces once that the house has not been connected for long, and once that it is back.
    fn watch_connection(&mut self) {
        let Some(house) = &self.house else { return };
        let is_up = house.borrow().link.is_up();
        match self.connection.look(is_up, Instant::now().into_std()) {
            Some(ConnectionNews::Lost(gone)) => {
                let alerts = self.alerts.clone();
                self.behind.spawn(async move { alerts.house_is_lost(gone).await });
            }
            Some(ConnectionNews::Back) => {
                let alerts = self.alerts.clone();
                self.behind.spawn(async move { alerts.house_is_back().await });
            }
            None => {}
        }
    }

    /// Returns how long nothing changes by itself.
    fn wait(&self) -> Duration {
        let now = self.awareness.clock.now().timestamp();
        let next = self.awareness.state().next_tick(self.awareness.rules());
        let left = |at: Timestamp| at.duration_since(now).max(SignedDuration::from_millis(100));
        let next = next.and_then(|at| Duration::try_from(left(at)).ok()).unwrap_or(AT_LEAST);
        next.min(AT_LEAST)
    }
}

/// Returns how long the house may be disconnected before that is announced.
fn lost_after(config: &AlertConfig) -> Duration {
    Duration::from_secs(u64::from(config.house_lost_min) * 60)
}

/// Returns the meanings of a house's items.
fn meanings(config: &MeaningConfig, source: MeaningSource, house: &House) -> BTreeMap<String, ItemMeaning> {
    let mut meanings = config.meanings(house);
    if source == MeaningSource::Proposed {
        for proposal in meaning::proposals(house) {
            meanings.entry(proposal.item).or_insert(proposal.meaning);
        }
    }
    meanings
}

/// The next change of the house; without one never.
async fn changed(house: Option<&mut watch::Receiver<HomeView>>) {
    match house {
        Some(house) => {
            if house.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
