//! Finds where an utterance falls silent, as somebody hears it.
//!
//! In: an utterance, with the beginning and the end of the voice as the voice activity network reports them. Out: the
//! position just behind its last loud 10 ms. The network reports a voice some 100 ms longer than it is heard, which
//! is no part of the time somebody waits. Only what is recorded goes by this; where an utterance ends is decided by
//! the network.
//! Pure: no I/O, no clock.

use std::ops::Range;

use joi_audio::RATE;
use joi_base::message::Utterance;

/// Samples of a block: 10 ms.
const BLOCK: usize = RATE as usize / 100;
/// A block this much softer than the loudest of its utterance is not speech.
const SOFT_DB: f32 = 35.0;
/// Softer blocks are silence in any case.
const SILENCE_DB: f32 = -50.0;
/// So much above the noise floor a block is more than noise ...
const OVER_NOISE_DB: f32 = 10.0;
/// ... unless the loudest one is hardly louder: then this much below it.
const HARDLY_DB: f32 = 10.0;
/// The noise floor is what this share of all blocks, its inverse, is softer than.
const QUIETEST: usize = 10;

/// Returns the position just behind the last loud 10 ms of the voice in `utterance`; where nothing in it is loud, the
/// end that the network reports.
pub fn last_loud(utterance: &Utterance) -> u64 {
    let (all, begins_at) = (utterance.samples.len(), utterance.begins_at);
    let place = |position: u64| (position.saturating_sub(begins_at) as usize).min(all);
    let (from, to) = (place(utterance.speech_begins_at), place(utterance.speech_ends_at));
    let end = last_loud_within(&utterance.samples, from.min(to)..to);
    utterance.speech_ends_at - (to - end) as u64
}

/// The same for samples, of which `voice` holds the voice. Never before its first block, never behind its end.
fn last_loud_within(samples: &[f32], voice: Range<usize>) -> usize {
    let levels: Vec<f32> = samples[voice.clone()].rchunks(BLOCK).map(level_db).collect();
    let loudest = levels.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let limit = (loudest - SOFT_DB).max(noise_db(samples) + OVER_NOISE_DB).min(loudest - HARDLY_DB);
    let softer = levels.iter().position(|level| *level > limit.max(SILENCE_DB));
    voice.end - softer.unwrap_or_default() * BLOCK
}

/// Returns the level of the noise around a voice, and in its gaps.
fn noise_db(samples: &[f32]) -> f32 {
    let mut levels: Vec<f32> = samples.chunks_exact(BLOCK).map(level_db).collect();
    levels.sort_by(f32::total_cmp);
    levels.get(levels.len() / QUIETEST).copied().unwrap_or(SILENCE_DB)
}

