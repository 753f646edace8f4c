//! `joi mcp allow`: what tools may do, and descriptions that have changed.
//!
//! Main thread; starts the server, so that only tools that exist are named. With tools it changes the server's lists in
//! the file of servers; without any it approves the descriptions as they are now.

use std::process::ExitCode;

use serde_json::json;

use super::trial::ServerTrial;
use super::{edit, look};
use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::show;
use joi_mcp::{McpServer, ServerStatus, ToolStatus};
use joi_tools::gate::ToolPermission;

#[derive(Debug, clap::Args)]
pub(super) struct AllowArgs {
    /// Which server
    server: String,
    /// Which tools, as the server calls them; none: approve all descriptions as they are now
    tools: Vec<String>,
    /// Ask before each call of them
    #[arg(long, requires = "tools")]
    confirm: bool,
    /// Never call them
    #[arg(long, requires = "tools", conflicts_with = "confirm")]
    deny: bool,
}

impl AllowArgs {
    fn permission(&self) -> ToolPermission {
        match (self.confirm, self.deny) {
            (_, true) => ToolPermission::Deny,
            (true, false) => ToolPermission::Confirm,
            (false, false) => ToolPermission::Allow,
        }
    }
}

pub(super) fn run(args: &AllowArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let server = look::named(&args.server, context)?;
    if args.tools.is_empty() {
        return approve(server, as_json, context);
    }
    edit::refuse_configured(&server.name, context)?;
    let before = started(server.clone(), context)?;
    check(&before, &args.tools)?;
    let mut entry = server.entry;
    args.tools.iter().for_each(|tool| entry.permit(tool, args.permission()));
    edit::store(&server.name, &entry, context)?;
    if args.permission() == ToolPermission::Allow {
        let is_named = |tool: &&ToolStatus| args.tools.contains(&tool.tool);
        approve_tools(&before, is_named, context)?;
    }
    let told = edit::reported(context);
    let after = started(edit::candidate(&server.name, entry, context)?, context)?;
    let rows: Vec<&ToolStatus> = after.tools.iter().filter(|tool| args.tools.contains(&tool.tool)).collect();
    if as_json {
        let rows: Vec<_> =
            rows.iter().map(|row| json!({ "tool": row.tool, "permission": row.permission })).collect();
        show::line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for row in rows {
        show::line(format!("{}: {}", row.tool, row.permission))?;
    }
    show::line(told)?;
    Ok(ExitCode::SUCCESS)
}

/// Approves all descriptions of a server, and shows those that had changed.
fn approve(server: McpServer, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let status = started(server, context)?;
    let changed: Vec<&ToolStatus> = status.tools.iter().filter(|tool| tool.has_changed).collect();
    approve_tools(&status, |_| true, context)?;
    let told = edit::reported(context);
    if as_json {
        let names: Vec<&str> = changed.iter().map(|tool| tool.tool.as_str()).collect();
        show::line(json!({ "approved": names }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if changed.is_empty() {
        show::line("no description has changed")?;
        return Ok(ExitCode::SUCCESS);
    }
    for tool in changed {
        show::line(format!("approved {}: {}", tool.tool, tool.description))?;
    }
    show::line(told)?;
    Ok(ExitCode::SUCCESS)
}

fn approve_tools(
    status: &ServerStatus,
    is_meant: impl Fn(&&ToolStatus) -> bool,
    context: &CliContext,
) -> anyhow::Result<()> {
    let tools = status.tools.iter().filter(is_meant);
    let seen = tools.map(|tool| (tool.tool.clone(), tool.fingerprint.clone()));
    Ok(mcp::mcp_approvals(&context.paths).approve(&status.id, seen)?)
}

/// Returns the status of a server that was started and ended.
fn started(server: McpServer, context: &CliContext) -> anyhow::Result<ServerStatus> {
    let name = server.name.clone();
    let status = context.block_on(async {
        let trial = ServerTrial::start(vec![server], context).await?;
        let status = trial.status();
        trial.end().await;
        Ok(status)
    })?;
    match status.into_iter().next() {
        Some(status) if status.is_up() => Ok(status),
        Some(status) if status.state == "off" => anyhow::bail!("{name} is disabled"),
        Some(status) => anyhow::bail!("{name} does not work: {}", status.about),
        None => anyhow::bail!("{name} was not started"),
    }
}

/// Fails where the server has no tool of one of these names.
fn check(status: &ServerStatus, tools: &[String]) -> anyhow::Result<()> {
    let has = |name: &&String| status.tools.iter().any(|tool| tool.tool == **name);
    match tools.iter().find(|name| !has(name)) {
        None => Ok(()),
        Some(name) => {
            let known: Vec<&str> = status.tools.iter().map(|tool| tool.tool.as_str()).collect();
            anyhow::bail!("{} has no tool {name}; it has: {}", status.name, known.join(", "))
        }
    }
}
