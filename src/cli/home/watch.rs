//! `joi home watch`: states, commands and the connection as they change, until Ctrl-C.

use std::process::ExitCode;

use jiff::Zoned;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::super::context::CliContext;
use super::super::show::{self, Tone};
use super::access::open;
use joi_home::house::ItemState;
use joi_home::{Home as _, HomeLink, HomeServer, ServerEvent};

pub(super) fn run(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (house, follower) = open(context)?;
    context.block_on(async move {
        let stop = CancellationToken::new();
        let _ended = stop.clone().drop_guard();
        let mut events = house.events();
        let mut seen = house.watch();
        tokio::spawn(follower.run(stop));
        let mut link = HomeLink::Connecting;
        loop {
            // Every arm is cancel-safe.
            tokio::select! {
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
                changed = seen.changed() => {
                    changed?;
                    let now = seen.borrow_and_update().link.clone();
                    if now != link {
                        link = now;
                        print(as_json, link_row(&link), link_line(&link, &house))?;
                    }
                }
                event = events.recv() => match event {
                    Ok(event) => {
                        let shown = shown(&event, &seen.borrow().house);
                        if let Some((row, told)) = shown {
                            print(as_json, row, told)?;
                        }
                    }
                    Err(RecvError::Lagged(lost)) => show::remark(format!("{lost} events came too fast")),
                    Err(RecvError::Closed) => return Ok(ExitCode::SUCCESS),
                },
            }
        }
    })
}

fn print(as_json: bool, mut row: Value, told: String) -> anyhow::Result<()> {
    let now = Zoned::now();
    if as_json {
        row["at"] = json!(now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
        show::line(row)?;
    } else {
        show::line(format!("{} {told}", show::coloured(Tone::Quiet, now.strftime("%H:%M:%S"))))?;
    }
    Ok(show::flush()?)
}

fn link_row(link: &HomeLink) -> Value {
    match link {
        HomeLink::Connecting => json!({"link": "connecting"}),
        HomeLink::Starting => json!({"link": "starting"}),
        HomeLink::Up { version } => json!({"link": "up", "version": version}),
        HomeLink::Lost { fault } => json!({"link": "lost", "why": fault.to_string()}),
    }
}

fn link_line(link: &HomeLink, house: &HomeServer) -> String {
    let (hub, address) = (house.hub().name, house.address());
    match link {
        HomeLink::Connecting => show::coloured(Tone::Quiet, format!("connecting to {address}")),
        HomeLink::Starting => show::coloured(Tone::Fair, format!("{address} is starting")),
        HomeLink::Up { version } => {
            show::coloured(Tone::Good, format!("connected: {hub} {version} at {address}"))
        }
        HomeLink::Lost { fault } => show::coloured(Tone::Bad, format!("{fault}. {}", fault.remedy())),
    }
}

fn shown(event: &ServerEvent, house: &joi_home::house::House) -> Option<(Value, String)> {
    match event {
        ServerEvent::State { item, text } => {
            let state = match house.item(item) {
                Some(item) => ItemState::read(text, &item.kind).to_string(),
                None => text.clone(),
            };
            Some((json!({"item": item, "state": text}), format!("{item} is {state}")))
        }
        ServerEvent::Commanded { item, text } => {
            Some((json!({"item": item, "command": text}), format!("{item} ← {text}")))
        }
        ServerEvent::StartLevel(level) => {
            Some((json!({"start_level": level}), format!("the server's start is at {level} of 100")))
        }
        ServerEvent::Layout | ServerEvent::Alive | ServerEvent::Other => None,
    }
}
