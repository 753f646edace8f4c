//! The control socket of the running program.
//!
//! One task accepts, one task each serves a connection. In: request lines. Out: answer lines. A lock file
//! beside the socket tells who serves; the system lets go of it with the process, so a socket that was
//! left behind is replaced and one in use is never taken over. A reader that takes nothing for
//! [`PATIENCE`] is let go.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::board::{Board, Subscription};
use super::mute::Turn;
use super::wire::{self, Answer, Ask, Event};
use super::{CONNECTIONS, ControlError, REQUEST_BYTES, socket};
use crate::message::Request;

/// How long a reader may take to make room for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The socket, held for this process alone. Nobody is served yet.
pub struct Door {
    socket: PathBuf,
    listener: std::os::unix::net::UnixListener,
    /// Locked as long as it is open.
    _lock: File,
}

impl Drop for Door {
    fn drop(&mut self) {
        // Somebody may have removed it; the next start replaces it anyway.
        let _ = fs::remove_file(&self.socket);
    }
}

impl Door {
    /// Makes the socket in the directory `runtime`, both for this user only.
    ///
    /// # Errors
    /// [`ControlError::Running`] when another process holds it, [`ControlError::Closed`] when it can't be
    /// made.
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
    pub async fn serve(self, board: Board, stop: CancellationToken) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(self.listener.try_clone()?)?;
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            // Every arm is cancel-safe.
            tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => {
                    let stream = match accepted {
                        Ok((stream, _)) => stream,
                        Err(error) => {
                            tracing::warn!(%error, "a connection was not accepted");
                            // Too many open files, most likely: not to be asked again at once.
                            tokio::time::sleep(Duration::from_millis(100)).await;
                            continue;
                        }
                    };
                    let place = Arc::clone(&room).try_acquire_owned();
                    let guest = Guest::new(stream, board.clone());
                    connections.spawn(async move {
                        match place {
                            Ok(_place) => guest.serve().await,
                            Err(_) => guest.turn_away().await,
                        }
                    });
                }
            }
        }
        connections.shutdown().await;
        Ok(())
    }
}

/// The lock file, in a directory that is this user's alone.
fn lock(runtime: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(runtime)?;
    let mode = fs::metadata(runtime)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(runtime, Permissions::from_mode(0o700))?;
    }
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(runtime.join("joi.lock"))
}

fn bind(socket: &Path) -> io::Result<std::os::unix::net::UnixListener> {
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = std::os::unix::net::UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// One connection.
struct Guest {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    board: Board,
    subscription: Option<Subscription>,
}

/// What came next on a connection.
enum Came {
    Line,
    TooLong,
    End,
}

impl Guest {
    fn new(stream: UnixStream, board: Board) -> Self {
        let (reader, writer) = stream.into_split();
        Self { reader: BufReader::new(reader), writer, board, subscription: None }
    }

    /// Answers until the other end goes away or asks for too much.
    async fn serve(mut self) {
        let mut line = Vec::new();
        loop {
            // Both arms are cancel-safe: what was read of a line stays in `line`.
            let answer = tokio::select! {
                came = next_line(&mut self.reader, &mut line) => match came {
                    Came::Line => self.obey(&std::mem::take(&mut line)).await,
                    Came::TooLong => {
                        let why = format!("a request has at most {REQUEST_BYTES} bytes");
                        let _ = self.send(&Answer::error(why)).await;
                        return;
                    }
                    Came::End => return,
                },
                change = next_change(&mut self.subscription) => match change {
                    Ok(answer) => answer,
                    Err(lagged) => {
                        let _ = self.send(&Answer::error(lagged)).await;
                        return;
                    }
                },
            };
            if self.send(&answer).await.is_err() {
                return;
            }
        }
    }

    async fn turn_away(mut self) {
        // It may be gone already.
        let _ = self.send(&Answer::error(format!("{CONNECTIONS} connections are open; close one"))).await;
    }

    async fn obey(&mut self, line: &[u8]) -> Answer {
        match wire::read(line) {
            Err(refusal) => refusal,
            Ok(Ask::Events) => {
                let subscription = self.board.subscribe();
                let now = subscription.now.clone();
                self.subscription = Some(subscription);
                Answer::State(Event::State(now))
            }
            Ok(Ask::Status) => Answer::Status(Box::new(self.board.status())),
            Ok(Ask::Mute) => self.turn(Turn::Off).await,
            Ok(Ask::Unmute) => self.turn(Turn::On).await,
            Ok(Ask::Toggle) => self.turn(Turn::Other).await,
            Ok(Ask::Listen) if self.board.mute().is_muted() => {
                Answer::error("the microphone is switched off; `joi unmute` switches it on")
            }
            Ok(Ask::Listen) if self.board.request(Request::Listen) => Answer::Listening { listening: true },
            Ok(Ask::Listen) => Answer::error("she can't listen now; ask again"),
            Ok(Ask::Timers) if self.board.timers_changed() => Answer::Timers { timers: true },
            Ok(Ask::Timers) => Answer::error("her timers do not run yet; they are looked at when they do"),
        }
    }

    async fn turn(&self, order: Turn) -> Answer {
        let board = self.board.clone();
        match tokio::task::spawn_blocking(move || board.turn_mute(order)).await {
            Ok(turned) => {
                Answer::Muted { muted: turned.muted, warning: turned.fault.map(|fault| fault.to_string()) }
            }
            Err(_) => Answer::error("the order was given up, since she is ending"),
        }
    }

    async fn send(&mut self, answer: &Answer) -> io::Result<()> {
        let line = answer.line();
        tokio::time::timeout(PATIENCE, self.writer.write_all(line.as_bytes())).await?
    }
}

async fn next_change(subscription: &mut Option<Subscription>) -> Result<Answer, super::board::Lagged> {
    match subscription {
        Some(subscription) => subscription.next().await.map(|event| Answer::State(Event::State(event))),
        None => std::future::pending().await,
    }
}

/// Reads on until `line` holds one. A last line without its end is no request.
async fn next_line(reader: &mut BufReader<OwnedReadHalf>, line: &mut Vec<u8>) -> Came {
    let room = (REQUEST_BYTES - line.len().min(REQUEST_BYTES)) as u64;
    let read = reader.take(room).read_until(b'\n', line).await;
    match read {
        _ if line.ends_with(b"\n") => Came::Line,
        Ok(_) if line.len() >= REQUEST_BYTES => Came::TooLong,
        Ok(_) | Err(_) => Came::End,
    }
}
