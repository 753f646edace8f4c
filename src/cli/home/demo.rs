//! `joi home demo`: a furnished house on the loopback address, of any kind, and what happens in it, until Ctrl-C.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use futures_util::StreamExt as _;
use serde_json::json;

use super::super::context::CliContext;
use super::super::show;
use joi_house_demo::{DemoCommand, DemoOptions, DemoStart, KINDS, RunningDemo};

#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// As which kind of server it answers
    #[arg(long, default_value = "openhab", value_parser = KINDS.map(|kind| kind.word))]
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
    let kind = KINDS.iter().find(|kind| kind.word == args.hub).context("no such kind of house")?;
    let items = match &args.items {
        None => Vec::new(),
        Some(file) => {
            let path = || file.display().to_string();
            serde_json::from_str(&std::fs::read_to_string(file).with_context(path)?).with_context(path)?
        }
    };
    let port = args.port.unwrap_or(kind.port);
    let start = if args.starting { DemoStart::Recorded } else { DemoStart::Ready };
    let options = DemoOptions { port, token: args.token, version: args.version, start, items };
    context.block_on(async move {
        let started = kind.start(options).await;
        let mut demo =
            started.with_context(|| format!("cannot start on port {port}; --port 0 takes a free one"))?;
        greet(kind.word, &demo, as_json)?;
        loop {
            // Both arms are cancel-safe.
            tokio::select! {
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
                command = demo.commands.next() => match command {
                    Some(command) => came(&command, as_json)?,
                    None => return Ok(ExitCode::SUCCESS),
                },
            }
        }
    })
}

fn greet(hub: &str, demo: &RunningDemo, as_json: bool) -> anyhow::Result<()> {
    let RunningDemo { url, token, .. } = demo;
    if as_json {
        show::line(json!({"hub": hub, "url": url, "token": token}))?;
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

fn came(DemoCommand { to, text }: &DemoCommand, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        show::line(json!({"to": to, "command": text}))?;
    } else {
        show::line(format!("{to} ← {text}"))?;
    }
    Ok(show::flush()?)
}
