//! A satellite over real sockets: the server is the test, and so is what is heard; what is played goes into a file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use joi_audio::{Pace, Player, read_wav};

use super::talk::{UnitAct, UnitTalk};
use super::{UnitEars, UnitHeard, UnitInfo, UnitMode, UnitMouth, UnitParts, serve_unit};
use crate::wire::{WireEvent, WireReader};

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(60);

struct Bench {
    address: std::net::SocketAddr,
    heard: Sender<UnitHeard>,
    wanted: Arc<AtomicBool>,
    player: Player,
    folder: tempfile::TempDir,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Bench {
    async fn new(mode: UnitMode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (player, events) = Player::to_wav(folder.path().join("out.wav"), 16_000, Pace::Fast).unwrap();
        let (ears, heard) = UnitEars::unstaffed();
        let wanted = Arc::clone(&ears.wanted);
        let mouth = UnitMouth::spawn(player.clone(), events).unwrap();
        let info = UnitInfo { name: "kitchen".into(), area: None, phrases: vec!["hey jarvis".into()] };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let parts = UnitParts { info, mode, ears, mouth };
        let task = tokio::spawn(serve_unit(listener, parts, stop.clone()));
        Self { address, heard, wanted, player, folder, stop, task }
    }

    async fn server(&self) -> Server {
        Server { stream: TcpStream::connect(self.address).await.unwrap(), reader: WireReader::default() }
    }

    /// A server that makes it run.
    async fn running(&self) -> Server {
        let mut server = self.server().await;
        server.send("run-satellite", json!({})).await;
        server
    }

    /// Waits until sound is wanted, or not wanted any more.
    async fn until_wanted(&self, is_wanted: bool) {
        let waiting = async {
            while self.wanted.load(Ordering::Relaxed) != is_wanted {
                tokio::task::yield_now().await;
            }
        };
        timeout(FOR_EVER, waiting).await.unwrap();
    }

    async fn end(self) {
        self.stop.cancel();
        timeout(FOR_EVER, self.task).await.unwrap().unwrap();
    }
}

struct Server {
    stream: TcpStream,
    reader: WireReader,
}

impl Server {
    async fn send(&mut self, kind: &str, data: Value) {
        self.stream.write_all(&WireEvent::new(kind, data).bytes()).await.unwrap();
    }

    /// The next event but a ping; nothing where the connection is closed.
    async fn next(&mut self) -> Option<WireEvent> {
        loop {
            while let Some(event) = self.reader.next().unwrap() {
                if event.kind != "ping" {
                    return Some(event);
                }
            }
            let mut buffer = [0; 4096];
            match timeout(FOR_EVER, self.stream.read(&mut buffer)).await.unwrap() {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.reader.push(&buffer[..count]),
            }
        }
    }

