//! One connection to a server: begun, listed, called, ended. With its folder the only place that names rmcp as a client.
//!
//! Tokio tasks. In: where the server is, and a beginning. Out: tools, results, and [`Notice`]s about changes and the
//! connection's end through a bounded queue; of notices that find it full only changes are lost, and those are listed
//! again anyway. Every wait has a limit. Dropping a call cancels it at the server. Ending a connection ends the program
//! and its group.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult,
    SubscriptionFilter,
};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::config::ServerEntry;
use crate::lifecycle::{Beginning, StartFault};
use crate::listing::ListedTool;
use crate::secrets::Secrets;
use joi_tools::Arguments;

mod handler;
mod open;
mod watched;

use handler::Handler;
pub use handler::InputAnswers;
pub(crate) use handler::Notice;
pub(crate) use open::{ServerTarget, open};

/// Most pages of a list.
const PAGES: usize = 20;
/// Most tools of a server.
pub(crate) const TOOLS: usize = 500;
/// Longest wait for one page.
const PAGE: Duration = Duration::from_secs(10);
/// Longest end of a connection: twice as long as a program is waited for before it is killed.
const END: Duration = Duration::from_secs(10);

/// A call that brought no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFault {
    /// The server refuses it; the model may correct it.
    #[error("{0}")]
    Refused(String),
    /// It did not answer in time; what it did is not known.
    #[error("it did not answer within {0} s; whether it did anything is not known")]
    Silent(u64),
    /// The connection is gone, or broke meanwhile; what it did is not known.
    #[error("the connection to it was lost: {0}")]
    Lost(String),
    /// It wants to be answered something first, which is not supported.
    #[error("it asks for further input, which is not supported")]
    WantsInput,
}

/// A running connection. Clones share it.
#[derive(Clone)]
pub struct McpConnection {
    running: Arc<RunningService<RoleClient, Handler>>,
    progress: watch::Receiver<u64>,
    /// Closed when the transport has ended, with the program behind it.
    gone: watch::Receiver<()>,
    began: Beginning,
}

impl McpConnection {
    /// Connects to a server for one use: nobody learns of its changes. For tests of conformance.
    ///
    /// # Errors
    /// There is no connection within the entry's longest start.
    pub async fn once(
        entry: ServerEntry,
        secrets: Secrets,
        beginning: Beginning,
        answers: InputAnswers,
    ) -> Result<Self, StartFault> {
        let limit = Duration::from_secs(u64::from(entry.longest_start_s()));
        let target = ServerTarget::Entry { name: "server".to_owned(), entry: Box::new(entry), secrets };
        let (notices, _nobody) = mpsc::channel(1);
        open(&target, beginning, limit, (answers, notices)).await
    }

    /// Returns how it was begun: never [`Beginning::Either`].
    pub(crate) fn began(&self) -> Beginning {
        self.began
    }

    fn peer(&self) -> &Peer<RoleClient> {
        self.running.peer()
    }

    /// Returns the server's name, version and revision of the protocol, as it reports them.
    pub fn about(&self) -> String {
        let Some(info) = self.peer().peer_info() else { return String::new() };
        let name = info.server_info.as_ref().map(|server| format!("{} {}", server.name, server.version));
        let name = joi_tools::foreign::tidy(&name.unwrap_or_default());
        format!("{} (protocol {})", joi_tools::fence::shortened(&name, 60), info.protocol_version)
    }

    /// Lists the tools.
    ///
    /// # Errors
    /// A page can't be had, in one sentence.
    pub async fn list(&self) -> Result<Vec<ListedTool>, String> {
        let (mut tools, mut cursor, mut seen) = (Vec::new(), None::<String>, Vec::new());
        for _ in 0..PAGES {
            let page = self.page(cursor.clone()).await?;
            let entries = page["tools"].as_array().cloned().unwrap_or_default();
            tools.extend(entries.iter().filter_map(ListedTool::read));
            if tools.len() >= TOOLS {
                tools.truncate(TOOLS);
                break;
            }
            cursor = page["nextCursor"].as_str().map(str::to_owned);
            let Some(next) = cursor.clone() else { break };
            if seen.contains(&next) {
                break;
            }
            seen.push(next);
        }
        Ok(tools)
    }

