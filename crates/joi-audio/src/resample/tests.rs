use proptest::prelude::*;

use super::*;

fn sine(rate: u32, hz: f32, len: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU * f64::from(hz) / f64::from(rate);
    // In f64: the rounding of a phase in f32 would be noise louder than what is measured here.
    (0..len).map(|i| ((step * i as f64).sin() * 0.5) as f32).collect()
}

fn db(power: f64) -> f64 {
    10.0 * power.max(1e-30).log10()
}

fn power(samples: &[f32]) -> f64 {
    samples.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>() / samples.len() as f64
}

#[test]
fn a_tone_keeps_its_place_pitch_and_level() {
    for (from, to) in
        [(48_000, 16_000), (44_100, 16_000), (22_050, 48_000), (16_000, 44_100), (96_000, 16_000)]
    {
        let got = resample(&sine(from, 1000.0, from as usize), from, to).unwrap();
        let want = sine(to, 1000.0, to as usize);
        assert_eq!(got.len(), want.len());
        // Away from the cut ends the difference to the ideal tone must be far below hearing.
        let inside = to as usize / 20..to as usize * 19 / 20;
        let error: Vec<f32> = got[inside.clone()].iter().zip(&want[inside]).map(|(a, b)| a - b).collect();
        assert!(db(power(&error)) < -70.0, "{from} -> {to}: {:.1} dB", db(power(&error)));
    }
}

#[test]
fn what_16_khz_cannot_hold_does_not_fold_back_into_speech() {
    for (hz, allowed) in [(9_500.0, -90.0), (11_000.0, -110.0), (15_000.0, -110.0), (23_000.0, -110.0)] {
        let got = resample(&sine(48_000, hz, 48_000), 48_000, 16_000).unwrap();
        let level = db(power(&got[1000..15_000]));
        assert!(level < allowed, "{hz} Hz: alias at {level:.1} dB");
    }
}

#[test]
fn equal_rates_pass_through_unchanged() {
    let samples = sine(16_000, 440.0, 1234);
    assert_eq!(resample(&samples, 16_000, 16_000).unwrap(), samples);
}

#[test]
fn silence_between_two_sounds_is_silent_and_leaves_the_second_as_it_is() {
    for from in [48_000, 44_100, 22_050] {
        let (sound, block) = (sine(from, 440.0, from as usize / 10), block_len(from, 16_000));
        let gap = block * 40 - sound.len();
        let all = [&sound[..], &vec![0.0; gap], &sound].concat();
        let got = resample(&all, from, 16_000).unwrap();
        let again = (block * 40 * 16_000) / from as usize;
        // The filter begins to ring half a block before what it hears.
        let silent = &got[again * 3 / 4..again - block * 16_000 / from as usize];
        assert!(silent.iter().all(|sample| *sample == 0.0), "{from}");
        let apart = resample(&sound, from, 16_000).unwrap();
        let inside = 200..apart.len() - 200;
        assert_eq!(got[again..][inside.clone()], apart[inside], "{from}");
    }
}

#[test]
fn nonsensical_rates_are_refused() {
    for (from, to) in [(0, 16_000), (16_000, 0), (999, 16_000), (u32::MAX, 16_000)] {
        assert_eq!(resample(&[0.0], from, to), Err(RateError { from, to }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However the stream is cut, the output is the same and exactly as long as the input says.
    #[test]
    fn length_and_samples_do_not_depend_on_the_chunks(
        rates in prop::sample::select(vec![(48_000, 16_000), (44_100, 16_000), (22_050, 48_000), (16_000, 48_000), (8_000, 16_000), (11_025, 44_100)]),
        len in 0_usize..12_000,
        cuts in prop::collection::vec(1_usize..3_000, 1..12),
    ) {
        let (from, to) = rates;
        let samples = sine(from, 300.0, len);
        let whole = resample(&samples, from, to).unwrap();
        let mut resampler = Resampler::new(from, to).unwrap();
        prop_assert_eq!(whole.len() as u64, resampler.position(len as u64));
        // Twice through the same converter: finishing leaves nothing behind.
        for _ in 0..2 {
            let (mut out, mut rest) = (vec![], &samples[..]);
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (head, tail) = rest.split_at((*cut).min(rest.len()));
                resampler.push(head, &mut out);
                rest = tail;
            }
            resampler.finish(&mut out);
            prop_assert_eq!(&out, &whole);
        }
    }
}
