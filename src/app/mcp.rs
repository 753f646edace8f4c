//! Tools of other programs while the program runs: their servers as a service, and how they are on the status board.
//!
//! Any thread, at start. In: configuration, the file of servers, secrets. Out: the service, and what is wrong with the
//! file. A file that can't be used costs the servers in it; a server that fails does not fail the service.

use super::Brain;
use super::daemon::{Service, ServiceContext};
use crate::config::Config;
use crate::control::{StatusBoard, ToolServerRow};
use joi_base::paths::Paths;
use joi_mcp::{Approvals, McpServers, McpService, Secrets, ServerStatus};
use joi_tools::ToolRegistry;

/// Returns the secrets that servers are given.
pub fn mcp_secrets(paths: &Paths) -> Secrets {
    Secrets::of_process(&paths.data)
}

/// Returns what was approved of servers.
pub fn mcp_approvals(paths: &Paths) -> Approvals {
    Approvals::new(paths.data.join("mcp.json"))
}

/// Returns the servers of the configuration and of the file, with what is wrong.
pub fn mcp_servers(config: &Config, paths: &Paths) -> McpServers {
    let file = McpServers::file(&config.mcp, &paths.config);
    match McpServers::load(&config.mcp, &file) {
        Ok(servers) => servers,
        Err(fault) => {
            let only_configured = McpServers::of(config.mcp.servers.clone(), Vec::new());
            let remarks = [format!("servers of tools in a file are left out: {fault}")];
            McpServers { remarks: [only_configured.remarks, remarks.into()].concat(), ..only_configured }
        }
    }
}

/// Makes the servers, whose tools go to `registry`; with what is wrong with them. Nothing is started yet.
pub(super) fn service(config: &Config, paths: &Paths, registry: &ToolRegistry) -> (McpService, Vec<String>) {
    let servers = if config.tools.enabled { mcp_servers(config, paths) } else { McpServers::default() };
    let remarks = servers.remarks.clone();
    let kept = (mcp_secrets(paths), mcp_approvals(paths));
    (McpService::new(servers, kept, registry.clone(), config.mcp.tools_per_turn), remarks)
}

/// Returns the service that looks after the servers; nothing where there are none.
pub(super) fn servers(config: &Config, paths: &Paths, brain: &Brain, board: &StatusBoard) -> Option<Service> {
    let (servers, remarks) = service(config, paths, &brain.engine.parts.tools);
    for remark in remarks {
        tracing::warn!("{remark}");
    }
    if !config.tools.enabled || !config.mcp.enabled {
        return None;
    }
    let (read_again, config, paths) = (servers.clone(), config.clone(), paths.clone());
    board.takes_servers(move || {
        let servers = mcp_servers(&config, &paths);
        for remark in &servers.remarks {
            tracing::warn!("{remark}");
        }
        read_again.renew(servers);
    });
    let shown = servers.clone();
    board.tool_servers(move || shown.status().iter().map(status_row).collect());
    let run = move |context: ServiceContext| {
        let servers = servers.clone();
        async move {
            servers.run(context.stop).await;
            Ok(())
        }
    };
    let service = Service::new("tool servers", "tools of other programs can't be used", run);
    Some(service.end_within(std::time::Duration::from_secs(12)))
}

/// Returns a server as the status of the program shows it.
pub(crate) fn status_row(status: &ServerStatus) -> ToolServerRow {
    let changed = status.tools.iter().filter(|tool| tool.has_changed).count();
    let tools = status.tools.iter().filter(|tool| tool.permission != "deny").count();
    let told = match (status.state.as_str(), changed) {
        ("up", 0) => format!("{tools} tools"),
        ("up", _) => {
            format!("{tools} tools, {changed} with a new description: `joi mcp allow {}`", status.name)
        }
        (state, _) if status.about.is_empty() => state.to_owned(),
        (state, _) => format!("{state}: {}", status.about),
    };
    ToolServerRow { name: status.name.clone(), is_well: status.is_well(), told, tools }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_mcp::ToolStatus;

    fn server(state: &str, about: &str, tools: Vec<ToolStatus>) -> ServerStatus {
        let (state, about) = (state.to_owned(), about.to_owned());
        ServerStatus { name: "files".into(), id: "files".into(), state, about, tools }
    }

    fn tool(permission: &str, has_changed: bool) -> ToolStatus {
        ToolStatus {
            tool: "read".into(),
            name: "files__read".into(),
            permission: permission.into(),
            fingerprint: String::new(),
            has_changed,
            description: String::new(),
            bytes: 9,
            reduced_bytes: 9,
        }
    }

    #[test]
    fn a_server_is_shown_with_its_tools_or_with_what_is_wrong() {
        let told = |status: &ServerStatus| {
            let row = status_row(status);
            (row.is_well, row.tools, row.told)
        };
        let up = server("up", "double 1", vec![tool("allow", false), tool("deny", false)]);
        assert_eq!(told(&up), (true, 1, "1 tools".to_owned()));
        let changed = server("up", "", vec![tool("confirm", true)]);
        let expected = "1 tools, 1 with a new description: `joi mcp allow files`";
        assert_eq!(told(&changed), (true, 1, expected.to_owned()));
        assert_eq!(told(&server("down", "it ended", Vec::new())), (false, 0, "down: it ended".to_owned()));
        assert_eq!(told(&server("off", "", Vec::new())), (true, 0, "off".to_owned()));
    }
}
