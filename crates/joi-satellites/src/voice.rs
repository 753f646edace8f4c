//! A voice for texts that come over the network, on a thread of its own.
//!
//! Thread "satellite-voice": it owns voices that the local conversation does not use. In: speakable text, a sentence or a
//! part of one at a time, over a bounded queue; when that is full, the sender waits. Out: sound, chunk by chunk. A text
//! whose receiver is gone is broken off at the next chunk.

use std::time::Duration;

use tokio::sync::mpsc;

use joi_base::message::Private;
use joi_base::pulse::Heart;
use joi_speak::{LanguageVoice, LeadSilence};

/// Texts that wait. When full, the clients wait.
const ORDERS: usize = 16;
/// Chunks that a client has not taken: more than a text has, which is a minute of sound at most.
const CHUNKS: usize = 512;

/// Limit of the work on one text.
pub const TEXT_LIMIT: Duration = Duration::from_secs(60);

/// Some sound of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VoiceChunk {
    /// Mono, −1..1.
    pub(crate) samples: Vec<f32>,
    /// In Hz.
    pub(crate) rate: u32,
}

#[derive(Debug)]
pub(crate) struct VoiceOrder {
    /// The place of the voice among those that are offered.
    pub(crate) voice: usize,
    pub(crate) text: Private<String>,
    pub(crate) chunks: mpsc::Sender<Result<VoiceChunk, String>>,
}

/// The handle of the thread, which ends with the last one.
#[derive(Debug, Clone)]
pub struct SatelliteVoice(mpsc::Sender<VoiceOrder>);

impl SatelliteVoice {
    /// Starts the thread, on which `load` returns the voices in the order in which they are offered. It reports its work to
    /// `heart`.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn spawn(
        load: impl FnOnce() -> Vec<LanguageVoice> + Send + 'static,
        heart: Heart,
    ) -> std::io::Result<Self> {
        let (voice, inbox) = Self::unstaffed();
        std::thread::Builder::new()
            .name("satellite-voice".into())
            .spawn(move || speak_all(load(), inbox, &heart))?;
        Ok(voice)
    }

    /// Returns a handle, and the orders that come through it.
    pub(crate) fn unstaffed() -> (Self, mpsc::Receiver<VoiceOrder>) {
        let (orders, inbox) = mpsc::channel(ORDERS);
        (Self(orders), inbox)
    }

    /// Has `text` spoken. Waits while the queue is full; nothing where the thread has ended.
    pub(crate) async fn say(&self, voice: usize, text: String) -> Option<SpokenSound> {
        let (chunks, inbox) = mpsc::channel(CHUNKS);
        self.0.send(VoiceOrder { voice, text: Private(text), chunks }).await.ok()?;
        Some(SpokenSound(inbox))
    }
}

/// The sound of one text as it comes. Dropping it breaks the text off.
#[derive(Debug)]
pub(crate) struct SpokenSound(mpsc::Receiver<Result<VoiceChunk, String>>);

impl SpokenSound {
    /// Waits for the next chunk, or why none comes; nothing at the end. Cancel-safe.
    pub(crate) async fn chunk(&mut self) -> Option<Result<VoiceChunk, String>> {
        self.0.recv().await
    }
}

fn speak_all(mut voices: Vec<LanguageVoice>, mut inbox: mpsc::Receiver<VoiceOrder>, heart: &Heart) {
    while let Some(order) = inbox.blocking_recv() {
        let _working = heart.work();
        if let Some(voice) = voices.get_mut(order.voice) {
            speak(voice, &order);
        }
        if inbox.is_empty() {
            voices.iter_mut().for_each(rest);
        }
    }
}

fn speak(voice: &mut LanguageVoice, order: &VoiceOrder) {
    let (rate, chunks) = (voice.rate(), &order.chunks);
    let is_stopped = || chunks.is_closed();
    let mut is_taken = true;
    let said = voice.render_chunks((&order.text.0, LeadSilence::Cut), &is_stopped, |samples| {
        is_taken &= chunks.try_send(Ok(VoiceChunk { samples, rate })).is_ok();
    });
    if let Err(error) = said
        && !chunks.is_closed()
    {
        // Whoever asked may be gone by now.
        let _ = chunks.try_send(Err(error.to_string()));
    } else if !is_taken && !chunks.is_closed() {
        tracing::warn!("a text has more sound than a client may leave waiting; its end is missing");
    }
}

/// Frees the memory that a long text has left.
fn rest(voice: &mut LanguageVoice) {
    if let Err(error) = voice.voice.rest() {
        tracing::debug!(%error, "the memory of a voice stays as it is");
    }
}
