//! Streams of a sound server: PulseAudio, or PipeWire's stand-in for it. Each has a connection and a thread of its own.
//!
//! The thread waits for the server and does nothing else: one wake-up for a period of sound. cpal's streams for it
//! (0.18.2, over pulseaudio 0.3.2) take five, with an answer about the latency behind each period, and clear a megabyte
//! for each read, which was three quarters of what an idle companion used. Devices are listed and chosen by cpal all the
//! same. In: the chosen device and the callback. Out: a [`ServerStream`], which ends when it is dropped, also while the
//! server hangs; its faults are counted in the [`CallbackStats`].

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use cpal::{Error, ErrorKind};
use pulseaudio::protocol::{ProtocolError, PulseError};

use super::capture_callback::CaptureCallback;
use super::speaker_blocks::SpeakerBlocks;
use super::stream_supervisor::{CallbackStats, ErrorSeverity};

mod connection;
mod latency_question;
mod playing;
mod recording;
mod server_device;
mod sink_clock;

use connection::ServerConnection;
use playing::ServerPlayback;
use recording::ServerRecording;
pub(super) use server_device::ServerDevice;

/// A stream that flows until this is dropped.
pub(super) struct ServerStream {
    socket: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ServerStream {
    fn drop(&mut self) {
        // The thread waits for the server, which may never say anything again.
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl ServerDevice {
    /// Records from the device into `callback`, until the stream is dropped.
    pub(super) fn record(
        self,
        callback: CaptureCallback,
        stats: &Arc<CallbackStats>,
    ) -> Result<ServerStream, Error> {
        let start = || {
            let connection = ServerConnection::open(c"Joi")?;
            let recording = ServerRecording::start(connection, self, callback, Arc::clone(stats))?;
            flow("joi-mic-stream", recording.socket()?, Arc::clone(stats), move || recording.run())
        };
        start().map_err(refused)
    }

    /// Plays `blocks` on the device, until the stream is dropped.
    pub(super) fn play(self, blocks: SpeakerBlocks) -> Result<ServerStream, Error> {
        let stats = Arc::clone(blocks.stats());
        let start = || {
            let playing = ServerPlayback::start(ServerConnection::open(c"Joi")?, self, blocks)?;
            flow("joi-spk-stream", playing.socket()?, stats, move || playing.run())
        };
        start().map_err(refused)
    }
}

/// Runs a stream to its end on a thread of its own. One that ends was lost, if it was not dropped.
fn flow(
    name: &str,
    socket: UnixStream,
    stats: Arc<CallbackStats>,
    run: impl FnOnce() -> Result<(), ProtocolError> + Send + 'static,
) -> Result<ServerStream, ProtocolError> {
    let run = move || {
        if let Err(error) = run() {
            tracing::debug!(%error, "a stream of the sound server ended");
        }
        stats.error(ErrorSeverity::Fatal);
    };
    let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
    Ok(ServerStream { socket, thread: Some(thread) })
}

/// Converts a refusal to the device library's error.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn refused(error: ProtocolError) -> Error {
    let kind = match &error {
        ProtocolError::ServerError(PulseError::AccessDenied) => ErrorKind::PermissionDenied,
        ProtocolError::ServerError(PulseError::NoEntity) => ErrorKind::DeviceNotAvailable,
        ProtocolError::ServerError(PulseError::Busy) => ErrorKind::DeviceBusy,
        ProtocolError::Io(error) if error.kind() == io::ErrorKind::WouldBlock => {
            return Error::with_message(ErrorKind::DeviceNotAvailable, "the sound server does not answer");
        }
        ProtocolError::Io(_) => ErrorKind::HostUnavailable,
        _ => ErrorKind::BackendError,
    };
    Error::with_message(kind, error.to_string())
}

#[cfg(test)]
mod tests;
