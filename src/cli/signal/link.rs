//! `joi signal link`: the QR code that a phone scans, in the terminal.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::super::{qr, show};
use joi_messages::signal::link::SignalLink;

/// Time to find the phone and scan the code; Signal itself gives up sooner.
const SCAN: Duration = Duration::from_secs(180);

pub(super) async fn run(link: &SignalLink, name: &str) -> anyhow::Result<ExitCode> {
    let started = link.ask_plainly("startLink", json!({}), super::ANSWER).await;
    let started =
        started.context("the daemon can't link: start it without -a, so that it serves several accounts")?;
    let uri = started.get("deviceLinkUri").and_then(Value::as_str).context("the daemon told no code")?;
    show::line(qr::code(uri)?)?;
    show::remark(
        "on the phone: Signal, Settings, Linked devices, Link a new device; scan the code within a minute or two",
    );
    let finish = json!({ "deviceLinkUri": uri, "deviceName": name });
    let linked = link.ask_plainly("finishLink", finish, SCAN).await?;
    let account = linked.as_str().or_else(|| linked.get("number")?.as_str()).unwrap_or_default();
    show::line(format!("linked to {account}"))?;
    show::remark(
        "now set signal.mode = \"linked\" and signal.owner to your uuid (`joi signal status`), and write to \"Note to Self\"",
    );
    Ok(ExitCode::SUCCESS)
}
