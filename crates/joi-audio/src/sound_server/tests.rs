//! The streams against a server that is scripted to the byte; the real one is in the stories.

use std::io::{BufReader, Cursor, Write};
use std::sync::mpsc;
use std::time::SystemTime;

use pulseaudio::protocol::{
    self, AuthReply, Command, CommandReply, CreatePlaybackStreamReply, CreateRecordStreamReply,
    PlaybackLatency, RecordLatency, Request, SampleFormat, SampleSpec, SetClientNameReply, SubscriptionEvent,
    SubscriptionEventFacility, SubscriptionEventType, SubscriptionMask,
};

use super::super::MuteSwitch;
use super::super::gain::InputGain;
use super::super::playback_callback::{PlaybackCallback, PlaybackControls, RingSink, playback_ring};
use super::super::ring::{RingReader, ring};
use super::super::sink::AudioSink;
use super::connection::ServerMessage;
use super::*;
use pulseaudio::protocol::stream::BufferAttr;

const VERSION: u16 = 32;
const CHANNEL: u32 = 3;

/// The server's end.
struct ScriptedServer(BufReader<UnixStream>);

impl ScriptedServer {
    fn next(&mut self) -> (u32, Command) {
        protocol::read_command_message(&mut self.0, VERSION).expect("a command")
    }

    fn reply(&mut self, to: u32, reply: &impl CommandReply) {
        protocol::write_reply_message(self.0.get_mut(), to, reply, VERSION).expect("written");
    }

    fn send(&mut self, event: &Command) {
        protocol::write_command_message(self.0.get_mut(), u32::MAX, event, VERSION).expect("written");
    }

    fn sound(&mut self, samples: &[f32]) {
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        protocol::write_memblock(self.0.get_mut(), CHANNEL, &bytes, 0).expect("written");
    }

    /// The samples of the next message.
    fn played(&mut self) -> Vec<f32> {
        let descriptor = protocol::read_descriptor(&mut self.0).expect("a descriptor");
        assert_eq!(descriptor.channel, CHANNEL);
        let mut bytes = vec![0; descriptor.length as usize];
        std::io::Read::read_exact(&mut self.0, &mut bytes).expect("sound");
        bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }

    fn refuse(&mut self, to: u32) {
        protocol::write_error(self.0.get_mut(), to, &PulseError::NotSupported).expect("written");
    }

    /// Accepts the stream's subscription to device events.
    fn watched(&mut self, wanted: SubscriptionMask) {
        let (to, Command::Subscribe(devices)) = self.next() else { panic!("no subscription") };
        assert_eq!(devices, wanted);
        protocol::write_ack_message(self.0.get_mut(), to).expect("written");
    }

    fn device(&mut self, event_type: SubscriptionEventType) {
        let event_facility = SubscriptionEventFacility::Source;
        self.send(&Command::SubscribeEvent(SubscriptionEvent { event_facility, event_type, index: Some(1) }));
    }

    fn greet(&mut self) {
        let (to, Command::Auth(auth)) = self.next() else { panic!("no greeting") };
        assert!(!auth.supports_shm && !auth.supports_memfd);
        assert_eq!(auth.cookie, [7; 256]);
        self.reply(to, &AuthReply { version: VERSION, ..AuthReply::default() });
        let (to, Command::SetClientName(_)) = self.next() else { panic!("no name") };
        self.reply(to, &SetClientNameReply { client_id: 1 });
    }
}

/// A connection to a server that does what `script` says, on a thread.
fn connect(script: impl FnOnce(ScriptedServer) + Send + 'static) -> Result<ServerConnection, ProtocolError> {
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    thread::spawn(move || script(ScriptedServer(BufReader::new(theirs))));
    ServerConnection::greet(ours, vec![7; 256], c"Joi")
}

/// Stereo at 1000 Hz in periods of 20 frames.
fn device() -> ServerDevice {
    let spec = SampleSpec { format: SampleFormat::Float32Le, channels: 2, sample_rate: 1000 };
    ServerDevice { name: c"mic".into(), spec, period_frames: 20 }
}

fn capture(stats: &Arc<CallbackStats>) -> (CaptureCallback, RingReader) {
    let (writer, reader) = ring(100);
    (CaptureCallback::new(writer, MuteSwitch::default(), stats, InputGain::db(0.0), (2, 1000)), reader)
}

fn record(
    connection: ServerConnection,
    callback: CaptureCallback,
    stats: &Arc<CallbackStats>,
) -> Result<ServerRecording, ProtocolError> {
    ServerRecording::start(connection, device(), callback, Arc::clone(stats))
}

