//! `joi home demo`: a furnished house on the loopback address, of either kind, and what happens in it, until Ctrl-C.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;

use super::super::context::CliContext;
use super::super::show;
use joi_home::demo::hass::{self, DemoHass, HassWants};
use joi_home::demo::start::DemoStart;
use joi_home::demo::{DemoHome, DemoWants};
use joi_home::hub::Hub;

#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// As which kind of server it answers
    #[arg(long, default_value = "openhab", value_parser = ["openhab", "home-assistant"])]
    hub: String,
    /// Port on 127.0.0.1; 0: any free one [default: 8080, for home-assistant 8123]
    #[arg(long)]
    port: Option<u16>,
    /// Only with this token; without it, everybody on this machine may come in
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Behave as this version of openHAB [default: 5.2.1]
    #[arg(long, value_parser = ["5.2.1", "4.3.11"])]
    version: Option<String>,
    /// Begin as a server that starts: error pages, gaps, and no states for half a minute
    #[arg(long, conflicts_with_all = ["hub"])]
    starting: bool,
    /// With the items of this file instead of the furniture: a list as openHAB's /rest/items gives it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hub"])]
    items: Option<PathBuf>,
}

pub(super) fn run(args: DemoArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    if args.hub == Hub::HomeAssistant.word() {
        return home_assistant(args, as_json, context);
    }
    let items = match &args.items {
        None => Vec::new(),
        Some(file) => {
            let told = || file.display().to_string();
            serde_json::from_str(&std::fs::read_to_string(file).with_context(told)?).with_context(told)?
        }
    };
    context.block_on(async move {
        let is_open = args.token.is_none();
        let port = args.port.unwrap_or(Hub::OpenHab.port());
        let start = if args.starting { DemoStart::Recorded } else { DemoStart::Ready };
        let mut wants = DemoWants { port, token: args.token, is_open, items, start, ..DemoWants::default() };
        if let Some(version) = args.version {
            wants.version = version;
        }
        let demo = DemoHome::start(wants).await.with_context(|| taken(port))?;
        greet(Hub::OpenHab, &demo.url(), None, as_json)?;
        let mut requests = demo.requests();
        loop {
            // Both arms are cancel-safe.
            tokio::select! {
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
                request = requests.recv() => match request {
                    Ok(request) if request.method != "GET" => {
                        let item = request.path.trim_start_matches("/rest/items/");
                        came(item, &request.body, as_json)?;
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Ok(ExitCode::SUCCESS),
                },
            }
        }
    })
}

fn home_assistant(args: DemoArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    if args.version.is_some() {
        anyhow::bail!("--version is openHAB's; Home Assistant has one here");
    }
    context.block_on(async move {
        let port = args.port.unwrap_or(Hub::HomeAssistant.port());
        let token = args.token.unwrap_or_else(|| hass::TOKEN.to_owned());
        let wants = HassWants { port, token: token.clone(), ..HassWants::default() };
        let demo = DemoHass::start(wants).await.with_context(|| taken(port))?;
        greet(Hub::HomeAssistant, &demo.url(), Some(&token), as_json)?;
        let mut calls = demo.services();
        loop {
            // Both arms are cancel-safe.
            tokio::select! {
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
                call = calls.recv() => match call {
                    Ok(call) => came(&call.service, &call.data.to_string(), as_json)?,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Ok(ExitCode::SUCCESS),
                },
            }
        }
    })
}

fn taken(port: u16) -> String {
    format!("port {port} can't be used; --port 0 takes a free one")
}

fn greet(hub: Hub, url: &str, token: Option<&str>, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        show::line(json!({"hub": hub.word(), "url": url, "token": token}))?;
    } else {
        show::line(format!("a house to try at {url}; in another terminal:"))?;
        let connect = match token {
            None => format!("joi home connect {url}"),
            Some(token) => format!("echo {token} | joi home connect {url} --token-file -"),
        };
        show::line(format!("  {connect}    then joi run, joi text, joi home items"))?;
        show::line("commands are shown here; Ctrl-C ends it")?;
    }
    Ok(show::flush()?)
}

fn came(item: &str, text: &str, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        show::line(json!({"to": item, "command": text}))?;
    } else {
        show::line(format!("{item} ← {text}"))?;
    }
    Ok(show::flush()?)
}
