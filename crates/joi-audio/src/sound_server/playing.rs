//! A loudspeaker's stream on a sound server.
//!
//! In: the server's requests. Out: blocks of [`SpeakerBlocks`], silence included, each as long as a period.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant, SystemTime};

use pulseaudio::protocol::stream::BufferAttr;
use pulseaudio::protocol::{
    Command, CreatePlaybackStreamReply, LatencyParams, PlaybackStreamParams, Prop, Props, ProtocolError,
    SetPlaybackStreamBufferAttrParams, SubscriptionMask,
};

use super::connection::{ServerConnection, ServerMessage};
use super::latency_question::LatencyQuestion;
use super::server_device::{ServerDevice, flags};
use super::sink_clock::SinkClock;
use crate::speaker_blocks::SpeakerBlocks;
use crate::stream_supervisor::ErrorSeverity;

/// Between two questions about where its sound is, which a clock bridges.
const ASK_EVERY: Duration = Duration::from_millis(250);

/// The same at rest: what is at the loudspeaker then is silence.
const ASK_AT_REST: Duration = Duration::from_secs(1);

/// A stream that plays.
pub(super) struct ServerPlayback {
    connection: ServerConnection,
    channel: u32,
    device: ServerDevice,
    /// Bytes the server wants.
    wanted: usize,
    blocks: SpeakerBlocks,
    is_resting: bool,
    clock: SinkClock,
    samples: Vec<f32>,
    question: LatencyQuestion,
}

impl ServerPlayback {
    /// Asks for the stream.
    pub(super) fn start(
        mut connection: ServerConnection,
        device: ServerDevice,
        blocks: SpeakerBlocks,
    ) -> Result<Self, ProtocolError> {
        let mut props = Props::new();
        props.set(Prop::MediaName, c"Voice");
        let period = device.period_bytes(false);
        let stream: CreatePlaybackStreamReply =
            connection.ask(&Command::CreatePlaybackStream(PlaybackStreamParams {
                sample_spec: device.spec,
                channel_map: device.channel_map(),
                buffer_attr: requests(period),
                sink_name: Some(device.name.clone()),
                flags: flags(),
                props,
                ..PlaybackStreamParams::default()
            }))?;
        connection.watch(SubscriptionMask::SINK)?;
        connection.wait_for_ever()?;
        let full = u64::from(2 * period) * 1_000_000 / device.bytes_per_second().max(1);
        let clock = SinkClock::new(device.bytes_per_second(), Duration::from_micros(full));
        Ok(Self {
            connection,
            channel: stream.channel,
            device,
            wanted: stream.requested_bytes as usize,
            blocks,
            is_resting: false,
            clock,
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
        loop {
            self.serve()?;
            match self.connection.receive()? {
                ServerMessage::Wants(bytes) => self.wanted += bytes,
                ServerMessage::Reply(to, reply) if self.question.is_over_by(to) => {
                    self.clock.observe(&reply.read()?, Instant::now());
                }
                ServerMessage::DevicesChanged => self.blocks.stats().devices_changed(),
                ServerMessage::Stumbled => self.blocks.stats().error(ErrorSeverity::Passing),
                ServerMessage::Ended => return Ok(()),
                ServerMessage::Refusal(to, _) => _ = self.question.is_over_by(to),
                ServerMessage::Sound(_) | ServerMessage::Reply(..) => {}
            }
        }
    }

    /// Sends all that is wanted, a period at a time, and asks for the position behind it.
    fn serve(&mut self) -> Result<(), ProtocolError> {
        let frame = self.device.channels() * size_of::<f32>();
        let period = self.device.period_bytes(self.is_resting) as usize;
        let mut has_played = false;
        while self.wanted >= frame {
            let bytes = self.wanted.min(period) / frame * frame;
            self.samples.resize(bytes / size_of::<f32>(), 0.0);
            self.blocks.fill(&mut self.samples, self.clock.latency(Instant::now()), |sample| sample);
            self.connection.play(self.channel, &self.samples)?;
            self.clock.wrote(bytes);
            self.wanted -= bytes;
            has_played = true;
        }
        if !has_played {
            return Ok(());
        }
        self.rest_or_wake()?;
        let now = Instant::now();
        if self.question.is_due(now) {
            let params = LatencyParams { channel: self.channel, now: SystemTime::now() };
            self.question.put(self.connection.send(&Command::GetPlaybackLatency(params))?, now);
        }
        Ok(())
    }

    /// Asks to be asked for as much as it is to be now.
    fn rest_or_wake(&mut self) -> Result<(), ProtocolError> {
        let may_rest = self.blocks.may_rest();
        if may_rest != self.is_resting {
            self.is_resting = may_rest;
            let params = SetPlaybackStreamBufferAttrParams {
                index: self.channel,
                buffer_attr: requests(self.device.period_bytes(may_rest)),
                adjust_latency: true,
                early_requests: false,
            };
            self.connection.send(&Command::SetPlaybackStreamBufferAttr(params))?;
            self.question.ask_anew(if may_rest { ASK_AT_REST } else { ASK_EVERY });
        }
        Ok(())
    }
}

/// One period is played while the next one waits; the server asks for whole ones.
fn requests(period: u32) -> BufferAttr {
    BufferAttr {
        max_length: 2 * period,
        target_length: 2 * period,
        minimum_request_length: period,
        ..BufferAttr::default()
    }
}
