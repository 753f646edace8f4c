//! Rooms over real sockets: a satellite written here, faithful to those that people own, and one that is broken. The
//! microphone and the loudspeaker of the room are the real ones of `joi-audio`; what listens and speaks is the test.

mod connection;
mod meaning;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use joi_audio::{AudioSource as _, MuteSwitch, PlayEvent, Player, RemoteMicrophone, SourceEvent, Volume};

use super::{
    RoomAddress, RoomLink, RoomMeter, RoomNotice, RoomSignal, RoomTimer, RoomTimerState, RoomTimes,
    follow_room,
};
use crate::wire::{WireEvent, WireReader};

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(60);

/// A room whose satellite is the test.
struct Bench {
    listener: TcpListener,
    source: Option<RemoteMicrophone>,
    player: Player,
    played: Receiver<PlayEvent>,
    signals: Sender<RoomSignal>,
    notices: Receiver<RoomNotice>,
    timers: watch::Sender<Vec<RoomTimer>>,
    mute: MuteSwitch,
    meter: RoomMeter,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Bench {
    async fn new() -> Self {
        Self::within(RoomTimes {
            again: (Duration::from_millis(1), Duration::from_millis(5)),
            ..RoomTimes::default()
        })
        .await
    }

    async fn within(times: RoomTimes) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = RoomAddress { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        let (mute, meter, stop) = (MuteSwitch::default(), RoomMeter::default(), CancellationToken::new());
        let (source, microphone) = RemoteMicrophone::new(&mute);
        let (player, played, speaker) = Player::remote(Volume::percent(100));
        let ((signals, taken), (noticed, notices)) = (channel(64), channel(4));
        let timers = watch::channel(Vec::new());
        let link = RoomLink {
            name: "kitchen".into(),
            address,
            phrase: "hey joi".into(),
            microphone,
            speaker,
            mute: mute.clone(),
            meter: meter.clone(),
            timers: timers.1,
            times,
            notices: noticed,
        };
        let task = tokio::spawn(follow_room(link, taken, stop.clone()));
        Self {
            listener,
            source: Some(source),
            player,
            played,
            signals,
            notices,
            timers: timers.0,
            mute,
            meter,
            stop,
            task,
        }
    }

    /// The next connection, before anything was said on it.
    async fn connection(&self) -> Satellite {
        let (stream, _) = timeout(FOR_EVER, self.listener.accept()).await.unwrap().unwrap();
        Satellite { stream, reader: WireReader::default() }
    }

    /// The next connection, on which the satellite was described and made to run.
    async fn device(&self) -> Satellite {
        let mut satellite = self.connection().await;
        satellite.until("describe").await;
        satellite.send("info", info()).await;
        satellite.until("run-satellite").await;
        satellite
    }

    async fn signal(&self, signal: RoomSignal) {
        self.signals.send(signal).await.unwrap();
    }

    /// The next event of the microphone but silence, and its sound.
    async fn heard(&mut self) -> (SourceEvent, Vec<f32>) {
        let mut source = self.source.take().unwrap();
        let reading = tokio::task::spawn_blocking(move || {
            loop {
                let mut samples = Vec::new();
                let event = source.read(&mut samples);
                if event != SourceEvent::Nothing {
                    return (source, event, samples);
                }
            }
        });
        let (source, event, samples) = timeout(FOR_EVER, reading).await.unwrap().unwrap();
        self.source = Some(source);
        (event, samples)
    }

    async fn event(&mut self) -> SourceEvent {
        self.heard().await.0
    }

    async fn end(self) {
        self.stop.cancel();
        timeout(FOR_EVER, self.task).await.unwrap().unwrap();
    }
}

fn info() -> Value {
    let attribution = json!({ "name": "", "url": "" });
    let satellite =
        json!({ "name": "Kitchen", "area": "Kitchen", "attribution": attribution, "installed": true });
    json!({ "asr": [], "tts": [], "wake": [], "satellite": satellite })
}

/// The other end.
struct Satellite {
    stream: TcpStream,
    reader: WireReader,
}

impl Satellite {
    async fn send(&mut self, kind: &str, data: Value) {
        self.write(WireEvent::new(kind, data)).await;
    }

    async fn write(&mut self, event: WireEvent) {
        self.stream.write_all(&event.bytes()).await.unwrap();
    }

    async fn say(&mut self, samples: usize) {
        let data = json!({ "rate": 16_000, "width": 2, "channels": 1, "timestamp": 0 });
        let pcm = 16_384_i16.to_le_bytes().repeat(samples);
        self.write(WireEvent::new("audio-chunk", data).with_payload(pcm)).await;
    }

    /// The next event but a question whether it is there, which is answered.
    async fn next(&mut self) -> Option<WireEvent> {
        loop {
            while let Some(event) = self.reader.next().unwrap() {
                match event.kind.as_str() {
                    "ping" => self.send("pong", json!({ "text": null })).await,
                    _ => return Some(event),
                }
            }
            let mut buffer = [0; 4096];
            match timeout(FOR_EVER, self.stream.read(&mut buffer)).await.unwrap() {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.reader.push(&buffer[..count]),
            }
        }
    }

    /// The next event of `kind`; those before it are skipped.
    async fn until(&mut self, kind: &str) -> WireEvent {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("closed before {kind}"));
            if event.kind == kind {
                return event;
            }
        }
    }
}