    async fn expect(&mut self, kind: &str) -> WireEvent {
        let event = self.next().await.unwrap_or_else(|| panic!("closed before {kind}"));
        assert_eq!(event.kind, kind, "{event:?}");
        event
    }
}

fn sound() -> UnitHeard {
    UnitHeard::Sound(vec![0.5; 320])
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_leaves_the_machine_from_the_phrase_to_the_transcript_and_to_the_server_alone() {
    let bench = Bench::new(UnitMode::OnPhrase).await;
    bench.heard.send(UnitHeard::Woke("hey jarvis".into())).await.unwrap();
    let mut curious = bench.server().await;
    curious.send("describe", json!({})).await;
    let info = Value::from(curious.expect("info").await.data);
    assert_eq!(
        (&info["satellite"]["name"], info["asr"].as_array().map(Vec::len)),
        (&json!("kitchen"), Some(0))
    );
    assert_eq!(info["satellite"]["active_wake_words"], json!(["hey_jarvis"]));

    let mut server = bench.running().await;
    server.send("describe", json!({})).await;
    server.expect("info").await;
    bench.heard.send(sound()).await.unwrap();
    bench.heard.send(UnitHeard::Woke("hey jarvis".into())).await.unwrap();
    assert_eq!(server.expect("detection").await.data["name"], "hey_jarvis", "the sound before it stays here");
    let pipeline = Value::from(server.expect("run-pipeline").await.data);
    assert_eq!(
        (&pipeline["start_stage"], &pipeline["wake_word_name"]),
        (&json!("asr"), &json!("hey_jarvis"))
    );
    bench.until_wanted(true).await;
    bench.heard.send(sound()).await.unwrap();
    assert_eq!(server.expect("audio-chunk").await.payload.len(), 640);
    let mut other = bench.running().await;
    assert_eq!(other.expect("error").await.data["code"], "busy");
    assert!(other.next().await.is_none());
    server.send("transcript", json!({ "text": "" })).await;
    bench.until_wanted(false).await;
    bench.heard.send(sound()).await.unwrap();
    server.send("ping", json!({ "text": "x" })).await;
    assert_eq!(server.expect("pong").await.data["text"], "x");
    drop(server);
    // The next one takes its place.
    let mut next = bench.server().await;
    loop {
        // It is refused, and its connection closed, until the end of the one before was seen.
        let both = [("run-satellite", json!({})), ("ping", json!({ "text": "y" }))];
        let bytes = both.map(|(kind, data)| WireEvent::new(kind, data).bytes()).concat();
        let is_written = next.stream.write_all(&bytes).await.is_ok();
        match next.next().await {
            Some(event) if is_written && event.kind == "pong" => break,
            _ => next = bench.server().await,
        }
    }
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_is_played_and_its_end_is_reported() {
    let bench = Bench::new(UnitMode::OnPhrase).await;
    let mut server = bench.running().await;
    let format = json!({ "rate": 16_000, "width": 2, "channels": 1 });
    server.send("audio-start", format.clone()).await;
    for _ in 0..50 {
        let chunk = WireEvent::new("audio-chunk", format.clone());
        let chunk = chunk.with_payload(8_192_i16.to_le_bytes().repeat(1_024));
        server.stream.write_all(&chunk.bytes()).await.unwrap();
    }
    server.send("audio-stop", json!({})).await;
    server.expect("played").await;
    server.send("audio-start", format).await;
    server.send("audio-stop", json!({})).await;
    server.expect("played").await;
    let (player, file) = (bench.player.clone(), bench.folder.path().join("out.wav"));
    tokio::task::spawn_blocking(move || player.finish()).await.unwrap().unwrap();
    let loud = read_wav(file, 16_000).unwrap().iter().filter(|sample| **sample > 0.2).count();
    assert!((51_000..=51_200).contains(&loud), "{loud}");
    bench.end().await;
}

#[test]
fn a_device_that_always_sends_waits_for_no_phrase_and_a_paused_one_sends_nothing() {
    let mut talk = UnitTalk::new(UnitMode::Always);
    assert!(talk.heard(&[0.5]).is_none(), "nobody has made it run");
    let acts = talk.event(WireEvent::new("run-satellite", json!({}))).unwrap();
    let UnitAct::Send(pipeline) = &acts[0] else { panic!("{acts:?}") };
    assert_eq!((pipeline.kind.as_str(), &pipeline.data["start_stage"]), ("run-pipeline", &json!("wake")));
    assert!(talk.heard(&[0.5]).is_some());
    talk.event(WireEvent::new("transcript", json!({ "text": "" }))).unwrap();
    assert!(talk.heard(&[0.5]).is_some(), "it may be followed up");
    assert_eq!(talk.woke("hey jarvis"), []);
    assert_eq!(talk.event(WireEvent::new("detection", json!({}))).unwrap(), [UnitAct::Tone]);
    talk.event(WireEvent::new("pause-satellite", json!({}))).unwrap();
    assert!(talk.heard(&[0.5]).is_none());
    let mut talk = UnitTalk::new(UnitMode::OnPhrase);
    assert_eq!(talk.woke("hey jarvis"), [], "it does not run");
    let chunk = WireEvent::new("audio-chunk", json!({ "rate": 16_000, "width": 2, "channels": 1 }));
    talk.event(chunk.with_payload(vec![0; 64])).unwrap();
    let stop = WireEvent::new("audio-stop", json!({ "flush": true }));
    assert_eq!(talk.event(stop).unwrap(), [UnitAct::Silence]);
}
