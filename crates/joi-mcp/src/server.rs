//! The task of one server: carries out what its [`Life`] orders.
//!
//! One Tokio task. In: what happens to the connection, and the end. Out: tools in the registry under the server's id,
//! and its status. Starting and listing run beside it, so that nothing it waits for holds up another server or a turn.
//! What a connection reports that is not the current one any more is not heard.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use joi_tools::foreign::{DescribedTool, ForeignTool};
use joi_tools::{Tool, ToolRegistry};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::approval::Approvals;
use crate::config::ServerEntry;
use crate::connection::{InputAnswers, McpConnection, Notice, ServerTarget, open};
use crate::entry::McpServer;
use crate::lifecycle::{Beginning, Input, Life, LifeState, McpServerKind, Order, StartFault};
use crate::listing::ListedTool;
use crate::status::{ServerStatus, ToolStatus, UP};
use crate::tool::{Line, tools};

#[cfg(test)]
mod tests;

/// Notices that wait; of further ones changes are dropped, which are listed again anyway.
const NOTICES: usize = 16;

/// What comes of work beside the task.
enum Came {
    Opened(Result<McpConnection, StartFault>),
    Listed(Result<Vec<ListedTool>, String>),
    /// What the owner has seen of the tools is looked up.
    Made(Vec<ForeignTool>),
}

/// A server that is being looked after.
pub(crate) struct ServerTask {
    server: McpServer,
    target: ServerTarget,
    approvals: Approvals,
    registry: ToolRegistry,
    status: Arc<Mutex<ServerStatus>>,
    life: Life,
    connection: watch::Sender<Option<McpConnection>>,
    line: Line,
    doubts: mpsc::Receiver<()>,
    /// Start, list or lookup that runs; there is one at a time.
    work: Option<JoinHandle<Came>>,
    notices: Option<mpsc::Receiver<Notice>>,
    listed: Vec<ListedTool>,
    /// What the owner allows, whenever it was changed.
    renewals: Option<watch::Receiver<ServerEntry>>,
    closing: Vec<JoinHandle<()>>,
}

impl ServerTask {
    pub(crate) fn new(
        server: McpServer,
        target: ServerTarget,
        (approvals, registry): (Approvals, ToolRegistry),
        status: Arc<Mutex<ServerStatus>>,
    ) -> Self {
        let kind = if server.entry.url.is_empty() { McpServerKind::Program } else { McpServerKind::Remote };
        let life = Life::new(kind, server.entry.lifecycle, approvals.beginning(&server.id));
        let (connection, seen) = watch::channel(None);
        let (sender, doubts) = mpsc::channel(1);
        Self {
            line: Line { connection: seen, doubts: sender },
            server,
            target,
            approvals,
            registry,
            status,
            life,
            connection,
            doubts,
            work: None,
            notices: None,
            listed: Vec::new(),
            renewals: None,
            closing: Vec::new(),
        }
    }

    /// Takes what the owner allows from `entries`, whenever it is changed there. The way to the server stays.
    pub(crate) fn renewed_by(self, entries: watch::Receiver<ServerEntry>) -> Self {
        Self { renewals: Some(entries), ..self }
    }

