//! A model server that stays for a while after the command that started it: the next one finds the model loaded and
//! the head of its prompt read.
//!
//! Whoever uses it holds a connection open: that keeps the server, and its end is the server's. Where it is found is
//! in `place.rs`. It refuses servers of other users.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::net::UnixStream;
use tracing::debug;

use super::child::LastLines;
use super::launch::answers;
use crate::error::LlmError;
use crate::http::Endpoint;
use crate::kinds::ollama::Ollama;

/// So much of its log is searched for its last words.
const LAST_BYTES: u64 = 4096;

/// A server that we use and that outlives us.
#[derive(Debug)]
pub(super) struct LingeringServer {
    /// Nothing once we have left.
    connection: Option<UnixStream>,
    /// What it writes; nothing of a server whose words another program reads.
    log: Option<PathBuf>,
    /// When we leave.
    afterwards: Afterwards,
}

/// What becomes of a server when who uses it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It waits for the next one.
    Stays,
    /// It ends, unless somebody else uses it.
    Ends,
}

impl LingeringServer {
    /// The server that listens on `socket`, once it answers; nothing where none of ours does, or where it ends before.
    pub(super) async fn at(
        socket: PathBuf,
        log: Option<PathBuf>,
        afterwards: Afterwards,
    ) -> Result<Option<(Self, Ollama)>, LlmError> {
        let Some(connection) = connected(&socket).await else { return Ok(None) };
        let client = Ollama::new(&Endpoint::Unix { path: socket }, None)?;
        tokio::select! {
            answered = answers(&client) => if let Err(error) = answered {
                debug!(%error, "a model server that runs can't be used");
                return Ok(None);
            },
            () = closed(&connection) => return Ok(None),
        }
        Ok(Some((Self { connection: Some(connection), log, afterwards }, client)))
    }

    /// Waits for its end and returns its last words. Cancel-safe.
    pub(super) async fn ended(&mut self) -> String {
        match &self.connection {
            Some(connection) => closed(connection).await,
            None => std::future::pending().await,
        }
        let how = "the connection was closed";
        self.log.as_deref().map_or_else(|| how.to_owned(), |log| last_words(log, how))
    }

    /// Its process id.
    pub(super) fn pid(&self) -> Option<u32> {
        peer(self.connection.as_ref()?).and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
    }

    /// Does without it.
    pub(super) fn leave(&mut self) {
        if let Some(connection) = self.connection.take()
            && self.afterwards == Afterwards::Ends
        {
            dismiss_peer(&connection);
        }
    }
}

/// Has the server behind `socket` end as soon as nobody is connected. Its process; nothing where there is none.
pub(super) async fn dismiss(socket: &Path) -> Option<Pid> {
    dismiss_peer(&connected(socket).await?)
}

fn dismiss_peer(connection: &UnixStream) -> Option<Pid> {
    let pid = peer(connection)?;
    let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    // As long as it holds the connection its process id is not another's.
    if !is_open(connection) {
        return None;
    }
    let asked = pidfd_send_signal(&process, Signal::USR1);
    asked.map(|()| pid).inspect_err(|error| debug!(%error, "a model server can't be asked to end")).ok()
}

/// A connection to a server of ours; nobody else's is trusted.
async fn connected(socket: &Path) -> Option<UnixStream> {
    let connection = UnixStream::connect(socket).await.ok()?;
    let peer = connection.peer_cred().ok()?;
    (peer.uid() == rustix::process::geteuid().as_raw()).then_some(connection)
}

fn peer(connection: &UnixStream) -> Option<Pid> {
    connection.peer_cred().ok()?.pid().and_then(Pid::from_raw)
}

fn is_open(connection: &UnixStream) -> bool {
    match connection.try_read(&mut [0; 1]) {
        Ok(0) => false,
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}

/// Waits until the other end is closed. Cancel-safe.
async fn closed(connection: &UnixStream) {
    while connection.readable().await.is_ok() && is_open(connection) {}
}

/// The reason in the log of a server that ended.
pub(super) fn last_words(log: &Path, how: &str) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LAST_BYTES)))?;
        let mut end = Vec::new();
        file.take(LAST_BYTES).read_to_end(&mut end)?;
        Ok(String::from_utf8_lossy(&end).into_owned())
    };
    let lines = LastLines::default();
    read().unwrap_or_default().lines().for_each(|line| lines.push(line));
    lines.reason(how)
}
