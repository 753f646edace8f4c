//! Generates sounds of a room in which nobody speaks to joi, from a seed.
//!
//! Out: mono f32 in −1..1 at 16 kHz. Each piece has a level of its own, from hardly audible to loud.
//! Pure: no I/O, no clock.

use std::f32::consts::TAU;

use fastrand::Rng;

use joi_audio::RATE;

/// Length of a piece in seconds.
pub const PIECE_SECONDS: u32 = 20;
const PIECE: usize = (PIECE_SECONDS * RATE) as usize;
/// Voices of a crowd.
const CROWD: std::ops::RangeInclusive<usize> = 5..=9;

/// The kinds of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoiseKind {
    /// Mains hum and a little hiss.
    Hum,
    /// A fan.
    Fan,
    /// Rain on a window.
    Rain,
    /// Chords, a melody and a beat.
    Music,
    /// A crowd of which no word can be understood.
    Babble,
    /// Knocks, dishes, barks and coughs, with silence between.
    Clatter,
}

impl NoiseKind {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Hum, Self::Fan, Self::Rain, Self::Music, Self::Babble, Self::Clatter];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hum => "hum",
            Self::Fan => "fan",
            Self::Rain => "rain",
            Self::Music => "music",
            Self::Babble => "babble",
            Self::Clatter => "clatter",
        }
    }

    /// Returns the levels of its pieces, in dBFS.
    fn levels(self) -> (f32, f32) {
        match self {
            Self::Hum => (-65.0, -35.0),
            Self::Fan | Self::Rain => (-50.0, -22.0),
            Self::Music | Self::Babble | Self::Clatter => (-42.0, -16.0),
        }
    }
}

/// Returns a piece of noise. A crowd needs `speech` and is silent without.
pub fn piece(kind: NoiseKind, rng: &mut Rng, speech: &[Vec<f32>]) -> Vec<f32> {
    let mut samples = match kind {
        NoiseKind::Hum => hum(rng),
        NoiseKind::Fan => fan(rng),
        NoiseKind::Rain => rain(rng),
        NoiseKind::Music => music(rng),
        NoiseKind::Babble => babble(rng, speech),
        NoiseKind::Clatter => clatter(rng),
    };
    let (low, high) = kind.levels();
    bring_to(&mut samples, low + (high - low) * rng.f32());
    let hiss = amplitude(-72.0);
    samples.iter_mut().for_each(|s| *s = (*s + hiss * white(rng)).clamp(-1.0, 1.0));
    samples
}

/// Returns a word as it is heard in a quiet room, from near or far.
pub fn around_word(word: &[f32], rng: &mut Rng) -> Vec<f32> {
    let mut word = word.to_vec();
    bring_to(&mut word, -34.0 + 18.0 * rng.f32());
    let before = (0.6 * RATE as f32) as usize;
    let mut samples = vec![0.0; before];
    samples.append(&mut word);
    samples.resize(samples.len() + 3 * RATE as usize / 2, 0.0);
    let hiss = amplitude(-68.0 + 10.0 * rng.f32());
    samples.iter_mut().for_each(|s| *s = (*s + hiss * white(rng)).clamp(-1.0, 1.0));
    samples
}

fn hum(rng: &mut Rng) -> Vec<f32> {
    let mains = if rng.bool() { 50.0 } else { 60.0 };
    let parts: Vec<(f32, f32)> = (1..=12).map(|n| (mains * n as f32, rng.f32() / n as f32)).collect();
    (0..PIECE)
        .map(|i| {
            let t = seconds(i);
            parts.iter().map(|(hz, loud)| loud * (TAU * hz * t).sin()).sum::<f32>() + 0.05 * white(rng)
        })
        .collect()
}

fn fan(rng: &mut Rng) -> Vec<f32> {
    let (mut slow, mut fast) = (0.0, 0.0);
    let (blades, depth) = (rng.f32() * 60.0 + 20.0, rng.f32() * 0.5);
    let whine = rng.f32() * 500.0 + 150.0;
    (0..PIECE)
        .map(|i| {
            let t = seconds(i);
            let noise = white(rng);
            slow += 0.02 * (noise - slow);
            fast += 0.3 * (noise - fast);
            (1.0 + depth * (TAU * blades * t).sin()) * (4.0 * slow + 0.3 * fast)
                + 0.05 * (TAU * whine * t).sin()
        })
        .collect()
}

