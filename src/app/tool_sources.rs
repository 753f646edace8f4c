//! Tools of other programs, whatever the protocol: in the daemon as a service, beside a command, and for the doctor.
//!
//! Any thread, at start. In: configuration, the registry of tools. Out: programs that are looked after, and how they are on
//! the status board. A program that fails does not fail the service.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use super::daemon::{Service, ServiceContext};
use super::mcp;
use crate::config::Config;
use crate::control::StatusBoard;
use joi_base::paths::Paths;
use joi_tools::ToolRegistry;
use joi_tools::foreign::{ToolServerRow, ToolSource};

/// Longest wait of a single question for servers of tools: most start within it, and one that hangs must not hold it up.
pub(super) const TOOLS_LIMIT: Duration = Duration::from_secs(5);

/// Makes a source whose tools go to a registry, nothing where the configuration has it switched off; and says what is wrong
/// with its programs. Nothing is started yet.
type MakeSource = fn(&Config, &Paths, &ToolRegistry) -> (Option<Arc<dyn ToolSource>>, Vec<String>);

/// A row for each protocol.
const SOURCES: &[MakeSource] = &[mcp::source];

/// The programs of all protocols.
#[derive(Clone)]
pub(crate) struct ToolSources {
    all: Vec<Arc<dyn ToolSource>>,
    /// Faults of their configuration, one sentence each.
    pub(crate) remarks: Vec<String>,
}

impl ToolSources {
    /// Makes the sources, whose tools go to `registry`. Nothing is started yet.
    pub(crate) fn new(config: &Config, paths: &Paths, registry: &ToolRegistry) -> Self {
        let made = SOURCES.iter().map(|make| make(config, paths, registry));
        let (sources, remarks): (Vec<_>, Vec<_>) = made.unzip();
        Self { all: sources.into_iter().flatten().collect(), remarks: remarks.concat() }
    }

    /// Returns whether there is no program to look after.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.iter().all(|source| source.is_empty())
    }

    /// Looks after all programs until `stop`; then ends them.
    pub(crate) async fn run(self, stop: CancellationToken) {
        join_all(self.all.iter().map(|source| source.run(stop.clone()))).await;
    }

    /// Waits until each program has its tools, or is known to be down; `limit` at most. Cancel-safe.
    pub(crate) async fn settled(&self, limit: Option<Duration>) {
        join_all(self.all.iter().map(|source| source.settled(limit))).await;
    }

    /// Returns a row for each program.
    pub(crate) fn rows(&self) -> Vec<ToolServerRow> {
        self.all.iter().flat_map(|source| source.rows()).collect()
    }

    /// Returns what shows why the program `name` does not work.
    pub(crate) fn remedy(&self, name: &str) -> String {
        let has = |source: &&Arc<dyn ToolSource>| source.rows().iter().any(|row| row.name == name);
        self.all.iter().find(has).map_or_else(|| "start joi again".to_owned(), |source| source.remedy(name))
    }
}

/// Returns the service that looks after the programs; nothing where no source is switched on.
pub(super) fn service(
    config: &Config,
    paths: &Paths,
    registry: &ToolRegistry,
    board: &StatusBoard,
) -> Option<Service> {
    if !config.tools.enabled {
        return None;
    }
    let sources = ToolSources::new(config, paths, registry);
    for remark in &sources.remarks {
        tracing::warn!("{remark}");
    }
    if sources.all.is_empty() {
        return None;
    }
    let (read_again, shown) = (sources.clone(), sources.clone());
    board.takes_servers(move || read_again.all.iter().for_each(|source| source.read_again()));
    board.tool_servers(move || shown.rows());
    let run = move |context: ServiceContext| {
        let sources = sources.clone();
        async move {
            sources.run(context.stop).await;
            Ok(())
        }
    };
    let service = Service::new("tool servers", "tools of other programs can't be used", run);
    Some(service.end_within(Duration::from_secs(12)))
}
