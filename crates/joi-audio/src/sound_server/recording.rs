//! A microphone's stream on a sound server.
//!
//! In: messages of the server. Out: blocks for the [`CaptureCallback`], and how old their newest sample is.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use pulseaudio::protocol::stream::BufferAttr;
use pulseaudio::protocol::{
    Command, CreateRecordStreamReply, LatencyParams, Prop, Props, ProtocolError, RecordLatency,
    RecordStreamParams, SetRecordStreamBufferAttrParams, SubscriptionMask,
};

use super::connection::{ServerConnection, ServerMessage};
use super::latency_question::LatencyQuestion;
use super::server_device::{ServerDevice, flags};
use crate::capture_callback::CaptureCallback;
use crate::stream_supervisor::{CallbackStats, ErrorSeverity};

/// Between two questions about how old its sound is, which changes with the device's buffers only.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// A stream that records.
pub(super) struct ServerRecording {
    connection: ServerConnection,
    channel: u32,
    device: ServerDevice,
    callback: CaptureCallback,
    stats: Arc<CallbackStats>,
    is_resting: bool,
    samples: Vec<f32>,
    question: LatencyQuestion,
}

impl ServerRecording {
    /// Asks for the stream; sound comes from then on.
    pub(super) fn start(
        mut connection: ServerConnection,
        device: ServerDevice,
        callback: CaptureCallback,
        stats: Arc<CallbackStats>,
    ) -> Result<Self, ProtocolError> {
        let mut props = Props::new();
        props.set(Prop::MediaName, c"Microphone");
        let stream: CreateRecordStreamReply =
            connection.ask(&Command::CreateRecordStream(RecordStreamParams {
                sample_spec: device.spec,
                channel_map: device.channel_map(),
                buffer_attr: fragments(device.period_bytes(false)),
                source_name: Some(device.name.clone()),
                flags: flags(),
                props,
                ..RecordStreamParams::default()
            }))?;
        connection.watch(SubscriptionMask::SOURCE)?;
        connection.wait_for_ever()?;
        Ok(Self {
            connection,
            channel: stream.channel,
            device,
            callback,
            stats,
            is_resting: false,
            samples: Vec::new(),
            question: LatencyQuestion::each(ASK_EVERY),
        })
    }

    /// Another handle to its socket.
    pub(super) fn socket(&self) -> io::Result<UnixStream> {
        self.connection.socket()
    }

    /// Until the stream ends.
    pub(super) fn run(mut self) -> Result<(), ProtocolError> {
        let mut has_stored = false;
        loop {
            // Pieces of one period come together, and other messages between them.
            if has_stored && !self.connection.has_more() {
                has_stored = false;
                self.callback.wake_reader();
                self.rest_or_wake()?;
                self.ask_when_due()?;
            }
            match self.connection.receive()? {
                ServerMessage::Sound(bytes) => {
                    let (frames, _) = bytes.as_chunks::<{ size_of::<f32>() }>();
                    self.samples.clear();
                    self.samples.extend(frames.iter().map(|frame| f32::from_le_bytes(*frame)));
                    self.callback.store(&self.samples, |sample| sample);
                    has_stored = true;
                }
                ServerMessage::Reply(to, reply) if self.question.is_over_by(to) => {
                    let answer = reply.read()?;
                    self.stats.lags(age(&answer, self.device.bytes_per_second()));
                }
                ServerMessage::DevicesChanged => self.stats.devices_changed(),
                ServerMessage::Stumbled => self.stats.error(ErrorSeverity::Passing),
                ServerMessage::Ended => return Ok(()),
                ServerMessage::Refusal(to, _) => _ = self.question.is_over_by(to),
                ServerMessage::Wants(_) | ServerMessage::Reply(..) => {}
            }
        }
    }

    /// Asks for blocks as long as they are to be now.
    fn rest_or_wake(&mut self) -> Result<(), ProtocolError> {
        let may_rest = self.stats.may_rest();
        if may_rest != self.is_resting {
            self.is_resting = may_rest;
            let params = SetRecordStreamBufferAttrParams {
                index: self.channel,
                buffer_attr: fragments(self.device.period_bytes(may_rest)),
                adjust_latency: true,
                early_requests: false,
            };
            self.connection.send(&Command::SetRecordStreamBufferAttr(params))?;
            self.question.ask_anew(ASK_EVERY);
        }
        Ok(())
    }

    /// Right behind a block the device has just delivered, so its answer is about the newest sample.
    fn ask_when_due(&mut self) -> Result<(), ProtocolError> {
        let now = Instant::now();
        if self.question.is_due(now) {
            let params = LatencyParams { channel: self.channel, now: SystemTime::now() };
            self.question.put(self.connection.send(&Command::GetRecordLatency(params))?, now);
        }
        Ok(())
    }
}

/// Returns buffer attributes for blocks of `length` bytes, of which at most one waits.
fn fragments(length: u32) -> BufferAttr {
    BufferAttr { max_length: length, fragment_size: length, ..BufferAttr::default() }
}

/// Returns the age of the newest sample of a block: samples in the server's queue are newer. Pure.
fn age(answer: &RecordLatency, bytes_per_second: u64) -> Duration {
    let waiting = answer.write_offset.saturating_sub(answer.read_offset).max(0) as u64;
    let waiting_micros = waiting.saturating_mul(1_000_000) / bytes_per_second.max(1);
    Duration::from_micros(answer.source_usec.saturating_add(waiting_micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_is_as_old_as_the_device_says_and_as_what_waits_behind_it() {
        let (local_time, remote_time) = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH);
        let answer = |write_offset, read_offset| RecordLatency {
            sink_usec: 0,
            source_usec: 7_000,
            playing: true,
            local_time,
            remote_time,
            write_offset,
            read_offset,
        };
        assert_eq!(age(&answer(5000, 5000), 1000), Duration::from_millis(7));
        assert_eq!(age(&answer(5004, 5000), 1000), Duration::from_millis(11));
        assert_eq!(age(&answer(4000, 5000), 1000), Duration::from_millis(7), "more was read than written");
    }
}
