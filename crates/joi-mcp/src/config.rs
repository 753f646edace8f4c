//! `[mcp]` of the configuration: servers of tools, how they are reached, and what each of their tools may do.
//!
//! Plain data, immutable after start. Secrets are not part of it: an address, a header or a variable names one as
//! `${NAME}`. The same servers can stand in a JSON file as other programs have it ([`file`]).

use std::collections::BTreeMap;

use joi_base::problem::Problem;
use joi_tools::foreign::ToolAllowance;
use joi_tools::gate::ToolPermission;
use serde::{Deserialize, Serialize};

use crate::serve::McpServeConfig;

pub mod file;

/// `[mcp]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// Whether tools of other programs are used. Their servers are in `mcp.file`, or here as `[mcp.servers.NAME]` with
    /// the same keys; `joi mcp add` writes the file.
    pub enabled: bool,
    /// JSON file with servers under the key `mcpServers`, as other programs have it; "": `mcp.json` beside the
    /// configuration file.
    pub file: String,
    /// Most tools of servers that are on offer in every request, 1 to 12. Where there are more, a request gets those that
    /// its words point at, and a conversation 12 at most.
    pub tools_per_turn: u32,
    /// What joi itself serves to other programs.
    pub serve: McpServeConfig,
    /// McpServers by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, ServerEntry>,
}

impl Default for McpConfig {
    fn default() -> Self {
        let (file, serve, servers) = Default::default();
        Self { enabled: true, file, tools_per_turn: 12, serve, servers }
    }
}

/// How a connection is begun.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// By what the server answers; what worked is remembered.
    #[default]
    Auto,
    /// With the handshake of the revisions up to 2025-11-25.
    Initialize,
    /// Without one, as from 2026-07-28 on.
    Discover,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerEntry {
    /// The program, for a server that is started here and spoken to over its standard input and output.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment, beside PATH, HOME, LANG and TZ; nothing else is passed on.
    pub env: BTreeMap<String, String>,
    /// Its working directory; "": the home directory.
    pub cwd: String,
    /// The address, for a server over streamable HTTP.
    pub url: String,
    /// HTTP headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Whether the server is left out.
    pub disabled: bool,
    /// Whether tools that this server calls read-only may be called without asking.
    pub trusted: bool,
    /// Tools that may be called without asking, as names or with `*`.
    pub allow: Vec<String>,
    /// Tools that are asked about before each call.
    pub confirm: Vec<String>,
    /// Tools that are never called.
    pub deny: Vec<String>,
    /// Words that point at this server's tools, in any language, beside those of their names.
    pub cues: Vec<String>,
    /// Longest wait for an answer or a sign of progress, in seconds, 1 to 60.
    pub timeout_s: u32,
    /// Longest wait for an answer in spite of progress, in seconds, 1 to 85.
    pub longest_s: u32,
    /// Longest start, in seconds, 5 to 300; 0: 30 for a program, 60 for one that a package runner fetches first, 10 for
    /// HTTP.
    pub start_s: u32,
    /// How the connection is begun.
    pub lifecycle: Lifecycle,
}

impl Default for ServerEntry {
    fn default() -> Self {
        Self {
            command: String::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: String::new(),
            url: String::new(),
            headers: BTreeMap::new(),
            disabled: false,
            trusted: false,
            allow: Vec::new(),
            confirm: Vec::new(),
            deny: Vec::new(),
            cues: Vec::new(),
            timeout_s: 8,
            longest_s: 60,
            start_s: 0,
            lifecycle: Lifecycle::Auto,
        }
    }
}

/// Programs that fetch a package before they run it.
const FETCHING: [&str; 6] = ["npx", "uvx", "pipx", "bunx", "docker", "podman"];

impl ServerEntry {
    /// Returns the longest start, in seconds.
    pub fn longest_start_s(&self) -> u32 {
        let program = self.command.rsplit('/').next().unwrap_or_default();
        match self.start_s {
            0 if !self.url.is_empty() => 10,
            0 if FETCHING.contains(&program) => 60,
            0 => 30,
            seconds => seconds,
        }
    }

