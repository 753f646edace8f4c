//! The parts of a Wyoming server that its connections share: what is served, by whom, within which limits; and its figures.
//!
//! Plain data, any task.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use joi_base::message::Private;

use super::ears::SatelliteEars;
use super::offer::{VoiceOffer, WyomingOffer};
use super::voice::SatelliteVoice;
use super::wire::WireEvent;

/// An answer to words, once it is there: what is to be said, or why nothing was done, for people.
pub type AnswerFuture = Pin<Box<dyn Future<Output = Result<String, String>> + Send>>;
/// Answers words of the conversation. Dropping the future ends the work on it.
pub type WordAnswerer = Arc<dyn Fn(Private<String>) -> AnswerFuture + Send + Sync>;

/// The parts of a server.
pub struct WyomingParts {
    /// Everything that is served.
    pub offer: WyomingOffer,
    /// Ears; needed for what hears.
    pub ears: Option<SatelliteEars>,
    /// A voice; needed for what speaks.
    pub voice: Option<SatelliteVoice>,
    /// Answers words; needed for the conversation.
    pub answerer: Option<WordAnswerer>,
    /// Most connections at the same time, and of one address.
    pub connections: (usize, usize),
    /// Time limits.
    pub times: WyomingTimes,
    /// Counts.
    pub meter: WyomingMeter,
}

/// Time limits of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WyomingTimes {
    /// For the next bytes of a request that was begun.
    pub idle: Duration,
    /// For the client to take a reply.
    pub write: Duration,
}

impl Default for WyomingTimes {
    fn default() -> Self {
        Self { idle: Duration::from_secs(30), write: Duration::from_secs(10) }
    }
}

/// Counts what a server does. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct WyomingMeter(Arc<MeterShared>);

#[derive(Debug, Default)]
struct MeterShared {
    open: AtomicUsize,
    requests: AtomicU64,
    refused: AtomicU64,
}

/// Figures of a server since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WyomingFigures {
    /// Connections that are open.
    pub connections: usize,
    /// Requests that were begun.
    pub requests: u64,
    /// Connections that were refused.
    pub refused: u64,
}

impl WyomingMeter {
    /// Returns the figures.
    pub fn figures(&self) -> WyomingFigures {
        let MeterShared { open, requests, refused } = &*self.0;
        WyomingFigures {
            connections: open.load(Ordering::Relaxed),
            requests: requests.load(Ordering::Relaxed),
            refused: refused.load(Ordering::Relaxed),
        }
    }

    /// A request was begun.
    pub(crate) fn request(&self) {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection was refused.
    pub(crate) fn refuse(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection until the result is dropped.
    pub(crate) fn open(&self) -> OpenCount {
        self.0.open.fetch_add(1, Ordering::Relaxed);
        OpenCount(Arc::clone(&self.0))
    }
}

/// A connection that is counted.
pub(crate) struct OpenCount(Arc<MeterShared>);

impl Drop for OpenCount {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Shared by the connections of a server.
pub(crate) struct WyomingServer {
    pub(crate) parts: WyomingParts,
    /// The bytes of the event `info`.
    pub(crate) info: Vec<u8>,
    pub(crate) voices: Arc<[VoiceOffer]>,
}

/// Returns the bytes of an event that says why something is not done.
pub(crate) fn error_event(text: &str, code: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    WireEvent::new("error", json!({ "text": text, "code": code })).write(&mut bytes);
    bytes
}
