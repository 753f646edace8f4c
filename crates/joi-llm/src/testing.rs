//! A scripted model server over a real socket: it answers like the real one unless a test scripts the answer.
//!
//! Compiled for tests only. One Tokio task per connection, one answer per connection. A script decides every byte and when
//! it is sent; `ollama.rs`, `openai.rs` and `anthropic.rs` hold what is answered without a script.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

pub mod anthropic;
mod ollama;
pub mod openai;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use ollama::Model;

/// A request as it came in.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// `POST /api/chat`.
    pub call: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The `x-api-key` header.
    pub key: Option<String>,
    /// The body; null when there was none.
    pub body: Value,
}

impl Seen {
    fn is_chat(&self) -> bool {
        ["POST /api/chat", "POST /v1/chat/completions", "POST /v1/messages"].contains(&self.call.as_str())
    }
}

#[derive(Clone)]
enum Step {
    Send(Vec<u8>),
    Await(Arc<Notify>),
    Die,
}

/// A scripted answer.
#[derive(Clone)]
pub struct Script {
    head: String,
    is_chunked: bool,
    steps: Vec<Step>,
}

impl Script {
    /// A streamed answer of these lines, each sent by itself.
    pub fn lines(lines: &[Value]) -> Self {
        let steps = lines.iter().map(|line| Step::Send(format!("{line}\n").into_bytes())).collect();
        Self { head: head_of(200, "application/x-ndjson"), is_chunked: true, steps }
    }

    /// One JSON object.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", body.to_string())
    }

    /// An error as Ollama words it.
    pub fn error(status: u16, text: &str) -> Self {
        Self::json(status, &json!({ "error": text }))
    }

    /// Any body.
    pub fn body(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { head: head_of(status, content_type), is_chunked: true, steps: vec![Step::Send(body.into())] }
    }

    /// Bytes that need not be HTTP.
    pub fn raw(bytes: &str) -> Self {
        Self { head: String::new(), is_chunked: false, steps: vec![Step::Send(bytes.into())] }
    }

    /// The same with another line of header.
    pub fn header(mut self, line: &str) -> Self {
        self.head = self.head.replacen("\r\n", &format!("\r\n{line}\r\n"), 1);
        self
    }

    /// The same bytes in pieces of `size`, wherever that cuts them.
    pub fn in_pieces_of(mut self, size: usize) -> Self {
        let all: Vec<u8> =
            self.steps.iter().flat_map(|s| if let Step::Send(b) = s { b.clone() } else { vec![] }).collect();
        self.steps = all.chunks(size).map(|piece| Step::Send(piece.to_vec())).collect();
        self
    }

    /// Waits for `gate` before step `at`.
    pub fn waiting_at(mut self, at: usize, gate: &Arc<Notify>) -> Self {
        self.steps.insert(at, Step::Await(Arc::clone(gate)));
        self
    }

    /// The same, and then the steps of `more`.
    pub fn then(mut self, more: Self) -> Self {
        self.steps.extend(more.steps);
        self
    }

    /// Waits for ever at the end.
    pub fn then_silence(self) -> Self {
        let end = self.steps.len();
        self.waiting_at(end, &Arc::default())
    }

    /// The connection is torn down at the end.
    pub fn then_death(mut self) -> Self {
        self.steps.push(Step::Die);
        self
    }
}

fn head_of(status: u16, content_type: &str) -> String {
    format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
}

/// The API that a double speaks: answers a request where nothing is scripted.
type Api = fn(&[Model], &Seen) -> Script;

struct State {
    api: Api,
    models: Mutex<Vec<Model>>,
    scripts: Mutex<VecDeque<(String, Script)>>,
    answers: Mutex<Vec<(String, VecDeque<Script>)>>,
    seen: watch::Sender<Vec<Seen>>,
    aborts: watch::Sender<usize>,
}

/// The double. It stops when it is dropped.
pub struct Double {
    /// Where it listens.
    pub url: String,
    state: Arc<State>,
    stop: CancellationToken,
}

impl Drop for Double {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Double {
    /// Listens on a free port as Ollama and has one small chat model without tools, `double:1b`.
    pub async fn start() -> Self {
        Self::at("127.0.0.1:0").await
    }

    /// Listens on `address` as Ollama.
    pub async fn at(address: &str) -> Self {
        Self::serving(address, ollama::answer).await
    }

    /// Listens on a free port as an OpenAI-compatible server with the chat model `double-1b`, which calls tools.
    pub async fn openai() -> Self {
        let double = Self::serving("127.0.0.1:0", openai::answer).await;
        double.install(vec![Model::new("double-1b", &["completion", "tools"])]);
        double
    }

    /// Listens on a free port as a server with the Messages API of Anthropic, the model `claude-double-1` and the key
    /// `sk-ant-test`.
    pub async fn anthropic() -> Self {
        let double = Self::serving("127.0.0.1:0", anthropic::answer).await;
        double.install(vec![Model::new("claude-double-1", &["completion", "tools"])]);
        double
    }

