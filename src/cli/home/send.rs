//! `joi home send`: one command, checked, sent once, and what became of it.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::context::CliContext;
use super::super::show;
use super::access::{fault_message, find, open, print_json};
use joi_home::house::{Caution, House, Ordered, typed};
use joi_home::{CommandOutcome, FOLLOWS_WITHIN, Home as _, HomeLink, HomeServer, SendFault};

/// Time until the house is read.
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, clap::Args)]
pub(super) struct SendArgs {
    /// The item's name, label or synonym
    item: String,
    /// on, off, up, stop, 45 %, 21.5, 70 °F, 120,100,50, play, or one of its options
    #[arg(required = true, allow_negative_numbers = true)]
    command: Vec<String>,
    /// Send it even where it is asked back first: locks, doors, valves, alarms
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(args: &SendArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (house, follower) = open(context)?;
    context.block_on(async move {
        let stop = CancellationToken::new();
        let _ended = stop.clone().drop_guard();
        tokio::spawn(follower.run(stop));
        let read = connected(&house).await?;
        let item = find(&read, &args.item)?;
        let command = typed::command(&args.command.join(" "), item)?;
        let ordered = read.order(&item.name, &command)?;
        if ordered.caution != Caution::None && !args.yes && !is_meant(&ordered)? {
            anyhow::bail!("not sent; --yes sends it without a question");
        }
        let outcome = joi_home::command(&house, &ordered, FOLLOWS_WITHIN).await;
        result(&ordered, &outcome, as_json)
    })
}

/// Returns the house once it is live.
async fn connected(house: &HomeServer) -> anyhow::Result<House> {
    let mut seen = house.watch();
    let settled = |view: &joi_home::HomeView| match &view.link {
        HomeLink::Up { .. } => true,
        HomeLink::Lost { fault } => !fault.is_passing(),
        HomeLink::Connecting | HomeLink::Starting => false,
    };
    let waited = tokio::time::timeout(CONNECTED_WITHIN, seen.wait_for(settled)).await;
    if let Ok(view) = waited {
        let view = view.context("the connection ended")?;
        if view.link.is_up() {
            return Ok(view.house.clone());
        }
    }
    match &house.watch().borrow().link {
        HomeLink::Lost { fault } => Err(fault_message(fault.clone())),
        _ => anyhow::bail!("{} is still starting; try again in a minute", house.address()),
    }
}

fn is_meant(ordered: &Ordered) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    show::remark(format!("Send {} to {}? It lets in, floods or silences: y/N", ordered.text, ordered.item));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "yes"))
}

fn result(ordered: &Ordered, outcome: &CommandOutcome, as_json: bool) -> anyhow::Result<ExitCode> {
    let (word, state) = match outcome {
        CommandOutcome::Done(state) => ("done", Some(state)),
        CommandOutcome::Underway(state) => ("underway", Some(state)),
        CommandOutcome::NotConfirmed(state) => ("not_confirmed", Some(state)),
        CommandOutcome::Sent => ("sent", None),
        CommandOutcome::Failed(SendFault::NotSent(_)) => ("not_sent", None),
        CommandOutcome::Failed(SendFault::OutcomeUnknown(_)) => ("unknown", None),
    };
    if as_json {
        let state = state.map(|state| &state.text);
        print_json(&json!({"item": ordered.item, "command": ordered.text, "outcome": word, "state": state}))?;
    }
    let told = match outcome {
        CommandOutcome::Done(state) => format!("{} is {state}", ordered.item),
        CommandOutcome::Underway(state) => format!("{} is on its way, {state} now", ordered.item),
        CommandOutcome::Sent => format!("{} was sent to {}", ordered.text, ordered.item),
        CommandOutcome::NotConfirmed(state) => {
            let (text, item) = (&ordered.text, &ordered.item);
            anyhow::bail!("{text} was sent to {item}, but its state did not follow: it is {state}")
        }
        CommandOutcome::Failed(SendFault::NotSent(fault)) => return Err(fault_message(fault.clone())),
        CommandOutcome::Failed(fault @ SendFault::OutcomeUnknown(_)) => anyhow::bail!("{fault}"),
    };
    if !as_json {
        show::line(told)?;
    }
    Ok(ExitCode::SUCCESS)
}
