//! Transcribes what was said into the microphone of a browser.
//!
//! In: samples. Out: the words that their sound supports. The model is that of the room, on its thread, which does what was
//! said there first; a request that nobody waits for any more is given up.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::app::library;
use crate::config::Config;
use joi_base::message::Private;
use joi_base::paths::Paths;
use joi_hear::transcribe_recording;
use joi_hear::transcript_filter::TranscriptFilterConfig;
use joi_hear::vad::{Vad, VadConfig};
use joi_hear::whisper::Lender;
use joi_page::PageFault;

/// How long it may take, what waits before it included: less than a request may.
const WITHIN: Duration = Duration::from_secs(15);

/// Turns sound into words.
pub(super) struct PageHearing {
    whisper: Lender,
    /// The file of the voice activity network.
    voices: Option<PathBuf>,
    vad: VadConfig,
    trust: TranscriptFilterConfig,
}

/// Gives a transcription up when nobody waits for it.
struct AbortOnDrop(Arc<AtomicBool>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl PageHearing {
    pub(super) fn new(config: &Config, paths: &Paths, whisper: Lender) -> Self {
        let voices = library(config, paths).ok().and_then(|library| library.path("silero-vad").ok());
        Self { whisper, voices, vad: config.hear.vad.clone(), trust: config.hear.trust.clone() }
    }

    /// Returns the words in `samples`.
    pub(super) async fn words(&self, samples: Vec<f32>) -> Result<Private<String>, PageFault> {
        let file = self.voices.clone().ok_or(PageFault::NotYet)?;
        let (vad, trust) = (self.vad.clone(), self.trust.clone());
        let abort = Arc::new(AtomicBool::new(false));
        let (given_up, until) = (AbortOnDrop(Arc::clone(&abort)), abort);
        let (reply, answer) = oneshot::channel();
        let is_taken = self.whisper.lend(move |whisper| {
            let words = Vad::load(&file, &vad).map_err(PageFault::of).and_then(|mut vad| {
                transcribe_recording(&samples, (&mut vad, whisper), &trust, &until).map_err(PageFault::of)
            });
            // Fails only when nobody waits any more.
            let _ = reply.send(words);
        });
        if !is_taken {
            return Err(PageFault::NotYet);
        }
        let answered = timeout(WITHIN, answer).await;
        drop(given_up);
        let words = answered.map_err(|_| PageFault::NotYet)?.map_err(|_| PageFault::NotYet)??;
        if words.text.is_empty() { Err(PageFault::Unclear) } else { Ok(Private(words.text)) }
    }
}
