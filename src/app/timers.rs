//! Makes the schedule and whoever rings: over the one database, with the machine's clock, waking whoever rings.
//!
//! Called by everything that sets timers or shows them. Only `joi run` rings; all others tell it through the
//! control socket that something has changed.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use super::later::LaterHand;
use crate::config::Config;
use crate::control::{Client, StatusBoard};
use joi_agent::ConnectedHome;
use joi_base::clock::Clock;
use joi_base::paths::Paths;
use joi_base::pulse::Heart;
use joi_language::Languages;
use joi_schedule::ringer::{AT_LEAST, Ring, Ringer};
use joi_schedule::{HouseHand, Schedule, ScheduleParts, WakeUp};
use joi_store::Store;

/// There once the clock was set over the network: systemd makes it, the start of the machine removes it.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";

/// A schedule over `store`.
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

/// The service that watches for what is due. `ringer` itself is never run, so that another can follow one that
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
        .heartbeat(3 * AT_LEAST)
        .indispensable()
}

/// The service that shows on `board` whether something rings.
pub(super) fn ring_light(rings: watch::Receiver<Vec<Ring>>, board: &StatusBoard) -> Service {
    let board = board.clone();
    let run = move |context: ServiceContext| {
        let (mut rings, board) = (rings.clone(), board.clone());
        async move {
            loop {
                let is_ringing = !rings.borrow_and_update().is_empty();
                board.rings(is_ringing);
                // Both arms are cancel-safe.
                let is_told = tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    changed = rings.changed() => changed.is_ok(),
                };
                if !is_told {
                    // The timers were given up, which is told already.
                    board.rings(false);
                    context.stop.cancelled().await;
                    return Ok(());
                }
            }
        }
    };
    Service::new("ring light", "no light shows that something rings", run)
}

/// The task that announces what is due, and what rings; nothing without a database.
pub(super) fn rings(brain: &Brain) -> Option<(Ringer, watch::Receiver<Vec<Ring>>)> {
    let home = brain.engine.parts.home.as_ref().map(ConnectedHome::server);
    let hand = home.map(|home| Arc::new(LaterHand(home)) as Arc<dyn HouseHand>);
    let (ringer, rings) = Ringer::new(brain.schedule.clone()?, brain.announcer.clone(), Heart::unwatched());
    Some((ringer.with_hand(hand), rings))
}

/// Tells the running program, if there is one.
pub fn wake_up(paths: &Paths) -> WakeUp {
    let runtime = paths.runtime.clone();
    Arc::new(move || {
        let told = Client::connect(&runtime).and_then(|client| match client {
            Some(mut client) => client.timers_changed().map(|()| true),
            None => Ok(false),
        });
        told.unwrap_or_else(|error| {
            tracing::warn!(%error, "the running joi was not told of a change of timers");
            false
        })
    })
}
