//! The stream of events of an open page: server-sent events.
//!
//! A task for each stream. In: events of the program, the level of the microphone. Out: events for the script of the page,
//! with their labels in its language. A browser that takes nothing loses its stream and its connection, nobody else does.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use joi_language::page::PageWords;
use joi_serve::LongAnswer;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::rooms::now::state_label;
use crate::state::SharedPage;
use crate::{LiveEvent, LiveFeed, PageHost};

/// Events that a browser has not taken yet. When full, it loses its stream.
const WAITING: usize = 64;
/// How long a stream lasts; the browser opens the next one.
const LASTS: Duration = Duration::from_secs(3600);
/// A stream without events shows after this time that it is alive.
const ALIVE_EVERY: Duration = Duration::from_secs(15);
/// Interval between two levels.
const LEVEL_EVERY: Duration = Duration::from_millis(250);
/// A level that differs by less is not sent, in dB.
const LEVEL_STEP: f32 = 1.5;

/// Serves a stream.
pub(crate) async fn events<H: PageHost>(State(server): SharedPage<H>, headers: HeaderMap) -> Response {
    let Some(visitor) = server.visitor(&headers) else { return StatusCode::UNAUTHORIZED.into_response() };
    let Ok(place) = Arc::clone(&server.streams).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "10")]).into_response();
    };
    let (sender, receiver) = mpsc::channel(WAITING);
    // Ends with the log-in, with the program, and where the browser does not read.
    let cut = visitor.over.child_token();
    let pump = EventPump {
        feed: server.host.live(),
        words: server.look(&headers, String::new()).words,
        out: sender,
        cut: cut.clone(),
        level: None,
    };
    let (host, stop) = (Arc::clone(&server.host), server.stop.clone());
    tokio::spawn(async move {
        pump.run(&*host, stop).await;
        drop(place);
    });
    let chunks = futures_util::stream::unfold(receiver, |mut receiver: mpsc::Receiver<Bytes>| async move {
        receiver.recv().await.map(|chunk| (Ok::<_, Infallible>(chunk), receiver))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    let mut response = (kind, Body::from_stream(chunks)).into_response();
    response.extensions_mut().insert(LongAnswer { lasts: LASTS, cut });
    response
}

struct EventPump {
    feed: LiveFeed,
    words: Arc<PageWords>,
    out: Sender<Bytes>,
    cut: CancellationToken,
    level: Option<f32>,
}

impl EventPump {
    /// Sends events until the stream is over.
    async fn run<H: PageHost>(mut self, host: &H, stop: CancellationToken) {
        let now = host.now();
        let mut is_open = self.send(&LiveEvent::State { state: now.state, note: now.note });
        let mut levels = interval(LEVEL_EVERY);
        levels.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut alive = interval(ALIVE_EVERY);
        while is_open {
            // Every arm is cancel-safe.
            is_open = tokio::select! {
                () = stop.cancelled() => break,
                () = self.cut.cancelled() => break,
                () = self.out.closed() => break,
                event = self.feed.recv() => match event {
                    Ok(event) => self.send(&event),
                    Err(RecvError::Lagged(_) | RecvError::Closed) => break,
                },
                _ = levels.tick() => self.send_level(host.level_db()),
                _ = alive.tick() => self.put(Bytes::from_static(b":\n\n")),
            };
        }
        if !is_open {
            tracing::debug!("a page takes no events and loses its stream");
        }
        // What waits in the socket of a browser that does not read is dropped with it.
        self.cut.cancel();
    }

    fn send_level(&mut self, level: Option<f32>) -> bool {
        let is_same = match (self.level, level) {
            (None, None) => true,
            (Some(before), Some(now)) => (before - now).abs() < LEVEL_STEP,
            (None, Some(_)) | (Some(_), None) => false,
        };
        if is_same {
            return true;
        }
        self.level = level;
        self.put(chunk("level", &json!({ "db": level.map(f32::round) })))
    }

    fn send(&self, event: &LiveEvent) -> bool {
        let Ok(mut value) = serde_json::to_value(event) else { return true };
        let name = value.get("event").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(label) = label(event, &self.words) {
            value["label"] = label.into();
        }
        self.put(chunk(&name, &value))
    }

    /// Whether the stream goes on.
    fn put(&self, chunk: Bytes) -> bool {
        self.out.try_send(chunk).is_ok()
    }
}

/// Returns what an event is called.
fn label(event: &LiveEvent, words: &PageWords) -> Option<String> {
    let now = &words.now;
    Some(match event {
        LiveEvent::State { state, .. } => state_label(state, now).to_owned(),
        LiveEvent::Woke { phrase } => joi_language::fill(&now.woke, &[("phrase", phrase)]),
        LiveEvent::Called => now.listens.clone(),
        LiveEvent::Heard { .. } => now.you.clone(),
        LiveEvent::Ignored { why, .. } => joi_language::fill(&now.ignored, &[("why", why)]),
        LiveEvent::Announced { .. } => now.announced.clone(),
        LiveEvent::Rings { .. } => now.rings.clone(),
        LiveEvent::Answered { .. } => now.why.clone(),
        LiveEvent::Words { .. } | LiveEvent::Aside { .. } => return None,
    })
}

/// Returns an event in the format of the stream. JSON holds no line break, so that no text ends an event.
fn chunk(name: &str, value: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {value}\n\n"))
}
