//! `joi rooms`: list, add, test, rename and remove satellites in other rooms.
//!
//! In: the configuration file, the running joi, satellites. Out: the file with one table changed, everything else as it is.
//! What announces itself in the network is offered, and never taken unasked.

mod edit;
mod look;

use std::process::ExitCode;

use super::context::CliContext;
use joi_satellites::RoomAddress;

const EXAMPLES: &str = "\
Examples:
  joi rooms add kitchen kitchen.local         a Wyoming satellite: it is asked what it is, then stored
  joi rooms add kitchen                       finds satellites in the network, and asks which one it is
  joi rooms add study 192.168.1.30:10701 --room \"Home office\"
  joi rooms list                              the rooms, and how each is connected
  joi rooms test                              asks every satellite what it is, and how long that takes
  joi rooms rename kitchen galley
  joi rooms remove galley
  joi rooms list --json | jq '.[] | select(.state != \"connected\") | .name'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct RoomsArgs {
    #[command(subcommand)]
    what: Option<RoomsCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum RoomsCommand {
    /// The rooms with satellites, and how each is connected
    #[command(after_help = EXAMPLES)]
    List,
    /// Add a satellite, or change one: asks it what it is, and stores it
    #[command(after_help = EXAMPLES)]
    Add(edit::AddRoomArgs),
    /// Ask satellites what they are
    #[command(after_help = EXAMPLES)]
    Test {
        /// Which room [default: all]
        name: Option<String>,
    },
    /// Give a room another name: timers that were set there ring where somebody called last
    #[command(after_help = EXAMPLES)]
    Rename {
        /// The name now
        name: String,
        /// The new one
        new: String,
    },
    /// Remove a satellite
    #[command(after_help = EXAMPLES)]
    Remove {
        /// Its room
        name: String,
    },
}

/// Asks what is at `address`: returns whether it is a satellite, and what was found out, for people.
pub(super) fn asked(address: &RoomAddress, context: &CliContext) -> anyhow::Result<(bool, String)> {
    Ok(look::verdict(&look::ask(address, context)?))
}

pub(crate) fn run(args: RoomsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let json = args.json;
    match args.what.unwrap_or(RoomsCommand::List) {
        RoomsCommand::List => look::list(json, context),
        RoomsCommand::Add(room) => edit::add(&room, json, context),
        RoomsCommand::Test { name } => look::test(name.as_deref(), json, context),
        RoomsCommand::Rename { name, new } => edit::rename(&name, &new, json, context),
        RoomsCommand::Remove { name } => edit::remove(&name, json, context),
    }
}
