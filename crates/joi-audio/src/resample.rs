//! Converts a stream of samples from one rate to another, band-limited. Pure but for its own buffers.
//!
//! In: mono f32 in chunks of any length. Out: the same sound at the other rate, without the filter's delay:
//! sample `i` of the output corresponds to sample `i · from / to` of the input. The result does not depend on
//! the chunk sizes. Refuses a rate of zero.

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler as _};
use thiserror::Error;

/// A pair of rates that can't be converted: the rate of an input file or device is nonsensical.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("sound at {from} Hz can't be converted to {to} Hz; rates must lie between 1000 and 768000 Hz")]
pub struct RateError {
    /// Rate of the input in Hz.
    pub from: u32,
    /// Rate of the output in Hz.
    pub to: u32,
}

/// Rates of real sound; anything else is a broken header.
const RATES: std::ops::RangeInclusive<u32> = 1_000..=768_000;

/// Frames in one block: 10 ms at 48 kHz, a compromise between delay and sharpness of the filter.
const BLOCK: usize = 480;

/// Converts a mono stream from one rate to another.
pub struct Resampler {
    from: u32,
    to: u32,
    /// Nothing when both rates are the same.
    filter: Option<Filter>,
    taken: u64,
    given: u64,
}

struct Filter {
    fft: Fft<f32>,
    block: Vec<f32>,
    filled: usize,
    out: Vec<f32>,
    /// Nothing of the block before reaches into the next one: it was silence, or there was none.
    is_still: bool,
    /// Output frames of the filter's delay that are still to be dropped.
    lead: usize,
}

impl Resampler {
    /// Creates a converter between two rates in Hz.
    ///
    /// # Errors
    /// When a rate is outside 1000..=768000 Hz.
    pub fn new(from: u32, to: u32) -> Result<Self, RateError> {
        if !RATES.contains(&from) || !RATES.contains(&to) {
            return Err(RateError { from, to });
        }
        let filter = if from == to { None } else { Some(Filter::new(from, to)?) };
        Ok(Self { from, to, filter, taken: 0, given: 0 })
    }

    /// Takes the next samples and appends what is ready to `out`.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.taken += samples.len() as u64;
        let before = out.len();
        match &mut self.filter {
            None => out.extend_from_slice(samples),
            Some(filter) => filter.push(samples, out),
        }
        self.given += (out.len() - before) as u64;
    }

    /// Ends the stream: appends what is still buffered and starts anew.
    ///
    /// Over the whole stream exactly [`Resampler::position`] of its length comes out.
    pub fn finish(&mut self, out: &mut Vec<f32>) {
        let due = (self.position(self.taken) - self.given) as usize;
        if let Some(filter) = &mut self.filter {
            let end = out.len() + due;
            while out.len() < end {
                let silence = filter.block.len() - filter.filled;
                filter.pad(silence, out);
            }
            out.truncate(end);
            filter.reset();
        }
        self.taken = 0;
        self.given = 0;
    }

    /// Returns the position in the output that corresponds to the input's sample `taken`, rounded to the nearest
    /// sample.
    pub fn position(&self, taken: u64) -> u64 {
        let (from, to) = (u128::from(self.from), u128::from(self.to));
        ((u128::from(taken) * to + from / 2) / from) as u64
    }
}

impl Filter {
    fn new(from: u32, to: u32) -> Result<Self, RateError> {
        let (from_frames, to_frames) = (from as usize, to as usize);
        let fft = Fft::new(from_frames, to_frames, block_len(from, to), 1, FixedSync::Both)
            .map_err(|_| RateError { from, to })?;
        let block = vec![0.0; fft.input_frames_max()];
        let out = vec![0.0; fft.output_frames_max()];
        let lead = fft.output_delay();
        Ok(Self { fft, block, filled: 0, out, is_still: true, lead })
    }

    fn push(&mut self, mut samples: &[f32], out: &mut Vec<f32>) {
        while !samples.is_empty() {
            let take = samples.len().min(self.block.len() - self.filled);
            self.block[self.filled..self.filled + take].copy_from_slice(&samples[..take]);
            self.filled += take;
            samples = &samples[take..];
            self.run_when_full(out);
        }
    }

    /// Appends `silence` zeros.
    fn pad(&mut self, silence: usize, out: &mut Vec<f32>) {
        self.block[self.filled..self.filled + silence].fill(0.0);
        self.filled += silence;
        self.run_when_full(out);
    }

    fn run_when_full(&mut self, out: &mut Vec<f32>) {
        if self.filled < self.block.len() {
            return;
        }
        self.filled = 0;
        let is_silent = self.block.iter().all(|sample| *sample == 0.0);
        if is_silent && self.is_still {
            // Nobody speaks for most of a day, and the filter would make the same of it.
            self.out.fill(0.0);
        } else if !self.convert_block() {
            return;
        }
        self.is_still = is_silent;
        let skip = self.lead.min(self.out.len());
        self.lead -= skip;
        out.extend_from_slice(&self.out[skip..]);
    }

    /// Runs the filter over the block. The buffers have exactly the lengths it asked for, so this can't fail.
    fn convert_block(&mut self) -> bool {
        let (frames_in, frames_out) = (self.block.len(), self.out.len());
        let input = InterleavedSlice::new(&self.block[..], 1, frames_in);
        let output = InterleavedSlice::new_mut(&mut self.out[..], 1, frames_out);
        let (Ok(input), Ok(mut output)) = (input, output) else { return false };
        self.fft.process_into_buffer(&input, &mut output, None).is_ok()
    }

    fn reset(&mut self) {
        self.fft.reset();
        self.filled = 0;
        self.is_still = true;
        self.lead = self.fft.output_delay();
    }
}

/// At least [`BLOCK`] input frames, such that half of the corresponding output frames is a whole number: that
/// is the filter's delay, and only whole frames can be dropped.
fn block_len(from: u32, to: u32) -> usize {
    let (mut a, mut b) = (from, to);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let (unit, made) = ((from / a) as usize, (to / a) as usize);
    let units = BLOCK.div_ceil(unit);
    if units * made % 2 == 0 { units * unit } else { (units + 1) * unit }
}

/// Converts all of `samples`.
///
/// # Errors
/// When a rate is outside 1000..=768000 Hz.
pub fn resample(samples: &[f32], from: u32, to: u32) -> Result<Vec<f32>, RateError> {
    let mut resampler = Resampler::new(from, to)?;
    let mut out = Vec::with_capacity(resampler.position(samples.len() as u64) as usize + BLOCK);
    resampler.push(samples, &mut out);
    resampler.finish(&mut out);
    Ok(out)
}

#[cfg(test)]
mod tests;
