//! The file of servers, as commands change it.
//!
//! Main thread. In: the file, which need not exist. Out: the file with a server added, replaced or removed; whatever else
//! it holds stays. A server of the configuration file is never changed here.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;

use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::show;
use crate::control::Client;
use joi_base::durable;
use joi_mcp::{McpServer, McpServers, ServerEntry, file};

/// Has a running joi read the servers again; returns what came of that, for people.
pub(super) fn reported(context: &CliContext) -> &'static str {
    match Client::connect(&context.paths.runtime) {
        Ok(Some(mut client)) => match client.servers_changed() {
            Ok(()) => "the running joi takes it for its next conversation",
            Err(error) => {
                tracing::debug!(%error, "the running joi was not told");
                "the running joi takes it when it is started again"
            }
        },
        Ok(None) | Err(_) => "joi takes it when it is started",
    }
}

fn path(context: &CliContext) -> PathBuf {
    McpServers::file(&context.config().mcp, &context.paths.config)
}

fn text(path: &std::path::Path) -> anyhow::Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn write(path: &std::path::Path, text: &str) -> anyhow::Result<()> {
    let permissions = std::fs::metadata(path).ok().map(|about| about.permissions());
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    written
        .and_then(|()| durable::write(path, text.as_bytes(), permissions))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Fails for a server of the configuration file, which only its owner changes.
///
/// # Errors
/// It is one.
pub(super) fn refuse_configured(name: &str, context: &CliContext) -> anyhow::Result<()> {
    let file = context.paths.config.display();
    let is_there = context.config().mcp.servers.contains_key(name);
    anyhow::ensure!(!is_there, "{name} is configured in {file} as [mcp.servers.{name}]; change it there");
    Ok(())
}

/// Stores a server; returns the file.
///
/// # Errors
/// The file can't be read or written, or holds something else.
pub(super) fn store(name: &str, entry: &ServerEntry, context: &CliContext) -> anyhow::Result<PathBuf> {
    let path = path(context);
    let changed = file::with(&text(&path)?, name, entry)
        .with_context(|| format!("cannot change {}", path.display()))?;
    write(&path, &changed)?;
    Ok(path)
}

/// Returns a server as it would be with this entry: with the id that it has among the others.
pub(super) fn candidate(name: &str, entry: ServerEntry, context: &CliContext) -> anyhow::Result<McpServer> {
    let others = mcp::mcp_servers(context.config(), &context.paths).all;
    let mut entries: std::collections::BTreeMap<_, _> =
        others.into_iter().map(|server| (server.name, server.entry)).collect();
    entries.insert(name.to_owned(), entry);
    let mut servers = McpServers::of(entries, Vec::new());
    let found = servers.all.iter().position(|server| server.name == name);
    match found {
        Some(at) => Ok(servers.all.swap_remove(at)),
        None => anyhow::bail!(servers.remarks.join("; ")),
    }
}

pub(super) fn remove(name: &str, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    refuse_configured(name, context)?;
    let path = path(context);
    let servers = mcp::mcp_servers(context.config(), &context.paths);
    let id = servers.find(name).map(|server| server.id.clone());
    let less =
        file::without(&text(&path)?, name).with_context(|| format!("cannot change {}", path.display()))?;
    let Some(less) = less else {
        anyhow::bail!("{} holds no server {name}; `joi mcp list` lists them", path.display());
    };
    write(&path, &less)?;
    if let Some(id) = id {
        mcp::mcp_approvals(&context.paths).forget(&id)?;
    }
    let after = reported(context);
    if as_json {
        show::line(json!({ "removed": name, "file": path }))?;
    } else {
        show::line(format!("removed from {}; {after}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
