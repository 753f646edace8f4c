//! Streams of a sound server: PulseAudio, or PipeWire's stand-in for it. Each has a connection and a thread of its own.
//!
//! The thread waits for the server and does nothing else: one wake-up for a period of sound. cpal's streams for it
//! (0.18.2, over pulseaudio 0.3.2) take five, with an answer about the latency behind each period, and clear a megabyte
//! for each read, which was three quarters of what an idle companion used. Devices are listed and chosen by cpal all the
//! same. In: the chosen device and the callback. Out: a [`ServerStream`], which ends when it is dropped, also while the
//! server hangs; what becomes of it meanwhile is told to the [`CallbackStats`].

use std::ffi::CString;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use cpal::{BufferSize, Error, ErrorKind};
use pulseaudio::protocol::stream::StreamFlags;
use pulseaudio::protocol::{ChannelMap, ProtocolError, PulseError, SampleFormat, SampleSpec};

use super::capture_callback::CaptureCallback;
use super::device::{Chosen, SOUND_SERVER};
use super::playback::SpeakerBlocks;
use super::stream_supervisor::{CallbackStats, ErrorSeverity};

mod connection;
mod latency_question;
mod playing;
mod recording;
mod sink_clock;

use connection::ServerConnection;
use latency_question::LatencyQuestion;
use playing::ServerPlayback;
use recording::ServerRecording;

/// The period at rest, if the configured one is not longer. With what the device itself takes, sound is to reach the
/// listener within 60 ms.
const REST_PERIOD_MS: u32 = 40;

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

/// How a device of a sound server is opened; nothing for any other device.
pub(super) struct ServerDevice {
    name: CString,
    spec: SampleSpec,
    period_frames: u32,
}

impl ServerDevice {
    /// Of a device that was chosen: its own rate, one channel or two, as f32, which the server makes of any format.
    pub(super) fn of(chosen: &Chosen) -> Option<Self> {
        let name = CString::new(chosen.which.id.strip_prefix(SOUND_SERVER)?).ok()?;
        let sample_rate = chosen.config.sample_rate;
        let period_frames = match chosen.config.buffer_size {
            BufferSize::Fixed(frames) => frames,
            BufferSize::Default => sample_rate / 50,
        };
        let channels =
            u8::try_from(chosen.config.channels).ok().filter(|channels| (1..=2).contains(channels))?;
        Some(Self {
            name,
            spec: SampleSpec { format: SampleFormat::Float32Le, channels, sample_rate },
            period_frames,
        })
    }

    /// Records from it.
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

    /// Plays to it.
    pub(super) fn play(self, blocks: SpeakerBlocks) -> Result<ServerStream, Error> {
        let stats = Arc::clone(blocks.stats());
        let start = || {
            let playing = ServerPlayback::start(ServerConnection::open(c"Joi")?, self, blocks)?;
            flow("joi-spk-stream", playing.socket()?, stats, move || playing.run())
        };
        start().map_err(refused)
    }

    fn channels(&self) -> usize {
        usize::from(self.spec.channels)
    }

    fn bytes_per_second(&self) -> u64 {
        u64::from(self.spec.sample_rate) * (self.channels() * size_of::<f32>()) as u64
    }

    /// Of a period, which is longer at rest: then half as many wake-ups are worth more than 20 ms.
    fn period_bytes(&self, is_resting: bool) -> u32 {
        let at_rest = self.spec.sample_rate / 1000 * REST_PERIOD_MS;
        let frames = if is_resting { self.period_frames.max(at_rest) } else { self.period_frames };
        frames * u32::from(self.spec.channels) * size_of::<f32>() as u32
    }

    fn channel_map(&self) -> ChannelMap {
        if self.spec.channels == 2 { ChannelMap::stereo() } else { ChannelMap::mono() }
    }
}

/// The server is asked to run the device with the latency that the buffers of the stream ask for.
fn flags() -> StreamFlags {
    StreamFlags { adjust_latency: true, ..StreamFlags::default() }
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

/// A refusal in the words of the device library.
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
