//! `joi rooms list` and `joi rooms test`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::json;

use crate::cli::context::CliContext;
use crate::cli::show;
use crate::control::{Client, RoomConnection, RoomStatus};
use joi_satellites::{RoomAddress, RoomEntry, ServedPrograms, describe_wyoming};

/// A satellite answers within this time.
const WITHIN: Duration = Duration::from_secs(3);

/// Returns the state of each room in the running joi; nothing where none runs.
fn running(context: &CliContext) -> Option<Vec<RoomStatus>> {
    let mut client = Client::connect(&context.paths.runtime).ok().flatten()?;
    Some(client.status().ok()?.rooms)
}

pub(super) fn list(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (rooms, running) = (&context.config().satellites.rooms, running(context));
    let state = |name: &str| match &running {
        None => ("joi does not run", None),
        Some(all) => match all.iter().find(|room| room.name == name) {
            None => ("waits for a restart of joi", None),
            Some(room) => (word(room.state), Some(room)),
        },
    };
    if as_json {
        let row = |(name, entry): (&String, &RoomEntry)| {
            let (state, room) = state(name);
            json!({
                "name": name, "address": entry.address, "room": entry.house_room(name), "state": state,
                "about": room.map(|room| &room.about), "turns": room.map(|room| room.turns),
            })
        };
        show::line(serde_json::to_string_pretty(&rooms.iter().map(row).collect::<Vec<_>>())?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if rooms.is_empty() {
        show::line("there are no satellites; `joi rooms add NAME` finds one in the network")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["ROOM", "SATELLITE", "HERE IS", "STATE"]);
    for (name, entry) in rooms {
        let (state, room) = state(name);
        let about = room.map(|room| room.about.as_str()).filter(|about| !about.is_empty());
        let state = about.map_or_else(|| state.to_owned(), |about| format!("{state} ({about})"));
        table.add_row([name.as_str(), entry.address.as_str(), entry.house_room(name), state.as_str()]);
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}

fn word(state: RoomConnection) -> &'static str {
    match state {
        RoomConnection::Connecting => "connecting",
        RoomConnection::Connected => "connected",
        RoomConnection::Lost => "lost",
    }
}

/// What a satellite says of itself, and how long that took; or why it says nothing.
pub(super) type AskedRoom = Result<(ServedPrograms, Duration), String>;

/// Asks what is at `address`.
pub(super) fn ask(address: &RoomAddress, context: &CliContext) -> anyhow::Result<AskedRoom> {
    let began = Instant::now();
    context.block_on(async {
        let found = tokio::net::lookup_host((address.host.as_str(), address.port)).await;
        let found = match found.map(|mut found| found.next()) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(Err("the name has no address".to_owned())),
            Err(error) => return Ok(Err(error.to_string())),
        };
        let served = describe_wyoming(found, WITHIN).await;
        Ok(served.map(|served| (served, began.elapsed())).map_err(|error| error.to_string()))
    })
}

/// Returns what was found out, for people, and whether it is a satellite.
pub(super) fn verdict(asked: &AskedRoom) -> (bool, String) {
    match asked {
        Ok((served, took)) if served.is_satellite => {
            (true, format!("a satellite, answered in {} ms", took.as_millis()))
        }
        Ok((served, _)) => (false, format!("no satellite: it serves {served}")),
        Err(why) => (false, why.clone()),
    }
}

pub(super) fn test(name: Option<&str>, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let rooms = &context.config().satellites.rooms;
    if let Some(name) = name {
        anyhow::ensure!(rooms.contains_key(name), "there is no room \"{name}\"; see `joi rooms list`");
    }
    let (mut rows, mut all_well) = (Vec::new(), true);
    for (room, entry) in rooms.iter().filter(|(room, _)| name.is_none_or(|name| name == *room)) {
        let address = entry.address().context("the address can't be used")?;
        let (is_well, told) = verdict(&ask(&address, context)?);
        all_well &= is_well;
        if !as_json {
            show::line(format!("{} {room}: {told}", if is_well { "✓" } else { "✗" }))?;
        }
        rows.push(json!({ "name": room, "address": entry.address, "is_satellite": is_well, "told": told }));
    }
    if as_json {
        show::line(serde_json::to_string_pretty(&rows)?)?;
    } else if rows.is_empty() {
        show::line("there are no satellites; `joi rooms add NAME` finds one in the network")?;
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
