//! Serves a satellite: it describes itself to everybody, and one server at a time uses it.
//!
//! One task. In: connections, what the ears hear, what was played. Out: events. The first connection that does more than ask
//! what is there is the server, until it ends or falls silent; another one is refused with a reason. Peers outside of private
//! networks are refused.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::ears::{UnitEars, UnitHeard};
use super::mouth::UnitMouth;
use super::talk::{UnitAct, UnitMode, UnitTalk};
use crate::parts::error_event;
use crate::peer::is_private;
use crate::sound::FormatError;
use crate::wire::{WireError, WireEvent, WireReader};

/// Bytes read at once.
const READ: usize = 16 * 1024;
/// For a peer to take what it is sent.
const WRITE: Duration = Duration::from_secs(5);
/// A peer that only asks what is there does so within this time.
const ASKING: Duration = Duration::from_secs(5);
/// Interval between two questions whether the server is there, and its longest silence.
const ASK_EVERY: Duration = Duration::from_secs(5);
const SILENT: Duration = Duration::from_secs(20);
/// Connections at the same time.
const PEERS: usize = 4;

/// What a satellite says of itself.
#[derive(Debug, Clone, Default)]
pub struct UnitInfo {
    /// Its name.
    pub name: String,
    /// The room it stands in; nothing where that is not known.
    pub area: Option<String>,
    /// Its wake phrases; none where the server listens for them.
    pub phrases: Vec<String>,
}

/// A satellite.
pub struct UnitParts {
    /// What it says of itself.
    pub info: UnitInfo,
    /// When it sends sound.
    pub mode: UnitMode,
    /// Its ears.
    pub ears: UnitEars,
    /// Its mouth.
    pub mouth: UnitMouth,
}

