//! The reading side of the playback ring, as it runs inside the device callback.
//!
//! In: samples from the feeder, the epoch and the gain. Out: one sample after the other, limited, silent
//! when there is none, and a copy of each into the ring of the far end. A flush fades for 5 ms and throws the rest away; what the feeder pushes after it
//! has seen the flush is kept, exactly. No lock, no allocation, no waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::far::FarSession;
use super::gain::{DUCK_GLIDE, Glide, VOLUME_GLIDE, soft_limit};
use super::player::Outlet;
use super::ring::{Reader, Writer, ring};

/// What a player's handles tell the callback: atomics, looked at once in a callback.
#[derive(Clone)]
pub(super) struct Wishes {
    /// Flushes asked for, by any thread.
    pub(super) epoch: Arc<AtomicU64>,
    /// The factor of the volume as bits of an f32.
    pub(super) gain: Arc<AtomicU32>,
    /// The factor of ducking as bits of an f32.
    pub(super) duck: Arc<AtomicU32>,
}

impl Wishes {
    fn volume(&self) -> f32 {
        f32::from_bits(self.gain.load(Ordering::Relaxed))
    }

    fn duck(&self) -> f32 {
        f32::from_bits(self.duck.load(Ordering::Relaxed))
    }
}

/// What both ends of the playback ring share.
pub(super) struct Tap {
    wishes: Wishes,
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
}

/// The device callback's end.
pub(super) struct Pour {
    reader: Reader,
    tap: Arc<Tap>,
    far: Writer,
    volume: (Glide, f32),
    duck: (Glide, f32),
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

/// A ring of 200 ms at `rate` Hz with the player's wishes, and the copy of what will be played.
pub(super) fn pour(rate: u32, wishes: Wishes) -> (RingOutlet, Pour, FarSession) {
    let (writer, reader) = ring(rate as usize / 5);
    let (far, session) = FarSession::at(rate);
    let epoch = wishes.epoch.load(Ordering::Acquire);
    let (volume, duck) = (wishes.volume(), wishes.duck());
    let tap = Arc::new(Tap {
        wishes,
        seen: AtomicU64::new(epoch),
        resume_at: AtomicU64::new(0),
        past: AtomicU64::new(0),
        heard: AtomicU64::new(0),
        busy: AtomicBool::new(false),
        starved: AtomicU64::new(0),
        delay_micros: AtomicU64::new(0),
    });
    let pour = Pour {
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
        heard: 0,
        starved: 0,
    };
    (RingOutlet { writer, tap, rate, pushed: 0 }, pour, session)
}

impl Pour {
    /// Fills a callback's block of `channels` interleaved channels; [`Pour::end`] must follow.
    pub(super) fn fill<T: Copy>(&mut self, block: &mut [T], channels: usize, from_f32: impl Fn(f32) -> T) {
        self.begin();
        for frame in block.chunks_exact_mut(channels) {
            frame.fill(from_f32(self.sample()));
        }
    }

    /// At the start of a callback: looks at flush and volume once.
    fn begin(&mut self) {
        self.volume.1 = self.tap.wishes.volume();
        self.duck.1 = self.tap.wishes.duck();
        let asked = self.tap.wishes.epoch.load(Ordering::Acquire);
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

    /// The next sample; the far end gets the same.
    fn sample(&mut self) -> f32 {
        let sample = self.next();
        self.far.push_or_drop(std::iter::once(sample));
        sample
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
