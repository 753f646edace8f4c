//! Starts, supervises and ends every service of the running program.
//!
//! One task: whoever calls [`Daemon::supervise`]. Each service is a task of its own, so that nothing here
//! waits for what one of them does. In: [`Service`]s, in the order of their start. Out: their state on the
//! status board, one log line for each failure. What is to be done is decided in `supervision.rs`; this is the
//! only caller that does it. The list itself is in `services.rs`.

mod service;
mod services;
mod supervision;

use std::future::Future;
use std::time::Duration;

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::control::{ServiceRow, ServiceState, StatusBoard};
use joi_base::pulse::Heart;

pub use service::{Service, ServiceContext};
pub use services::{Started, start};
pub use supervision::RestartRule;
use supervision::{Event, Supervision, SupervisionAction, SupervisionState};

/// Interval between two looks at the hearts.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A service without which the program is nothing has failed. Report it to the user and end.
#[derive(Debug, thiserror::Error)]
#[error("{service} {how} ({why}), so joi ends; `joi run` starts it again")]
pub struct EssentialFailed {
    service: &'static str,
    how: &'static str,
    why: String,
}

/// The services of the running program.
pub struct Daemon {
    board: StatusBoard,
    units: Vec<Unit>,
    tasks: JoinSet<anyhow::Result<()>>,
    ending: CancellationToken,
    failed: Option<EssentialFailed>,
}

/// A service, and what became of it.
struct Unit {
    /// Gone once it is not started any more: what it holds on to must not keep the others waiting.
    service: Option<Service>,
    name: &'static str,
    loss: &'static str,
    supervision: Supervision,
    stop: CancellationToken,
    task: Option<AbortHandle>,
    why: Option<String>,
}

impl Daemon {
    /// A daemon that shows its services on `board`, and has none yet.
    pub fn new(board: StatusBoard) -> Self {
        let (tasks, ending) = (JoinSet::new(), CancellationToken::new());
        Self { board, units: Vec::new(), tasks, ending, failed: None }
    }

    /// Returns the token that ends the daemon when it is cancelled.
    pub fn ending(&self) -> CancellationToken {
        self.ending.clone()
    }

    /// Starts a service, behind those that run already.
    pub fn start(&mut self, service: Service) {
        let supervision = Supervision::new(service.rule, service.end_within, Instant::now());
        let (name, loss, stop) = (service.name, service.loss, CancellationToken::new());
        let service = Some(service);
        self.units.push(Unit { service, name, loss, supervision, stop, task: None, why: None });
        self.spawn(self.units.len() - 1);
        self.publish();
    }

    /// Starts the services of a list, in its order; what is missing in it is left out.
    pub fn start_all(&mut self, list: impl IntoIterator<Item = Option<Service>>) {
        for service in list.into_iter().flatten() {
            self.start(service);
        }
    }

