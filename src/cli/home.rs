//! `joi home`: connect a house, look at it, command it, watch it, or try one that is none.
//!
//! Works on the server itself, whether `joi run` runs or not. Permissions, ranges and cautions are those of the voice.

mod connect;
mod demo;
mod look;
mod meanings;
mod send;
mod unseen;
mod watch;

use std::process::ExitCode;

use anyhow::Context as _;

use super::context::CliContext;
use super::show;
use crate::app;
use joi_home::fault::HomeFault;
use joi_home::house::{House, Item};
use joi_home::openhab::Follower;
use joi_home::server::HomeServer;

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
    /// What items mean to her who watches the house, and what others would most likely mean
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

/// The house that is configured or stored.
fn open(context: &CliContext) -> anyhow::Result<(HomeServer, Follower)> {
    let found = app::home(context.config(), &context.paths).map_err(told)?;
    found.context("no house is connected; `joi home connect` connects openHAB or Home Assistant, `joi home demo` is one to try")
}

/// A fault with its remedy.
fn told(fault: HomeFault) -> anyhow::Error {
    anyhow::anyhow!("{fault}. {}", fault.remedy())
}

/// The house, read once.
fn read(context: &CliContext) -> anyhow::Result<House> {
    let (house, _) = open(context)?;
    let rules = context.config().home.rules();
    context.block_on(async move { house.read_once(&rules).await.map_err(told) })
}

/// The item of that name, or the only one of that label or synonym.
fn find<'a>(house: &'a House, name: &str) -> anyhow::Result<&'a Item> {
    if let Some(item) = house.item(name) {
        return Ok(item);
    }
    let wanted = name.to_lowercase();
    let is_called = |item: &&Item| {
        item.name.to_lowercase() == wanted || item.names().any(|called| called.to_lowercase() == wanted)
    };
    let found: Vec<&Item> = house.items().filter(is_called).collect();
    match found.as_slice() {
        [item] => Ok(item),
        [] => {
            let likeness = |item: &Item| strsim::jaro_winkler(&item.name.to_lowercase(), &wanted);
            let nearest = house.items().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
            let hint = nearest.map(|item| format!("; did you mean {}?", item.name)).unwrap_or_default();
            anyhow::bail!("there is no item {name}{hint} `joi home items` shows all")
        }
        several => {
            let names: Vec<_> = several.iter().map(|item| item.name.as_str()).collect();
            anyhow::bail!("{name} may be {}; give the name", names.join(" or "))
        }
    }
}

fn print_json(value: &impl serde::Serialize) -> anyhow::Result<ExitCode> {
    show::line(serde_json::to_string_pretty(value)?)?;
    Ok(ExitCode::SUCCESS)
}
