//! The reading end of the playback ring, which runs inside the device callback.
//!
//! In: samples from the feeder, the epoch and the gain. Out: one sample after the other, limited, zero when
//! there is none, and a copy of each in the ring of the echo reference. A flush fades out for 5 ms and
//! discards the rest; samples that the feeder pushes after it has seen the flush are kept exactly. No lock,
//! no allocation, no waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::DelayMeter;
use super::block_moment::BlockMoment;
use super::echo_reference::ReferenceStream;
use super::gain::{DUCK_GLIDE, Glide, VOLUME_GLIDE, soft_limit};
use super::ring::{FRAMES_AT_ONCE, RingReader, RingWriter, ring};
use super::sink::AudioSink;

/// Settings that the player's handles pass to the callback, and what it reports to them: atomics, used once per
/// callback.
#[derive(Clone, Default)]
pub(super) struct PlaybackControls {
    /// Flushes asked for, by any thread.
    pub(super) epoch: Arc<AtomicU64>,
    /// The factor of the volume as bits of an f32.
    pub(super) gain: Arc<AtomicU32>,
    /// The factor of ducking as bits of an f32.
    pub(super) duck: Arc<AtomicU32>,
    /// How much later than it is taken sound is heard.
    pub(super) delay: DelayMeter,
    /// Whether the stream may rest while nothing plays.
    pub(super) rest: Arc<AtomicBool>,
}

impl PlaybackControls {
    fn volume(&self) -> f32 {
        f32::from_bits(self.gain.load(Ordering::Relaxed))
    }

    fn duck(&self) -> f32 {
        f32::from_bits(self.duck.load(Ordering::Relaxed))
    }
}

/// State shared by both ends of the playback ring.
pub(super) struct RingState {
    controls: PlaybackControls,
    /// The newest flush the feeder has seen: samples pushed from `resume_at` on are new.
    seen: AtomicU64,
    resume_at: AtomicU64,
    /// Samples taken out of the ring, played or discarded.
    past: AtomicU64,
    /// Samples played.
    heard: AtomicU64,
    /// The feeder is in the middle of a clip: an empty ring is an underrun.
    busy: AtomicBool,
    starved: AtomicU64,
    /// When the newest block was taken.
    block: BlockMoment,
    delay_micros: AtomicU64,
}

/// The device callback's end.
pub(super) struct PlaybackCallback {
    reader: RingReader,
    tap: Arc<RingState>,
    far: RingWriter,
    volume: (Glide, f32),
    duck: (Glide, f32),
    epoch: u64,
    /// Samples at the head of the ring that were pushed before the last flush.
    stale: u64,
    /// The feeder has seen the last flush, so only new samples follow the stale ones.
    may_play: bool,
    fade_left: u32,
    fade: u32,
    past: u64,
    /// The same when the block began.
    block_past: u64,
    heard: u64,
    starved: u64,
}

/// The feeder's end.
pub(super) struct RingSink {
    writer: RingWriter,
    tap: Arc<RingState>,
    rate: u32,
    pushed: u64,
}

/// Returns a ring of 200 ms at `rate` Hz controlled by `controls`, and the copy of what will be played.
pub(super) fn playback_ring(
    rate: u32,
    controls: PlaybackControls,
) -> (RingSink, PlaybackCallback, ReferenceStream) {
    let (writer, reader) = ring(rate as usize / 5);
    let (far, session) = ReferenceStream::at(rate);
    let epoch = controls.epoch.load(Ordering::Acquire);
    let (volume, duck) = (controls.volume(), controls.duck());
    let tap = Arc::new(RingState {
        controls,
        seen: AtomicU64::new(epoch),
        resume_at: AtomicU64::new(0),
        past: AtomicU64::new(0),
        heard: AtomicU64::new(0),
        busy: AtomicBool::new(false),
        starved: AtomicU64::new(0),
        block: BlockMoment::new(),
        delay_micros: AtomicU64::new(0),
    });
    let callback = PlaybackCallback {
        reader,
        tap: Arc::clone(&tap),
        far,
        volume: (Glide::new(volume, rate, VOLUME_GLIDE), volume),
        duck: (Glide::new(duck, rate, DUCK_GLIDE), duck),
        epoch,
        stale: 0,
        may_play: true,
        fade_left: 0,
        fade: rate / 200,
        past: 0,
        block_past: 0,
        heard: 0,
        starved: 0,
    };
    (RingSink { writer, tap, rate, pushed: 0 }, callback, session)
}

impl PlaybackCallback {
    /// Fills a callback's block of `channels` interleaved channels; [`PlaybackCallback::end`] must follow.
    pub(super) fn fill<T: Copy>(&mut self, block: &mut [T], channels: usize, from_f32: impl Fn(f32) -> T) {
        self.begin();
        let mut played = [0.0; FRAMES_AT_ONCE];
        for frames in block.chunks_mut(FRAMES_AT_ONCE * channels) {
            let played = &mut played[..frames.len() / channels];
            match self.reader.len() {
                0 => self.rest(played),
                _ => played.fill_with(|| self.next()),
            }
            self.far.push_or_drop(played);
            for (frame, sample) in frames.chunks_exact_mut(channels).zip(played) {
                frame.fill(from_f32(*sample));
            }
        }
    }

