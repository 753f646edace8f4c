//! Input level, delay, lost and clipped samples, for meters. The listener thread writes, any thread reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::DelayMeter;

/// Level of digital silence, in dBFS.
const FLOOR_DB: f32 = -120.0;

/// A handle that shows the level of the newest sound.
#[derive(Debug, Clone)]
pub struct LevelMeter(Arc<LevelValues>);

#[derive(Debug)]
struct LevelValues {
    level: AtomicU32,
    lost_micros: AtomicU64,
    clipped_micros: AtomicU64,
    delay: DelayMeter,
}

impl LevelMeter {
    pub(super) fn new() -> Self {
        Self(Arc::new(LevelValues {
            level: AtomicU32::new(FLOOR_DB.to_bits()),
            lost_micros: AtomicU64::new(0),
            clipped_micros: AtomicU64::new(0),
            delay: DelayMeter::default(),
        }))
    }

    /// RMS level of the last block read, in dBFS: 0 is a full-scale square wave, −120 is silence.
    pub fn level_db(&self) -> f32 {
        f32::from_bits(self.0.level.load(Ordering::Relaxed))
    }

    /// Returns how much sound was lost since the start because the listener thread fell behind.
    pub fn lost(&self) -> Duration {
        Duration::from_micros(self.0.lost_micros.load(Ordering::Relaxed))
    }

    /// Returns how much sound was at full scale since the start: louder than the microphone or its gain can carry.
    pub fn clipped(&self) -> Duration {
        Duration::from_micros(self.0.clipped_micros.load(Ordering::Relaxed))
    }

    /// Returns how old the oldest sample of a block was when it was read.
    pub fn delay(&self) -> &DelayMeter {
        &self.0.delay
    }

    /// So many samples at `rate` Hz were at full scale.
    pub(super) fn clip(&self, samples: u64, rate: u32) {
        self.0.clipped_micros.fetch_add(samples * 1_000_000 / u64::from(rate.max(1)), Ordering::Relaxed);
    }

    /// This many samples at `rate` Hz were lost.
    pub(super) fn lose(&self, samples: u64, rate: u32) {
        self.0.lost_micros.fetch_add(samples * 1_000_000 / u64::from(rate.max(1)), Ordering::Relaxed);
    }

    pub(super) fn show(&self, samples: &[f32]) {
        self.0.level.store(rms_db(samples).to_bits(), Ordering::Relaxed);
    }
}

/// RMS level in dBFS, not below [`FLOOR_DB`].
fn rms_db(samples: &[f32]) -> f32 {
    if samples.is_empty() {
        return FLOOR_DB;
    }
    let power = samples.iter().map(|s| f64::from(*s) * f64::from(*s)).sum::<f64>() / samples.len() as f64;
    (10.0 * power.log10()).max(f64::from(FLOOR_DB)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_shows_rms_in_dbfs() {
        let meter = LevelMeter::new();
        assert_eq!(meter.level_db(), FLOOR_DB);
        meter.show(&[0.1, -0.1, 0.1, -0.1]);
        assert!((meter.level_db() + 20.0).abs() < 1e-4);
        meter.show(&[0.0; 8]);
        assert_eq!(meter.level_db(), FLOOR_DB);
        meter.show(&[]);
        assert_eq!(meter.level_db(), FLOOR_DB);
    }
    #[test]
    fn lost_sound_adds_up() {
        let meter = LevelMeter::new();
        meter.lose(24_000, 48_000);
        meter.lose(160, 16_000);
        assert_eq!(meter.lost(), Duration::from_millis(510));
    }
}
