//! The sound that a client gets: texts, spoken one after the other.
//!
//! Part of the task of a connection. In: texts. Out: one cycle of `audio-start`, chunks and `audio-stop` for each request,
//! in one format. The voice is given the next sentence when the sound of the one before is there.

use std::future::pending;
use std::sync::Arc;

use serde_json::json;

use super::TalkError;
use crate::offer::VoiceOffer;
use crate::parts::WyomingServer;
use crate::sound::{PcmFormat, pcm_of};
use crate::speech::{SpeechEnd, SpeechQueue, SpeechStep};
use crate::voice::{SpokenSound, VoiceChunk};
use crate::wire::WireEvent;

/// Samples of an event with sound, as other servers have it.
const CHUNK: usize = 1_024;

/// What a connection speaks.
pub(super) struct SatelliteSpeaking {
    pub(super) queue: SpeechQueue,
    /// The text that is being spoken.
    sound: Option<SpokenSound>,
    /// Of the cycle: its format, and the number of samples so far.
    cycle: Option<(PcmFormat, u64)>,
}

impl SatelliteSpeaking {
    pub(super) fn new(voices: Arc<[VoiceOffer]>) -> Self {
        Self { queue: SpeechQueue::new(voices), sound: None, cycle: None }
    }

    /// Returns whether pieces of a text are awaited.
    pub(super) fn is_open(&self) -> bool {
        self.queue.is_open() && self.sound.is_none()
    }

    /// Returns whether something is spoken or awaited.
    pub(super) fn is_busy(&self) -> bool {
        self.queue.is_open() || self.sound.is_some() || self.cycle.is_some()
    }

    /// Begins the next text, unless one is being spoken.
    pub(super) async fn go_on(&mut self, server: &WyomingServer, out: &mut Vec<u8>) -> Result<(), TalkError> {
        while self.sound.is_none() {
            match self.queue.next() {
                None => return Ok(()),
                Some(SpeechStep::Say { voice, text }) => {
                    let speaker = server.parts.voice.as_ref().ok_or_else(ended)?;
                    self.sound = Some(speaker.say(voice, text).await.ok_or_else(ended)?);
                }
                Some(SpeechStep::End(end)) => self.end(end, out),
            }
        }
        Ok(())
    }

    /// Waits for the next sound; never where nothing is spoken. Cancel-safe.
    pub(super) async fn next_chunk(&mut self) -> Option<Result<VoiceChunk, String>> {
        match &mut self.sound {
            Some(sound) => sound.chunk().await,
            None => pending().await,
        }
    }

    /// Sends some sound; nothing is the end of a text.
    pub(super) fn chunk(
        &mut self,
        chunk: Option<Result<VoiceChunk, String>>,
        out: &mut Vec<u8>,
    ) -> Result<(), TalkError> {
        let Some(chunk) = chunk else {
            self.sound = None;
            return Ok(());
        };
        let VoiceChunk { samples, rate } = chunk.map_err(|why| TalkError::refused("failed", why))?;
        let (format, position) = self.cycle.get_or_insert_with(|| {
            let format = PcmFormat::of_voice(rate);
            sound_event("audio-start", format, 0).write(out);
            (format, 0)
        });
        for part in samples.chunks(CHUNK) {
            sound_event("audio-chunk", *format, *position).with_payload(pcm_of(part)).write(out);
            *position += part.len() as u64;
        }
        Ok(())
    }

    fn end(&mut self, end: SpeechEnd, out: &mut Vec<u8>) {
        let cycle = self.cycle.take();
        let timestamp = cycle.map(|(format, position)| millis(position, format.rate));
        // Whoever sent a whole text waits for this, also where there was nothing to say.
        if timestamp.is_some() || end == SpeechEnd::Whole {
            WireEvent::new("audio-stop", json!({ "timestamp": timestamp })).write(out);
        }
        if end == SpeechEnd::Pieces {
            WireEvent::new("synthesize-stopped", json!({})).write(out);
        }
    }
}

/// An event with a format, at `position` in samples.
fn sound_event(kind: &str, format: PcmFormat, position: u64) -> WireEvent {
    let PcmFormat { rate, width, channels } = format;
    let timestamp = millis(position, rate);
    WireEvent::new(
        kind,
        json!({ "rate": rate, "width": width, "channels": channels, "timestamp": timestamp }),
    )
}

fn millis(position: u64, rate: u32) -> u64 {
    position * 1_000 / u64::from(rate)
}

fn ended() -> TalkError {
    TalkError::refused("unavailable", "text to speech does not run here; `joi status` says why")
}