    /// At the start of a callback: reads flush and volume once.
    fn begin(&mut self) {
        self.block_past = self.past;
        self.volume.1 = self.tap.controls.volume();
        self.duck.1 = self.tap.controls.duck();
        let asked = self.tap.controls.epoch.load(Ordering::Acquire);
        if asked != self.epoch {
            self.epoch = asked;
            self.fade_left = self.fade;
        }
        // The length must be read before `seen`: as long as the feeder has not seen the flush, everything in
        // the ring is old, whatever it pushes a moment later.
        let present = self.reader.len() as u64;
        self.may_play = self.tap.seen.load(Ordering::Acquire) == self.epoch;
        self.stale = match self.may_play {
            true => self.tap.resume_at.load(Ordering::Relaxed).saturating_sub(self.past),
            false => present,
        };
    }

    /// Silence, as long as there is nothing to play.
    fn rest(&mut self, played: &mut [f32]) {
        played.fill(0.0);
        self.volume.0.arrive(self.volume.1);
        self.duck.0.arrive(self.duck.1);
        self.stale = 0;
        if self.may_play {
            self.fade_left = 0;
            self.starved += played.len() as u64;
        }
    }

    fn next(&mut self) -> f32 {
        let (volume, duck) = (&mut self.volume, &mut self.duck);
        let gain = volume.0.towards(volume.1) * duck.0.towards(duck.1);
        if self.stale > 0 {
            if self.fade_left > 0
                && let Some(sample) = self.reader.pop()
            {
                let fade = self.fade_left as f32 / self.fade as f32;
                self.fade_left -= 1;
                self.stale -= 1;
                self.past += 1;
                return soft_limit(sample * gain * fade);
            }
            self.past += self.reader.skip(self.stale as usize) as u64;
            self.stale = 0;
        }
        if !self.may_play {
            return 0.0;
        }
        self.fade_left = 0;
        match self.reader.pop() {
            Some(sample) => {
                self.past += 1;
                self.heard += 1;
                soft_limit(sample * gain)
            }
            None => {
                self.starved += 1;
                0.0
            }
        }
    }

    /// Returns whether the feeder is in the middle of a clip.
    pub(super) fn is_playing(&self) -> bool {
        self.tap.busy.load(Ordering::Relaxed)
    }

    /// Returns whether nothing is being played, nor expected.
    #[cfg(feature = "pulseaudio")]
    pub(super) fn may_rest(&self) -> bool {
        self.tap.controls.rest.load(Ordering::Relaxed) && !self.is_playing()
    }

    /// At the end of a callback: publishes the counters, and the latency until this block is heard.
    pub(super) fn end(&mut self, delay: Duration) {
        if self.past != self.block_past {
            self.tap.block.write(self.block_past, Instant::now(), delay);
        }
        self.tap.past.store(self.past, Ordering::Release);
        self.tap.heard.store(self.heard, Ordering::Relaxed);
        self.tap.delay_micros.store(delay.as_micros() as u64, Ordering::Relaxed);
        self.tap.controls.delay.show(delay);
        if self.tap.busy.load(Ordering::Relaxed) && self.starved > 0 {
            self.tap.starved.fetch_add(self.starved, Ordering::Relaxed);
        }
        self.starved = 0;
    }
}

impl AudioSink for RingSink {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn push(&mut self, samples: &[f32], _volume: f32) -> usize {
        let pushed = self.writer.push(samples);
        self.pushed += pushed as u64;
        if pushed > 0 {
            self.tap.busy.store(true, Ordering::Relaxed);
        }
        pushed
    }

    fn position(&self) -> u64 {
        self.tap.past.load(Ordering::Acquire)
    }

    fn heard(&self) -> u64 {
        self.tap.heard.load(Ordering::Relaxed)
    }

    fn flush(&mut self, epoch: u64) {
        if self.tap.seen.load(Ordering::Relaxed) == epoch {
            return;
        }
        self.tap.resume_at.store(self.pushed, Ordering::Relaxed);
        self.tap.seen.store(epoch, Ordering::Release);
    }

    fn rest(&mut self) {
        self.tap.busy.store(false, Ordering::Relaxed);
    }

    fn moment(&self, position: u64, now: Instant) -> (Instant, Instant) {
        self.tap.block.of(position, self.rate).unwrap_or((now, now + self.delay()))
    }

    fn delay(&self) -> Duration {
        Duration::from_micros(self.tap.delay_micros.load(Ordering::Relaxed))
    }
}

impl Drop for RingSink {
    fn drop(&mut self) {
        let starved = self.tap.starved.load(Ordering::Relaxed);
        if starved > 0 {
            tracing::debug!(samples = starved, "playback underrun in the middle of a clip");
        }
    }
}

#[cfg(test)]
mod tests;
