//! Makes the schedule: over the one database, with the machine's clock, waking whoever rings.
//!
//! Called by everything that sets timers or shows them. Only `joi run` rings; all others tell it through the
//! control socket that something has changed.

use std::path::Path;
use std::sync::Arc;

use crate::clock::Clock;
use crate::config::Config;
use crate::control::Client;
use crate::paths::Paths;
use crate::schedule::{Schedule, ScheduleParts, WakeUp};
use crate::store::Store;

/// There once the clock was set over the network: systemd makes it, the start of the machine removes it.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";

/// A schedule over `store`.
pub fn schedule(config: &Config, store: Store, clock: Arc<dyn Clock>, wake_up: Option<WakeUp>) -> Schedule {
    let is_synchronised = || Path::new(SYNCHRONISED).exists();
    Schedule::new(ScheduleParts { store, clock, config: config.timers, is_synchronised, wake_up })
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
