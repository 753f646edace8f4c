//! Streams: server-sent events and WebSocket messages, a reading each.
//!
//! The connection is opened by the first call and again after each failure. A message over the longest reading is dropped.

use std::collections::VecDeque;
use std::pin::Pin;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Stream, StreamExt};
use joi_home::SseFrames;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::url::UrlReader;
use super::{MOST_BYTES, Sensor, SensorFault, SensorReading, author, value_at};

type Pieces = Pin<Box<dyn Stream<Item = Result<Vec<u8>, SensorFault>> + Send>>;

/// Server-sent events.
pub struct SseSensor {
    reader: UrlReader,
    pointer: String,
    is_trusted: bool,
    open: Option<(Pieces, SseFrames)>,
    waiting: VecDeque<String>,
}

impl SseSensor {
    /// Follows the stream at `url`. Nothing is connected yet.
    ///
    /// # Errors
    /// The text is not an address, or no HTTP client can be made.
    pub fn new(url: &str, pointer: String, is_trusted: bool) -> Result<Self, SensorFault> {
        let (reader, waiting) = (UrlReader::new(url)?, VecDeque::new());
        Ok(Self { reader, pointer, is_trusted, open: None, waiting })
    }

    async fn message(&mut self) -> Result<String, SensorFault> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Ok(message);
            }
            let (pieces, frames) = match &mut self.open {
                Some(open) => open,
                None => {
                    let pieces: Pieces = Box::pin(self.reader.pieces("text/event-stream").await?);
                    self.open.insert((pieces, SseFrames::default()))
                }
            };
            let piece = pieces.next().await.unwrap_or(Err(SensorFault::Ended("the stream")));
            match piece {
                Ok(piece) => self.waiting.extend(frames.feed(&piece).into_iter().map(|frame| frame.data)),
                Err(fault) => {
                    self.open = None;
                    return Err(fault);
                }
            }
        }
    }
}

impl Sensor for SseSensor {
    fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>> {
        async move {
            let message = self.message().await?;
            Ok(SensorReading::of(value_at(&message, &self.pointer)?, author(self.is_trusted)))
        }
        .boxed()
    }
}

/// A WebSocket.
pub struct WebSocketSensor {
    url: String,
    pointer: String,
    is_trusted: bool,
    open: Option<WebSocketStream<MaybeTlsStream<TcpStream>>>,
}

impl WebSocketSensor {
    /// Follows the WebSocket at `url`. Nothing is connected yet.
    pub fn new(url: &str, pointer: String, is_trusted: bool) -> Self {
        Self { url: url.to_owned(), pointer, is_trusted, open: None }
    }

    async fn message(&mut self) -> Result<String, SensorFault> {
        let failed = |error: tokio_tungstenite::tungstenite::Error| {
            SensorFault::Unreadable(format!("cannot read the WebSocket: {error}"))
        };
        if self.open.is_none() {
            joi_base::tls::provide_crypto();
            let limits = WebSocketConfig::default()
                .max_message_size(Some(MOST_BYTES))
                .max_frame_size(Some(MOST_BYTES));
            let connecting = tokio_tungstenite::connect_async_with_config(&self.url, Some(limits), false);
            self.open = Some(connecting.await.map_err(failed)?.0);
        }
        loop {
            let Some(socket) = &mut self.open else { return Err(SensorFault::Ended("the WebSocket")) };
            let fault = match socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
                Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                    continue;
                }
                Some(Ok(Message::Close(_))) | None => SensorFault::Ended("the WebSocket"),
                Some(Err(error)) => failed(error),
            };
            self.open = None;
            return Err(fault);
        }
    }
}

impl Sensor for WebSocketSensor {
    fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>> {
        async move {
            let message = self.message().await?;
            Ok(SensorReading::of(value_at(&message, &self.pointer)?, author(self.is_trusted)))
        }
        .boxed()
    }
}
