//! The reading side of the playback ring, as it runs inside the device callback.
//!
//! In: samples from the feeder, the epoch and the gain. Out: one sample after the other, limited, silent
//! when there is none. A flush fades for 5 ms and throws the rest away; what the feeder pushes after it
//! has seen the flush is kept, exactly. No lock, no allocation, no waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::gain::{Glide, soft_limit};
use super::player::Outlet;
use super::ring::{Reader, Writer, ring};

/// What both ends of the playback ring share.
pub(super) struct Tap {
    /// Flushes asked for, by any thread.
    asked: Arc<AtomicU64>,
    /// The newest flush the feeder has seen: what it pushes from `resume_at` on is new.
    seen: AtomicU64,
    resume_at: AtomicU64,
    /// Samples taken out of the ring, played or thrown away.
    past: AtomicU64,
    /// Samples played.
    heard: AtomicU64,
    /// The feeder is in the middle of something: an empty ring is an underrun.
    busy: AtomicBool,
    starved: AtomicU64,
    delay_micros: AtomicU64,
    gain: Arc<AtomicU32>,
}

/// The device callback's end.
pub(super) struct Pour {
    reader: Reader,
    tap: Arc<Tap>,
    glide: Glide,
    target: f32,
    epoch: u64,
    /// Samples at the head of the ring that were pushed before the last flush.
    stale: u64,
    /// The feeder has seen the last flush, so behind the stale ones only new samples follow.
    may_play: bool,
    fade_left: u32,
    fade: u32,
    past: u64,
    heard: u64,
    starved: u64,
}

/// The feeder's end.
pub(super) struct RingOutlet {
    writer: Writer,
    tap: Arc<Tap>,
    rate: u32,
    pushed: u64,
}

/// A ring of 200 ms at `rate` Hz with the player's epoch and gain.
pub(super) fn pour(rate: u32, asked: Arc<AtomicU64>, gain: Arc<AtomicU32>) -> (RingOutlet, Pour) {
    let (writer, reader) = ring(rate as usize / 5);
    let epoch = asked.load(Ordering::Acquire);
    let target = f32::from_bits(gain.load(Ordering::Relaxed));
    let tap = Arc::new(Tap {
        asked,
        seen: AtomicU64::new(epoch),
        resume_at: AtomicU64::new(0),
        past: AtomicU64::new(0),
        heard: AtomicU64::new(0),
        busy: AtomicBool::new(false),
        starved: AtomicU64::new(0),
        delay_micros: AtomicU64::new(0),
        gain,
    });
    let pour = Pour {
        reader,
        tap: Arc::clone(&tap),
        glide: Glide::new(target, rate),
        target,
        epoch,
        stale: 0,
        may_play: true,
        fade_left: 0,
        fade: rate / 200,
        past: 0,
        heard: 0,
        starved: 0,
    };
    (RingOutlet { writer, tap, rate, pushed: 0 }, pour)
}

impl Pour {
    /// At the start of a callback: looks at flush and volume once.
    pub(super) fn begin(&mut self) {
        self.target = f32::from_bits(self.tap.gain.load(Ordering::Relaxed));
        let asked = self.tap.asked.load(Ordering::Acquire);
        if asked != self.epoch {
            self.epoch = asked;
            self.fade_left = self.fade;
        }
        // The length must be read before `seen`: what is in the ring while the feeder has not yet seen
        // the flush is old, whatever it pushes a moment later.
        let present = self.reader.len() as u64;
        self.may_play = self.tap.seen.load(Ordering::Acquire) == self.epoch;
        self.stale = match self.may_play {
            true => self.tap.resume_at.load(Ordering::Relaxed).saturating_sub(self.past),
            false => present,
        };
    }

    /// The next sample.
    pub(super) fn sample(&mut self) -> f32 {
        let gain = self.glide.towards(self.target);
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

    /// At the end of a callback: publishes the counts, and how long it takes until this is heard.
    pub(super) fn end(&mut self, delay: Duration) {
        self.tap.past.store(self.past, Ordering::Release);
        self.tap.heard.store(self.heard, Ordering::Relaxed);
        self.tap.delay_micros.store(delay.as_micros() as u64, Ordering::Relaxed);
        if self.tap.busy.load(Ordering::Relaxed) && self.starved > 0 {
            self.tap.starved.fetch_add(self.starved, Ordering::Relaxed);
        }
        self.starved = 0;
    }
}

impl Outlet for RingOutlet {
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

    fn delay(&self) -> Duration {
        Duration::from_micros(self.tap.delay_micros.load(Ordering::Relaxed))
    }
}

impl Drop for RingOutlet {
    fn drop(&mut self) {
        let starved = self.tap.starved.load(Ordering::Relaxed);
        if starved > 0 {
            tracing::debug!(samples = starved, "the speaker ran empty in the middle of a clip");
        }
    }
}

#[cfg(test)]
mod tests;