fn rain(rng: &mut Rng) -> Vec<f32> {
    let mut samples = vec![0.0; PIECE];
    let mut last = 0.0;
    for sample in &mut samples {
        let noise = white(rng);
        *sample = 0.3 * (noise - 0.7 * last);
        last = noise;
    }
    for _ in 0..PIECE_SECONDS * rng.u32(20..400) {
        let (at, hz, loud) = (rng.usize(0..PIECE), rng.f32() * 3000.0 + 600.0, rng.f32() * 2.0);
        for i in 0..(RATE as usize / 50).min(PIECE - at) {
            samples[at + i] += loud * (TAU * hz * seconds(i)).sin() * (-300.0 * seconds(i)).exp();
        }
    }
    samples
}

/// Three chords of saws with a filter, a melody that glides a little like a singer, and a drum.
fn music(rng: &mut Rng) -> Vec<f32> {
    let beat = 60.0 / (70.0 + 70.0 * rng.f32());
    let root = 110.0 * 2_f32.powf(rng.f32());
    let steps = [0, 2, 4, 5, 7, 9, 11, 12];
    let note = |semitones: i32| root * 2_f32.powf(semitones as f32 / 12.0);
    let (singer, drum) = (rng.f32() * 0.8 + 0.2, rng.f32());
    let mut samples = Vec::with_capacity(PIECE);
    let (mut phases, mut voice, mut smooth) = ([0.0_f32; 3], 0.0_f32, 0.0_f32);
    let (mut chord, mut melody, mut current) = ([0, 4, 7], note(12), note(12));
    let per_beat = (beat * RATE as f32) as usize;
    for i in 0..PIECE {
        if i % (4 * per_beat) == 0 {
            let base = [0, 5, 7, 9][rng.usize(0..4)];
            chord = if rng.bool() { [base, base + 4, base + 7] } else { [base, base + 3, base + 7] };
        }
        if i % (per_beat / 2) == 0 && rng.f32() < 0.7 {
            melody = note(12 + steps[rng.usize(0..steps.len())]);
        }
        let since = seconds(i % per_beat);
        let mut saws = 0.0;
        for (phase, step) in phases.iter_mut().zip(chord) {
            *phase = (*phase + note(step) / RATE as f32).fract();
            saws += 2.0 * *phase - 1.0;
        }
        smooth += 0.15 * (saws - smooth);
        current += 0.0008 * (melody - current);
        let vibrato = 1.0 + 0.006 * (TAU * 5.5 * seconds(i)).sin();
        voice = (voice + current * vibrato / RATE as f32).fract();
        let tune: f32 = (1..8).map(|n| (TAU * n as f32 * voice).sin() / n as f32).sum();
        let kick = (TAU * 55.0 * since).sin() * (-18.0 * since).exp();
        let hat = white(rng) * (-60.0 * seconds(i % (per_beat / 2))).exp();
        samples.push(
            0.3 * smooth + 0.4 * singer * tune * (-1.5 * since).exp() + drum * (1.5 * kick + 0.3 * hat),
        );
    }
    samples
}

/// Many voices at once, each from another place, at another pitch and distance.
fn babble(rng: &mut Rng, speech: &[Vec<f32>]) -> Vec<f32> {
    let mut samples = vec![0.0; PIECE];
    let voices = rng.usize(CROWD);
    for _ in 0..if speech.is_empty() { 0 } else { voices } {
        let (speed, loud) = (0.8 + 0.45 * rng.f32(), amplitude(-6.0 * rng.f32()));
        let mut at = 0;
        while at < PIECE {
            let sentence = &speech[rng.usize(0..speech.len())];
            let from = if at == 0 { rng.usize(0..sentence.len().max(1)) } else { 0 };
            let mut place = from as f32;
            while at < PIECE && (place as usize) + 1 < sentence.len() {
                let (i, rest) = (place as usize, place.fract());
                samples[at] += loud * (sentence[i] * (1.0 - rest) + sentence[i + 1] * rest);
                place += speed;
                at += 1;
            }
            at += rng.usize(0..RATE as usize / 2) + 1;
        }
    }
    samples
}

/// Single sounds with silence between, up to three in a row.
fn clatter(rng: &mut Rng) -> Vec<f32> {
    let mut samples = vec![0.0; PIECE];
    let mut at = 0;
    while at < PIECE {
        let sound: fn(&mut Rng) -> Vec<f32> = [knock, dish, bark, cough][rng.usize(0..4)];
        for _ in 0..rng.usize(1..=3) {
            let sound = sound(rng);
            let loud = amplitude(-12.0 * rng.f32());
            for (place, sample) in samples.iter_mut().skip(at).zip(&sound) {
                *place += loud * sample;
            }
            at += sound.len() + rng.usize(0..RATE as usize / 3);
        }
        at += rng.usize(RATE as usize / 2..3 * RATE as usize);
    }
    samples
}

