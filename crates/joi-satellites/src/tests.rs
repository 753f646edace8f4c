//! The server over real sockets: conversations of clients, and clients that are broken or mean harm. Ears and voice are
//! scripted here; with the real models, `tests/stories/rooms.rs` of the program and `make test-peers` talk to it.

mod faults;
mod talk;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use joi_language::Language;

use crate::ears::{EarOrder, SatelliteEars};
use crate::parts::{AnswerFuture, WyomingMeter, WyomingParts, WyomingTimes};
use crate::server::serve_wyoming;
use crate::voice::{SatelliteVoice, VoiceOrder};
use crate::wire::{WireEvent, WireReader};
use crate::{HearingOffer, VoiceOffer, WyomingOffer};

/// Only against a test that would never end.
const FOR_EVER: Duration = Duration::from_secs(60);

/// A server whose ears and voice are scripted by the test.
struct Served {
    address: SocketAddr,
    meter: WyomingMeter,
    ears: mpsc::Receiver<EarOrder>,
    voice: mpsc::Receiver<VoiceOrder>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Served {
    async fn new() -> Self {
        Self::within((16, 16), WyomingTimes::default()).await
    }

    async fn within(connections: (usize, usize), times: WyomingTimes) -> Self {
        let offer = WyomingOffer {
            hearing: Some(HearingOffer { model: "whisper".into(), languages: vec!["en".into()] }),
            voices: vec![VoiceOffer::new("joe".into(), Arc::new(Language::load("en").unwrap()))],
            phrases: vec!["hey joi".into(), "hey jarvis".into()],
            languages: vec!["en".into()],
            converses: true,
        };
        let (ears, heard) = SatelliteEars::unstaffed();
        let (voice, spoken) = SatelliteVoice::unstaffed();
        let answer = |text: joi_base::message::Private<String>| -> AnswerFuture {
            let is_wish = text.0.starts_with("unlock");
            Box::pin(async move {
                if is_wish { Err("I can't.".into()) } else { Ok(format!("You said {}", text.0)) }
            })
        };
        let meter = WyomingMeter::default();
        let parts = WyomingParts {
            offer,
            ears: Some(ears),
            voice: Some(voice),
            answerer: Some(Arc::new(answer)),
            connections,
            times,
            meter: meter.clone(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let task = tokio::spawn(serve_wyoming(listener, parts, stop.clone()));
        Self { address, meter, ears: heard, voice: spoken, stop, task }
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(FOR_EVER)).unwrap();
        Client { stream, reader: WireReader::default() }
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }

    async fn order(&mut self) -> EarOrder {
        tokio::time::timeout(FOR_EVER, self.ears.recv()).await.unwrap().unwrap()
    }

    async fn text(&mut self) -> VoiceOrder {
        tokio::time::timeout(FOR_EVER, self.voice.recv()).await.unwrap().unwrap()
    }
}

/// A client that blocks: the server has threads of its own in these tests.
struct Client {
    stream: TcpStream,
    reader: WireReader,
}

impl Client {
    fn send(&mut self, kind: &str, data: Value) -> &mut Self {
        self.bytes(&WireEvent::new(kind, data).bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.stream.write_all(bytes).unwrap();
        self
    }

    fn sound(&mut self, samples: usize, timestamp: u64) -> &mut Self {
        let data = json!({ "rate": 16_000, "width": 2, "channels": 1, "timestamp": timestamp });
        let event = WireEvent::new("audio-chunk", data).with_payload(vec![0; samples * 2]);
        self.bytes(&event.bytes())
    }

    /// The next event; nothing where the server has closed the connection.
    fn event(&mut self) -> Option<WireEvent> {
        loop {
            if let Some(event) = self.reader.next().unwrap() {
                return Some(event);
            }
            let mut buffer = [0; 4096];
            // A connection that is reset has no more events either.
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.reader.push(&buffer[..count]),
            }
        }
    }

    /// The next event, which is one of `kind`; its data.
    #[track_caller]
    fn expect(&mut self, kind: &str) -> Value {
        let event = self.event().unwrap_or_else(|| panic!("closed before {kind}"));
        assert_eq!(event.kind, kind, "{event:?}");
        event.data.into()
    }

    /// The text of the error behind which the connection is closed.
    #[track_caller]
    fn refusal(&mut self) -> String {
        let error = self.expect("error");
        assert!(self.event().is_none(), "it is still open");
        error["text"].as_str().unwrap().to_owned()
    }
}
