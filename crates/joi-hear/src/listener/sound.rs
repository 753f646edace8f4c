//! A block of sound as it comes to the listener, with its level and its time of capture.
//!
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use crate::vad::FRAME;
use joi_audio::{RATE, Tracks};

/// A block of sound on its way to the listener.
#[derive(Debug, Clone, Copy)]
pub struct SoundBlock<'a> {
    /// The samples to process.
    pub samples: &'a [f32],
    /// The same block in other processing states, where echo was removed.
    pub tracks: Option<Tracks<'a>>,
}

impl<'a> From<&'a [f32]> for SoundBlock<'a> {
    fn from(samples: &'a [f32]) -> Self {
        Self { samples, tracks: None }
    }
}

/// The level of a frame in dB, the full scale being 0.
pub(super) fn level_db(frame: &[f32; FRAME]) -> f32 {
    let power = frame.iter().map(|s| s * s).sum::<f32>() / FRAME as f32;
    10.0 * (power + 1e-10).log10()
}

/// Number of samples in `length`.
pub(super) fn samples(length: Duration) -> u64 {
    (length.as_micros() * u128::from(RATE) / 1_000_000) as u64
}

/// Returns the moment `samples` before `now`.
pub(crate) fn earlier(now: Instant, samples: u64) -> Instant {
    now.checked_sub(Duration::from_micros(samples * 1_000_000 / u64::from(RATE))).unwrap_or(now)
}
