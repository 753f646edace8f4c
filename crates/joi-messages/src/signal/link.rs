//! The connection to the signal-cli daemon: one task that holds it, and a handle for everybody who asks something.
//!
//! In: requests, bounded(16), and the daemon's lines. Out: answers by their number, received messages to one sink that
//! never waits, and whether the daemon can be reached. A daemon that is missing, dies or is silent costs a reconnection
//! with growing waits and nothing else. It never repeats a request: the caller learns whether it can have arrived.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::address::DaemonAddress;
use super::config::{ReceiveMode, SignalConfig};
use super::http;
use super::lines::LineFeed;
use super::rpc::{self, RpcError, RpcLine};
use crate::outbound::CarrierLink;

/// Requests that wait for the connection; one more makes its sender wait.
const REQUESTS: usize = 16;
/// A daemon on this machine takes a connection within this time, or not at all.
const CONNECT: Duration = Duration::from_secs(5);
/// Time for an answer that needs no network.
pub(super) const SHORT: Duration = Duration::from_secs(10);
/// The socket has no heartbeat of its own.
const HEARTBEAT: Duration = Duration::from_secs(60);
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskFault {
    /// The daemon has not got the request.
    #[error("the signal-cli daemon can't be reached: {0}")]
    NotSent(String),
    /// The daemon may have got it.
    #[error("the signal-cli daemon did not answer: {0}")]
    Lost(String),
    /// The daemon refuses.
    #[error("the signal-cli daemon says: {0}")]
    Refused(#[from] RpcError),
}

pub(super) type AnswerSlot = oneshot::Sender<Result<Value, AskFault>>;

/// A request on its way.
pub(super) struct LinkRequest {
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) answer: AnswerSlot,
}

/// Asks the daemon; clones share the connection.
#[derive(Clone)]
pub struct SignalLink {
    requests: mpsc::Sender<LinkRequest>,
    state: watch::Receiver<CarrierLink>,
    version: Arc<Mutex<Option<String>>>,
    account: String,
}

/// Holds the connection.
#[derive(Clone)]
pub struct SignalFollower {
    address: DaemonAddress,
    receive: ReceiveMode,
    account: String,
    requests: Arc<AsyncMutex<mpsc::Receiver<LinkRequest>>>,
    state: watch::Sender<CarrierLink>,
    version: Arc<Mutex<Option<String>>>,
}

/// Returns the daemon of the configuration. Nothing is connected before the follower runs.
///
/// # Errors
/// Its address can't be used.
pub fn signal_link(config: &SignalConfig) -> Result<(SignalLink, SignalFollower), String> {
    let address = config.address()?;
    let (requests, asked) = mpsc::channel(REQUESTS);
    let (state, seen) = watch::channel(CarrierLink::Down(format!("connecting to {address}")));
    let version: Arc<Mutex<Option<String>>> = Arc::default();
    let account = config.account.clone();
    let link = SignalLink { requests, state: seen, version: Arc::clone(&version), account: account.clone() };
    let requests = Arc::new(AsyncMutex::new(asked));
    Ok((link, SignalFollower { address, receive: config.receive, account, requests, state, version }))
}

impl SignalLink {
    /// Returns the account of the configuration; empty where none is.
    pub(super) fn account(&self) -> &str {
        &self.account
    }

    /// Returns whether the daemon can be reached.
    pub fn state(&self) -> watch::Receiver<CarrierLink> {
        self.state.clone()
    }

