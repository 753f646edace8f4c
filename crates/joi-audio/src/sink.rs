//! The interface between the feeder thread and whatever plays its samples: a device's ring or a WAV file.
//!
//! Owned and called by the feeder thread. In: samples at the sink's rate. Out: how many of them were played.

use std::time::{Duration, Instant};

use super::WavError;

/// Receives the feeder's samples.
pub(super) trait AudioSink: Send {
    /// Sample rate in Hz.
    fn rate(&self) -> u32;
    /// Takes what fits and returns how much; `volume` is for sinks that have no gain of their own.
    fn push(&mut self, samples: &[f32], volume: f32) -> usize;
    /// Returns how many of the pushed samples are done: played or discarded by a flush.
    fn position(&self) -> u64;
    /// Returns how many of the pushed samples were played.
    fn heard(&self) -> u64;
    /// Everything pushed so far is void.
    fn flush(&mut self, epoch: u64);
    /// Nothing more is coming for now: running empty does not count as an underrun.
    fn rest(&mut self);
    /// The next samples of a sound are late: on a file's timeline, time goes on; a device notices by itself.
    fn starve(&mut self) {}
    /// Returns when the sample at `position` of the counter, which passed it by `now`, was taken, and when it is heard.
    fn moment(&self, _position: u64, now: Instant) -> (Instant, Instant) {
        (now, now + self.delay())
    }
    /// Latency from the counter to the ear.
    fn delay(&self) -> Duration {
        Duration::ZERO
    }
    /// Adds silence to a file's timeline; a device needs none.
    fn silence(&mut self, _length: Duration) {}
    /// Ends a file and returns its length.
    fn close(&mut self) -> Result<Duration, WavError> {
        Ok(Duration::ZERO)
    }
}
