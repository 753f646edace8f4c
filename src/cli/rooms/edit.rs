//! `joi rooms add`, `rename` and `remove`: one table of the configuration file.

use std::io::{BufRead, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;

use super::look::{ask, verdict};
use crate::cli::context::CliContext;
use crate::cli::show;
use crate::config::edit::{moved_table, with_table};
use joi_base::durable;
use joi_satellites::{FoundService, RoomAddress, find_wyoming};

/// How long is listened for what announces itself.
const SEARCH: Duration = Duration::from_secs(4);

#[derive(Debug, clap::Args)]
pub(super) struct AddRoomArgs {
    /// Name of the room
    name: String,
    /// Where the satellite listens, for example kitchen.local or 192.168.1.30:10700 [default: it is looked for]
    address: Option<String>,
    /// Room of the house that "here" is [default: the name]
    #[arg(long)]
    room: Option<String>,
    /// Store it although it does not answer
    #[arg(long)]
    unasked: bool,
}

pub(super) fn add(args: &AddRoomArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let address = match &args.address {
        Some(address) => RoomAddress::read(address)
            .with_context(|| format!("{address} is no address; give a host and perhaps a port"))?,
        None => {
            let mut stdin = std::io::stdin().lock();
            let owner = stdin.is_terminal().then_some(&mut stdin as &mut dyn BufRead);
            picked(found(context)?, owner)?
        }
    };
    let (is_satellite, told) = verdict(&ask(&address, context)?);
    anyhow::ensure!(
        is_satellite || args.unasked,
        "{address}: {told}; start the satellite, or store it all the same with --unasked"
    );
    let mut keys = vec![("address", toml::Value::from(address.to_string()))];
    keys.extend(args.room.as_deref().map(|room| ("room", toml::Value::from(room))));
    let path = ["satellites", "rooms", args.name.as_str()];
    write(context, |text, file| Ok(with_table(text, file, &path, &keys)?))?;
    done(as_json, context, &args.name, &format!("{} is {address}: {told}", args.name))
}

pub(super) fn rename(name: &str, new: &str, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let is_taken = context.config().satellites.rooms.contains_key(new);
    anyhow::ensure!(!is_taken, "there is a room \"{new}\" already");
    moved(name, Some(new), context)?;
    done(as_json, context, new, &format!("{name} is {new} from here on"))
}

pub(super) fn remove(name: &str, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    moved(name, None, context)?;
    done(as_json, context, name, &format!("{name} was removed"))
}

fn moved(name: &str, renamed: Option<&str>, context: &CliContext) -> anyhow::Result<()> {
    let path = ["satellites", "rooms", name];
    write(context, |text, file| {
        let moved = moved_table(text, file, &path, renamed)?;
        moved.with_context(|| format!("{} has no room \"{name}\"; see `joi rooms list`", file.display()))
    })
}

fn done(as_json: bool, context: &CliContext, name: &str, told: &str) -> anyhow::Result<ExitCode> {
    let file = context.paths.config.display().to_string();
    if as_json {
        show::line(json!({ "name": name, "file": file, "told": told }))?;
    } else {
        show::line(format!("{told} ({file}); restart joi to use it"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Changes the configuration file.
fn write(
    context: &CliContext,
    change: impl FnOnce(&str, &Path) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let file = &context.paths.config;
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let changed = change(&text, file)?;
    // Whoever may read the old one may read the new one.
    let permissions = std::fs::metadata(file).ok().map(|about| about.permissions());
    let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| durable::write(file, changed.as_bytes(), permissions))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Returns the satellites that announce themselves in the network and belong to no room yet.
fn found(context: &CliContext) -> anyhow::Result<Vec<(FoundService, RoomAddress)>> {
    show::remark("looking for satellites in the network …");
    let known: Vec<String> =
        context.config().satellites.rooms.values().map(|room| room.address.clone()).collect();
    let mut found = Vec::new();
    for service in find_wyoming(SEARCH) {
        let address = RoomAddress { host: service.address.ip().to_string(), port: service.address.port() };
        if !known.contains(&address.to_string()) && verdict(&ask(&address, context)?).0 {
            found.push((service, address));
        }
    }
    anyhow::ensure!(!found.is_empty(), "no satellite announces itself; give its address");
    Ok(found)
}

/// Returns the satellite that `owner`, at a terminal, says is meant. Without anybody to ask it is none: what announces itself
/// proves nothing.
fn picked(
    found: Vec<(FoundService, RoomAddress)>,
    owner: Option<&mut dyn BufRead>,
) -> anyhow::Result<RoomAddress> {
    let shown = |(service, address): &(FoundService, RoomAddress)| format!("{} at {address}", service.name);
    let Some(owner) = owner else {
        let all: Vec<String> = found.iter().map(shown).collect();
        anyhow::bail!("found {}; give the address of the one: joi rooms add NAME ADDRESS", all.join(", "));
    };
    for (number, one) in found.iter().enumerate() {
        show::remark(format!("{}: {}", number + 1, shown(one)));
    }
    show::remark("Which one is it? Its number:");
    let mut line = String::new();
    owner.read_line(&mut line)?;
    let number = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let picked = number.and_then(|number| found.get(number)).context("that is none of the numbers")?;
    Ok(picked.1.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_announces_itself_is_offered_and_never_taken_unasked() {
        let found = || {
            ["kitchen", "bath"]
                .into_iter()
                .zip([10_700, 10_701])
                .map(|(name, port)| {
                    let address = std::net::SocketAddr::from(([192, 168, 1, 30], port));
                    let room = RoomAddress { host: "192.168.1.30".into(), port };
                    (FoundService { name: name.into(), address }, room)
                })
                .collect::<Vec<_>>()
        };
        let refused = picked(found(), None).unwrap_err().to_string();
        assert!(refused.starts_with("found kitchen at 192.168.1.30:10700, bath at"), "{refused}");
        let answered = |line: &str| picked(found(), Some(&mut line.as_bytes()));
        assert_eq!(answered("2\n").unwrap().port, 10_701);
        for line in ["", "0\n", "3\n", "kitchen\n"] {
            assert!(answered(line).is_err(), "{line:?}");
        }
    }
}
