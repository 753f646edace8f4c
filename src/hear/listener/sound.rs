//! PURE: sound as it comes to the listener, how loud it is, and when it was.

use std::time::{Duration, Instant};

use crate::audio::{RATE, Tracks};
use crate::hear::vad::FRAME;

/// A stretch of sound on its way to the listener.
#[derive(Debug, Clone, Copy)]
pub struct Sound<'a> {
    /// What to listen to.
    pub samples: &'a [f32],
    /// The same stretch with less taken out of it, where her own voice was.
    pub tracks: Option<Tracks<'a>>,
}

impl<'a> From<&'a [f32]> for Sound<'a> {
    fn from(samples: &'a [f32]) -> Self {
        Self { samples, tracks: None }
    }
}

/// The level of a frame in dB, the full scale being 0.
pub(super) fn level_db(frame: &[f32; FRAME]) -> f32 {
    let power = frame.iter().map(|s| s * s).sum::<f32>() / FRAME as f32;
    10.0 * (power + 1e-10).log10()
}

/// So many samples fit into `length`.
pub(super) fn samples(length: Duration) -> u64 {
    (length.as_micros() * u128::from(RATE) / 1_000_000) as u64
}

/// The moment `samples` before `now`.
pub(in crate::hear) fn earlier(now: Instant, samples: u64) -> Instant {
    now.checked_sub(Duration::from_micros(samples * 1_000_000 / u64::from(RATE))).unwrap_or(now)
}
