//! The loudness of what is heard, for meters. The listener thread writes, any thread reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a meter shows for digital silence, in dBFS.
pub(super) const FLOOR_DB: f32 = -120.0;

/// A handle that shows the level of the newest sound.
#[derive(Debug, Clone)]
pub struct Meter(Arc<AtomicU32>);

impl Meter {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicU32::new(FLOOR_DB.to_bits())))
    }

    /// RMS level of the last block read, in dBFS: 0 is a full-scale square wave, −120 is silence.
    pub fn level_db(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn show(&self, samples: &[f32]) {
        self.0.store(rms_db(samples).to_bits(), Ordering::Relaxed);
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
        let meter = Meter::new();
        assert_eq!(meter.level_db(), FLOOR_DB);
        meter.show(&[0.1, -0.1, 0.1, -0.1]);
        assert!((meter.level_db() + 20.0).abs() < 1e-4);
        meter.show(&[0.0; 8]);
        assert_eq!(meter.level_db(), FLOOR_DB);
        meter.show(&[]);
        assert_eq!(meter.level_db(), FLOOR_DB);
    }
}
