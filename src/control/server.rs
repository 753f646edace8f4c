//! The control socket of the running program.
//!
//! One task accepts, one task each serves a connection. In: request lines. Out: answer lines. A lock file
//! beside the socket shows which process serves; the system releases it with the process, so a stale socket
//! is replaced and one in use is never taken over. A reader that takes nothing for [`PATIENCE`] is
//! disconnected. Muting, what silences, and the status have places of their own.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, broadcast, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::board::{PageDoor, StatusBoard};
use super::mute::MuteCommand;
use super::place::{bind, lock};
use super::subscription::{Lagged, Subscription};
use super::wire::{self, ControlAnswer, ControlEvent, ControlRequest};
use super::{CONNECTIONS, ControlError, REQUEST_BYTES, socket};
use joi_autonomy::agent::lines::{AgentRest, Agents};
use joi_autonomy::agent::news::AgentEvent;
use joi_base::message::{AlarmRequest, OutsideRequest};
use joi_mcp::serve::HouseTools as _;

/// Time limit for a reader to make room for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Places beyond [`CONNECTIONS`], each for one request that must always work. Where they are taken as well, the oldest
/// gives its place to the newest.
const URGENT: usize = 4;
/// Time limit for the request of such a place.
const URGENT_PATIENCE: Duration = Duration::from_secs(2);

/// The answer to other programs where none is served.
const NOT_SERVED: &str = "joi serves no other programs now: it is starting, or mcp.serve.enabled is false";

/// The answer where no agent is configured.
const NO_AGENTS: &str =
    "there are no agents: add [agents.NAME] to the configuration, as docs/user/agents.md shows";

/// The answer where the page is not served.
const NO_PAGE: &str = "the page is not served: joi is starting, or page.listen is \"\"; \
                       set page.listen = \"127.0.0.1:9754\" and restart joi";

/// The bound socket, held by this process alone. No connection is served yet.
pub struct ControlServer {
    socket: PathBuf,
    listener: std::os::unix::net::UnixListener,
    /// Locked as long as it is open.
    _lock: File,
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        // The file may have been removed already; the next start replaces it anyway.
        let _ = fs::remove_file(&self.socket);
    }
}

impl ControlServer {
    /// Creates the socket in the directory `runtime`, both accessible to this user only.
    ///
    /// # Errors
    /// [`ControlError::Running`] when another process holds it, [`ControlError::Closed`] when it can't be
    /// created.
    pub fn open(runtime: &Path) -> Result<Self, ControlError> {
        let socket = socket(runtime);
        let closed = |source| ControlError::Closed { socket: socket.clone(), source };
        let lock = lock(runtime).map_err(closed)?;
        if let Err(error) = flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            return Err(match error {
                rustix::io::Errno::WOULDBLOCK => ControlError::Running { socket },
                error => closed(error.into()),
            });
        }
        let listener = bind(&socket).map_err(closed)?;
        Ok(Self { socket, listener, _lock: lock })
    }

    /// Serves `board` until `stop`.
    ///
    /// # Errors
    /// The system does not let the socket be served.
    pub async fn serve(self: Arc<Self>, board: StatusBoard, stop: CancellationToken) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(self.listener.try_clone()?)?;
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let (mut connections, mut urgent) = (JoinSet::new(), VecDeque::<AbortHandle>::new());
        loop {
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => {
                    let stream = match accepted {
                        Ok((stream, _)) => stream,
                        Err(error) => {
                            tracing::warn!(%error, "could not accept a connection on the control socket");
                            // Too many open files, most likely: don't retry at once.
                            tokio::time::sleep(Duration::from_millis(100)).await;
                            continue;
                        }
                    };
                    let guest = Connection::new(stream, board.clone());
                    if let Ok(place) = Arc::clone(&room).try_acquire_owned() {
                        connections.spawn(async move {
                            guest.serve().await;
                            drop(place);
                        });
                        continue;
                    }
                    urgent.retain(|task| !task.is_finished());
                    if urgent.len() >= URGENT && let Some(oldest) = urgent.pop_front() {
                        oldest.abort();
                    }
                    urgent.push_back(connections.spawn(guest.serve_urgent()));
                }
            }
        }
        connections.shutdown().await;
        Ok(())
    }
}

/// One connection.
struct Connection {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    board: StatusBoard,
    subscription: Option<Subscription>,
    followed: Option<FollowedAgents>,
}

/// The events of agents that a connection is sent.
struct FollowedAgents {
    events: broadcast::Receiver<AgentEvent>,
    has_words: bool,
}

/// The next event of a connection.
enum ConnectionEvent {
    Line,
    TooLong,
    End,
}

impl Connection {
    fn new(stream: UnixStream, board: StatusBoard) -> Self {
        let (reader, writer) = stream.into_split();
        Self { reader: BufReader::new(reader), writer, board, subscription: None, followed: None }
    }

