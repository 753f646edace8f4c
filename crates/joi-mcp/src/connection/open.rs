//! Begins a connection: starts the program or connects, and agrees on a revision of the protocol.
//!
//! Tokio tasks. In: a target and a beginning. Out: a [`McpConnection`], or a fault that says whether another beginning may
//! work. The whole start has one limit. A program whose beginning failed is never spoken to again: it is ended.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess, Transport};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};

use super::McpConnection;
use super::handler::{Handler, InputAnswers, Notice};
use super::watched::WatchedTransport;
use crate::config::ServerEntry;
use crate::lifecycle::{Beginning, StartFault};
use crate::process::{self, ProcessGroup};
use crate::secrets::Secrets;

/// The library falls back to the handshake on the same connection after so long, which some servers do not take.
const FALLS_BACK: Duration = Duration::from_secs(10);

/// Where a server is.
#[derive(Clone)]
pub(crate) enum ServerTarget {
    /// As an entry says, with its secrets.
    Entry {
        /// Its name, for the log.
        name: String,
        /// How it is reached.
        entry: Box<ServerEntry>,
        /// The secrets that it names.
        secrets: Secrets,
    },
    /// At the other end of a pipe that is made anew for each connection: for tests.
    #[cfg(test)]
    Pipe(std::sync::Arc<dyn Fn() -> tokio::io::DuplexStream + Send + Sync>),
}

/// Begins a connection within `limit`. Notices come from then on.
///
/// # Errors
/// There is none.
pub(crate) async fn open(
    target: &ServerTarget,
    beginning: Beginning,
    limit: Duration,
    (answers, notices): (InputAnswers, mpsc::Sender<Notice>),
) -> Result<McpConnection, StartFault> {
    let begin = Begin { beginning, limit, answers, notices };
    match target {
        ServerTarget::Entry { name, entry, secrets } if entry.url.is_empty() => {
            let unreachable = |why: String| StartFault::Unreachable(why);
            let command = process::command(entry, secrets).map_err(|fault| unreachable(fault.to_string()))?;
            let builder = TokioChildProcess::builder(command).stderr(std::process::Stdio::piped());
            let (child, stderr) = builder
                .spawn()
                .map_err(|error| unreachable(format!("cannot start {}: {error}", entry.command)))?;
            let group = ProcessGroup::of(child.id());
            if let Some(stderr) = stderr {
                tokio::spawn(process::drain(name.clone(), stderr));
            }
            begin.over(child, Some(group)).await
        }
        ServerTarget::Entry { entry, secrets, .. } => {
            let transport = http(entry, secrets).map_err(StartFault::Unreachable)?;
            begin.over(transport, None).await
        }
        #[cfg(test)]
        ServerTarget::Pipe(make) => {
            let (reader, writer) = tokio::io::split(make());
            begin.over(rmcp::transport::async_rw::AsyncRwTransport::new(reader, writer), None).await
        }
    }
}

/// A connection about to begin.
struct Begin {
    beginning: Beginning,
    limit: Duration,
    answers: InputAnswers,
    notices: mpsc::Sender<Notice>,
}

impl Begin {
    async fn over<T>(self, transport: T, group: Option<ProcessGroup>) -> Result<McpConnection, StartFault>
    where
        T: Transport<RoleClient> + 'static,
        T::Error: std::error::Error + Send + Sync + 'static,
    {
        let (gone_sender, gone) = watch::channel(());
        let (progress_sender, progress) = watch::channel(0);
        let handler = Handler::new(self.answers, self.notices.clone(), progress_sender);
        let watched = WatchedTransport::new(transport, self.notices, group, gone_sender);
        let began = Instant::now();
        let served = handler.serve_with_lifecycle(watched, mode(self.beginning));
        let running = match timeout(self.limit, served).await {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => {
                let has_fallen_back = self.beginning == Beginning::Either && began.elapsed() >= FALLS_BACK;
                return Err(fault(&error, has_fallen_back));
            }
            Err(_) => {
                let seconds = self.limit.as_secs();
                return Err(StartFault::Beginning(format!("it did not answer within {seconds} s")));
            }
        };
        let version = running.peer().peer_info().map(|info| info.protocol_version.clone());
        let is_new = version.is_some_and(|version| !version.has_initialize());
        let began = if is_new { Beginning::Discover } else { Beginning::Initialize };
        Ok(McpConnection { running: std::sync::Arc::new(running), progress, gone, began })
    }
}

fn mode(beginning: Beginning) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match beginning {
        Beginning::Either => {
            let legacy_version = Some(ProtocolVersion::V_2025_11_25);
            ClientLifecycleMode::Auto { preferred_versions, legacy_version }
        }
        Beginning::Initialize => ClientLifecycleMode::Initialize,
        Beginning::Discover => ClientLifecycleMode::Discover { preferred_versions },
    }
}

/// Returns the fault of a beginning.
fn fault(error: &ClientInitializeError, has_fallen_back: bool) -> StartFault {
    if error.is_authorization_required() {
        return StartFault::Unreachable(
            "it wants a login; give a token in headers, as \"Authorization\": \"Bearer ${NAME}\"".to_owned(),
        );
    }
    let why = |text: String| joi_tools::fence::shortened(&joi_tools::foreign::tidy(&text), 200);
    match error {
        ClientInitializeError::ConnectionClosed(_) if !has_fallen_back => {
            StartFault::Unreachable("it ended while it was started".to_owned())
        }
        ClientInitializeError::TransportError { error, .. } if !has_fallen_back => {
            StartFault::Unreachable(why(root(error)))
        }
        other => StartFault::Beginning(why(other.to_string())),
    }
}

/// Returns the innermost cause, which names what is wrong.
fn root(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// Returns the transport of a server over HTTP.
fn http(
    entry: &ServerEntry,
    secrets: &Secrets,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let url = secrets.filled(&entry.url).map_err(|fault| fault.to_string())?;
    let mut headers = HashMap::new();
    for (name, value) in &entry.headers {
        let value = secrets.filled(value).map_err(|fault| fault.to_string())?;
        let key =
            HeaderName::try_from(name.as_str()).map_err(|_| format!("{name} is no name of a header"))?;
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| format!("the value of the header {name} can't be sent"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.custom_headers = headers;
    joi_base::tls::provide_crypto();
    Ok(StreamableHttpClientTransport::from_config(config))
}
