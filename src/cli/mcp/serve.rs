//! `joi mcp serve`: the running joi as a server of the Model Context Protocol, over standard input and output.
//!
//! Main thread with a Tokio runtime. In: messages on stdin. Out: messages on stdout, and nothing else there. It passes calls
//! on to the running program and ends with its stdin.

use std::process::ExitCode;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show;
use crate::control::RunningDesk;
use joi_mcp::serve::{HouseTools as _, serve_stdio};

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Only list what is served, and what is switched off
    #[arg(long)]
    list: bool,
}

pub(super) fn run(args: &ServeArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let desk = RunningDesk::new(context.paths.runtime.clone());
    context.block_on(async {
        let list = desk.listed().await.map_err(anyhow::Error::msg)?;
        if !args.list {
            let stop = CancellationToken::new();
            app::end_on_signal(stop.clone());
            serve_stdio(desk, (tokio::io::stdin(), tokio::io::stdout()), stop).await?;
            return Ok(ExitCode::SUCCESS);
        }
        if as_json {
            show::line(serde_json::to_string_pretty(&json!(list))?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = show::table(["TOOL", "STATE", "WHAT IT DOES"]);
        for tool in list.tools {
            table.add_row([tool.name, "on".to_owned(), tool.description]);
        }
        for name in list.off {
            table.add_row([name, "off".to_owned(), "mcp.serve.allow switches it on".to_owned()]);
        }
        show::line(table)?;
        Ok(ExitCode::SUCCESS)
    })
}