    /// Answers until the other end disconnects or sends too long a line.
    async fn serve(mut self) {
        let mut line = Vec::new();
        loop {
            // Both arms are cancel-safe: a partially read line stays in `line`.
            let answer = tokio::select! {
                came = next_line(&mut self.reader, &mut line) => match came {
                    ConnectionEvent::Line => match self.answer(&std::mem::take(&mut line)).await {
                        Some(answer) => answer,
                        None => return,
                    },
                    ConnectionEvent::TooLong => {
                        let why = format!("a request has at most {REQUEST_BYTES} bytes");
                        let _ = self.send(&ControlAnswer::error(why)).await;
                        return;
                    }
                    ConnectionEvent::End => return,
                },
                change = next_change(&mut self.subscription) => match change {
                    Ok(answer) => answer,
                    Err(lagged) => {
                        let _ = self.send(&ControlAnswer::error(lagged)).await;
                        return;
                    }
                },
                event = next_event(&mut self.followed) => match event {
                    Ok(answer) => answer,
                    Err(lagged) => {
                        let _ = self.send(&ControlAnswer::error(lagged)).await;
                        return;
                    }
                },
            };
            if self.send(&answer).await.is_err() {
                return;
            }
        }
    }

    /// Answers one request that works whatever other connections there are, and refuses any other.
    async fn serve_urgent(mut self) {
        let mut line = Vec::new();
        let came = tokio::time::timeout(URGENT_PATIENCE, next_line(&mut self.reader, &mut line)).await;
        let request = matches!(came, Ok(ConnectionEvent::Line)).then(|| wire::read(&line));
        let answer = match request {
            Some(Ok(request)) if request.is_urgent() => self.obey(&line).await,
            Some(Err(refusal)) => refusal,
            Some(Ok(_)) | None => {
                ControlAnswer::error(format!("{CONNECTIONS} connections are open; close one"))
            }
        };
        // The receiver may have been dropped already.
        let _ = self.send(&answer).await;
    }

    /// Answers a request; nothing where the other end has gone away while a tool was called.
    async fn answer(&mut self, line: &[u8]) -> Option<ControlAnswer> {
        let (tool, arguments) = match wire::read(line) {
            Ok(ControlRequest::Call { tool, arguments }) => (tool, arguments),
            Ok(request) if request.is_about_agents() => return Some(self.about_agents(request).await),
            Ok(_) | Err(_) => return Some(self.obey(line).await),
        };
        let Some(desk) = self.board.desk() else { return Some(ControlAnswer::error(NOT_SERVED)) };
        // A call that is dropped is cancelled. Further requests wait in the buffer.
        tokio::select! {
            called = desk.call(&tool, arguments) => Some(ControlAnswer::Called { called }),
            () = gone(&mut self.reader) => None,
        }
    }

    async fn obey(&mut self, line: &[u8]) -> ControlAnswer {
        match wire::read(line) {
            Err(refusal) => refusal,
            Ok(ControlRequest::Tools | ControlRequest::Call { .. }) => match self.board.desk() {
                Some(desk) => match desk.listed().await {
                    Ok(served) => ControlAnswer::Tools { served },
                    Err(why) => ControlAnswer::error(why),
                },
                None => ControlAnswer::error(NOT_SERVED),
            },
            Ok(ControlRequest::Events) => {
                let subscription = self.board.subscribe();
                let now = subscription.now.clone();
                self.subscription = Some(subscription);
                ControlAnswer::State(ControlEvent::State(now))
            }
            Ok(
                ControlRequest::Agents
                | ControlRequest::Say { .. }
                | ControlRequest::Decide { .. }
                | ControlRequest::Rest { .. }
                | ControlRequest::Follow { .. },
            ) => ControlAnswer::error(NO_AGENTS),
            Ok(ControlRequest::Status) => ControlAnswer::Status(Box::new(self.board.status())),
            Ok(ControlRequest::Mute) => self.turn(MuteCommand::Mute).await,
            Ok(ControlRequest::Unmute) => self.turn(MuteCommand::Unmute).await,
            Ok(ControlRequest::Toggle) => self.turn(MuteCommand::Toggle).await,
            Ok(ControlRequest::Listen) if self.board.mute().is_muted() => {
                ControlAnswer::error("the microphone is switched off; `joi unmute` switches it on")
            }
            Ok(ControlRequest::Listen) if self.board.request(OutsideRequest::Listen) => {
                ControlAnswer::Listening { listening: true }
            }
            Ok(ControlRequest::Listen) => ControlAnswer::error("can't listen now; try again later"),
            Ok(ControlRequest::Alarm) => self.alarm(AlarmRequest::Test),
            Ok(ControlRequest::Acknowledge) => self.acknowledge().await,
            Ok(ControlRequest::Page { out }) => page(self.board.page(), out),
            Ok(ControlRequest::Timers) if self.board.timers_changed() => {
                ControlAnswer::Timers { timers: true }
            }
            Ok(ControlRequest::Servers) => {
                let board = self.board.clone();
                match tokio::task::spawn_blocking(move || board.servers_changed()).await {
                    Ok(true) => ControlAnswer::Servers { servers: true },
                    Ok(false) | Err(_) => ControlAnswer::error(
                        "tools of other programs are switched off, or not running yet; they are read when they start",
                    ),
                }
            }
            Ok(ControlRequest::Timers) => {
                ControlAnswer::error("timers are not running yet; they are read when they start")
            }
        }
    }

