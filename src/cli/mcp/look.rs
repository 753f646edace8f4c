//! `joi mcp list` and `joi mcp test`: what is configured, and what the servers offer.
//!
//! Main thread; the tests start the servers. Out: tables or JSON.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use super::trial::ServerTrial;
use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use crate::control::{Client, ToolServerRow};
use joi_mcp::{McpServer, McpServers, ServerStatus};

/// Returns all servers; what is left out is remarked.
pub(super) fn servers(context: &CliContext) -> McpServers {
    let servers = mcp::mcp_servers(context.config(), &context.paths);
    servers.remarks.iter().for_each(show::remark);
    if !context.config().mcp.enabled {
        show::remark("mcp.enabled is false: no server is used");
    }
    servers
}

/// Returns the server of that name or id.
///
/// # Errors
/// There is none.
pub(super) fn named(name: &str, context: &CliContext) -> anyhow::Result<McpServer> {
    let servers = servers(context);
    let names: Vec<&str> = servers.all.iter().map(|server| server.name.as_str()).collect();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let found = servers.find(name).cloned();
    found.ok_or_else(|| anyhow::anyhow!("there is no server {name}; configured are: {known}"))
}

pub(super) fn list(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let servers = servers(context);
    let running = Client::connect(&context.paths.runtime).ok().flatten();
    let rows = running.and_then(|mut client| client.status().ok()).map(|status| status.tool_servers);
    let place = |server: &McpServer| match context.config().mcp.servers.contains_key(&server.name) {
        true => context.paths.config.display().to_string(),
        false => McpServers::file(&context.config().mcp, &context.paths.config).display().to_string(),
    };
    if as_json {
        let servers = servers.all.iter().map(|server| {
            let row = rows.iter().flatten().find(|row| row.name == server.name);
            json!({ "name": server.name, "id": server.id, "reached": reached(server), "file": place(server),
                    "disabled": server.entry.disabled, "running": row })
        });
        show::line(serde_json::to_string_pretty(&servers.collect::<Vec<_>>())?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if servers.all.is_empty() {
        show::line("no server is configured; `joi mcp add NAME -- PROGRAM` adds one")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["NAME", "REACHED BY", "STATE", "FILE"]);
    for server in &servers.all {
        table.add_row([server.name.clone(), reached(server), state(server, rows.as_deref()), place(server)]);
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns how a server is reached: secrets are named there, never held.
fn reached(server: &McpServer) -> String {
    match server.entry.url.as_str() {
        "" => std::iter::once(&server.entry.command)
            .chain(&server.entry.args)
            .cloned()
            .collect::<Vec<_>>()
            .join(" "),
        url => url.to_owned(),
    }
}

/// Returns the state of a server in the running program, which has reported `rows`.
fn state(server: &McpServer, rows: Option<&[ToolServerRow]>) -> String {
    let Some(rows) = rows else {
        let told = if server.entry.disabled { "off" } else { "joi is not running" };
        return show::coloured(Tone::Quiet, told);
    };
    match rows.iter().find(|row| row.name == server.name) {
        Some(row) if row.is_well => row.told.clone(),
        Some(row) => show::coloured(Tone::Bad, &row.told),
        None if server.entry.disabled => show::coloured(Tone::Quiet, "off"),
        None => show::coloured(Tone::Fair, "not read yet: start joi again"),
    }
}

pub(super) fn test(name: Option<&str>, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let tested = match name {
        Some(name) => vec![named(name, context)?],
        None => servers(context).all.into_iter().filter(|server| !server.entry.disabled).collect(),
    };
    if tested.is_empty() && !as_json {
        show::line("no server is configured; `joi mcp add NAME -- PROGRAM` adds one")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (status, took) = context.block_on(async {
        let trial = ServerTrial::start(tested.into_iter().map(switched_on).collect(), context).await?;
        let found = (trial.status(), trial.took);
        trial.end().await;
        Ok(found)
    })?;
    print(&status, took, as_json)?;
    let is_well = status.iter().all(ServerStatus::is_up);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a server as it is when it is used: one that is switched off can be tested too.
fn switched_on(mut server: McpServer) -> McpServer {
    server.entry.disabled = false;
    server
}

/// Prints servers with their tools; `took` is how long the slowest start lasted.
pub(super) fn print(status: &[ServerStatus], took: Duration, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        show::line(serde_json::to_string_pretty(status)?)?;
        return Ok(());
    }
    for server in status {
        show::line(headline(server, took))?;
        let mut table = show::table(["TOOL", "ALLOWED", "SENT", "FOR THE MODEL", "WHAT FOR"]);
        for tool in &server.tools {
            let changed = if tool.has_changed { ", changed" } else { "" };
            let allowed = format!("{}{changed}", tool.permission);
            let sizes = [tool.bytes, tool.reduced_bytes].map(|bytes| show::bytes(bytes as u64));
            let [sent, reduced] = sizes;
            table.add_row([tool.tool.clone(), allowed, sent, reduced, tool.description.clone()]);
        }
        if !server.tools.is_empty() {
            show::line(table)?;
        }
        if server.tools.iter().any(|tool| tool.has_changed) {
            show::line(format!("`joi mcp allow {}` approves the new descriptions", server.name))?;
        }
    }
    Ok(())
}

fn headline(server: &ServerStatus, took: Duration) -> String {
    match server.is_up() {
        true => {
            let about =
                format!("{}, {} tools, {:.1} s", server.about, server.tools.len(), took.as_secs_f64());
            format!("{}: {about}", show::coloured(Tone::Good, &server.name))
        }
        false => {
            let about = if server.about.is_empty() { &server.state } else { &server.about };
            format!("{}: {about}", show::coloured(Tone::Bad, &server.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_mcp::ServerEntry;

    fn server(name: &str, entry: ServerEntry) -> McpServer {
        McpServer { id: name.to_owned(), name: name.to_owned(), entry }
    }

    #[test]
    fn the_state_is_that_of_the_running_program() {
        let time =
            server("time", ServerEntry { command: "mcp-server-time".into(), ..ServerEntry::default() });
        let off = server("off", ServerEntry { disabled: true, ..ServerEntry::default() });
        let row = ToolServerRow { name: "time".into(), is_well: true, told: "2 tools".into(), tools: 2 };
        let plain = |text: String| anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain(state(&time, None)), "joi is not running");
        assert_eq!(plain(state(&off, None)), "off");
        assert_eq!(plain(state(&time, Some(&[]))), "not read yet: start joi again");
        assert_eq!(plain(state(&off, Some(&[]))), "off");
        assert_eq!(state(&time, Some(std::slice::from_ref(&row))), "2 tools");
        let sick = ToolServerRow { is_well: false, told: "down: it ended".into(), ..row };
        assert_eq!(plain(state(&time, Some(&[sick]))), "down: it ended");
    }

    #[test]
    fn a_server_is_shown_with_its_program_or_its_address() {
        let args = vec!["--local-timezone".to_owned(), "UTC".to_owned()];
        let program = ServerEntry { command: "time".into(), args, ..ServerEntry::default() };
        assert_eq!(reached(&server("a", program)), "time --local-timezone UTC");
        let url = ServerEntry { url: "http://nas/mcp".into(), ..ServerEntry::default() };
        assert_eq!(reached(&server("a", url)), "http://nas/mcp");
        let down = ServerStatus {
            name: "a".into(),
            id: "a".into(),
            state: "down".into(),
            about: "it ended".into(),
            tools: Vec::new(),
        };
        assert!(headline(&down, Duration::ZERO).ends_with(": it ended"));
        let up = ServerStatus { state: "up".into(), about: "double 1".into(), ..down };
        assert!(headline(&up, Duration::from_millis(1_240)).ends_with(": double 1, 0 tools, 1.2 s"));
    }
}
