//! The result of one decode, before it is decided whether it is used. Pure: no I/O; the clock only measures.

use std::time::Instant;

use super::window;
use joi_base::message::Transcript;

/// The result of one decode, before it is decided whether it is used.
pub(super) struct DecodePass {
    pub(super) text: String,
    pub(super) mean_logprob: f32,
    pub(super) no_speech: f32,
    pub(super) ran_away: bool,
}

impl DecodePass {
    /// Makes it the transcript of a decode that began at `started`.
    pub(super) fn transcript(self, audio_ctx: u32, language: Option<String>, started: Instant) -> Transcript {
        Transcript {
            language,
            generation: 0,
            revision: 0,
            text: window::said_once(&self.text).to_owned(),
            mean_logprob: self.mean_logprob,
            no_speech: self.no_speech,
            audio_ctx,
            ran_away: self.ran_away,
            took: started.elapsed(),
        }
    }
}