    async fn serving(address: &str, api: Api) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let double = Self::new(format!("http://{}", listener.local_addr().unwrap()), api);
        let (state, stop) = (Arc::clone(&double.state), double.stop.clone());
        tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Some(Ok((stream, _))) = stop.run_until_cancelled(listener.accept()).await {
                stream.set_nodelay(true).unwrap();
                open.spawn(serve(stream, Arc::clone(&state)));
            }
        });
        double
    }

    /// Listens on a unix socket.
    pub fn on_socket(path: &Path) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let double = Self::new(format!("unix:{}", path.display()), ollama::answer);
        let (state, stop) = (Arc::clone(&double.state), double.stop.clone());
        tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Some(Ok((stream, _))) = stop.run_until_cancelled(listener.accept()).await {
                open.spawn(serve(stream, Arc::clone(&state)));
            }
        });
        double
    }

    fn new(url: String, api: Api) -> Self {
        let state = State {
            api,
            models: Mutex::new(vec![Model::new("double:1b", &["completion"])]),
            scripts: Mutex::default(),
            answers: Mutex::default(),
            seen: watch::Sender::default(),
            aborts: watch::Sender::default(),
        };
        Self { url, state: Arc::new(state), stop: CancellationToken::new() }
    }

    /// Has exactly these models.
    pub fn install(&self, models: Vec<Model>) {
        *self.state.models.lock().unwrap() = models;
    }

    /// Answers the next `call` ("POST /api/chat") by `script`; scripts of one call are used in order.
    pub fn script(&self, call: &str, script: Script) {
        self.state.scripts.lock().unwrap().push_back((call.to_owned(), script));
    }

    /// Answers chats whose newest message holds `about`, in lower case, by these scripts in turn; the last one stays.
    pub fn when(&self, about: &str, scripts: Vec<Script>) {
        self.state.answers.lock().unwrap().push((about.to_owned(), scripts.into()));
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen.borrow().clone()
    }

    /// Every chat request's body so far.
    pub fn chats(&self) -> Vec<Value> {
        self.seen().into_iter().filter(Seen::is_chat).map(|seen| seen.body).collect()
    }

    /// Waits until `count` chat requests have come.
    pub async fn until_chats(&self, count: usize) {
        let chats = |seen: &Vec<Seen>| seen.iter().filter(|seen| seen.is_chat()).count();
        self.state.seen.subscribe().wait_for(|seen| chats(seen) >= count).await.unwrap();
    }

    /// Waits until a client has dropped its connection before its answer was complete.
    pub async fn until_abort(&self) {
        self.until_aborts(1).await;
    }

    /// Waits until clients have dropped `count` connections before their answers were complete.
    pub async fn until_aborts(&self, count: usize) {
        self.state.aborts.subscribe().wait_for(|aborts| *aborts >= count).await.unwrap();
    }
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, state: Arc<State>) {
    let Some(seen) = read_request(&mut stream).await else { return };
    state.seen.send_modify(|all| all.push(seen.clone()));
    let script = take_script(&state, &seen.call).or_else(|| take_answer(&state, &seen));
    let script = script.unwrap_or_else(|| (state.api)(&state.models.lock().unwrap(), &seen));
    if play(&mut stream, &script).await.is_err() {
        state.aborts.send_modify(|aborts| *aborts += 1);
    }
}

fn take_script(state: &State, call: &str) -> Option<Script> {
    let mut scripts = state.scripts.lock().unwrap();
    let at = scripts.iter().position(|(of, _)| of == call)?;
    scripts.remove(at).map(|(_, script)| script)
}

fn take_answer(state: &State, seen: &Seen) -> Option<Script> {
    let newest = seen.body["messages"].as_array()?.last()?["content"].clone();
    let newest = newest.as_str().map_or_else(|| newest.to_string(), str::to_owned).to_lowercase();
    let mut answers = state.answers.lock().unwrap();
    let (_, scripts) = answers.iter_mut().find(|(about, _)| newest.contains(about.as_str()))?;
    if scripts.len() > 1 { scripts.pop_front() } else { scripts.front().cloned() }
}

/// Err: the client has gone.
async fn play(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), script: &Script) -> std::io::Result<()> {
    // As in Ollama, the status line waits for the first piece of the answer.
    let mut head = Some(script.head.as_bytes());
    for step in &script.steps {
        match step {
            Step::Await(gate) => tokio::select! {
                () = gate.notified() => {}
                _ = stream.read_u8() => return Err(std::io::ErrorKind::BrokenPipe.into()),
            },
            Step::Die => return Ok(()),
            Step::Send(bytes) => {
                let mut piece = head.take().unwrap_or_default().to_vec();
                if script.is_chunked && !bytes.is_empty() {
                    piece.extend(format!("{:x}\r\n", bytes.len()).into_bytes());
                    piece.extend(bytes);
                    piece.extend(b"\r\n");
                } else {
                    piece.extend(bytes);
                }
                stream.write_all(&piece).await?;
                stream.flush().await?;
                tokio::task::yield_now().await;
            }
        }
    }
    if script.is_chunked {
        stream.write_all(head.take().unwrap_or_default()).await?;
        stream.write_all(b"0\r\n\r\n").await?;
    }
    stream.shutdown().await
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Seen> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(seen) = parse_request(&bytes) {
            return Some(seen);
        }
        match stream.read(&mut piece).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            Ok(_) | Err(_) => return None,
        }
    }
}

fn parse_request(bytes: &[u8]) -> Option<Seen> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let call = lines.next()?.rsplit_once(' ')?.0.to_owned();
    let header = |name: &str| {
        let mut named = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        named.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let length: usize = header("content-length").map_or(0, |value| value.parse().unwrap());
    let body = bytes.get(end + 4..end + 4 + length)?;
    let body = serde_json::from_slice(body).unwrap_or(Value::Null);
    Some(Seen { call, authorization: header("authorization"), key: header("x-api-key"), body })
}
