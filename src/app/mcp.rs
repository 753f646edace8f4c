//! Servers of the Model Context Protocol as a source of tools.
//!
//! Any thread, at start. In: configuration, the file of servers, secrets. Out: the source, and what is wrong with the
//! file. A file that can't be used costs the servers in it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use joi_base::paths::Paths;
use joi_mcp::{Approvals, McpServer, McpServers, McpService, Secrets, ServerStatus};
use joi_tools::ToolRegistry;
use joi_tools::foreign::{ToolServerRow, ToolSource};

/// The beginnings that are tried one after the other, each within the longest start.
const BEGINNINGS: u32 = 3;
/// Time beyond that for lists.
const LISTS: Duration = Duration::from_secs(20);

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

/// The servers of the Model Context Protocol.
struct McpSource {
    service: McpService,
    config: Config,
    paths: Paths,
}

/// Makes the servers, whose tools go to `registry`; with what is wrong with them. Nothing is started yet.
pub(super) fn source(
    config: &Config,
    paths: &Paths,
    registry: &ToolRegistry,
) -> (Option<Arc<dyn ToolSource>>, Vec<String>) {
    let servers = mcp_servers(config, paths);
    let remarks = servers.remarks.clone();
    let kept = (mcp_secrets(paths), mcp_approvals(paths));
    let service = McpService::new(servers, kept, registry.clone(), config.mcp.tools_per_turn);
    let source = McpSource { service, config: config.clone(), paths: paths.clone() };
    (config.mcp.enabled.then(|| Arc::new(source) as Arc<dyn ToolSource>), remarks)
}

impl ToolSource for McpSource {
    fn is_empty(&self) -> bool {
        self.service.is_empty()
    }

    fn run(&self, stop: CancellationToken) -> BoxFuture<'static, ()> {
        self.service.clone().run(stop).boxed()
    }

    fn settled(&self, limit: Option<Duration>) -> BoxFuture<'_, ()> {
        let limit = limit.unwrap_or_else(|| longest_start(&mcp_servers(&self.config, &self.paths).all));
        self.service.settled(limit).boxed()
    }

    fn rows(&self) -> Vec<ToolServerRow> {
        self.service.status().iter().map(status_row).collect()
    }

    fn remedy(&self, name: &str) -> String {
        format!("joi mcp test {name}")
    }

    fn read_again(&self) {
        let servers = mcp_servers(&self.config, &self.paths);
        for remark in &servers.remarks {
            tracing::warn!("{remark}");
        }
        self.service.renew(servers);
    }
}

/// Returns the longest time until each server has listed its tools or failed.
pub(crate) fn longest_start(servers: &[McpServer]) -> Duration {
    let longest = servers.iter().map(|server| server.entry.longest_start_s()).max().unwrap_or(0);
    Duration::from_secs(u64::from(longest * BEGINNINGS)) + LISTS
}

/// Returns a server as the status of the program shows it.
fn status_row(status: &ServerStatus) -> ToolServerRow {
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