    /// Returns what the owner allows of its tools.
    pub(crate) fn allowance(&self) -> ToolAllowance<'_> {
        ToolAllowance { allow: &self.allow, confirm: &self.confirm, deny: &self.deny, trusted: self.trusted }
    }

    /// Puts a tool on the list of `permission`, and takes it off the others. Patterns stay as they are, and the strictest
    /// list that holds a tool counts.
    pub fn permit(&mut self, tool: &str, permission: ToolPermission) {
        for list in [&mut self.allow, &mut self.confirm, &mut self.deny] {
            list.retain(|name| name != tool);
        }
        let list = match permission {
            ToolPermission::Allow => &mut self.allow,
            ToolPermission::Confirm => &mut self.confirm,
            ToolPermission::Deny => &mut self.deny,
        };
        list.push(tool.to_owned());
    }

    /// Returns all problems of these values; `key` is where they stand.
    pub fn check(&self, key: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        match (self.command.trim().is_empty(), self.url.trim().is_empty()) {
            (true, true) => problems.push(Problem::new(
                format!("{key}.command"),
                "\"\"",
                "a program, or url for a server over HTTP",
            )),
            (false, false) => {
                problems.push(Problem::new(format!("{key}.url"), &self.url, "\"\" beside a command"));
            }
            (true, false) if !self.url.starts_with("http://") && !self.url.starts_with("https://") => {
                problems.push(Problem::new(format!("{key}.url"), &self.url, "http:// or https://"));
            }
            _ => {}
        }
        let rows = [
            ("timeout_s", self.timeout_s, 1.0..=60.0),
            ("longest_s", self.longest_s, 1.0..=85.0),
            ("start_s", self.start_s.max(5), 5.0..=300.0),
        ];
        let outside =
            |(name, value, range)| Problem::outside(&format!("{key}.{name}"), f64::from(value), range, "s");
        problems.extend(rows.into_iter().filter_map(outside));
        problems
    }
}

impl McpConfig {
    /// Returns all values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let per_turn = f64::from(self.tools_per_turn);
        let mut problems: Vec<Problem> =
            Problem::outside("mcp.tools_per_turn", per_turn, 1.0..=12.0, "tools").into_iter().collect();
        if !self.file.is_empty() && !self.file.starts_with('/') {
            problems.push(Problem::new("mcp.file", &self.file, "an absolute path, or \"\""));
        }
        problems.extend(self.serve.check());
        problems.extend(
            self.servers.iter().flat_map(|(name, entry)| entry.check(&format!("mcp.servers.{name}"))),
        );
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_of_a_server_is_reported() {
        assert_eq!(McpConfig::default().check(), []);
        let servers = BTreeMap::from([
            ("none".to_owned(), ServerEntry { timeout_s: 0, start_s: 1_000, ..ServerEntry::default() }),
            (
                "both".to_owned(),
                ServerEntry { command: "a".into(), url: "http://b".into(), ..ServerEntry::default() },
            ),
            ("ftp".to_owned(), ServerEntry { url: "ftp://b".into(), ..ServerEntry::default() }),
        ]);
        let config =
            McpConfig { file: "mcp.json".into(), tools_per_turn: 20, servers, ..McpConfig::default() };
        let keys: Vec<String> = config.check().into_iter().map(|problem| problem.key).collect();
        let expected = [
            "mcp.tools_per_turn",
            "mcp.file",
            "mcp.servers.both.url",
            "mcp.servers.ftp.url",
            "mcp.servers.none.command",
            "mcp.servers.none.timeout_s",
            "mcp.servers.none.start_s",
        ];
        assert_eq!(keys, expected);
    }

    #[test]
    fn a_tool_stands_on_one_list() {
        let mut entry = ServerEntry { allow: vec!["get_*".into(), "set".into()], ..ServerEntry::default() };
        entry.permit("set", ToolPermission::Deny);
        assert_eq!((entry.allow.join(" "), entry.deny.join(" ")), ("get_*".into(), "set".into()));
        entry.permit("set", ToolPermission::Confirm);
        assert_eq!((entry.confirm.join(" "), entry.deny.len()), ("set".into(), 0));
        entry.permit("set", ToolPermission::Allow);
        assert_eq!((entry.allow.join(" "), entry.confirm.len()), ("get_* set".into(), 0));
    }

    #[test]
    fn a_program_that_is_fetched_first_has_longer_to_start() {
        let entry = |command: &str, url: &str, start_s| {
            let entry =
                ServerEntry { command: command.into(), url: url.into(), start_s, ..Default::default() };
            entry.longest_start_s()
        };
        let starts =
            [entry("/usr/bin/npx", "", 0), entry("time", "", 0), entry("", "http://n", 0), entry("a", "", 7)];
        assert_eq!(starts, [60, 30, 10, 7]);
    }
}
