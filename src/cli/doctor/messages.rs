//! Checks whether messages can leave the house: the signal-cli daemon, the ntfy server.
//!
//! Connects to what is configured; sends nothing.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::super::context::CliContext;
use crate::app;
use crate::app::checks::Row;
use joi_messages::signal::link::signal_link;
use joi_messages::signal::{ReceiveMode, SignalConfig};

/// Time limit for the daemon's first answer.
const READY: Duration = Duration::from_secs(5);

/// Returns a row for each that is configured; none is not a fault.
pub(super) fn checks(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    let config = context.config();
    let mut rows = Vec::new();
    if config.signal.is_on() {
        rows.push(context.block_on(async { Ok(signal(&config.signal).await) })?);
    }
    match app::ntfy(config) {
        Ok(None) => {}
        Ok(Some(ntfy)) => {
            let server = ntfy.server();
            let checked = context.block_on(async { Ok(ntfy.check().await) })?;
            rows.push(match checked {
                Ok(()) => Row::good("ntfy", format!("{server} is well")),
                Err(why) => {
                    Row::bad("ntfy", format!("{server}: {why}"), "check ntfy.url and that the server runs")
                }
            });
        }
        Err(why) => rows.push(Row::bad("ntfy", why, "check ntfy.url and ntfy.topic")),
    }
    if rows.is_empty() {
        rows.push(Row::good(
            "messages",
            "neither Signal nor ntfy is set up; docs/user/messages.md tells how",
        ));
    }
    Ok(rows)
}

async fn signal(config: &SignalConfig) -> Row {
    let remedy = "start it as docs/user/messages.md tells, and check signal.daemon";
    let quiet = SignalConfig { receive: ReceiveMode::OnConnection, ..config.clone() };
    let (link, follower) = match signal_link(&quiet) {
        Ok(made) => made,
        Err(why) => return Row::bad("signal", format!("signal.daemon must be {why}"), remedy),
    };
    let stop = CancellationToken::new();
    let _ended = stop.clone().drop_guard();
    tokio::spawn(follower.run(stop, drop));
    if let Err(why) = link.ready(READY).await {
        return Row::bad("signal", format!("no signal-cli daemon at {why}"), remedy);
    }
    match link.check_account().await {
        Ok(()) => Row::good("signal", format!("signal-cli {}", link.version().unwrap_or_default())),
        Err(fault) => {
            Row::bad("signal", fault.to_string(), "`joi signal status` lists the daemon's accounts")
        }
    }
}
