//! All servers: those of the configuration and those of the file, each with its id.
//!
//! Any thread; blocks while the file is read. In: `[mcp]` and the path of the file. Out: servers in the order of their
//! names, and remarks about what is left out. A server of the configuration goes before one of the same name in the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::file::{self, FileFault};
use crate::config::{McpConfig, ServerEntry};
use joi_tools::foreign::program_ids;

/// The file of servers can't be used. Report it; the servers of the configuration work.
#[derive(Debug, thiserror::Error)]
pub enum LoadFault {
    /// It can't be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It holds something else.
    #[error("{}: {source}", file.display())]
    Content {
        /// Which file.
        file: PathBuf,
        /// The fault.
        source: FileFault,
    },
}

/// A server with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Letters and digits, at most 16: the first part of the names of its tools.
    pub id: String,
    /// Its name in the configuration.
    pub name: String,
    /// How it is reached, and what its tools may do.
    pub entry: ServerEntry,
}

/// All servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpServers {
    /// In the order of their names.
    pub all: Vec<McpServer>,
    /// Servers and keys that are left out, in one sentence each.
    pub remarks: Vec<String>,
}

impl McpServers {
    /// Returns the path of the file.
    pub fn file(config: &McpConfig, configuration: &Path) -> PathBuf {
        match config.file.as_str() {
            "" => configuration.with_file_name("mcp.json"),
            file => PathBuf::from(file),
        }
    }

    /// Reads the file, and joins it with the configuration.
    ///
    /// # Errors
    /// The file can't be used.
    pub fn load(config: &McpConfig, file: &Path) -> Result<Self, LoadFault> {
        if !config.enabled {
            return Ok(Self::default());
        }
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(LoadFault::Read { file: file.to_owned(), source }),
        };
        let content = |source| LoadFault::Content { file: file.to_owned(), source };
        let (mut entries, remarks) = file::read(&text).map_err(content)?;
        entries.extend(config.servers.clone());
        Ok(Self::of(entries, remarks))
    }

    /// Gives each its id, and leaves out those that can't be used.
    pub fn of(entries: BTreeMap<String, ServerEntry>, mut remarks: Vec<String>) -> Self {
        let mut all = Vec::new();
        let ids = program_ids(entries.keys().map(String::as_str));
        for (id, (name, entry)) in ids.into_iter().zip(entries) {
            let problems = entry.check(&name);
            if let Some(problem) = problems.first() {
                remarks.push(format!("server {name} is left out: {problem}"));
                continue;
            }
            all.push(McpServer { id, name, entry });
        }
        Self { all, remarks }
    }

    /// Returns the server of that name or id.
    pub fn find(&self, name: &str) -> Option<&McpServer> {
        let by_name = self.all.iter().find(|server| server.name == name);
        by_name.or_else(|| self.all.iter().find(|server| server.id == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_goes_before_the_file_and_what_can_not_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let load = |config: &McpConfig| McpServers::load(config, &file);
        assert_eq!(load(&McpConfig::default()).unwrap(), McpServers::default());
        let text = r#"{"mcpServers": {"my-time": {"command": "a"}, "none": {}, "Files": {"command": "b"}}}"#;
        std::fs::write(&file, text).unwrap();
        let entry = ServerEntry { command: "c".into(), ..ServerEntry::default() };
        let config =
            McpConfig { servers: BTreeMap::from([("my-time".to_owned(), entry)]), ..McpConfig::default() };
        let servers = load(&config).unwrap();
        let short = |server: &McpServer| format!("{} {}", server.id, server.entry.command);
        assert_eq!(servers.all.iter().map(short).collect::<Vec<_>>(), ["files b", "mytime c"]);
        assert!(servers.remarks[0].starts_with("server none is left out: none.command"), "{servers:?}");
        assert_eq!(servers.find("my-time"), servers.find("mytime"));
        assert_eq!(load(&McpConfig { enabled: false, ..config }).unwrap(), McpServers::default());
        std::fs::write(&file, "{").unwrap();
        assert!(load(&McpConfig::default()).unwrap_err().to_string().contains("mcp.json"));
    }
}