/// Mean power in dB, the full scale being 0.
fn level_db(block: &[f32]) -> f32 {
    let power = block.iter().map(|sample| sample * sample).sum::<f32>() / block.len() as f32;
    10.0 * power.max(1e-12).log10()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;
    use joi_base::message::OpenedBy;

    const SECOND: usize = RATE as usize;
    const MS: usize = SECOND / 1000;

    /// Something like a voice: a tone of this amplitude.
    fn voice(length: usize, amplitude: impl Fn(usize) -> f32) -> Vec<f32> {
        (0..length).map(|at| amplitude(at) * (at as f32 * 0.09).sin()).collect()
    }

    /// White noise of this amplitude.
    fn noise(length: usize, amplitude: f32) -> Vec<f32> {
        let mut random = fastrand::Rng::with_seed(7);
        (0..length).map(|_| amplitude * (2.0 * random.f32() - 1.0)).collect()
    }

    fn with_noise(sound: &[f32], amplitude: f32) -> Vec<f32> {
        noise(sound.len(), amplitude).iter().zip(sound).map(|(noise, sound)| noise + sound).collect()
    }

    /// 0.3 s of silence, a second of `said`, 0.4 s of silence.
    fn between_silences(said: Vec<f32>) -> Vec<f32> {
        [vec![0.0; 300 * MS], said, vec![0.0; 400 * MS]].concat()
    }

    /// Where it falls silent, in ms, when the network reports a voice from 0.25 s to 1.4 s.
    fn falls_silent_at(samples: &[f32]) -> f64 {
        last_loud_within(samples, 250 * MS..1400 * MS) as f64 / MS as f64
    }

    #[test]
    fn a_voice_that_ends_abruptly_is_over_with_its_last_block_also_in_noise() {
        let samples = between_silences(voice(SECOND, |_| 0.3));
        assert_eq!(falls_silent_at(&samples), 1300.0);
        for amplitude in [3e-4, 3e-3, 0.03] {
            let at = falls_silent_at(&with_noise(&samples, amplitude));
            assert_eq!(at, 1300.0, "in noise of {amplitude}");
        }
        // A soft voice is as long as a loud one.
        assert_eq!(falls_silent_at(&between_silences(voice(SECOND, |_| 0.02))), 1300.0);
    }

    #[test]
    fn a_voice_that_fades_is_over_where_it_is_35_db_below_its_loudest_or_in_the_noise() {
        // 20 dB in each tenth of a second from 0.7 s on: 35 dB at 0.875 s of it.
        let fading = |at: usize| 0.3 * 10_f32.powf(-(at.saturating_sub(700 * MS) as f32) / (100 * MS) as f32);
        let samples = between_silences(voice(SECOND, fading));
        let at = falls_silent_at(&samples);
        assert!((1170.0..=1180.0).contains(&at), "{at}");
        let in_noise = falls_silent_at(&with_noise(&samples, 0.02));
        assert!((1070.0..1150.0).contains(&in_noise), "{in_noise}");
    }

    #[test]
    fn where_nothing_is_louder_than_the_rest_the_end_of_the_network_stays() {
        for samples in [vec![0.0; 1700 * MS], noise(1700 * MS, 1e-3), noise(1700 * MS, 0.1)] {
            assert_eq!(falls_silent_at(&samples), 1400.0);
        }
        assert_eq!(last_loud_within(&[], 0..0), 0);
    }

    #[test]
    fn a_bang_behind_the_voice_counts_as_little_as_one_before_it() {
        let mut samples = between_silences(voice(SECOND, |_| 0.05));
        samples[1500 * MS..1520 * MS].fill(0.9);
        samples[100 * MS..120 * MS].fill(0.9);
        assert_eq!(falls_silent_at(&samples), 1300.0);
    }

    #[test]
    fn the_positions_of_an_utterance_are_those_of_its_source() {
        let samples = between_silences(voice(SECOND, |_| 0.3));
        let utterance = Utterance {
            generation: 1,
            revision: 0,
            opened_by: OpenedBy::Request,
            lead: None,
            samples: Arc::from(samples),
            begins_at: 160_000,
            speech_begins_at: 160_000 + 250 * MS as u64,
            voiced: SECOND as u64,
            voice: 1.0,
            speech_ends_at: 160_000 + 1400 * MS as u64,
            captured: Instant::now(),
        };
        assert_eq!(last_loud(&utterance), 160_000 + 1300 * MS as u64);
        let before = Utterance { begins_at: 190_000, ..utterance.clone() };
        assert_eq!(last_loud(&before), before.speech_ends_at, "what is not held is not looked at");
    }

    proptest! {
        #[test]
        fn it_lies_within_the_voice(
            levels in proptest::collection::vec(0.0_f32..1.0, 0..40),
            cut in (0_usize..7_000, 0_usize..7_000),
        ) {
            let samples: Vec<f32> = levels.iter().flat_map(|level| voice(BLOCK, |_| level.powi(4))).collect();
            let (one, other) = (cut.0.min(samples.len()), cut.1.min(samples.len()));
            let voice = one.min(other)..one.max(other);
            let end = last_loud_within(&samples, voice.clone());
            prop_assert!(end <= voice.end && (end > voice.start || voice.is_empty()));
        }
    }
}
