//! `joi home connect`: address, token, check, store.

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use futures_util::future::join_all;
use serde_json::json;

use super::super::context::CliContext;
use super::super::show;
use super::{print_json, told};
use crate::home::fault::HomeFault;
use crate::home::house::HouseRules;
use crate::home::openhab::{HomeToken, OpenHab, ServerAddress, ServerCheck, TokenSource};
use crate::home::stored::StoredHome;

/// Where openHAB usually is.
const USUAL: [&str; 5] = ["localhost", "openhab", "openhabian", "openhab.local", "openhabian.local"];

#[derive(Debug, clap::Args)]
pub(super) struct ConnectArgs {
    /// Its address, for example http://openhab:8080 [default: the usual names are tried]
    url: Option<String>,
    /// File with the API token; - for stdin [default: asked for when one is needed]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

pub(super) fn run(args: ConnectArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let given = args.token_file.as_deref().map(read_token).transpose()?;
    let address = match &args.url {
        Some(url) => ServerAddress::read(url).map_err(|why| anyhow::anyhow!("{url} is no address: {why}"))?,
        None => context.block_on(async { find().await })?,
    };
    let (check, token) = match check(context, &address, given.clone())? {
        Ok(check) => (check, given),
        Err(HomeFault::TokenMissing) => {
            let token = ask_for_token()?;
            (check_again(context, &address, &token)?, Some(token))
        }
        Err(fault) => return Err(told(fault)),
    };
    StoredHome::new(&context.paths.data)
        .store(&address, token.as_ref())
        .context("the address and the token can't be stored")?;
    summary(&address, &check, token.is_some(), as_json, context)
}

fn check_again(
    context: &CliContext,
    address: &ServerAddress,
    token: &HomeToken,
) -> anyhow::Result<ServerCheck> {
    check(context, address, Some(token.clone()))?.map_err(told)
}

fn check(
    context: &CliContext,
    address: &ServerAddress,
    token: Option<HomeToken>,
) -> anyhow::Result<Result<ServerCheck, HomeFault>> {
    let source = token.map_or(TokenSource::None, TokenSource::Given);
    let (house, _) = OpenHab::new(address.clone(), source, HouseRules::default()).map_err(told)?;
    context.block_on(async move { Ok(house.check().await) })
}

fn summary(
    address: &ServerAddress,
    check: &ServerCheck,
    has_token: bool,
    as_json: bool,
    context: &CliContext,
) -> anyhow::Result<ExitCode> {
    if as_json {
        return print_json(&json!({
            "address": address.to_string(), "version": check.version, "items": check.items,
            "locations": check.locations, "semantics": check.has_semantics, "token": has_token,
        }));
    }
    let places = if check.has_semantics {
        format!("{} rooms and floors", check.locations)
    } else {
        "none in rooms: only labels count until the semantic model is filled".to_owned()
    };
    show::line(format!("openHAB {} at {address}: {} items, {places}", check.version, check.items))?;
    if !has_token {
        show::line("no token was needed: this server takes commands from everybody in the network")?;
    }
    if !context.config().home.url.is_empty() {
        show::line("home.url of the configuration goes before what was stored now")?;
    }
    show::line("a running joi takes it when it is started again; `joi home items` shows what there is")?;
    Ok(ExitCode::SUCCESS)
}

/// Asks the usual names at once; the first in their order that answers counts.
async fn find() -> anyhow::Result<ServerAddress> {
    let asked = USUAL.map(|name| async move {
        let address = ServerAddress::read(name).ok()?;
        let (house, _) = OpenHab::new(address.clone(), TokenSource::None, HouseRules::default()).ok()?;
        match house.check().await {
            Ok(_) | Err(HomeFault::TokenMissing) => Some(address),
            Err(_) => None,
        }
    });
    let found = join_all(asked).await.into_iter().flatten().next();
    let usual = USUAL.join(", ");
    found.with_context(|| format!("no openHAB answers on port 8080 of {usual}; give its address"))
}

fn read_token(file: &std::path::Path) -> anyhow::Result<HomeToken> {
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().take(4096).read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    }
    HomeToken::read(&text).map_err(|why| anyhow::anyhow!(why))
}

fn ask_for_token() -> anyhow::Result<HomeToken> {
    if !std::io::stdin().is_terminal() {
        return Err(told(HomeFault::TokenMissing));
    }
    show::remark(
        "The server wants a token: make one on openHAB's profile page (API Tokens) and paste it here.",
    );
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    HomeToken::read(&line).map_err(|why| anyhow::anyhow!(why))
}

pub(super) fn disconnect(context: &CliContext) -> anyhow::Result<ExitCode> {
    let was_there = StoredHome::new(&context.paths.data).remove()?;
    show::line(if was_there { "forgotten" } else { "no house was stored" })?;
    Ok(ExitCode::SUCCESS)
}
