//! `joi status`: prints the state of the running program, its services, stages and devices.
//!
//! Main thread. In: the control socket, and the database for losses. Out: lines or JSON on stdout. Needs the running program.

mod wait;

use std::process::ExitCode;
use std::time::Duration;

use super::context::CliContext;
use super::exit::not_running;
use super::show;
use crate::control::{Client, ReportTable, StatusReport};
use joi_base::machine::processor;
use joi_llm::{self as llm, LONGEST_LINGERING};
use joi_store::{self as store, Loss};

const EXAMPLES: &str = "\
Examples:
  joi status
  joi status --wait                wait until joi listens; 60 s at most
  joi status --wait 120 --json     the same for at most 120 s, then the status as JSON
  joi status --json | jq .state
  joi status --json | jq -e 'all(.stages[]; .fresh)' >/dev/null && echo well";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatusArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Wait until joi is ready, for at most so many seconds [default: 60]; fails when it is not ready by then
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60")]
    wait: Option<u32>,
}

pub(crate) fn run(args: StatusArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let runtime = &context.paths.runtime;
    let mut status = match args.wait {
        Some(seconds) => wait::until_ready(runtime, Duration::from_secs(seconds.into()))?,
        None => {
            let client = Client::connect(runtime)?;
            client.ok_or_else(|| nobody(llm::has_lingering_server(runtime)))?.status()?
        }
    };
    let losses = store::unacknowledged(&context.paths.database());
    status.losses = losses.iter().map(Loss::summary).collect();
    if args.json {
        show::line(serde_json::to_string_pretty(&status)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&StatusReport::of(&status, &processor()))?;
    Ok(ExitCode::SUCCESS)
}

fn print(report: &StatusReport) -> std::io::Result<()> {
    for (what, told) in &report.facts {
        show::line(format!("{what:12} {}", show::painted(told)))?;
    }
    for ReportTable { head, rows } in &report.tables {
        let head: Vec<String> = head.iter().map(|name| format!("\n{name}")).collect();
        let mut table = show::table(head.iter().map(String::as_str));
        for row in rows {
            table.add_row(row.iter().map(show::painted));
        }
        show::line(table)?;
    }
    if let Some((heading, entries)) = &report.journal {
        show::line(format!("\n{heading}"))?;
        entries.iter().try_for_each(|entry| show::line(format!("  {entry}")))?;
    }
    Ok(())
}

/// Returns the error where joi does not run; the model server of an earlier command may.
fn nobody(is_loaded: bool) -> anyhow::Error {
    if !is_loaded {
        return not_running();
    }
    let stays = LONGEST_LINGERING.as_secs();
    anyhow::anyhow!("{}; the model of a command stays loaded for at most {stays} s after it", not_running())
}
