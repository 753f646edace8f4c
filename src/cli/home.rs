//! `joi home`: connect a house, look at it, command it, watch it, or try one that is none.
//!
//! Works on the server itself, whether `joi run` runs or not. Permissions, ranges and cautions are those of the voice.

mod access;
mod connect;
mod demo;
mod look;
mod meanings;
mod send;
mod watch;

use std::process::ExitCode;

use super::context::CliContext;

const EXAMPLES: &str = "\
Examples:
  joi home connect http://openhab:8080        asks for a token if one is needed, checks it, stores both
  joi home connect                            finds openHAB or Home Assistant in the network, and asks whether it is yours
  joi home connect homeassistant.local        Home Assistant: with a long-lived access token of an administrator
  joi home meanings                           smoke, doors, presence …: what is configured, what is proposed
  joi home demo                               a house to try, on this machine
  joi home demo --hub home-assistant          the same as Home Assistant has it
  joi home items kitchen                      what there is, by name, label or synonym
  joi home items --names                      only the names, as shells complete them
  joi home show \"floor lamp\"                  one item with everything that is known of it
  joi home send Kitchen_Light on
  joi home send Living_Setpoint 21.5
  joi home rooms
  joi home permissions                        what may be commanded by voice, and what is asked first
  joi home watch                              events as they come
  joi home items --json | jq '.[] | select(.state == \"ON\") | .name'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HomeArgs {
    #[command(subcommand)]
    what: HomeCommand,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum HomeCommand {
    /// Connect openHAB or Home Assistant: find it, ask for a token if one is needed, check both, store them
    #[command(after_help = EXAMPLES)]
    Connect(connect::ConnectArgs),
    /// Forget the address and the token
    #[command(after_help = EXAMPLES)]
    Disconnect,
    /// The items with their states
    #[command(after_help = EXAMPLES)]
    Items(look::ItemsArgs),
    /// Buildings, floors and rooms with what is in them
    #[command(after_help = EXAMPLES)]
    Rooms,
    /// One item with everything that is known of it
    #[command(after_help = EXAMPLES)]
    Show {
        /// Its name, label or synonym
        item: String,
    },
    /// Send a command, and wait until the state follows
    #[command(after_help = EXAMPLES)]
    Send(send::SendArgs),
    /// What may be commanded by voice, and what is asked back first
    #[command(after_help = EXAMPLES)]
    Permissions,
    /// What items mean for alarms and notices, and what others would most likely mean
    #[command(after_help = EXAMPLES)]
    Meanings,
    /// Show states, commands and the connection as they change
    #[command(after_help = EXAMPLES)]
    Watch,
    /// Run a house to try on this machine: a server that answers as openHAB does, or as Home Assistant does
    #[command(after_help = EXAMPLES)]
    Demo(demo::DemoArgs),
}

pub(crate) fn run(args: HomeArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let json = args.json;
    match args.what {
        HomeCommand::Connect(connect) => connect::run(connect, json, context),
        HomeCommand::Disconnect => connect::disconnect(json, context),
        HomeCommand::Items(items) => look::items(&items, json, context),
        HomeCommand::Rooms => look::rooms(json, context),
        HomeCommand::Show { item } => look::show_item(&item, json, context),
        HomeCommand::Send(sent) => send::run(&sent, json, context),
        HomeCommand::Permissions => look::permissions(json, context),
        HomeCommand::Meanings => meanings::run(json, context),
        HomeCommand::Watch => watch::run(json, context),
        HomeCommand::Demo(demo) => demo::run(demo, json, context),
    }
}
