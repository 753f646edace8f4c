//! A server that does as a test says: at the other end of a pipe, on Tokio's clock.
//!
//! Each connection is a new pipe and a new task. In: a function from a message to what is sent back. It says nothing of
//! its own accord but what that function returns.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use joi_tools::{ToolRegistry, ToolSnapshot};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio_util::sync::CancellationToken;

use crate::approval::Approvals;
use crate::config::{Lifecycle, ServerEntry};
use crate::connection::ServerTarget;
use crate::entry::McpServer;
use crate::lifecycle::LifeState;
use crate::server::ServerTask;
use crate::status::ServerStatus;

/// Something that a server does.
pub(crate) enum Act {
    /// Sends a message on a line of its own.
    Say(Value),
    /// Sends these bytes.
    Raw(Vec<u8>),
    /// Does nothing for a while.
    Wait(Duration),
    /// Ends.
    Die,
}

/// What the server does about each message, with the number of its connection.
pub(crate) type Script = Arc<dyn Fn(usize, &Value) -> Vec<Act> + Send + Sync>;

/// Returns an answer to a request.
pub(crate) fn answer(request: &Value, result: Value) -> Act {
    Act::Say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
}

/// Returns an error in answer to a request.
pub(crate) fn refusal(request: &Value, code: i64, message: &str) -> Act {
    let error = json!({ "code": code, "message": message });
    Act::Say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
}

/// Returns a notification.
pub(crate) fn notice(method: &str, params: Value) -> Act {
    Act::Say(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

/// Returns a tool without arguments.
pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("Does {name}."), "inputSchema": { "type": "object" } })
}

/// Does what an ordinary server with a handshake does; its tools are `tools`, each of which answers "done".
pub(crate) fn ordinary(request: &Value, tools: &[Value]) -> Vec<Act> {
    match request["method"].as_str().unwrap_or_default() {
        "server/discover" => vec![refusal(request, -32601, "Method not found")],
        "initialize" => vec![answer(
            request,
            json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "double", "version": "1" } }),
        )],
        "tools/list" => vec![answer(request, json!({ "tools": tools }))],
        "tools/call" => vec![answer(request, json!({ "content": [{ "type": "text", "text": "done" }] }))],
        "ping" => vec![answer(request, json!({}))],
        _ => Vec::new(),
    }
}

/// A server under test, the task that looks after it, and what came of both.
pub(crate) struct ServerScene {
    pub(crate) registry: ToolRegistry,
    heard: Arc<Mutex<Vec<(usize, Value)>>>,
    status: Arc<Mutex<ServerStatus>>,
    pub(crate) stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl ServerScene {
    /// Looks after a server that does as `script` says; its tools may all be called.
    pub(crate) fn of(script: impl Fn(usize, &Value) -> Vec<Act> + Send + Sync + 'static) -> Self {
        Self::with(Lifecycle::Auto, script)
    }

    pub(crate) fn with(
        lifecycle: Lifecycle,
        script: impl Fn(usize, &Value) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        let heard: Arc<Mutex<Vec<(usize, Value)>>> = Arc::default();
        let (script, count, hears): (Script, _, _) = (Arc::new(script), Mutex::new(0), Arc::clone(&heard));
        let pipe = move || {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let mut count = count.lock().unwrap();
            *count += 1;
            tokio::spawn(serve(*count, theirs, Arc::clone(&script), Arc::clone(&hears)));
            ours
        };
        Self::at(ServerTarget::Pipe(Arc::new(pipe)), ServerEntry { lifecycle, ..allowing() }, heard)
    }

    /// Looks after a server that is reached as `target` says.
    pub(crate) fn at(
        target: ServerTarget,
        entry: ServerEntry,
        heard: Arc<Mutex<Vec<(usize, Value)>>>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let approvals = Approvals::new(folder.path().join("mcp.json"));
        let registry = ToolRegistry::default();
        let status = Arc::new(Mutex::new(ServerStatus::of("double", "double", &LifeState::Off)));
        let server = McpServer { id: "double".into(), name: "double".into(), entry };
        let stop = CancellationToken::new();
        let task = ServerTask::new(server, target, (approvals, registry.clone()), Arc::clone(&status));
        let task = tokio::spawn(task.run(stop.clone()));
        Self { registry, heard, status, stop, task, _folder: folder }
    }

    pub(crate) fn status(&self) -> ServerStatus {
        self.status.lock().unwrap().clone()
    }

    /// Waits until the status is as wanted.
    pub(crate) async fn until(&self, is_it: impl Fn(&ServerStatus) -> bool) {
        let wait = async {
            while !is_it(&self.status()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(4_000), wait).await;
        assert!(waited.is_ok(), "{:?}", self.status());
    }

    /// Waits until it has that many tools; returns the tools of that moment.
    pub(crate) async fn with_tools(&self, count: usize) -> Arc<ToolSnapshot> {
        self.until(|status| status.state == "up" && status.tools.len() == count).await;
        self.registry.snapshot()
    }

    /// Returns all messages that were heard, each with the number of its connection.
    pub(crate) fn heard(&self) -> Vec<(usize, Value)> {
        self.heard.lock().unwrap().clone()
    }

    /// Returns the methods that were heard on a connection.
    pub(crate) fn methods(&self, connection: usize) -> Vec<String> {
        let heard = self.heard();
        let of = heard.iter().filter(|(at, _)| *at == connection);
        of.filter_map(|(_, message)| message["method"].as_str().map(str::to_owned)).collect()
    }

    /// Ends it, and waits for that.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap();
        assert!(self.registry.snapshot().toolbox.is_empty(), "tools of a server that is gone");
    }
}

/// Returns an entry whose tools may all be called.
pub(crate) fn allowing() -> ServerEntry {
    ServerEntry { command: "double".into(), allow: vec!["*".into()], ..ServerEntry::default() }
}

async fn serve(number: usize, stream: DuplexStream, script: Script, heard: Arc<Mutex<Vec<(usize, Value)>>>) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        heard.lock().unwrap().push((number, message.clone()));
        for act in script(number, &message) {
            let sent = match act {
                Act::Say(message) => writer.write_all(format!("{message}\n").as_bytes()).await,
                Act::Raw(bytes) => writer.write_all(&bytes).await,
                Act::Wait(time) => {
                    tokio::time::sleep(time).await;
                    Ok(())
                }
                Act::Die => return,
            };
            if sent.is_err() {
                return;
            }
        }
    }
}
