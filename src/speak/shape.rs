//! PURE: the level of synthesised samples.
//!
//! In: what the model computed. Out: the same, louder, never beyond ±1 and always finite. There is no peak
//! normalisation: it would need the whole answer before the first sample.

/// Above this magnitude the curve bends towards 1.
const KNEE: f32 = 0.8;

/// Multiplies by `gain`, limits peaks softly below 1, and replaces NaN by silence.
pub(super) fn level(samples: &mut [f32], gain: f32) {
    for sample in samples {
        *sample = bend(*sample * gain);
    }
}

/// Straight up to the knee, then a hyperbola with the same slope that never reaches 1.
fn bend(x: f32) -> f32 {
    if x.is_nan() {
        return 0.0;
    }
    let magnitude = x.abs();
    if magnitude <= KNEE {
        return x;
    }
    if magnitude.is_infinite() {
        return x.signum();
    }
    let room = 1.0 - KNEE;
    let over = magnitude - KNEE;
    x.signum() * (KNEE + room * over / (room + over))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quiet_samples_are_only_multiplied_and_numbers_that_are_none_are_silence() {
        let mut samples = [0.1, -0.2, 0.0, f32::NAN];
        level(&mut samples, 1.5);
        assert_eq!(samples, [0.1 * 1.5, -0.2 * 1.5, 0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn every_sample_stays_in_range_and_louder_stays_louder(bits: u32, other: u32) {
            let (a, b) = (f32::from_bits(bits), f32::from_bits(other));
            prop_assert!(bend(a).abs() <= 1.0);
            if a <= b {
                prop_assert!(bend(a) <= bend(b));
            }
        }
    }
}
