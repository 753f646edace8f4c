//! The conversion of successive clips of one rate, between which no joint is to be heard.

use crate::audio::resample::{RateError, Resampler};

/// A resampler, and where its samples are in the sink.
pub(super) struct Stream {
    resampler: Resampler,
    rate: u32,
    /// The sink's counter at the first sample of the stream.
    base: u64,
    taken: u64,
    /// Another part of the same sound follows, and may be late.
    pub(super) is_unfinished: bool,
}

impl Stream {
    /// From one rate to another, from `base` on.
    pub(super) fn new((rate, to): (u32, u32), base: u64) -> Result<Self, RateError> {
        Ok(Self { resampler: Resampler::new(rate, to)?, rate, base, taken: 0, is_unfinished: false })
    }

    pub(super) fn rate(&self) -> u32 {
        self.rate
    }

    /// Where the next sample will be.
    pub(super) fn position(&self) -> u64 {
        self.base + self.resampler.position(self.taken)
    }

    pub(super) fn push(&mut self, samples: &[f32], converted: &mut Vec<f32>) {
        self.resampler.push(samples, converted);
        self.taken += samples.len() as u64;
    }

    pub(super) fn finish(mut self, converted: &mut Vec<f32>) {
        self.resampler.finish(converted);
    }
}