/// Why a connection has ended.
#[derive(Debug, thiserror::Error)]
enum UnitError {
    #[error("{0}")]
    Connection(#[from] std::io::Error),
    #[error("{0}")]
    Wire(#[from] WireError),
    #[error("{0}")]
    Format(#[from] FormatError),
    #[error("it has said nothing for too long")]
    Silent,
}

impl UnitInfo {
    fn event(&self) -> WireEvent {
        let words: Vec<String> = self.phrases.iter().map(|phrase| crate::offer::wire_name(phrase)).collect();
        let satellite = json!({
            "name": self.name, "attribution": { "name": "Joi", "url": env!("CARGO_PKG_REPOSITORY") },
            "installed": true, "description": "Ears and mouth of Joi", "version": env!("CARGO_PKG_VERSION"),
            "area": self.area, "has_vad": false, "active_wake_words": words,
            "max_active_wake_words": words.len(), "supports_trigger": false,
        });
        let mut info: Value = ["asr", "tts", "wake", "handle", "intent", "mic", "snd"]
            .into_iter()
            .map(|list| (list.to_owned(), json!([])))
            .collect::<serde_json::Map<_, _>>()
            .into();
        info["satellite"] = satellite;
        WireEvent::new("info", info)
    }
}

/// A connection that has done more than ask what is there.
struct UnitServer {
    stream: TcpStream,
    peer: SocketAddr,
    reader: WireReader,
    /// What it has sent besides.
    first: WireEvent,
}

/// Serves on `listener` until `stop`.
pub async fn serve_unit(listener: TcpListener, mut parts: UnitParts, stop: CancellationToken) {
    let mut info = Vec::new();
    parts.info.event().write(&mut info);
    loop {
        // Every arm is dropped for good when another one is taken.
        let server = tokio::select! {
            () = stop.cancelled() => return,
            server = next_server(&listener, &info) => server,
            () = deaf(&mut parts) => continue,
        };
        let peer = server.peer;
        tracing::info!(%peer, "a server is connected");
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = serve(server, &info, &mut parts) => ended,
            () = refuse_others(&listener, &info) => continue,
        };
        parts.ears.wanted.store(false, Ordering::Relaxed);
        match ended {
            Ok(()) => tracing::info!(%peer, "the server has closed the connection"),
            Err(why) => tracing::warn!(%peer, %why, "the server is gone"),
        }
    }
}

/// Drops what is heard and played while there is no server.
async fn deaf(parts: &mut UnitParts) {
    loop {
        // Both arms are cancel-safe.
        tokio::select! {
            heard = parts.ears.heard.recv() => if heard.is_none() { std::future::pending().await },
            () = parts.mouth.played() => {}
        }
    }
}

/// Waits for a connection that wants more than to know what is there.
async fn next_server(listener: &TcpListener, info: &[u8]) -> UnitServer {
    let mut asking = tokio::task::JoinSet::new();
    loop {
        // Both arms are cancel-safe.
        tokio::select! {
            accepted = listener.accept(), if asking.len() < PEERS => {
                if let Ok((stream, peer)) = accepted && is_private(peer.ip()) {
                    let _ = stream.set_nodelay(true);
                    asking.spawn(asked(stream, peer, info.to_vec()));
                }
            }
            Some(over) = asking.join_next() => {
                if let Ok(Some(server)) = over {
                    return server;
                }
            }
        }
    }
}

/// Refuses whoever wants to use a satellite that has a server; it describes itself all the same.
async fn refuse_others(listener: &TcpListener, info: &[u8]) {
    loop {
        let mut other = next_server(listener, info).await;
        let text = "the satellite has a server already";
        // A peer that does not read gets no reason.
        let _ = timeout(WRITE, other.stream.write_all(&error_event(text, "busy"))).await;
    }
}

/// Describes itself to a peer as often as that asks; returns the peer once it wants more.
async fn asked(mut stream: TcpStream, peer: SocketAddr, info: Vec<u8>) -> Option<UnitServer> {
    let (mut reader, mut buffer) = (WireReader::default(), vec![0; READ]);
    loop {
        while let Some(event) = reader.next().ok()? {
            match event.kind.as_str() {
                "describe" => timeout(WRITE, stream.write_all(&info)).await.ok()?.ok()?,
                _ => return Some(UnitServer { stream, peer, reader, first: event }),
            }
        }
        match timeout(ASKING, stream.read(&mut buffer)).await.ok()?.ok()? {
            0 => return None,
            count => reader.push(&buffer[..count]),
        }
    }
}

/// Serves the server until its connection ends.
async fn serve(server: UnitServer, info: &[u8], parts: &mut UnitParts) -> Result<(), UnitError> {
    let UnitServer { mut stream, mut reader, first, .. } = server;
    let (mut talk, mut out, mut buffer) = (UnitTalk::new(parts.mode), Vec::new(), vec![0; READ]);
    let (mut asks, mut heard_at) = (interval(ASK_EVERY), Instant::now());
    act(talk.event(first)?, &mut out, parts).await;
    loop {
        while let Some(event) = reader.next()? {
            match event.kind.as_str() {
                "describe" => out.extend_from_slice(info),
                _ => act(talk.event(event)?, &mut out, parts).await,
            }
        }
        parts.ears.wanted.store(talk.streams(), Ordering::Relaxed);
        if !out.is_empty() {
            let written = timeout(WRITE, stream.write_all(&out)).await;
            written.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??;
            out.clear();
        }
        // Every arm is cancel-safe.
        tokio::select! {
            read = stream.read(&mut buffer) => match read? {
                0 => return Ok(()),
                count => {
                    heard_at = Instant::now();
                    reader.push(&buffer[..count]);
                }
            },
            Some(heard) = parts.ears.heard.recv() => match heard {
                UnitHeard::Woke(phrase) => act(talk.woke(&phrase), &mut out, parts).await,
                UnitHeard::Sound(samples) => {
                    talk.heard(&samples).iter().for_each(|event| event.write(&mut out));
                }
            },
            () = parts.mouth.played() => talk.played().write(&mut out),
            _ = asks.tick() => {
                if heard_at.elapsed() >= SILENT {
                    return Err(UnitError::Silent);
                }
                WireEvent::new("ping", json!({ "text": null })).write(&mut out);
            }
        }
    }
}

async fn act(acts: Vec<UnitAct>, out: &mut Vec<u8>, parts: &mut UnitParts) {
    for act in acts {
        match act {
            UnitAct::Send(event) => event.write(out),
            UnitAct::Play(samples) => parts.mouth.play(samples).await,
            UnitAct::PlayedOut => parts.mouth.end().await,
            UnitAct::Silence => parts.mouth.silence(),
            UnitAct::Tone => parts.mouth.tone(),
        }
    }
}