    /// Supervises until `work` is done. Nothing when the daemon is to end before; then `work` is dropped.
    pub async fn supervise<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = std::pin::pin!(work);
        let mut looks = tokio::time::interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ending = self.ending.clone();
        loop {
            let due = self.units.iter().filter_map(|unit| unit.supervision.due()).min();
            // Every arm is cancel-safe, `work` is pinned.
            tokio::select! {
                () = ending.cancelled() => return None,
                done = &mut work => return Some(done),
                Some(over) = self.tasks.join_next_with_id() => self.exited(over),
                () = until(due) => self.tick(),
                _ = looks.tick() => self.look(),
            }
        }
    }

    /// Ends every service, the last one first, each within its limit.
    ///
    /// # Errors
    /// [`EssentialFailed`] when that is why the daemon ends.
    pub async fn end(mut self) -> Result<(), EssentialFailed> {
        self.ending.cancel();
        for index in (0..self.units.len()).rev() {
            self.happen(index, Event::Stop);
            while let SupervisionState::Ending { until } = self.units[index].supervision.state {
                // Both arms are cancel-safe.
                tokio::select! {
                    Some(over) = self.tasks.join_next_with_id() => self.exited(over),
                    () = sleep_until(until) => self.happen(index, Event::Tick),
                }
            }
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn spawn(&mut self, index: usize) {
        let unit = &mut self.units[index];
        let Some(service) = &mut unit.service else { return };
        let pulse = self.board.pulse();
        let heart = service.heartbeat.map_or_else(Heart::unwatched, |limit| pulse.heart(unit.name, limit));
        let run = (service.make)(ServiceContext { stop: unit.stop.clone(), heart });
        unit.task = Some(self.tasks.spawn(run));
    }

    /// A task is over: that of a service, or one that was dropped before.
    fn exited(&mut self, over: Result<(Id, anyhow::Result<()>), JoinError>) {
        let (id, why) = match over {
            Ok((id, Ok(()))) => (id, "it ended by itself".to_owned()),
            Ok((id, Err(error))) => (id, format!("{error:#}")),
            // Never the message of a panic: it may quote what was said.
            Err(error) => (error.id(), "it panicked".to_owned()),
        };
        let owner = self.units.iter().position(|unit| unit.task.as_ref().is_some_and(|task| task.id() == id));
        if let Some(index) = owner {
            let unit = &mut self.units[index];
            unit.task = None;
            if matches!(unit.supervision.state, SupervisionState::Running { .. }) {
                unit.why = Some(why);
            }
            self.happen(index, Event::Exited);
        }
    }

    /// Starts what has waited long enough.
    fn tick(&mut self) {
        for index in 0..self.units.len() {
            self.happen(index, Event::Tick);
        }
    }

    /// Finds what is stuck.
    fn look(&mut self) {
        for vital in self.board.pulse().vitals().into_iter().filter(|vital| !vital.is_fresh()) {
            let stuck = self.units.iter().position(|unit| {
                let service = unit.service.as_ref();
                let is_watched = service.is_some_and(|s| s.heartbeat.is_some() && s.rule.restarts());
                unit.name == vital.stage && is_watched
            });
            if let Some(index) = stuck {
                self.units[index].why = Some(format!("no heartbeat for {:.0} s", vital.age.as_secs_f32()));
                self.happen(index, Event::Stuck);
            }
        }
    }

    /// Does what follows from `event`, and shows it.
    fn happen(&mut self, index: usize, event: Event) {
        let unit = &mut self.units[index];
        let before = unit.supervision.state;
        let action = unit.supervision.on(event, Instant::now());
        match action {
            SupervisionAction::Nothing => {}
            SupervisionAction::Start => self.spawn(index),
            SupervisionAction::Cancel => unit.stop.cancel(),
            SupervisionAction::Abort => unit.drop_task(),
            SupervisionAction::EndDaemon => {
                unit.drop_task();
                let again = unit.supervision.restarted > 0;
                let how = if again { "has failed again and again" } else { "has failed" };
                let why = unit.why.clone().unwrap_or_default();
                self.failed = Some(EssentialFailed { service: unit.name, how, why });
                self.ending.cancel();
            }
        }
        if self.units[index].supervision.state != before {
            self.settle(index);
            self.publish();
        }
    }

    /// Logs a new state, and lets go of what is not needed in it.
    fn settle(&mut self, index: usize) {
        let unit = &mut self.units[index];
        let (service, loss, why) = (unit.name, unit.loss, unit.why.as_deref().unwrap_or_default());
        match unit.supervision.state {
            SupervisionState::Running { .. } => tracing::info!(service, "started again"),
            SupervisionState::Restarting { at } => {
                // The daemon takes care of it: no reason for the watchdog to restart the program.
                self.board.pulse().forget(service);
                let wait_s = (at - Instant::now()).as_secs_f32();
                tracing::warn!(service, why, wait_s, "failed and is started again; meanwhile {loss}");
            }
            SupervisionState::GivenUp => {
                self.board.pulse().forget(service);
                unit.service = None;
                tracing::error!(service, why, "failed and is given up; {loss}");
            }
            SupervisionState::Ending { .. } => {}
            SupervisionState::Ended => unit.service = None,
            SupervisionState::LeftBehind => {
                unit.service = None;
                tracing::warn!(service, "did not end in time and is left behind");
            }
        }
    }

    fn publish(&self) {
        self.board.services(self.units.iter().map(Unit::row).collect());
    }
}

impl Unit {
    fn drop_task(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }

    fn row(&self) -> ServiceRow {
        let state = self.supervision.shown();
        let is_missing = matches!(state, ServiceState::Restarting | ServiceState::GivenUp);
        ServiceRow {
            name: self.name.to_owned(),
            state,
            restarts: self.supervision.restarted,
            why: self.why.clone(),
            degraded: is_missing.then(|| self.loss.to_owned()),
        }
    }
}

/// Waits until `due`; without it for ever.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