/// The callback of a speaker that plays everything as it is.
fn loudspeaker(may_rest: bool) -> (RingSink, PlaybackCallback) {
    let controls = PlaybackControls { rest: Arc::new(may_rest.into()), ..PlaybackControls::default() };
    controls.gain.store(1.0_f32.to_bits(), std::sync::atomic::Ordering::Relaxed);
    controls.duck.store(1.0_f32.to_bits(), std::sync::atomic::Ordering::Relaxed);
    let (sink, callback, _far) = playback_ring(1000, controls);
    (sink, callback)
}

#[test]
fn a_recording_delivers_what_comes_and_how_old_it_is_and_ends_with_its_device() {
    let connection = connect(|mut server| {
        server.greet();
        let (to, Command::CreateRecordStream(params)) = server.next() else { panic!("no stream") };
        assert_eq!(params.source_name.as_deref(), Some(c"mic"));
        assert_eq!(params.buffer_attr.fragment_size, 20 * 2 * 4);
        server.reply(to, &CreateRecordStreamReply { channel: CHANNEL, ..Default::default() });
        server.watched(SubscriptionMask::SOURCE);
        server.sound(&[0.25, 0.75, -0.5, -0.5]);
        let (to, Command::GetRecordLatency(params)) = server.next() else { panic!("no question") };
        assert_eq!(params.channel, CHANNEL);
        let (local_time, remote_time) = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH);
        let (sink_usec, source_usec, playing) = (0, 12_000, true);
        let (write_offset, read_offset) = (16, 16);
        server.reply(
            to,
            &RecordLatency {
                sink_usec,
                source_usec,
                playing,
                local_time,
                remote_time,
                write_offset,
                read_offset,
            },
        );
        server.send(&Command::Overflow(CHANNEL));
        server.device(SubscriptionEventType::New);
        server.device(SubscriptionEventType::Changed);
        server.device(SubscriptionEventType::Removed);
        server.sound(&[0.1, 0.3]);
        server.send(&Command::RecordStreamKilled(CHANNEL));
        // It stays connected: the event ends the stream.
        let _ = protocol::read_descriptor(&mut server.0);
    });
    let stats = Arc::<CallbackStats>::default();
    let (callback, mut heard) = capture(&stats);
    let recording = record(connection.expect("greeted"), callback, &stats).expect("started");
    recording.run().expect("it ends");
    let mut samples = vec![];
    heard.drain(&mut samples);
    assert_eq!(samples, [0.5, -0.5, 0.2]);
    assert_eq!(stats.latency(), std::time::Duration::from_millis(12));
    assert_eq!((stats.counts().callbacks, stats.counts().errors), (2, 1));
    assert_eq!(
        stats.counts().changes,
        3,
        "it tells of devices, one came, one went; a louder one is the same"
    );
}

#[test]
fn a_loudspeaker_sends_what_is_asked_for_in_whole_periods_and_knows_when_it_is_heard() {
    let (told, played) = mpsc::channel();
    let connection = connect(move |mut server| {
        server.greet();
        let (to, Command::CreatePlaybackStream(params)) = server.next() else { panic!("no stream") };
        assert_eq!((params.buffer_attr.target_length, params.buffer_attr.minimum_request_length), (320, 160));
        let requested_bytes = 320;
        server.reply(
            to,
            &CreatePlaybackStreamReply { channel: CHANNEL, requested_bytes, ..Default::default() },
        );
        server.watched(SubscriptionMask::SINK);
        told.send(server.played()).expect("told");
        told.send(server.played()).expect("told");
        let (to, Command::GetPlaybackLatency(_)) = server.next() else { panic!("no question") };
        let (local_time, remote_time) = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH);
        server.reply(
            to,
            &PlaybackLatency {
                sink_usec: 500_000,
                source_usec: 0,
                playing: false,
                local_time,
                remote_time,
                write_offset: 320,
                read_offset: 0,
                underrun_for: 0,
                playing_for: 0,
            },
        );
        server.send(&Command::Request(Request { channel: CHANNEL, length: 84 }));
        told.send(server.played()).expect("told");
    });
    let stats = Arc::<CallbackStats>::default();
    let (mut sink, callback) = loudspeaker(false);
    sink.push(&[0.5; 30], 1.0);
    let blocks = SpeakerBlocks::new(callback, &stats, (2, 1000));
    let playing = ServerPlayback::start(connection.expect("greeted"), device(), blocks).expect("started");
    playing.run().expect_err("the server is gone");
    let blocks: Vec<Vec<f32>> = played.iter().collect();
    assert_eq!(blocks.iter().map(Vec::len).collect::<Vec<_>>(), [40, 40, 20], "whole frames");
    let first = &blocks[0];
    assert!(first.iter().all(|sample| (sample - 0.5).abs() < 1e-6), "{first:?}");
    assert_eq!(blocks[1][38..], [0.0, 0.0], "nothing more was there");
    // Of the last block: 40 frames are before it, and 500 ms in the device.
    assert_eq!(stats.latency(), std::time::Duration::from_millis(540));
}

