//! `[mcp.serve]`: what joi serves to other programs, and where.
//!
//! Plain data, immutable after start. Reading and speaking within the quiet hours are on, whatever changes something is off
//! until the owner names it.

use std::net::SocketAddr;

use joi_base::problem::Problem;
use joi_serve::{ListenAddress, ListenRange};
use serde::{Deserialize, Serialize};

use super::catalog::{self, ServedRow};
use joi_tools::foreign::matches;

/// `[mcp.serve]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServeConfig {
    /// Whether other programs of this user may use joi through `joi mcp serve`.
    pub enabled: bool,
    /// Tools that may be called beside those that only read and `say`, by name or with `*`, for example
    /// ["set_timer", "cancel_timer", "add_to_list"]; `joi mcp serve --list` shows all.
    pub allow: Vec<String>,
    /// Tools that are never called, by name or with `*`, for example ["recall"]. It goes before `allow`.
    pub deny: Vec<String>,
    /// Address of this machine on which the same tools are served over HTTP at /mcp, as "127.0.0.1:9755"; "": they are not.
    /// Needs `mcp.serve.token_file`.
    pub listen: ListenAddress,
    /// File with a token, one word, that requests over HTTP must bring as "Authorization: Bearer …".
    pub token_file: String,
}

impl Default for McpServeConfig {
    fn default() -> Self {
        let (listen, token_file) = (ListenAddress::default(), String::new());
        Self { enabled: true, allow: Vec::new(), deny: Vec::new(), listen, token_file }
    }
}

/// Whether a tool is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServedSwitch {
    /// It is.
    On,
    /// It is not, until the owner allows it.
    Off,
    /// The owner has forbidden it.
    Denied,
}

impl McpServeConfig {
    /// Returns the address of the HTTP endpoint; nothing where there is none.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listen.within(ListenRange::ThisMachine).filter(|_| self.enabled)
    }

    /// Returns whether a tool is served.
    pub(crate) fn switch(&self, row: &ServedRow) -> ServedSwitch {
        let is_in = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, row.name));
        match (is_in(&self.deny), row.is_open || is_in(&self.allow)) {
            (true, _) => ServedSwitch::Denied,
            (false, true) => ServedSwitch::On,
            (false, false) => ServedSwitch::Off,
        }
    }

    /// Returns all values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        problems.extend(self.listen.check("mcp.serve.listen", "127.0.0.1:9755", ListenRange::ThisMachine));
        let needs_token = !self.listen.is_none() && self.token_file.trim().is_empty();
        if needs_token || !self.token_file.is_empty() && !self.token_file.starts_with('/') {
            let allowed = "the absolute path of a file with a token, wanted with mcp.serve.listen";
            problems.push(Problem::new("mcp.serve.token_file", &self.token_file, allowed));
        }
        let lists = [("mcp.serve.allow", &self.allow), ("mcp.serve.deny", &self.deny)];
        for (key, patterns) in lists {
            let names_none = |pattern: &&String| !catalog::ROWS.iter().any(|row| matches(pattern, row.name));
            problems.extend(patterns.iter().filter(names_none).map(|pattern| {
                let names: Vec<&str> = catalog::ROWS.iter().map(|row| row.name).collect();
                Problem::new(key, pattern, format!("names of served tools: {}", names.join(", ")))
            }));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_something_is_off_until_it_is_named_and_a_ban_goes_first() {
        let switch = |config: &McpServeConfig, name: &str| config.switch(catalog::row(name).unwrap());
        let usual = McpServeConfig::default();
        for row in catalog::ROWS {
            let is_on = usual.switch(row) == ServedSwitch::On;
            assert_eq!(is_on, row.is_open, "{}", row.name);
        }
        let on: Vec<&str> = catalog::ROWS.iter().filter(|row| row.is_open).map(|row| row.name).collect();
        assert_eq!(on, ["say", "ask", "list_timers", "read_list", "recall", "house_state", "status"]);
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let set = McpServeConfig { allow: list(&["*_timer"]), deny: list(&["cancel_*", "recall"]), ..usual };
        assert_eq!(switch(&set, "set_timer"), ServedSwitch::On);
        assert_eq!(switch(&set, "cancel_timer"), ServedSwitch::Denied);
        assert_eq!(switch(&set, "recall"), ServedSwitch::Denied);
        assert_eq!(switch(&set, "house_command"), ServedSwitch::Off);
    }

    #[test]
    fn only_this_machine_is_served_and_only_with_a_token() {
        let config = |listen: &str, token_file: &str| McpServeConfig {
            listen: listen.into(),
            token_file: token_file.into(),
            ..McpServeConfig::default()
        };
        for (listen, token_file, is_served, problems) in [
            ("", "", false, 0),
            ("127.0.0.1:9755", "/run/token", true, 0),
            ("[::1]:9755", "/run/token", true, 0),
            ("127.0.0.1:9755", "", true, 1),
            ("127.0.0.1:9755", "token", true, 1),
            ("0.0.0.0:9755", "/run/token", false, 1),
            ("localhost:9755", "/run/token", false, 1),
        ] {
            let config = config(listen, token_file);
            assert_eq!((config.address().is_some(), config.check().len()), (is_served, problems), "{listen}");
        }
        let off = McpServeConfig { enabled: false, ..config("127.0.0.1:9755", "/run/token") };
        assert_eq!(off.address(), None);
        let typo = McpServeConfig { allow: vec!["set_timers".into()], ..McpServeConfig::default() };
        assert_eq!(typo.check()[0].key, "mcp.serve.allow");
    }
}