    /// Returns one page as JSON: one entry that the library can't read must not cost the others.
    async fn page(&self, cursor: Option<String>) -> Result<Value, String> {
        let request = ListToolsRequest {
            method: Default::default(),
            params: cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor))),
            extensions: Default::default(),
        };
        let options = PeerRequestOptions::with_timeout(PAGE);
        let asked = self.peer().send_request_with_option(ClientRequest::ListToolsRequest(request), options);
        let told = async { asked.await?.await_response().await };
        let result =
            timeout(PAGE * 2, told).await.map_err(|_| "the list of tools was not sent".to_owned())?;
        match result {
            Ok(ServerResult::ListToolsResult(page)) => serde_json::to_value(page).map_err(|e| e.to_string()),
            Ok(ServerResult::CustomResult(page)) if page.0["tools"].is_array() => Ok(page.0),
            Ok(ServerResult::EmptyResult(_)) => Ok(Value::Null),
            Ok(_) => Err("the answer to tools/list is no list of tools".to_owned()),
            Err(error) => Err(format!("tools/list failed: {}", short(&error))),
        }
    }

    /// Calls a tool. `idle` is the longest wait for an answer or a sign of progress, `longest` for the answer. Dropping
    /// the future cancels the call at the server.
    ///
    /// # Errors
    /// There is no result.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Arguments,
        (idle, longest): (Duration, Duration),
    ) -> Result<Value, CallFault> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let mut called = std::pin::pin!(self.running.call_tool(params));
        let mut progress = self.progress.clone();
        progress.mark_unchanged();
        let began = Instant::now();
        let mut until = began + idle;
        loop {
            let end = until.min(began + longest);
            // Every arm is cancel-safe: the call is pinned outside.
            tokio::select! {
                result = &mut called => {
                    let result = result.map_err(|error| fault(&error))?;
                    return serde_json::to_value(result).map_err(|error| CallFault::Refused(error.to_string()));
                }
                Ok(()) = progress.changed() => until = Instant::now() + idle,
                () = sleep_until(end) => {
                    return Err(CallFault::Silent(began.elapsed().as_secs()));
                }
            }
        }
    }

    /// Ends the connection, and the program behind it.
    pub async fn close(mut self) {
        self.running.cancellation_token().cancel();
        if timeout(END, self.gone.changed()).await.is_err() {
            tracing::warn!("a server did not end in time and is left to be killed");
        }
    }

    /// Has changes of the tools reported where the server speaks without a handshake; with one it reports them anyway.
    /// Runs until the connection ends.
    pub(crate) async fn report_changes(self, notices: mpsc::Sender<Notice>) {
        let reports = self.peer().peer_info().is_some_and(|info| {
            info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true))
        });
        if self.began != Beginning::Discover || !reports {
            return;
        }
        let peer = self.peer().clone();
        let mut gone = self.gone.clone();
        // The connection ends when its owner drops it: this task must not keep it.
        drop(self);
        let listens = async move {
            loop {
                let filter = SubscriptionFilter::builder().tools_list_changed().build();
                let Ok(mut notified) = peer.listen(filter).await else { return };
                while let Ok(Some(_)) = notified.next().await {
                    let _ = notices.try_send(Notice::ToolsChanged);
                }
                if peer.is_transport_closed() {
                    return;
                }
                // Something may have been missed.
                let _ = notices.try_send(Notice::ToolsChanged);
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        };
        tokio::select! {
            () = listens => {}
            _ = gone.changed() => {}
        }
    }
}

/// Returns the fault of a call.
fn fault(error: &ServiceError) -> CallFault {
    match error {
        ServiceError::McpError(error) => CallFault::Refused(joi_tools::foreign::tidy(&error.message)),
        ServiceError::InputRequiredRoundsExceeded { .. } => CallFault::WantsInput,
        ServiceError::Timeout { timeout } => CallFault::Silent(timeout.as_secs()),
        ServiceError::UnexpectedResponse => CallFault::Refused("it answered with something else".to_owned()),
        _ => CallFault::Lost(short(error)),
    }
}

/// Returns an error in one short line, without the words of the server.
fn short(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("error {}", error.code.0),
        ServiceError::TransportClosed => "the server has ended".to_owned(),
        ServiceError::UnexpectedResponse => "an answer that does not fit".to_owned(),
        ServiceError::Timeout { .. } => "no answer in time".to_owned(),
        other => joi_tools::fence::shortened(&other.to_string(), 160),
    }
}
