//! `joi mcp secret`: stores a secret that entries of servers name as `${NAME}`.
//!
//! Main thread. In: a line of the terminal that is not shown, or stdin. The value is never printed.

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;

use serde_json::json;

use super::edit;
use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::{show, unseen};

/// Bytes of the longest secret.
const LONGEST: u64 = 16 * 1024;

pub(super) fn run(name: &str, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let mut value = String::new();
    if std::io::stdin().is_terminal() {
        show::remark(format!("paste the secret {name} here; servers whose entry holds ${{{name}}} get it"));
        value = unseen::line()?;
    } else {
        std::io::stdin().take(LONGEST).read_to_string(&mut value)?;
    }
    anyhow::ensure!(!value.trim().is_empty(), "an empty secret is not stored");
    mcp::mcp_secrets(&context.paths).store(name, &value)?;
    let told = edit::reported(context);
    if as_json {
        show::line(json!({ "stored": name }))?;
    } else {
        show::line(format!("stored; {told}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
