//! What tests of messages need: an outbox, a signal-cli daemon, what it hands over.

pub mod daemon;

use std::sync::Arc;

use joi_base::clock::Clock;
use joi_store::Store;
use serde_json::{Value, json};

use crate::outbound::{CarrierName, OutboundConfig, Outbox, OutboxParts};
use crate::signal::SignalConfig;
use daemon::Daemon;

/// The owner's account.
pub const OWNER: &str = "5e7f0000-1111-4222-8333-444455556666";
/// Returns a configuration for the socket of `daemon`.
pub fn config(daemon: &Daemon) -> SignalConfig {
    let daemon = format!("unix:{}", daemon.path.display());
    SignalConfig { owner: OWNER.to_owned(), daemon, group: "g=".to_owned(), ..SignalConfig::default() }
}

/// Returns what somebody wrote, as the daemon hands it over.
pub fn wrote(source: &str, stamp: i64, text: &str) -> Value {
    json!({ "account": "+491701", "envelope": {
        "source": null, "sourceNumber": null, "sourceUuid": source, "sourceName": "Anna", "sourceDevice": 1,
        "timestamp": stamp, "serverReceivedTimestamp": stamp, "serverDeliveredTimestamp": stamp + 50,
        "dataMessage": { "timestamp": stamp, "message": text, "viewOnce": false } } })
}

/// Returns an outbox as it is configured at first, with words in English.
pub fn outbox(store: Store, clock: Arc<dyn Clock>, carriers: &[CarrierName]) -> Outbox {
    let (config, languages) = (OutboundConfig::default(), joi_language::testing::in_english());
    Outbox::new(OutboxParts { store, clock, languages, config, carriers: carriers.to_vec() })
}
