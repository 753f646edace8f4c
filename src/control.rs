//! How the running program shows how it is, and how it takes orders from outside.
//!
//! A [`Board`] holds what she does; the conversation publishes into it and never waits. A [`Door`] is the
//! socket in the runtime directory, a [`Client`] the other end of it, [`warden`] the link to systemd. In:
//! requests as JSON lines, described in `docs/control.md`. Out: answers, state events, status. It refuses
//! lines over [`REQUEST_BYTES`], more than [`CONNECTIONS`] connections, and readers that lag behind.

use std::io;
use std::path::{Path, PathBuf};

mod board;
mod client;
mod door;
mod journal;
mod mute;
mod status;
pub mod warden;
pub mod wire;

pub use board::{Board, BoardParts, Gauge, Lagged, Subscription, gauge, gauge_by};
pub use client::Client;
pub use door::Door;
pub use journal::{Entry, Journal};
pub use mute::{KeptMute, MuteFault, Turn, Turned};
pub use status::{Counters, Device, Models, Queue, StageRow, StateEvent, Status};

/// Bytes of the longest request, its line end included.
pub const REQUEST_BYTES: usize = 4096;
/// Connections served at the same time; a further one is told so and closed.
pub const CONNECTIONS: usize = 16;

/// The socket's name in the runtime directory.
const SOCKET: &str = "joi.sock";

/// Where the socket of a runtime directory is.
fn socket(runtime: &Path) -> PathBuf {
    runtime.join(SOCKET)
}

/// The socket can't be served or reached.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Another process holds the runtime directory. Tell the user, end.
    #[error("joi is running already ({}); `joi status` shows what it does", .socket.display())]
    Running {
        /// Its socket.
        socket: PathBuf,
    },
    /// The runtime directory or the socket can't be made. Go on without orders from outside.
    #[error("orders from outside can't be taken at {}: {source}; mend its directory or set JOI_RUNTIME", .socket.display())]
    Closed {
        /// The socket.
        socket: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is a socket, and the program behind it can't be talked to. Tell the user, give up.
    #[error("joi at {} can't be asked: {source}", .socket.display())]
    Unreachable {
        /// The socket.
        socket: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The running program refused, for this reason. Tell the user.
    #[error("{0}")]
    Refused(String),
    /// The running program's answer makes no sense; it is of another version. Tell the user.
    #[error("the answer of the running joi can't be read ({0}); is it of another version? Start it again")]
    Answer(#[from] serde_json::Error),
}

#[cfg(test)]
mod tests;