#[test]
fn a_period_in_pieces_wakes_its_reader_once() {
    let (stop, stopped) = mpsc::channel::<()>();
    let connection = connect(move |mut server| {
        server.greet();
        let (to, _) = server.next();
        server.reply(to, &CreateRecordStreamReply { channel: CHANNEL, ..Default::default() });
        server.watched(SubscriptionMask::SOURCE);
        let mut pieces = Vec::new();
        for sample in [0.25_f32, 0.5, 0.75] {
            let bytes = [sample.to_le_bytes(), sample.to_le_bytes()].concat();
            protocol::write_memblock(&mut pieces, CHANNEL, &bytes, 0).expect("written");
        }
        // The last piece is not the last message.
        protocol::write_command_message(&mut pieces, u32::MAX, &Command::Overflow(CHANNEL), VERSION)
            .expect("written");
        server.0.get_mut().write_all(&pieces).expect("written");
        let _ = stopped.recv();
    });
    let stats = Arc::<CallbackStats>::default();
    let (callback, mut reader) = capture(&stats);
    let recording = record(connection.expect("greeted"), callback, &stats);
    let recording = recording.expect("started");
    let (told, heard) = mpsc::channel();
    let waiting = Arc::clone(&stats);
    let (ready_told, ready) = mpsc::channel();
    thread::spawn(move || {
        waiting.read_here();
        ready_told.send(()).expect("told");
        let mut samples = vec![];
        while samples.is_empty() {
            thread::park();
            reader.drain(&mut samples);
        }
        told.send(samples).expect("told");
    });
    ready.recv().expect("somebody waits");
    let stream =
        flow("stream", recording.socket().expect("a socket"), Arc::clone(&stats), move || recording.run());
    let limit = std::time::Duration::from_secs(60);
    assert_eq!(heard.recv_timeout(limit), Ok(vec![0.25, 0.5, 0.75]), "all of it at once");
    drop((stream, stop));
}

#[test]
fn at_rest_a_recording_comes_in_longer_blocks() {
    let stats = Arc::<CallbackStats>::default();
    let rests = Arc::clone(&stats);
    let connection = connect(move |mut server| {
        server.greet();
        let (to, _) = server.next();
        server.reply(to, &CreateRecordStreamReply { channel: CHANNEL, ..Default::default() });
        server.watched(SubscriptionMask::SOURCE);
        for (may_rest, frames) in [(true, 40), (false, 20)] {
            rests.let_rest(may_rest);
            server.sound(&[0.25, 0.75]);
            let (to, Command::SetRecordStreamBufferAttr(params)) = server.next() else { panic!("as before") };
            assert_eq!((params.index, params.adjust_latency), (CHANNEL, true));
            assert_eq!(params.buffer_attr.fragment_size, frames * 2 * 4);
            // How old the sound is has changed with it.
            let (question, Command::GetRecordLatency(_)) = server.next() else { panic!("no question") };
            server.refuse(to);
            server.refuse(question);
            server.sound(&[0.25, 0.75]);
        }
        server.send(&Command::RecordStreamKilled(CHANNEL));
        let _ = protocol::read_descriptor(&mut server.0);
    });
    let (callback, mut heard) = capture(&stats);
    let recording = record(connection.expect("greeted"), callback, &stats).expect("started");
    recording.run().expect("a server that does not do it is no fault");
    let mut samples = vec![];
    heard.drain(&mut samples);
    assert_eq!(samples, [0.5; 4]);
}

