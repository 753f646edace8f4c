//! Sets the level of synthesised samples, and cuts the silence before them.
//!
//! In: computed samples. Out: the same, louder, never beyond ±1 and always finite. There is no peak
//! normalisation: it would need the whole answer before the first sample. A voice begins with up to 0.2 s of near
//! silence, which nobody wants to wait for.
//! Pure: no I/O, no clock.

use std::time::Duration;

/// Above this magnitude the curve bends towards 1.
const KNEE: f32 = 0.8;
/// Softer blocks are silence: -50 dB below full scale, as the mean of a block.
const SILENCE: f32 = 0.003;
/// Blocks of 10 ms.
const BLOCKS_A_SECOND: u32 = 100;

/// The treatment of the silence a voice begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadSilence {
    /// Somebody waits: all but 10 ms of it is cut.
    Cut,
    /// It is the pause after the sentence before.
    Kept,
}

/// Multiplies by `gain`, limits peaks softly below 1, and replaces NaN by silence.
pub(super) fn level(samples: &mut [f32], gain: f32) {
    for sample in samples {
        *sample = bend(*sample * gain);
    }
}

/// Cuts the silence off the beginning of `samples`, but for the last 10 ms of it, and returns whether there is something
/// behind it. What is silent as a whole stays.
pub(super) fn cut_lead(samples: &mut Vec<f32>, rate: u32) -> bool {
    let first = silent_blocks(samples, rate);
    if let Some(first) = first {
        samples.drain(..first.saturating_sub(1) * block(rate));
    }
    first.is_some()
}

/// Returns how long `samples` are silent before their first loud 10 ms; nothing where they are silent as a whole.
pub(super) fn lead(samples: &[f32], rate: u32) -> Option<Duration> {
    let silent = silent_blocks(samples, rate)? * block(rate);
    Some(Duration::from_micros(silent as u64 * 1_000_000 / u64::from(rate.max(1))))
}

/// Returns how many blocks are silent before the first loud one.
fn silent_blocks(samples: &[f32], rate: u32) -> Option<usize> {
    let is_loud = |block: &[f32]| {
        let power = block.iter().map(|s| s * s).sum::<f32>() / block.len() as f32;
        power > SILENCE * SILENCE
    };
    samples.chunks(block(rate)).position(is_loud)
}

/// Samples of a block.
fn block(rate: u32) -> usize {
    (rate / BLOCKS_A_SECOND).max(1) as usize
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

    #[test]
    fn silence_before_the_first_sound_is_cut_to_10_ms_and_silence_alone_stays() {
        let sound = |silent: usize| [vec![0.001; silent], [0.2, -0.2].repeat(400)].concat();
        let cut = |mut samples: Vec<f32>| {
            assert_eq!(cut_lead(&mut samples, 16_000), samples.iter().any(|sample| sample.abs() > 0.1));
            samples
        };
        assert_eq!(cut(sound(3_200)), sound(160));
        assert_eq!(cut(sound(3_300)), sound(260), "whole blocks are cut");
        assert_eq!(cut(sound(100)), sound(100));
        assert_eq!(cut(vec![0.0; 999]), vec![0.0; 999]);
        assert!(cut(Vec::new()).is_empty());
    }

    #[test]
    fn the_leading_silence_is_measured_in_blocks() {
        let sound = |silent: usize| [vec![0.001; silent], [0.2, -0.2].repeat(400)].concat();
        let lead_ms = |samples: &[f32]| lead(samples, 16_000).map(|lead| lead.as_millis());
        assert_eq!(
            [0, 159, 160, 1_700].map(|silent| lead_ms(&sound(silent))),
            [Some(0), Some(0), Some(10), Some(100)]
        );
        assert_eq!(lead_ms(&[0.001; 4_000]), None);
        assert_eq!(lead_ms(&[]), None);
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
