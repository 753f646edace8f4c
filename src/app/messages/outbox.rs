//! Makes the outbox, and reads from the configuration which carriers it has.
//!
//! Called once at start and by the doctor. In: the configuration, the database. Out: the outbox, or why a carrier cannot
//! be used as it is configured. Opens no connection.

use std::sync::Arc;

use crate::config::Config;
use joi_base::clock::Clock;
use joi_base::secret::Credentials;
use joi_language::Languages;
use joi_messages::outbound::ntfy::NtfyCarrier;
use joi_messages::outbound::{CarrierName, Outbox, OutboxParts};
use joi_messages::signal::link::signal_link;
use joi_store::Store;

/// Returns the carrier of the configured ntfy topic; nothing where none is.
///
/// # Errors
/// It can't be used as it is configured.
pub fn ntfy(config: &Config) -> Result<Option<NtfyCarrier>, String> {
    let made = config.ntfy.is_on().then(|| NtfyCarrier::new(&config.ntfy, &Credentials::of_process()));
    made.transpose()
}

/// Returns the configured carriers that can be used.
pub(in crate::app) fn carriers(config: &Config) -> Vec<CarrierName> {
    let signal = config.signal.is_on() && signal_link(&config.signal).is_ok();
    let ntfy = ntfy(config).is_ok_and(|ntfy| ntfy.is_some());
    let ways = [signal.then_some(CarrierName::Signal), ntfy.then_some(CarrierName::Ntfy)];
    ways.into_iter().flatten().collect()
}

/// Returns the outbox for `store`; without a database alerts still go out.
///
/// # Errors
/// Its database in memory cannot be opened.
pub(in crate::app) fn outbox(
    config: &Config,
    store: Option<&Store>,
    (clock, languages): (&Arc<dyn Clock>, &Languages),
    carriers: Vec<CarrierName>,
) -> anyhow::Result<Outbox> {
    let store = store.cloned().map_or_else(Store::in_memory, Ok)?;
    let (clock, languages) = (Arc::clone(clock), languages.clone());
    Ok(Outbox::new(OutboxParts { store, clock, languages, config: config.outbound, carriers }))
}