    /// Answers a request about the agents.
    async fn about_agents(&mut self, request: ControlRequest) -> ControlAnswer {
        let Some(agents) = self.board.agents().cloned() else { return ControlAnswer::error(NO_AGENTS) };
        let done = match request {
            ControlRequest::Say { agent, text } => {
                agents.talk(&agent, &text).await.map(|said| ControlAnswer::Said { said })
            }
            ControlRequest::Decide { agent, approval, yes } => {
                let decided = agents.decide(&agent, approval, yes).await;
                decided.map(|()| ControlAnswer::Decided { decided: true })
            }
            ControlRequest::Rest { agent, rest } => {
                let rested = rest == AgentRest::Pause;
                agents.rest(&agent, rest).map(|()| ControlAnswer::Rested { rested })
            }
            ControlRequest::Follow { words } => {
                self.followed = Some(FollowedAgents { events: agents.follow(), has_words: words });
                Ok(ControlAnswer::Following { following: true })
            }
            _ => Ok(ControlAnswer::Agents { agents: Agents::rows(&agents) }),
        };
        done.unwrap_or_else(ControlAnswer::error)
    }

    fn alarm(&self, request: AlarmRequest) -> ControlAnswer {
        if self.board.alarm(request) {
            ControlAnswer::Alarm { alarm: true, heard: None }
        } else {
            ControlAnswer::error("alarms are not running yet; try again later")
        }
    }

    /// They are silent at once; while the database hangs only their number is unknown.
    async fn acknowledge(&self) -> ControlAnswer {
        let (told, count) = oneshot::channel();
        match self.alarm(AlarmRequest::Acknowledge(told)) {
            ControlAnswer::Alarm { alarm, .. } => {
                let heard = tokio::time::timeout(PATIENCE, count).await;
                ControlAnswer::Alarm { alarm, heard: heard.ok().and_then(Result::ok) }
            }
            refusal => refusal,
        }
    }

    async fn turn(&self, order: MuteCommand) -> ControlAnswer {
        let board = self.board.clone();
        match tokio::task::spawn_blocking(move || board.turn_mute(order)).await {
            Ok(turned) => ControlAnswer::Muted {
                muted: turned.muted,
                warning: turned.fault.map(|fault| fault.to_string()),
            },
            Err(_) => ControlAnswer::error("the program is ending; the command was not executed"),
        }
    }

    async fn send(&mut self, answer: &ControlAnswer) -> io::Result<()> {
        let line = answer.line();
        tokio::time::timeout(PATIENCE, self.writer.write_all(line.as_bytes())).await?
    }
}

/// Opens the page to one more browser, or closes it to all.
fn page(door: Option<&PageDoor>, is_out: bool) -> ControlAnswer {
    let Some(door) = door else { return ControlAnswer::error(NO_PAGE) };
    if is_out {
        return ControlAnswer::SignedOut { signed_out: door.access.sign_out(None) };
    }
    match door.link() {
        Some(link) => ControlAnswer::PageLink { link },
        None => ControlAnswer::error("the system gives no random bytes; try again"),
    }
}

async fn next_event(followed: &mut Option<FollowedAgents>) -> Result<ControlAnswer, Lagged> {
    let Some(FollowedAgents { events, has_words }) = followed else { return std::future::pending().await };
    let event = events.recv().await.map_err(|_| Lagged)?;
    Ok(ControlAnswer::AgentEvent(if *has_words { event } else { event.without_words() }))
}

async fn next_change(subscription: &mut Option<Subscription>) -> Result<ControlAnswer, Lagged> {
    match subscription {
        Some(subscription) => {
            subscription.next().await.map(|event| ControlAnswer::State(ControlEvent::State(event)))
        }
        None => std::future::pending().await,
    }
}

/// Waits until the other end closes the connection. Whatever it sends meanwhile stays in the buffer, and is taken for a
/// sign that it is there.
async fn gone(reader: &mut BufReader<OwnedReadHalf>) {
    if matches!(reader.fill_buf().await, Ok(bytes) if !bytes.is_empty()) {
        std::future::pending().await
    }
}

/// Reads on until `line` holds one. A last line without its line end is not a request.
async fn next_line(reader: &mut BufReader<OwnedReadHalf>, line: &mut Vec<u8>) -> ConnectionEvent {
    let room = (REQUEST_BYTES - line.len().min(REQUEST_BYTES)) as u64;
    let read = reader.take(room).read_until(b'\n', line).await;
    match read {
        _ if line.ends_with(b"\n") => ConnectionEvent::Line,
        Ok(_) if line.len() >= REQUEST_BYTES => ConnectionEvent::TooLong,
        Ok(_) | Err(_) => ConnectionEvent::End,
    }
}