    /// Runs until `stop`; then ends the connection and its program.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        self.take(Input::Begin).await;
        loop {
            let look = self.life.next_look().map(Instant::from_std);
            // Every arm is cancel-safe.
            let input = tokio::select! {
                () = stop.cancelled() => break,
                came = finished(&mut self.work) => self.came(came).await,
                notice = next(&mut self.notices) => Some(match notice {
                    Notice::ToolsChanged => Input::ToolsChanged,
                    Notice::Ended => Input::Lost("it has ended".to_owned()),
                }),
                entry = renewed(&mut self.renewals) => {
                    self.server.entry = entry;
                    Some(Input::Renewed)
                }
                Some(()) = self.doubts.recv() => Some(Input::Doubted),
                () = at(look) => Some(Input::Look),
            };
            if let Some(input) = input {
                self.take(input).await;
            }
        }
        self.take(Input::End).await;
        for closing in self.closing {
            let _ = closing.await;
        }
    }

    /// Takes an input, and carries out what it leads to.
    async fn take(&mut self, input: Input) {
        let orders = self.life.take(input, Instant::now().into_std());
        let shown = self.life.shown();
        self.show(|status, server| {
            let tools = std::mem::take(&mut status.tools);
            let about = std::mem::take(&mut status.about);
            let was_up = status.state == UP;
            *status = ServerStatus::of(&server.name, &server.id, &shown);
            if shown == LifeState::Up {
                (status.tools, status.about) = (tools, about);
                // Only with its tools: see `offer`.
                if !was_up {
                    status.state = ServerStatus::of(&server.name, &server.id, &LifeState::Starting).state;
                }
            }
        });
        for order in orders {
            self.carry_out(order).await;
        }
    }

    async fn carry_out(&mut self, order: Order) {
        match order {
            Order::Start(beginning) => self.start(beginning),
            Order::Remember(beginning) => {
                let (approvals, id) = (self.approvals.clone(), self.server.id.clone());
                let stored = tokio::task::spawn_blocking(move || approvals.set_beginning(&id, beginning));
                if let Ok(Err(error)) = stored.await {
                    tracing::warn!(%error, "how a server is spoken to is not remembered");
                }
            }
            Order::List => {
                let Some(connection) = self.connection.borrow().clone() else { return };
                self.begin(async move { Came::Listed(connection.list().await) });
            }
            Order::Offer => self.make_tools(),
            Order::Withdraw => {
                self.registry.remove(&self.server.id);
                self.show(|status, _| status.tools.clear());
            }
            Order::Close => self.close(),
        }
    }

    fn begin(&mut self, work: impl Future<Output = Came> + Send + 'static) {
        if let Some(before) = self.work.replace(tokio::spawn(work)) {
            before.abort();
        }
    }

    fn start(&mut self, beginning: Beginning) {
        let (sender, receiver) = mpsc::channel(NOTICES);
        self.notices = Some(receiver);
        let target = self.target.clone();
        let limit = Duration::from_secs(u64::from(self.server.entry.longest_start_s()));
        tracing::debug!(server = %self.server.name, ?beginning, "starting a server of tools");
        self.begin(async move {
            let opened = open(&target, beginning, limit, (InputAnswers::Nothing, sender.clone())).await;
            if let Ok(connection) = &opened {
                tokio::spawn(connection.clone().report_changes(sender));
            }
            Came::Opened(opened)
        });
    }

    fn close(&mut self) {
        self.notices = None;
        if let Some(work) = self.work.take() {
            work.abort();
        }
        if let Some(connection) = self.connection.send_replace(None) {
            self.closing.retain(|closing| !closing.is_finished());
            self.closing.push(tokio::spawn(connection.close()));
        }
    }

    /// Returns the input for what came of work.
    async fn came(&mut self, came: Came) -> Option<Input> {
        match came {
            Came::Opened(Ok(connection)) => {
                let (began, about) = (connection.began(), connection.about());
                self.show(|status, _| status.about = about);
                self.connection.send_replace(Some(connection));
                Some(Input::Connected(began))
            }
            Came::Opened(Err(fault)) => {
                tracing::info!(server = %self.server.name, why = fault.why(), "a server of tools did not start");
                Some(Input::NotConnected(fault))
            }
            Came::Listed(Ok(listed)) => {
                self.listed = listed;
                Some(Input::Listed)
            }
            Came::Listed(Err(why)) => Some(Input::NotListed(why)),
            Came::Made(tools) => {
                self.offer(tools);
                None
            }
        }
    }

    /// Makes the tools, beside the task: what was seen of them is in a file.
    fn make_tools(&mut self) {
        let (approvals, server, listed) = (self.approvals.clone(), self.server.clone(), self.listed.clone());
        let line = self.line.clone();
        self.begin(async move {
            let make = move || {
                let described: Vec<DescribedTool> =
                    listed.iter().map(|tool| tool.described.clone()).collect();
                let seen = approvals.seen(&server.id, &described);
                tools(&server, &line, &listed, &seen)
            };
            Came::Made(tokio::task::spawn_blocking(make).await.unwrap_or_default())
        });
    }

    fn offer(&mut self, tools: Vec<ForeignTool>) {
        let rows = tools.iter().map(ToolStatus::of).collect::<Vec<_>>();
        for row in rows.iter().filter(|row| row.has_changed) {
            tracing::warn!(
                server = %self.server.name, tool = %row.tool,
                "the description of a tool has changed; each call is asked about until `joi mcp allow` approves it"
            );
        }
        self.show(|status, _| (status.tools, status.state) = (rows, UP.to_owned()));
        let tools = tools.into_iter().filter(ForeignTool::is_offered);
        let tools: Vec<Arc<dyn Tool>> = tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
        for name in self.registry.add(&self.server.id, tools) {
            tracing::warn!(server = %self.server.name, %name, "a tool is left out: another one has its name");
        }
    }

    fn show(&self, change: impl FnOnce(&mut ServerStatus, &McpServer)) {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner), &self.server);
    }
}

/// Waits for the work that runs; for ever where none does.
async fn finished(work: &mut Option<JoinHandle<Came>>) -> Came {
    loop {
        let Some(running) = work else { return std::future::pending().await };
        let came = running.await;
        *work = None;
        match came {
            Ok(came) => return came,
            Err(error) => tracing::warn!(%error, "work for a server of tools broke down"),
        }
    }
}

/// Waits for a change of what the owner allows; for ever where there is none.
async fn renewed(entries: &mut Option<watch::Receiver<ServerEntry>>) -> ServerEntry {
    if let Some(receiver) = entries {
        if receiver.changed().await.is_ok() {
            return receiver.borrow_and_update().clone();
        }
        *entries = None;
    }
    std::future::pending().await
}

/// Waits for a notice; for ever where there is no connection.
async fn next(notices: &mut Option<mpsc::Receiver<Notice>>) -> Notice {
    if let Some(receiver) = notices {
        if let Some(notice) = receiver.recv().await {
            return notice;
        }
        *notices = None;
    }
    std::future::pending().await
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
