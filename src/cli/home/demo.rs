//! `joi home demo`: a furnished house on the loopback address, and what happens in it, until Ctrl-C.

use std::process::ExitCode;

use anyhow::Context as _;
use tokio::sync::broadcast::error::RecvError;

use super::super::context::CliContext;
use super::super::show;
use crate::home::demo::{DemoHome, DemoWants};

#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// Port on 127.0.0.1; 0: any free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Only with this token; without it, everybody on this machine may come in
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Behave as this version of openHAB
    #[arg(long, default_value = "5.2.1", value_parser = ["5.2.1", "4.3.11"])]
    version: String,
}

pub(super) fn run(args: DemoArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    context.block_on(async move {
        let is_open = args.token.is_none();
        let wants = DemoWants {
            port: args.port,
            token: args.token,
            is_open,
            version: args.version,
            ..DemoWants::default()
        };
        let demo = DemoHome::start(wants)
            .await
            .with_context(|| format!("port {} can't be used; --port 0 takes a free one", args.port))?;
        let url = demo.url();
        show::line(format!("a house to try at {url}; in another terminal:"))?;
        show::line(format!("  joi home connect {url}    then joi run, joi text, joi home items"))?;
        show::line("commands are shown here; Ctrl-C ends it")?;
        show::flush()?;
        let mut requests = demo.requests();
        loop {
            // Both arms are cancel-safe.
            tokio::select! {
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
                request = requests.recv() => match request {
                    Ok(request) if request.method != "GET" => {
                        let item = request.path.trim_start_matches("/rest/items/");
                        show::line(format!("{item} ← {}", request.body))?;
                        show::flush()?;
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Ok(ExitCode::SUCCESS),
                },
            }
        }
    })
}
