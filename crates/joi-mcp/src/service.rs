//! All servers of tools: one task for each, their status, their end.
//!
//! Any thread makes it, which starts nothing; [`McpService::run`] is a task. In: the servers, and the registry that
//! their tools go to. Out: tools that come and go. A server waits for no other one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use joi_tools::ToolRegistry;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::approval::Approvals;
use crate::connection::ServerTarget;
use crate::entry::{McpServer, McpServers};
use crate::lifecycle::LifeState;
use crate::secrets::Secrets;
use crate::server::ServerTask;
use crate::status::ServerStatus;

/// How often the state is looked at while it is waited for.
const LOOKS_EVERY: Duration = Duration::from_millis(30);

/// The servers of a program.
#[derive(Clone)]
pub struct McpService {
    servers: Vec<(McpServer, Arc<Mutex<ServerStatus>>)>,
    secrets: Secrets,
    approvals: Approvals,
    registry: ToolRegistry,
}

impl McpService {
    /// Makes the service; `tools_per_turn` is the number of tools of servers that are on offer without being looked for.
    pub fn new(
        servers: McpServers,
        (secrets, approvals): (Secrets, Approvals),
        registry: ToolRegistry,
        tools_per_turn: u32,
    ) -> Self {
        registry.set_most_offered(tools_per_turn as usize);
        let status = |server: McpServer| {
            let shown = if server.entry.disabled { LifeState::Off } else { LifeState::Starting };
            let status = ServerStatus::of(&server.name, &server.id, &shown);
            (server, Arc::new(Mutex::new(status)))
        };
        Self { servers: servers.all.into_iter().map(status).collect(), secrets, approvals, registry }
    }

    /// Returns whether there is no server to look after.
    pub fn is_empty(&self) -> bool {
        self.servers.iter().all(|(server, _)| server.entry.disabled)
    }

    /// Returns the status of all servers, in the order of their names.
    pub fn status(&self) -> Vec<ServerStatus> {
        let read =
            |status: &Arc<Mutex<ServerStatus>>| status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.servers.iter().map(|(_, status)| read(status)).collect()
    }

    /// Waits until every server has its tools, or is known to be down; `limit` at most. Cancel-safe.
    pub async fn settled(&self, limit: Duration) {
        let is_starting = |status: &ServerStatus| status.state == "starting";
        let waits = async {
            while self.status().iter().any(is_starting) {
                tokio::time::sleep(LOOKS_EVERY).await;
            }
        };
        let _ = timeout(limit, waits).await;
    }

    /// Returns the registry that the tools go to.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Looks after all servers until `stop`; then ends them.
    pub async fn run(self, stop: CancellationToken) {
        let used = self.servers.into_iter().filter(|(server, _)| !server.entry.disabled);
        let tasks = used.map(|(server, status)| {
            let target = ServerTarget::Entry {
                name: server.name.clone(),
                entry: Box::new(server.entry.clone()),
                secrets: self.secrets.clone(),
            };
            let task =
                ServerTask::new(server, target, (self.approvals.clone(), self.registry.clone()), status);
            tokio::spawn(task.run(stop.clone()))
        });
        let tasks: Vec<_> = tasks.collect();
        join_all(tasks).await;
    }
}