/// Wood.
fn knock(rng: &mut Rng) -> Vec<f32> {
    let (hz, decay) = (80.0 + 250.0 * rng.f32(), 30.0 + 40.0 * rng.f32());
    let tone = |t: f32| (TAU * hz * t).sin() + 0.5 * (TAU * 2.7 * hz * t).sin();
    (0..RATE as usize / 6)
        .map(|i| (tone(seconds(i)) + 0.3 * white(rng)) * (-decay * seconds(i)).exp())
        .collect()
}

/// Porcelain and cutlery: partials that don't fit.
fn dish(rng: &mut Rng) -> Vec<f32> {
    let parts: Vec<(f32, f32)> = (0..6).map(|_| (900.0 + 5000.0 * rng.f32(), rng.f32())).collect();
    let decay = 6.0 + 20.0 * rng.f32();
    (0..RATE as usize / 3)
        .map(|i| {
            let t = seconds(i);
            parts.iter().map(|(hz, loud)| loud * (TAU * hz * t).sin()).sum::<f32>() * (-decay * t).exp() * 0.5
        })
        .collect()
}

/// Returns a dog: a voice whose pitch rises and falls.
fn bark(rng: &mut Rng) -> Vec<f32> {
    let (low, length) = (180.0 + 300.0 * rng.f32(), 0.12 + 0.2 * rng.f32());
    let mut phase = 0.0;
    let mut smooth = 0.0;
    (0..(length * RATE as f32) as usize)
        .map(|i| {
            let done = seconds(i) / length;
            let arch = (std::f32::consts::PI * done).sin();
            phase = (phase + low * (1.0 + 0.8 * arch) / RATE as f32).fract();
            smooth += 0.35 * (2.0 * phase - 1.0 + 0.4 * white(rng) - smooth);
            smooth * arch
        })
        .collect()
}

/// Air: a burst, then a little voice.
fn cough(rng: &mut Rng) -> Vec<f32> {
    let (pitch, length) = (90.0 + 80.0 * rng.f32(), 0.25 + 0.2 * rng.f32());
    let mut smooth = 0.0;
    (0..(length * RATE as f32) as usize)
        .map(|i| {
            let t = seconds(i);
            let voice = if t > 0.08 { 0.5 * (2.0 * (t * pitch).fract() - 1.0) } else { 0.0 };
            smooth += 0.4 * (white(rng) + voice - smooth);
            smooth * (-7.0 * t).exp()
        })
        .collect()
}

fn seconds(samples: usize) -> f32 {
    samples as f32 / RATE as f32
}

fn white(rng: &mut Rng) -> f32 {
    2.0 * rng.f32() - 1.0
}

/// Returns the factor of a level difference in dB.
pub fn amplitude(db: f32) -> f32 {
    10_f32.powf(db / 20.0)
}

/// Brings the level of sound to `db` dBFS; silence stays.
pub fn bring_to(samples: &mut [f32], db: f32) {
    let power = samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32;
    if power > 0.0 {
        let factor = amplitude(db) / power.sqrt();
        samples.iter_mut().for_each(|s| *s *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speech() -> Vec<Vec<f32>> {
        vec![(0..40_000).map(|i| (i as f32 * 0.05).sin()).collect()]
    }

    #[test]
    fn the_same_seed_makes_the_same_noise_of_every_kind() {
        for kind in NoiseKind::ALL {
            let [a, b] = [3, 3].map(|seed| piece(kind, &mut Rng::with_seed(seed), &speech()));
            assert_eq!(a.len(), PIECE);
            assert!(a == b, "{kind:?}");
            assert!(a != piece(kind, &mut Rng::with_seed(4), &speech()), "{kind:?}");
            assert!(a.iter().all(|s| s.is_finite() && s.abs() <= 1.0), "{kind:?}");
            let power = a.iter().map(|s| s * s).sum::<f32>() / PIECE as f32;
            let (low, high) = kind.levels();
            assert!((low - 3.0..high + 3.0).contains(&(10.0 * power.log10())), "{kind:?} {power}");
        }
    }

    #[test]
    fn a_crowd_without_speech_is_silent() {
        let samples = piece(NoiseKind::Babble, &mut Rng::with_seed(1), &[]);
        assert!(samples.iter().all(|s| s.abs() < 0.001));
    }
}