    /// Returns the daemon's version, once it is known.
    pub fn version(&self) -> Option<String> {
        self.version.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks, and waits for the answer at most for `limit`. The account is added where one is configured.
    ///
    /// # Errors
    /// There is no result; whether the daemon may have got the request is reported.
    pub async fn ask(&self, method: &str, mut params: Value, limit: Duration) -> Result<Value, AskFault> {
        if !self.account.is_empty() {
            params["account"] = json!(self.account);
        }
        self.ask_plainly(method, params, limit).await
    }

    /// Returns the same without an account.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_plainly(&self, method: &str, params: Value, limit: Duration) -> Result<Value, AskFault> {
        let (answer, answered) = oneshot::channel();
        let request = LinkRequest { method: method.to_owned(), params, answer };
        let sent = timeout(SHORT, self.requests.send(request)).await;
        if !matches!(sent, Ok(Ok(()))) {
            return Err(AskFault::NotSent("too much is asked at once".to_owned()));
        }
        match timeout(limit, answered).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(_)) => Err(AskFault::Lost("the connection was closed".to_owned())),
            Err(_) => Err(AskFault::Lost(format!("no answer within {} s", limit.as_secs()))),
        }
    }

    /// Waits until the daemon can be reached.
    ///
    /// # Errors
    /// It can't within `limit`, for this reason.
    pub async fn ready(&self, limit: Duration) -> Result<(), String> {
        let mut state = self.state.clone();
        let is_up = timeout(limit, state.wait_for(|state| *state == CarrierLink::Up))
            .await
            .is_ok_and(|up| up.is_ok());
        match (is_up, &*self.state.borrow()) {
            (true, _) | (_, CarrierLink::Up) => Ok(()),
            (false, CarrierLink::Down(why)) => Err(why.clone()),
        }
    }
}

impl SignalFollower {
    /// Returns where the daemon is looked for.
    pub fn address(&self) -> &DaemonAddress {
        &self.address
    }