#[test]
fn at_rest_a_loudspeaker_is_asked_for_more_at_once_and_not_while_it_plays() {
    let (mut sink, callback) = loudspeaker(true);
    let (told, heard) = mpsc::channel();
    let connection = connect(move |mut server| {
        server.greet();
        let (to, _) = server.next();
        let requested_bytes = 160;
        sink.push(&[0.5; 20], 1.0);
        let reply = CreatePlaybackStreamReply { channel: CHANNEL, requested_bytes, ..Default::default() };
        server.reply(to, &reply);
        server.watched(SubscriptionMask::SINK);
        assert_eq!(server.played().len(), 40);
        let (question, Command::GetPlaybackLatency(_)) = server.next() else { panic!("it rests and plays") };
        server.refuse(question);
        // The clip is over; another one begins later.
        for (is_playing, asked, frames) in [(false, 160, 40), (true, 320, 20)] {
            if is_playing {
                sink.push(&[0.5; 20], 1.0);
            } else {
                AudioSink::rest(&mut sink);
            }
            server.send(&Command::Request(Request { channel: CHANNEL, length: asked }));
            assert_eq!(server.played().len(), asked as usize / 4, "in one piece");
            let (to, Command::SetPlaybackStreamBufferAttr(params)) = server.next() else {
                panic!("as before")
            };
            assert_eq!((params.index, params.adjust_latency), (CHANNEL, true));
            let BufferAttr { minimum_request_length, target_length, .. } = params.buffer_attr;
            assert_eq!((minimum_request_length, target_length), (frames * 8, 2 * frames * 8));
            let (question, Command::GetPlaybackLatency(_)) = server.next() else { panic!("no question") };
            server.refuse(to);
            server.refuse(question);
        }
        told.send(()).expect("told");
    });
    let stats = Arc::<CallbackStats>::default();
    let blocks = SpeakerBlocks::new(callback, &stats, (2, 1000));
    let playing = ServerPlayback::start(connection.expect("greeted"), device(), blocks).expect("started");
    playing.run().expect_err("the server is gone");
    heard.recv().expect("all of it was asked for");
}

#[test]
fn a_refusal_names_what_it_is_about() {
    let connection = connect(|mut server| {
        server.greet();
        let (to, _) = server.next();
        protocol::write_error(server.0.get_mut(), to, &PulseError::NoEntity).expect("written");
    });
    let stats = Arc::<CallbackStats>::default();
    let (callback, _reader) = capture(&stats);
    let recording = record(connection.expect("greeted"), callback, &stats);
    let error = recording.err().map(refused).expect("refused");
    assert_eq!(error.kind(), ErrorKind::DeviceNotAvailable);
    let kind = |error| refused(ProtocolError::ServerError(error)).kind();
    assert_eq!(kind(PulseError::AccessDenied), ErrorKind::PermissionDenied);
    assert_eq!(kind(PulseError::Busy), ErrorKind::DeviceBusy);
    let slow = refused(io::Error::from(io::ErrorKind::WouldBlock).into());
    assert!(slow.to_string().contains("does not answer"), "{slow}");
}

#[test]
fn a_stream_of_a_server_that_says_nothing_more_can_be_dropped() {
    let (stop, stopped) = mpsc::channel::<()>();
    let connection = connect(move |mut server| {
        server.greet();
        let (to, _) = server.next();
        server.reply(to, &CreateRecordStreamReply { channel: CHANNEL, ..Default::default() });
        let _ = stopped.recv();
    });
    let stats = Arc::<CallbackStats>::default();
    let (callback, _reader) = capture(&stats);
    let recording = record(connection.expect("greeted"), callback, &stats);
    let recording = recording.expect("started");
    let stream =
        flow("stream", recording.socket().expect("a socket"), Arc::clone(&stats), move || recording.run());
    drop(stream.expect("it flows"));
    assert!(stats.counts().lost, "its thread has ended");
    drop(stop);
}

#[test]
fn commands_that_are_unknown_are_left_out_and_nonsense_ends_the_stream() {
    let connection = connect(|mut server| {
        server.greet();
        // A server may offer another channel, which the crate has no words for.
        let mut unknown = Cursor::new(Vec::new());
        protocol::write_command_message(&mut unknown, 9, &Command::Overflow(1), VERSION).expect("written");
        let mut unknown = unknown.into_inner();
        unknown[protocol::DESCRIPTOR_SIZE + 4] = protocol::CommandTag::EnableSrbchannel as u8;
        server.0.get_mut().write_all(&unknown).expect("written");
        server.send(&Command::Overflow(1));
        let too_long = u32::MAX.to_be_bytes();
        server.0.get_mut().write_all(&[&too_long[..], &[0; 16]].concat()).expect("written");
        let _ = protocol::read_descriptor(&mut server.0);
    });
    let mut connection = connection.expect("greeted");
    assert!(matches!(connection.receive(), Ok(ServerMessage::Stumbled)));
    let error = connection.receive().expect_err("nothing is that long");
    assert!(matches!(error, ProtocolError::Invalid(_)), "{error}");
}
