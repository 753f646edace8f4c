//! Makes the schedule over the one database and the machine's clock, and the services that ring.
//!
//! Called by everything that sets timers or shows them. Only `joi run` rings; all others notify it through the
//! control socket that something has changed.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;

use super::daemon::{Service, ServiceContext};
use super::later::LaterHand;
use crate::config::Config;
use crate::control::{Client, StatusBoard};
use joi_agent::ConnectedHome;
use joi_base::clock::Clock;
use joi_base::paths::Paths;
use joi_base::pulse::Heart;
use joi_language::{Language, Languages};
use joi_schedule::announce::Announcer;
use joi_schedule::{
    Bias, EntryKind, HouseHand, LOOKS_EVERY, NewEntry, Ring, Ringer, Schedule, ScheduleOrder, ScheduleParts,
    WakeUp, When,
};
use joi_store::Store;
use joi_understand::intents;

/// Exists once the clock was set over the network: systemd creates it, the start of the machine removes it.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";

/// Returns a schedule over `store`.
pub fn schedule(
    config: &Config,
    languages: Languages,
    store: Store,
    clock: Arc<dyn Clock>,
    wake_up: Option<WakeUp>,
) -> Schedule {
    let is_synchronised = || Path::new(SYNCHRONISED).exists();
    let config = config.timers.clone();
    Schedule::new(ScheduleParts { store, clock, config, languages, is_synchronised, wake_up })
}

/// Returns the order that sets a timer, an alarm or, with words to be said then, a reminder, as it would be said; nothing
/// where `when` is no length and no time.
pub fn order_to_set(
    language: &Language,
    when: &str,
    name: Option<String>,
    remind: Option<String>,
) -> Option<ScheduleOrder> {
    let when = intents::when(language, when)?;
    let kind = match (&remind, &when) {
        (Some(_), _) => EntryKind::Reminder,
        (None, When::In(_)) => EntryKind::Timer,
        (None, When::At(_)) => EntryKind::Alarm,
    };
    let bias = if kind == EntryKind::Reminder { Bias::ByDay } else { Bias::Next };
    let entry = NewEntry { kind, name: remind.or(name), when: Some(when), bias, is_foreign: false };
    Some(ScheduleOrder::Set(entry))
}

/// Returns the service that watches for what is due. `ringer` itself is never run, so that another can follow one that
/// failed.
pub(super) fn ringer(ringer: Ringer) -> Service {
    let run = move |context: ServiceContext| {
        let ringer = ringer.again(context.heart);
        async move {
            ringer.run(context.stop).await;
            Ok(())
        }
    };
    Service::new("timers", "timers, alarms and reminders do not ring", run)
        .heartbeat(3 * LOOKS_EVERY)
        .indispensable()
}

/// Returns the service that shows on `board` whether something rings.
pub(super) fn ring_light(rings: watch::Receiver<Vec<Ring>>, board: &StatusBoard) -> Service {
    let board = board.clone();
    let run = move |context: ServiceContext| {
        let (mut rings, board) = (rings.clone(), board.clone());
        async move {
            loop {
                let is_ringing = !rings.borrow_and_update().is_empty();
                board.rings(is_ringing);
                // Both arms are cancel-safe.
                let is_alive = tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    changed = rings.changed() => changed.is_ok(),
                };
                if !is_alive {
                    // The timers were given up, which was logged.
                    board.rings(false);
                    context.stop.cancelled().await;
                    return Ok(());
                }
            }
        }
    };
    Service::new("ring light", "no light shows that something rings", run)
}

/// Returns the task that announces what is due, and what rings, over `schedule`; `home` runs commands that are due.
pub(super) fn rings(
    schedule: Schedule,
    announcer: Announcer,
    home: Option<&ConnectedHome>,
) -> (Ringer, watch::Receiver<Vec<Ring>>) {
    let hand = home.map(|home| Arc::new(LaterHand(home.server())) as Arc<dyn HouseHand>);
    let (ringer, rings) = Ringer::new(schedule, announcer, Heart::unwatched());
    (ringer.with_hand(hand), rings)
}

/// Returns a function that notifies the running program of changed timers, if there is one.
pub fn wake_up(paths: &Paths) -> WakeUp {
    let runtime = paths.runtime.clone();
    Arc::new(move || {
        let is_noted = Client::connect(&runtime).and_then(|client| match client {
            Some(mut client) => client.timers_changed().map(|()| true),
            None => Ok(false),
        });
        is_noted.unwrap_or_else(|error| {
            tracing::warn!(%error, "the running joi was not told of a change of timers");
            false
        })
    })
}
