//! `joi page`: signs a browser in to the page of the running program, or all of them out.
//!
//! Main thread. In: the control socket. Out: a link, and the same as a code that a phone scans.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use serde_json::json;

use super::context::CliContext;
use super::{qr, show};
use crate::control::Client;

const EXAMPLES: &str = "\
Examples:
  joi page                      a link and a code for a phone; one browser, once, within ten minutes
  joi page --sign-out           all browsers are signed out
  xdg-open \"$(joi page --json | jq -r .link)\"";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PageArgs {
    /// Sign all browsers out
    #[arg(long)]
    sign_out: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: PageArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(super::exit::not_running)?;
    if args.sign_out {
        let count = client.page_sign_out()?;
        show::line(if args.json {
            json!({ "signed_out": count }).to_string()
        } else {
            format!("{count} browsers are signed out")
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let link = client.page_link()?;
    if args.json {
        show::line(json!({ "link": link }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if std::io::stdout().is_terminal() {
        show::line(qr::code(&link)?)?;
    }
    show::line(&link)?;
    show::remark("open it, or scan the code, within ten minutes; it signs one browser in");
    Ok(ExitCode::SUCCESS)
}
