//! `joi signal`: link an account, see how Signal is, send a test message, list groups.
//!
//! Works on the signal-cli daemon itself, whether `joi run` runs or not; sending goes past the outbox and its rates. A daemon in the mode
//! "on-connection" hands what arrives meanwhile to this command too, so that it says so where nobody else listens.

mod link;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::control::Client;
use joi_messages::signal::link::{AskFault, SignalLink, signal_link};
use joi_messages::signal::{AccountMode, ReceiveMode, sent};

const EXAMPLES: &str = "\
Examples:
  joi signal link                    shows a QR code: scan it on the phone (Settings, Linked devices)
  joi signal status                  the daemon, its accounts, the uuids it knows
  joi signal groups                  groups with their ids, for signal.group
  joi signal send                    a test message to the owner
  joi signal send \"Dinner is ready.\" --group
  joi signal status --json | jq .accounts";

/// A daemon is there at once, or not at all.
const READY: Duration = Duration::from_secs(8);
/// Time for an answer that may need the network.
const ANSWER: Duration = Duration::from_secs(30);
/// The first message to somebody takes the daemon long.
const SEND: Duration = Duration::from_secs(90);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SignalArgs {
    #[command(subcommand)]
    what: SignalCommand,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum SignalCommand {
    /// Link the daemon to the account of a phone: shows a QR code
    #[command(after_help = EXAMPLES)]
    Link {
        /// The name under which the phone shows this device
        #[arg(long, default_value = "Joi")]
        name: String,
    },
    /// The daemon, its accounts, and the uuids it knows
    #[command(after_help = EXAMPLES)]
    Status,
    /// Send a message to the owner, or to the group for alerts
    #[command(after_help = EXAMPLES)]
    Send {
        /// The words; a test message without any
        text: Option<String>,
        /// To the group
        #[arg(long)]
        group: bool,
    },
    /// The groups of the account, with their ids
    #[command(after_help = EXAMPLES)]
    Groups,
}

pub(crate) fn run(args: SignalArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let is_running = Client::connect(&context.paths.runtime).ok().flatten().is_some();
    if !is_running
        && context.config().signal.is_on()
        && context.config().signal.receive == ReceiveMode::OnConnection
    {
        show::remark("joi is not running: what arrives during this command is not answered");
    }
    context.block_on(async {
        let stop = CancellationToken::new();
        let _ended = stop.clone().drop_guard();
        // Nothing that arrives is for this command: it does not subscribe to anything.
        let quiet = joi_messages::signal::SignalConfig {
            receive: ReceiveMode::OnConnection,
            ..context.config().signal.clone()
        };
        let (link, follower) =
            signal_link(&quiet).map_err(|why| anyhow::anyhow!("signal.daemon must be {why}"))?;
        tokio::spawn(follower.run(stop, drop));
        link.ready(READY).await.map_err(|why| {
            anyhow::anyhow!("no signal-cli daemon at {why}; docs/user/messages.md tells how to start one")
        })?;
        match args.what {
            SignalCommand::Link { name } => link::run(&link, &name).await,
            SignalCommand::Status => status(&link, args.json, context).await,
            SignalCommand::Send { text, group } => send(&link, text, group, context).await,
            SignalCommand::Groups => groups(&link, args.json).await,
        }
    })
}

async fn status(link: &SignalLink, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let config = &context.config().signal;
    // A daemon that serves a single one may not report its number.
    let accounts = link.accounts().await.unwrap_or_default();
    if let Err(fault) = link.check_account().await {
        show::remark(fault.to_string());
    }
    let known = link.ask("listIdentities", json!({}), ANSWER).await;
    let rows = known.as_ref().ok().and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let people: Vec<[String; 3]> =
        rows.iter().map(|row| [text(row, "uuid"), text(row, "number"), text(row, "trustLevel")]).collect();
    let version = link.version().unwrap_or_default();
    if as_json {
        let people: Vec<Value> = people
            .iter()
            .map(|[uuid, number, trust]| json!({ "uuid": uuid, "number": number, "trust": trust }))
            .collect();
        let told =
            json!({ "version": version, "accounts": accounts, "people": people, "owner": config.owner });
        show::line(serde_json::to_string_pretty(&told)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    show::line(format!("{:9} {version}", "signal-cli"))?;
    let listed = if accounts.is_empty() { "its only one".to_owned() } else { accounts.join(", ") };
    show::line(format!("{:9} {listed}", "accounts"))?;
    let owner = match config.is_on() {
        true => config.owner_uuid(),
        false => {
            show::coloured(Tone::Fair, "none: set signal.owner to a uuid below, and nobody else is answered")
        }
    };
    show::line(format!("{:9} {owner}", "owner"))?;
    if let Err(fault) = known {
        show::remark(format!("the people it knows can't be listed: {fault}"));
    }
    let mut table = show::table(["\nUUID", "\nNUMBER", "\nTRUST"]);
    for [uuid, number, trust] in people {
        let trust = if trust == "UNTRUSTED" { show::coloured(Tone::Bad, trust) } else { trust };
        table.add_row([uuid, number, trust]);
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}

async fn groups(link: &SignalLink, as_json: bool) -> anyhow::Result<ExitCode> {
    let groups = link.ask("listGroups", json!({}), ANSWER).await?;
    if as_json {
        show::line(serde_json::to_string_pretty(&groups)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["\nNAME", "\nID", "\nMEMBERS"]);
    for group in groups.as_array().into_iter().flatten() {
        let text = |key: &str| group.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let members = group.get("members").and_then(Value::as_array).map_or(0, Vec::len);
        table.add_row([text("name"), text("id"), members.to_string()]);
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}

async fn send(
    link: &SignalLink,
    text: Option<String>,
    to_group: bool,
    context: &CliContext,
) -> anyhow::Result<ExitCode> {
    let config = &context.config().signal;
    let text = match text {
        Some(text) => text,
        None => context.language()?.sentences().messages.test.clone(),
    };
    let params = match (to_group, config.mode) {
        (true, _) if config.group.is_empty() => {
            anyhow::bail!("signal.group is not set; `joi signal groups` lists ids")
        }
        (true, _) => json!({ "groupId": config.group, "message": text }),
        (false, _) if !config.is_on() => {
            anyhow::bail!("signal.owner is not set; `joi signal status` lists uuids")
        }
        (false, AccountMode::Linked) => json!({ "noteToSelf": true, "notifySelf": true, "message": text }),
        (false, AccountMode::OwnNumber) => json!({ "recipient": [config.owner_uuid()], "message": text }),
    };
    let answer = match link.ask("send", params, SEND).await {
        Ok(result) => Ok(result),
        Err(AskFault::Refused(error)) => Err(error),
        Err(fault) => return Err(fault.into()),
    };
    let sent = sent::verdict(&answer).map_err(|fault| anyhow::anyhow!("{fault}"))?;
    for failure in &sent.failures {
        show::remark(format!("one recipient did not get it: {failure}"));
    }
    show::line(show::coloured(Tone::Good, "sent"))?;
    Ok(ExitCode::SUCCESS)
}
