//! The blocks that a speaker's stream plays, in any sample format.
//!
//! Runs on the sound system's thread. In: the playback callback's samples and the latency of each block. Out: filled
//! blocks; the stream's counts get the latency, and a fatal error where more and more sound waits in the buffers.

use std::sync::Arc;
use std::time::Duration;

use super::backlog::Backlog;
use super::playback_callback::PlaybackCallback;
use super::stream_supervisor::{CallbackStats, ErrorSeverity};

/// Fills the blocks of one stream and reports when they will be heard.
pub(super) struct SpeakerBlocks {
    callback: PlaybackCallback,
    stats: Arc<CallbackStats>,
    backlog: Backlog,
    channels: usize,
    rate: u64,
}

impl SpeakerBlocks {
    /// Creates the blocks for `channels` channels at `rate` Hz.
    pub(super) fn new(
        callback: PlaybackCallback,
        stats: &Arc<CallbackStats>,
        (channels, rate): (u16, u32),
    ) -> Self {
        let (channels, rate) = (usize::from(channels.max(1)), u64::from(rate.max(1)));
        Self { callback, stats: Arc::clone(stats), backlog: Backlog::default(), channels, rate }
    }

    /// Fills the next block, which will be heard `latency` later.
    pub(super) fn fill<T: Copy>(
        &mut self,
        samples: &mut [T],
        latency: Duration,
        from_f32: impl Fn(f32) -> T,
    ) {
        self.callback.fill(samples, self.channels, from_f32);
        self.callback.end(latency);
        self.stats.lags(latency);
        let length = Duration::from_micros((samples.len() / self.channels) as u64 * 1_000_000 / self.rate);
        if self.backlog.observe(latency, length, self.callback.is_playing()) {
            // Opened anew, it begins without what is waiting in the buffers.
            self.stats.error(ErrorSeverity::Fatal);
        }
        self.stats.beat(0, false);
    }

    /// Returns whether nothing is being played, nor expected.
    #[cfg(feature = "pulseaudio")]
    pub(super) fn may_rest(&self) -> bool {
        self.callback.may_rest()
    }

    /// Returns the stream's counts.
    pub(super) fn stats(&self) -> &Arc<CallbackStats> {
        &self.stats
    }
}
