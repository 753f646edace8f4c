//! PURE: sound as it comes to the listener, and how loud it is.

use crate::hear::vad::FRAME;

/// A stretch of sound on its way to the listener.
#[derive(Debug, Clone, Copy)]
pub struct Sound<'a> {
    /// What to listen to.
    pub samples: &'a [f32],
    /// The same stretch as the microphone captured it, where her own voice was taken out of it since.
    pub captured: Option<&'a [f32]>,
}

impl<'a> From<&'a [f32]> for Sound<'a> {
    fn from(samples: &'a [f32]) -> Self {
        Self { samples, captured: None }
    }
}

/// The level of a frame in dB, the full scale being 0.
pub(super) fn level_db(frame: &[f32; FRAME]) -> f32 {
    let power = frame.iter().map(|s| s * s).sum::<f32>() / FRAME as f32;
    10.0 * (power + 1e-10).log10()
}