    /// Keeps the connection until `stop`. `received` gets account and envelope of each message; it must not wait.
    pub async fn run(self, stop: CancellationToken, mut received: impl FnMut(Value) + Send) {
        let requests = Arc::clone(&self.requests);
        let mut requests = requests.lock().await;
        let mut wait = FIRST_WAIT;
        loop {
            let served = tokio::select! {
                () = stop.cancelled() => return,
                why = self.serve(&mut requests, &mut received) => why,
            };
            let was_up = *self.state.borrow() == CarrierLink::Up;
            tracing::info!(why = served, was_up, "no connection to the signal-cli daemon");
            self.state.send_replace(CarrierLink::Down(format!("{}: {served}", self.address)));
            wait = if was_up { FIRST_WAIT } else { wait };
            let jitter = wait.mul_f64(fastrand::f64() * 0.3);
            // While nothing is connected every caller gets that error.
            let refusing = async {
                while let Some(request) = requests.recv().await {
                    let _ = request.answer.send(Err(AskFault::NotSent(served.clone())));
                }
                std::future::pending::<()>().await;
            };
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(wait + jitter) => {}
                () = refusing => {}
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// One connection to its end; returns why it ended.
    async fn serve(
        &self,
        requests: &mut mpsc::Receiver<LinkRequest>,
        received: &mut (impl FnMut(Value) + Send),
    ) -> String {
        let no_answer = || "no answer in time".to_owned();
        let served = match &self.address {
            DaemonAddress::Unix(path) => match timeout(CONNECT, UnixStream::connect(path)).await {
                Ok(Ok(stream)) => self.serve_lines(stream, requests, received).await,
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(no_answer()),
            },
            DaemonAddress::Tcp(host) => match timeout(CONNECT, TcpStream::connect(host)).await {
                Ok(Ok(stream)) => self.serve_lines(stream, requests, received).await,
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(no_answer()),
            },
            DaemonAddress::Http(url) => {
                let up = |version| self.came_up(version);
                http::serve(url, &self.account, requests, received, up).await
            }
        };
        served.err().unwrap_or_else(|| "the connection was closed".to_owned())
    }

    /// Serves a socket.
    async fn serve_lines<S: AsyncRead + AsyncWrite>(
        &self,
        stream: S,
        requests: &mut mpsc::Receiver<LinkRequest>,
        received: &mut (impl FnMut(Value) + Send),
    ) -> Result<(), String> {
        let (mut reader, mut writer) = tokio::io::split(stream);
        let mut talk = LineTalk::default();
        let mut piece = vec![0; 64 << 10];
        let mut beats = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        write(&mut writer, &talk.own("version", &json!({}))).await?;
        let opened = Instant::now();
        loop {
            let is_up = *self.state.borrow() == CarrierLink::Up;
            // Every arm is cancel-safe; nothing is asked before the daemon has reported its version.
            tokio::select! {
                request = requests.recv(), if is_up => {
                    let Some(request) = request else { return Ok(()) };
                    let (id, line) = talk.asked(&request.method, &request.params);
                    match write(&mut writer, &line).await {
                        Ok(()) => talk.wait(id, request.answer),
                        Err(why) => {
                            // Its end has not gone out, so that the daemon can't have read it.
                            let _ = request.answer.send(Err(AskFault::NotSent(why.clone())));
                            return Err(why);
                        }
                    }
                }
                read = reader.read(&mut piece) => {
                    let count = read.map_err(|error| error.to_string())?;
                    if count == 0 {
                        return Ok(());
                    }
                    for line in talk.feed.feed(&piece[..count]) {
                        if let Some(version) = talk.heard(&line, received) {
                            self.came_up(version);
                            if self.receive == ReceiveMode::Manual && !is_up {
                                write(&mut writer, &talk.own("subscribeReceive", &self.own_account())).await?;
                            }
                        }
                    }
                }
                _ = beats.tick() => {
                    if talk.beat.is_some() {
                        return Err("it does not answer any more".to_owned());
                    }
                    write(&mut writer, &talk.own("version", &json!({}))).await?;
                }
                () = tokio::time::sleep_until(opened + SHORT), if !is_up => {
                    return Err("what answers there is no signal-cli daemon".to_owned());
                }
            }
        }
    }

    fn own_account(&self) -> Value {
        if self.account.is_empty() { json!({}) } else { json!({ "account": self.account }) }
    }

    fn came_up(&self, version: String) {
        if *self.state.borrow() != CarrierLink::Up {
            tracing::info!(version, "connected to the signal-cli daemon");
        }
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
        self.state.send_if_modified(|state| {
            let is_new = *state != CarrierLink::Up;
            *state = CarrierLink::Up;
            is_new
        });
    }
}

/// One connection's requests and lines.
#[derive(Default)]
struct LineTalk {
    feed: LineFeed,
    next: u64,
    /// The heartbeat that is not answered yet.
    beat: Option<u64>,
    waiting: HashMap<u64, AnswerSlot>,
}

impl LineTalk {
    fn asked(&mut self, method: &str, params: &Value) -> (u64, String) {
        self.next += 1;
        (self.next, rpc::request(self.next, method, params) + "\n")
    }

    /// Returns a request of the link itself.
    fn own(&mut self, method: &str, params: &Value) -> String {
        let (id, line) = self.asked(method, params);
        if method == "version" {
            self.beat = Some(id);
        }
        line
    }

    fn wait(&mut self, id: u64, answer: AnswerSlot) {
        // Whoever has stopped waiting needs no room.
        self.waiting.retain(|_, answer| !answer.is_closed());
        self.waiting.insert(id, answer);
    }

    /// Passes a line on; returns the version where the line reports it.
    fn heard(&mut self, line: &str, received: &mut impl FnMut(Value)) -> Option<String> {
        match rpc::read(line) {
            RpcLine::Received(params) => received(params),
            RpcLine::Answer(id, result) if self.beat == Some(id) => {
                self.beat = None;
                return Some(version(result.ok().as_ref()));
            }
            RpcLine::Answer(id, result) => {
                if let Some(answer) = self.waiting.remove(&id) {
                    let _ = answer.send(result.map_err(AskFault::Refused));
                }
            }
            RpcLine::Nothing => tracing::debug!(bytes = line.len(), "a line of the daemon means nothing"),
        }
        None
    }
}

/// Returns the version that an answer reports.
pub(super) fn version(result: Option<&Value>) -> String {
    let told = result.and_then(|result| result.get("version")).and_then(Value::as_str);
    told.unwrap_or("unknown").chars().take(40).collect()
}

async fn write(writer: &mut (impl AsyncWrite + Unpin), line: &str) -> Result<(), String> {
    let writing = async {
        writer.write_all(line.as_bytes()).await?;
        writer.flush().await
    };
    match timeout(SHORT, writing).await {
        Ok(written) => written.map_err(|error| error.to_string()),
        Err(_) => Err("it takes nothing any more".to_owned()),
    }
}
