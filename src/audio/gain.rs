//! PURE. Loudness: a volume in percent, and a limiter that bends instead of clipping.
//!
//! Runs inside the playback callback: arithmetic only.

use std::fmt;

/// Loudness in percent, 0 (silent) to 100 (as made).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volume(u8);

/// Loudness falls by this many dB from 100 % to just above 0 %: steps then sound even.
const SPAN_DB: f32 = 40.0;

/// Up to here a sample passes unchanged; above, the limiter bends towards 1.
const KNEE: f32 = 0.8;

impl Volume {
    /// `percent` of full loudness; anything above 100 is 100.
    pub fn percent(percent: u8) -> Self {
        Self(percent.min(100))
    }

    /// In percent, 0 to 100.
    pub fn as_percent(self) -> u8 {
        self.0
    }

    /// The factor for samples: 0 at 0 %, 1 at 100 %, in between even steps in dB.
    pub fn factor(self) -> f32 {
        if self.0 == 0 {
            return 0.0;
        }
        10_f32.powf((f32::from(self.0) / 100.0 - 1.0) * SPAN_DB / 20.0)
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

/// Bends what is louder than the knee smoothly into −1..1. NaN becomes silence.
pub(super) fn soft_limit(sample: f32) -> f32 {
    let size = sample.abs();
    if size <= KNEE {
        return sample;
    }
    if sample.is_nan() {
        return 0.0;
    }
    let room = 1.0 - KNEE;
    let over = (size - KNEE) / room;
    // x/(1+x) starts with slope 1, so the curve has no corner at the knee, and never reaches 1.
    let bent = if over.is_finite() { over / (1.0 + over) } else { 1.0 };
    (KNEE + room * bent).copysign(sample)
}

/// A factor that glides to its target so that a change does not click.
#[derive(Debug, Clone)]
pub(super) struct Glide {
    now: f32,
    step: f32,
}

impl Glide {
    /// Starts at `factor`; a full swing takes 20 ms at `rate`.
    pub(super) fn new(factor: f32, rate: u32) -> Self {
        Self { now: factor, step: 50.0 / rate as f32 }
    }

    /// One sample later: the factor to use now on the way to `target`.
    pub(super) fn towards(&mut self, target: f32) -> f32 {
        self.now += (target - self.now).clamp(-self.step, self.step);
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volume_is_even_in_decibel_and_silent_at_zero() {
        assert_eq!(Volume::percent(0).factor(), 0.0);
        assert_eq!(Volume::percent(100).factor(), 1.0);
        assert_eq!(Volume::percent(200), Volume::percent(100));
        let ratio = Volume::percent(60).factor() / Volume::percent(50).factor();
        assert!((20.0 * ratio.log10() - 4.0).abs() < 1e-3);
    }

    #[test]
    fn the_limiter_is_transparent_below_the_knee_monotonic_and_bounded() {
        let mut last = -1.0;
        for step in -4000..=4000 {
            let sample = step as f32 / 1000.0;
            let limited = soft_limit(sample);
            assert!(limited >= last && limited.abs() < 1.0, "{sample} -> {limited}");
            if sample.abs() <= KNEE {
                assert_eq!(limited, sample);
            }
            last = limited;
        }
        assert_eq!(soft_limit(f32::NAN), 0.0);
        assert_eq!(soft_limit(f32::INFINITY), 1.0);
        assert_eq!(soft_limit(f32::NEG_INFINITY), -1.0);
    }

    #[test]
    fn a_change_of_volume_glides_for_twenty_milliseconds() {
        let mut glide = Glide::new(0.0, 1000);
        let steps: Vec<_> = (0..21).map(|_| glide.towards(1.0)).collect();
        assert!((steps[0] - 0.05).abs() < 1e-6 && (steps[9] - 0.5).abs() < 1e-5);
        assert!((steps[20] - 1.0).abs() < 1e-5);
    }
}
