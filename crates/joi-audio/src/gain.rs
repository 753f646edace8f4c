//! Controls loudness: the gain of the microphone, a volume in percent, and a soft limiter instead of clipping.
//!
//! Runs inside the callbacks of capture and playback: arithmetic only.
//! Pure: no I/O, no clock.

use std::fmt;
use std::time::Duration;

/// Loudness in percent, 0 (silent) to 100 (unchanged).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volume(u8);

/// Loudness falls by this many dB from 100 % to just above 0 %: equal steps then sound equal.
const SPAN_DB: f32 = 40.0;

/// Up to here a sample passes unchanged; above, the limiter compresses towards 1.
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

    /// Returns the factor for samples: 0 at 0 %, 1 at 100 %, in between even steps in dB.
    pub fn factor(self) -> f32 {
        if self.0 == 0 {
            return 0.0;
        }
        10_f32.powf((f32::from(self.0) / 100.0 - 1.0) * SPAN_DB / 20.0)
    }
}

/// The gain of the microphone: the same for every sample, so that the shape of a voice stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InputGain(f32);

impl InputGain {
    /// Creates a gain of `db`; 0 leaves samples within −1..1 as they are.
    pub(super) fn db(db: f32) -> Self {
        Self(10_f32.powf(db / 20.0))
    }

    /// Returns the sample with the gain, cut at −1..1.
    pub(super) fn apply(self, sample: f32) -> f32 {
        (sample * self.0).clamp(-1.0, 1.0)
    }
}

/// Returns whether a sample is at full scale, where the converter or the gain has cut it.
pub(super) fn is_clipped(sample: f32) -> bool {
    sample.abs() >= 1.0
}

/// Whether playback is ducked because somebody may be speaking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duck {
    /// As loud as the volume says.
    #[default]
    Full,
    /// 20 dB below it.
    Ducked,
}

impl Duck {
    /// Returns the factor for samples.
    pub(super) fn factor(self) -> f32 {
        match self {
            Self::Full => 1.0,
            Self::Ducked => 0.1,
        }
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

/// Compresses what is louder than the knee smoothly into −1..1. NaN becomes silence.
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

/// Longest glide of a volume change.
pub(super) const VOLUME_GLIDE: Duration = Duration::from_millis(20);

/// Longest glide into and out of ducking.
pub(super) const DUCK_GLIDE: Duration = Duration::from_millis(35);

/// A factor that glides to its target, so that a change does not click.
#[derive(Debug, Clone)]
pub(super) struct Glide {
    now: f32,
    step: f32,
}

impl Glide {
    /// Starts at `factor`; a full swing takes `swing` at `rate`.
    pub(super) fn new(factor: f32, rate: u32, swing: Duration) -> Self {
        Self { now: factor, step: 1.0 / (rate as f32 * swing.as_secs_f32()) }
    }

    /// One sample later: the factor to use now on the way to `target`.
    pub(super) fn towards(&mut self, target: f32) -> f32 {
        self.now += (target - self.now).clamp(-self.step, self.step);
        self.now
    }

    /// At the target at once, while there is nothing to hear.
    pub(super) fn arrive(&mut self, target: f32) {
        self.now = target;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever a voice delivers, at any volume, ducked or on the way there: nothing clips.
        #[test]
        fn nothing_clips(
            samples in prop::collection::vec(-8.0_f32..8.0, 1..200),
            percents in (0_u8..=100, 0_u8..=100),
            ducks in prop::collection::vec(any::<bool>(), 1..200),
        ) {
            let (from, to) = (Volume::percent(percents.0).factor(), Volume::percent(percents.1).factor());
            let mut volume = Glide::new(from, 1000, VOLUME_GLIDE);
            let mut duck = Glide::new(1.0, 1000, DUCK_GLIDE);
            for (i, sample) in samples.iter().enumerate() {
                let is_ducked = ducks[i * ducks.len() / samples.len()];
                let target = if is_ducked { Duck::Ducked } else { Duck::Full };
                let gain = volume.towards(to) * duck.towards(target.factor());
                prop_assert!((0.0..=1.0).contains(&gain), "{gain}");
                let out = soft_limit(sample * gain);
                prop_assert!(out.abs() < 1.0 && out.abs() <= sample.abs(), "{sample} * {gain} -> {out}");
            }
        }
    }

    #[test]
    fn the_input_gain_is_linear_up_to_full_scale_and_changes_nothing_at_zero() {
        for sample in [-1.0, -0.3, 0.0, 1e-9, 0.7, 1.0] {
            assert_eq!(InputGain::db(0.0).apply(sample), sample);
        }
        assert!((InputGain::db(20.0).apply(0.05) - 0.5).abs() < 1e-6);
        assert!((InputGain::db(-20.0).apply(1.0) - 0.1).abs() < 1e-6);
        let cut = [0.2, -0.2].map(|sample| InputGain::db(20.0).apply(sample));
        assert_eq!(cut, [1.0, -1.0]);
        assert_eq!([0.99, -1.0].map(is_clipped), [false, true]);
    }

    #[test]
    fn ducking_is_twenty_decibel_and_takes_between_twenty_and_fifty_milliseconds() {
        assert!((20.0 * Duck::Ducked.factor().log10() + 20.0).abs() < 1e-4);
        let mut duck = Glide::new(1.0, 48_000, DUCK_GLIDE);
        let steps = (1..).find(|_| duck.towards(Duck::Ducked.factor()) <= 0.1 + 1e-6).unwrap();
        assert!((20 * 48..50 * 48).contains(&steps), "{steps}");
    }

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
        let mut glide = Glide::new(0.0, 1000, VOLUME_GLIDE);
        let steps: Vec<_> = (0..21).map(|_| glide.towards(1.0)).collect();
        assert!((steps[0] - 0.05).abs() < 1e-6 && (steps[9] - 0.5).abs() < 1e-5);
        assert!((steps[20] - 1.0).abs() < 1e-5);
    }
}
