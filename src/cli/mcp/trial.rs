//! McpServers that are started for one command, and ended with it.
//!
//! Tokio tasks of the command's runtime. A signal ends the programs too, so that none is left behind.

use std::time::{Duration, Instant};

use joi_mcp::{McpServer, McpServers, McpService, ServerStatus};
use joi_tools::{ToolRegistry, ToolSnapshot};
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app;
use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::show;

/// Running servers.
pub(super) struct ServerTrial {
    service: McpService,
    registry: ToolRegistry,
    stop: CancellationToken,
    running: JoinHandle<()>,
    /// Time until all had started, or had failed to.
    pub(super) took: Duration,
}

impl ServerTrial {
    /// Starts servers, and waits until each has listed its tools or failed.
    ///
    /// # Errors
    /// A signal came.
    pub(super) async fn start(servers: Vec<McpServer>, context: &CliContext) -> anyhow::Result<Self> {
        let limit = mcp::longest_start(&servers);
        let registry = ToolRegistry::default();
        let kept = (mcp::mcp_secrets(&context.paths), mcp::mcp_approvals(&context.paths));
        let servers = McpServers { all: servers, remarks: Vec::new() };
        let per_turn = context.config().mcp.tools_per_turn;
        let service = McpService::new(servers, kept, registry.clone(), per_turn);
        let stop = CancellationToken::new();
        app::end_on_signal(stop.clone());
        let began = Instant::now();
        let running = tokio::spawn(service.clone().run(stop.clone()));
        // Both arms are cancel-safe.
        tokio::select! {
            () = service.settled(limit) => {}
            () = stop.cancelled() => {
                let _ = running.await;
                anyhow::bail!("stopped");
            }
        }
        Ok(Self { service, registry, stop, running, took: began.elapsed() })
    }

    /// Returns the status of each.
    pub(super) fn status(&self) -> Vec<ServerStatus> {
        self.service.status()
    }

    /// Returns the tools that may be called.
    pub(super) fn tools(&self) -> Arc<ToolSnapshot> {
        self.registry.snapshot()
    }

    /// Returns a token that a signal cancels.
    pub(super) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Ends the servers.
    pub(super) async fn end(self) {
        self.stop.cancel();
        if let Err(error) = self.running.await {
            show::remark(format!("ending the servers failed: {error}"));
        }
    }
}
