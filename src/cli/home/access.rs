//! Opens and reads the connected house for the commands below `joi home`, and finds items by name.
//!
//! Main thread. In: the configuration, stored credentials, what the user calls an item. Out: the house, an item, or an
//! error with its remedy.

use std::process::ExitCode;

use anyhow::Context as _;

use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show;
use joi_home::house::{House, Item};
use joi_home::{Follower, HomeFault, HomeServer, hub_names};

/// Returns the house that is configured or stored.
pub(super) fn open(context: &CliContext) -> anyhow::Result<(HomeServer, Follower)> {
    let found = app::home(context.config(), &context.paths).map_err(fault_message)?;
    found.with_context(|| {
        let known = hub_names("or");
        format!("no house is connected; `joi home connect` connects {known}, `joi home demo` is one to try")
    })
}

/// Returns a fault with its remedy.
pub(super) fn fault_message(fault: HomeFault) -> anyhow::Error {
    anyhow::anyhow!("{fault}. {}", fault.remedy())
}

/// Returns the house, read once.
pub(super) fn read(context: &CliContext) -> anyhow::Result<House> {
    let (house, _) = open(context)?;
    let rules = context.config().home.rules();
    context.block_on(async move { house.read_once(&rules).await.map_err(fault_message) })
}

/// Returns the item of that name, or the only one of that label or synonym.
pub(super) fn find<'a>(house: &'a House, name: &str) -> anyhow::Result<&'a Item> {
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

pub(super) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<ExitCode> {
    show::line(serde_json::to_string_pretty(value)?)?;
    Ok(ExitCode::SUCCESS)
}
