//! A double of the signal-cli daemon on a real unix socket: lines, several clients, every client gets every message,
//! messages wait while nobody is connected (on-connection), answers in any order, scripted refusals, a death at any
//! point.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// The double's reaction to the next request of a method.
pub enum Scripted {
    /// This result.
    Result(Value),
    /// This error.
    Error(Value),
    /// These lines first, then the usual answer.
    After(Vec<String>),
    /// Only after the answer to the next request.
    Behind,
    /// No answer.
    Silent,
    /// No answer, and the end of the daemon.
    Death,
}

#[derive(Default)]
struct Shared {
    requests: Vec<Value>,
    script: HashMap<String, VecDeque<Scripted>>,
    clients: Vec<mpsc::UnboundedSender<Option<String>>>,
    queued: Vec<String>,
    held: Option<String>,
    stamp: i64,
}

/// The double.
pub struct Daemon {
    /// The path of the socket.
    pub path: PathBuf,
    shared: Arc<Mutex<Shared>>,
    asked: watch::Sender<usize>,
    task: Option<JoinHandle<()>>,
}

impl Daemon {
    /// One that does not run yet.
    pub fn absent(folder: &Path) -> Self {
        let path = folder.join("socket");
        Self { path, shared: Arc::default(), asked: watch::channel(0).0, task: None }
    }

    /// Starts a daemon with its socket below `folder`.
    pub fn running(folder: &Path) -> Self {
        let mut daemon = Self::absent(folder);
        daemon.start();
        daemon
    }

    /// Opens the socket and serves it.
    pub fn start(&mut self) {
        // A socket file may be left from before.
        let _ = std::fs::remove_file(&self.path);
        let listener = UnixListener::bind(&self.path).unwrap();
        let (shared, asked) = (Arc::clone(&self.shared), self.asked.clone());
        self.task = Some(tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                tokio::spawn(serve(stream, Arc::clone(&shared), asked.clone()));
            }
        }));
    }

    /// Closes all connections; the socket file stays.
    pub fn die(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
        die(&mut self.shared.lock().unwrap());
    }

    /// Scripts the answer to the next request of `method`.
    pub fn next(&self, method: &str, scripted: Scripted) {
        self.shared.lock().unwrap().script.entry(method.to_owned()).or_default().push_back(scripted);
    }

    /// A message arrives; it waits while nobody is connected.
    pub fn receive(&self, params: &Value) {
        let line = json!({ "jsonrpc": "2.0", "method": "receive", "params": params }).to_string();
        let mut shared = self.shared.lock().unwrap();
        shared.clients.retain(|client| !client.is_closed());
        if shared.clients.is_empty() {
            shared.queued.push(line);
            return;
        }
        for client in &shared.clients {
            let _ = client.send(Some(line.clone()));
        }
    }

    /// Returns the parameters of all requests of that method so far, once there are `count`.
    pub async fn asked(&self, method: &str, count: usize) -> Vec<Value> {
        let mut asked = self.asked.subscribe();
        loop {
            let found: Vec<Value> = self.requests(method);
            if found.len() >= count {
                return found;
            }
            asked.changed().await.unwrap();
        }
    }

    /// Returns the parameters of all requests of `method` so far.
    pub fn requests(&self, method: &str) -> Vec<Value> {
        let shared = self.shared.lock().unwrap();
        let of_method = shared.requests.iter().filter(|request| request["method"] == method);
        of_method.map(|request| request["params"].clone()).collect()
    }
}

fn die(shared: &mut Shared) {
    for client in shared.clients.drain(..) {
        let _ = client.send(None);
    }
}

async fn serve(stream: UnixStream, shared: Arc<Mutex<Shared>>, asked: watch::Sender<usize>) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let (client, mut out) = mpsc::unbounded_channel();
    {
        let mut shared = shared.lock().unwrap();
        for line in shared.queued.drain(..) {
            let _ = client.send(Some(line));
        }
        shared.clients.push(client.clone());
    }
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                obey(&line, &client, &mut shared.lock().unwrap());
                asked.send_modify(|count| *count += 1);
            }
            line = out.recv() => {
                let Some(Some(line)) = line else { return };
                if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn obey(line: &str, client: &mpsc::UnboundedSender<Option<String>>, shared: &mut Shared) {
    let request: Value = serde_json::from_str(line).unwrap();
    let method = request["method"].as_str().unwrap().to_owned();
    shared.requests.push(request.clone());
    let say = |line: String| drop(client.send(Some(line)));
    let answer = |key: &str, value: Value| {
        let mut answer = json!({ "jsonrpc": "2.0", "id": request["id"] });
        answer[key] = value;
        answer.to_string()
    };
    shared.stamp += 1;
    let usual = match method.as_str() {
        "version" => json!({ "version": "0.14.6" }),
        "send" => json!({ "timestamp": 1_763_719_200_000_i64 + shared.stamp, "results": [
            { "recipientAddress": { "uuid": "u", "number": null, "username": null }, "type": "SUCCESS" }] }),
        "listAccounts" => json!([{ "number": "+491701" }]),
        _ => json!({}),
    };
    let scripted = shared.script.get_mut(&method).and_then(VecDeque::pop_front);
    let held = shared.held.take();
    match scripted {
        None => say(answer("result", usual)),
        Some(Scripted::Result(result)) => say(answer("result", result)),
        Some(Scripted::Error(error)) => say(answer("error", error)),
        Some(Scripted::After(lines)) => {
            lines.into_iter().for_each(say);
            say(answer("result", usual));
        }
        Some(Scripted::Behind) => shared.held = Some(answer("result", usual)),
        Some(Scripted::Silent) => {}
        Some(Scripted::Death) => die(shared),
    }
    held.into_iter().for_each(say);
}
