//! `joi signal link`: the QR code that a phone scans, in the terminal.

use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use qrcode::QrCode;
use qrcode::render::unicode;
use serde_json::{Value, json};

use super::super::show;
use joi_messages::signal::link::SignalLink;

/// Time to find the phone and scan the code; Signal itself gives up sooner.
const SCAN: Duration = Duration::from_secs(180);

pub(super) async fn run(link: &SignalLink, name: &str) -> anyhow::Result<ExitCode> {
    let started = link.ask_plainly("startLink", json!({}), super::ANSWER).await;
    let started =
        started.context("the daemon can't link: start it without -a, so that it serves several accounts")?;
    let uri = started.get("deviceLinkUri").and_then(Value::as_str).context("the daemon told no code")?;
    show::line(code(uri)?)?;
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

/// Returns the code in half blocks: dark on light, whatever the colours of the terminal.
fn code(uri: &str) -> anyhow::Result<String> {
    let code = QrCode::new(uri.as_bytes()).context("the code is too long")?;
    let drawn = code
        .render::<unicode::Dense1x2>()
        // The code is drawn in the foreground, which is the light one here.
        .dark_color(unicode::Dense1x2::Light)
        .light_color(unicode::Dense1x2::Dark)
        .quiet_zone(true)
        .build();
    let style =
        Style::new().fg_color(Some(AnsiColor::BrightWhite.into())).bg_color(Some(AnsiColor::Black.into()));
    let lines: Vec<String> = drawn.lines().map(|line| format!("{style}{line}{style:#}")).collect();
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_of_usual_length_fits_into_a_terminal() {
        let uri = format!("sgnl://linkdevice?uuid={}&pub_key={}", "a".repeat(24), "b".repeat(60));
        let drawn = code(&uri).unwrap();
        let drawn = anstream::adapter::strip_str(&drawn).to_string();
        let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80 && drawn.lines().count() <= 40, "{widest} x {}", drawn.lines().count());
    }
}
