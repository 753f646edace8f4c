//! Clips on their way through the sink, and the conversion of those of one rate, between which no joint is to be heard.

use super::Clip;
use crate::resample::{RateError, Resampler};

/// A resampler, shared by successive clips of one rate, and where its samples are in the sink.
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

/// A clip on its way through the sink.
pub(super) struct Flight {
    pub(super) clip: Clip,
    /// Samples of the clip that went into the conversion, or were played on a lost device.
    pub(super) fed: usize,
    /// The first of them that went into this sink.
    pub(super) from: usize,
    /// The sink's counter at the clip's first sample.
    pub(super) start: u64,
    /// The sink's counter behind the clip's last sample, once all of it is converted.
    pub(super) end: Option<u64>,
    pub(super) started: bool,
}
