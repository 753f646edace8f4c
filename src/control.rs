//! Status and remote control of the running program over a local socket.
//!
//! A [`StatusBoard`] holds state and health; the conversation publishes into it and never waits. A [`ControlServer`] is the
//! socket in the runtime directory, a [`Client`] the other end of it, [`watchdog`] the link to systemd. In:
//! requests as JSON lines, described in `docs/user/control.md`. Out: answers, state events, status. It refuses
//! lines over [`REQUEST_BYTES`], more than [`CONNECTIONS`] connections, and readers that lag behind.

use std::io;
use std::path::{Path, PathBuf};

mod board;
mod client;
mod desk;
mod gauge;
mod journal;
mod moment;
mod mute;
mod place;
mod report;
mod server;
mod shown;
mod status;
mod subscription;
pub mod watchdog;
pub mod wire;

pub use board::{PageDoor, StatusBoard, StatusBoardParts};
pub use client::Client;
pub use desk::RunningDesk;
pub use gauge::{Gauge, gauge, gauge_by};
pub use journal::{Journal, JournalEntry, LogCounts};
pub use mute::{MuteCommand, MuteFault, MuteOutcome, PersistentMute};
pub use report::{ReportTable, ReportText, StatusReport, TextPiece, Tone, bytes};
pub use server::ControlServer;
pub use status::{
    AnsweringModel, BackupStatus, CarrierRow, ChatStatus, Counters, DelayStatus, DeviceDelays, DeviceStatus,
    HomeStatus, MessagesStatus, ModelOfUse, Models, QueueStatus, RoomConnection, RoomStatus,
    SatellitesStatus, ServiceRow, ServiceState, ShownState, SoundStatus, StageRow, StateEvent, Status,
    ToolServerRow,
};
pub use subscription::{Lagged, Subscription};

/// Bytes of the longest request, its line end included.
pub const REQUEST_BYTES: usize = 4096;
/// Connections served at the same time; a further one gets an error and is closed.
pub const CONNECTIONS: usize = 16;

/// The socket's file name in the runtime directory.
const SOCKET: &str = "joi.sock";

/// Returns where the socket of a runtime directory is.
fn socket(runtime: &Path) -> PathBuf {
    runtime.join(SOCKET)
}

/// The socket can't be served or reached.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Another process holds the runtime directory. Report it to the user and end.
    #[error("joi is running already ({}); `joi status` shows what it does", .socket.display())]
    Running {
        /// Its socket.
        socket: PathBuf,
    },
    /// The runtime directory or the socket can't be created. Go on without the control socket.
    #[error("cannot listen on control socket {}: {source}; check the permissions of its directory or set JOI_RUNTIME", .socket.display())]
    Closed {
        /// The socket.
        socket: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is a socket, but the program behind it does not answer. Report it to the user and give up.
    #[error("joi at {} does not answer: {source}", .socket.display())]
    Unreachable {
        /// The socket.
        socket: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The running program refused, for this reason. Report it to the user.
    #[error("{0}")]
    Refused(String),
    /// The running program's answer is not understood; it is of another version. Report it to the user.
    #[error("the answer of the running joi is invalid ({0}); if it is of another version, restart it")]
    Answer(#[from] serde_json::Error),
}

#[cfg(test)]
mod tests;
