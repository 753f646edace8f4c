//! Estimates the echo path from speaker to microphone and subtracts the predicted echo.
//!
//! A partitioned-block frequency-domain Kalman filter. Each weight of the echo path has an uncertainty, which
//! is compared with the power of everything else in the signal: the filter hardly adapts while somebody
//! talks, and adapts fast when only playback is heard. The path is assumed to change all the time, so
//! drifting clocks are tracked. Nothing is suppressed: a talker stays undistorted. In: frames of 10 ms of
//! both ends. Out: the same frame, without delay.
//!
//! G. Enzner, P. Vary: Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free
//! telephones, Signal Processing 86 (2006). F. Kuech, E. Mabande, G. Enzner: State-space architecture of the
//! partitioned-block-based acoustic echo controller, ICASSP 2014.
//! Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, FftError, RealFftPlanner, RealToComplex};

use super::frame::FRAME;
use crate::RATE;

/// Samples of one block, half of a transform: 5 ms.
const BLOCK: usize = FRAME / 2;
/// Blocks of the modelled echo path, 0.325 s: the sound system's delay and a living room's reverberation.
const BLOCKS: usize = 65;
/// Correlation of the echo path from one block to the next; it is down to one half after 1.7 s.
const PERSISTENCE: f32 = 0.998;
/// Weight of the past in the noise power estimate (everything but echo).
const SMOOTH: f32 = 0.8;
/// Initial uncertainty of the first block's weights, before anything is known of the room.
const AT_FIRST: f32 = 0.02;
/// Blocks with audible playback that determine how loud the echo is: 0.2 s.
const SOUNDING: u32 = 40;
/// The uncertainty that belongs to an echo as loud as playback.
const PER_ECHO: f32 = 0.3;
/// Reverberation decays by 60 dB within this many blocks, in a typical room.
const REVERBERATION: f32 = 50.0;
/// A far-end block below this mean power is silence: −60 dBFS.
const SILENCE: f32 = 1e-6;
/// Lower bound of every power spectrum.
const FLOOR: f32 = 1e-9;

/// The largest delay of the echo behind the far end that the filter covers without moving its start, in
/// samples.
const REACH: usize = RATE as usize * 12 / 100;
/// When its start is moved, it starts this much before the echo, in samples.
const HEADROOM: usize = RATE as usize * 4 / 100;
/// The longest delay that is followed, in samples.
const FARTHEST: usize = RATE as usize;

/// A block's spectrum.
type Spectrum = Box<[Complex32; BLOCK + 1]>;

/// The estimate of the echo path for one block age.
struct PathBlock {
    weights: Spectrum,
    uncertainty: Box<[f32; BLOCK + 1]>,
}

/// The filter.
pub(super) struct Kalman {
    transform: Transform,
    /// The last far-end blocks as spectra, newest first.
    far: VecDeque<Spectrum>,
    parts: Vec<PathBlock>,
    /// Noise power: everything but echo.
    other: Box<[f32; BLOCK + 1]>,
    /// The last far-end block as samples.
    last: [f32; BLOCK],
    /// Far-end delay line, as long as the bulk delay requires.
    line: VecDeque<f32>,
    /// Bulk delay of the far end, in samples.
    bulk: usize,
    loudness: EchoLoudness,
}

/// The loudness of the echo, measured before anything else is known.
#[derive(Default)]
struct EchoLoudness {
    blocks: u32,
    near: f32,
    far: f32,
}

impl Kalman {
    /// Creates a filter without any estimate of the room.
    pub(super) fn new() -> Self {
        Self::with(Transform::new())
    }

    fn with(transform: Transform) -> Self {
        Self {
            transform,
            far: (0..BLOCKS).map(|_| silence()).collect(),
            parts: (0..BLOCKS).map(PathBlock::unknown).collect(),
            other: Box::new([0.0; BLOCK + 1]),
            last: [0.0; BLOCK],
            line: VecDeque::new(),
            bulk: 0,
            loudness: EchoLoudness::default(),
        }
    }

    /// Resets the estimate of the room.
    pub(super) fn reset(&mut self) {
        *self = Self::with(self.transform.clone());
    }

    /// Takes the estimated delay of the echo, in samples, where it is known. An echo outside the range of the
    /// filter moves its start, and it adapts anew.
    pub(super) fn align(&mut self, delay: usize) {
        let delay = delay.min(FARTHEST);
        if delay == 0 || (self.bulk..=self.bulk + REACH).contains(&delay) {
            return;
        }
        self.reset();
        self.bulk = if delay <= REACH { 0 } else { delay - HEADROOM };
    }

    /// `near` minus the predicted echo of `far`, or nothing if that is not finite.
    pub(super) fn process(&mut self, near: &[f32; FRAME], far: &[f32; FRAME]) -> Option<[f32; FRAME]> {
        self.line.extend(far);
        let mut out = [0.0; FRAME];
        let blocks = near.as_chunks::<BLOCK>().0.iter().zip(out.as_chunks_mut::<BLOCK>().0);
        for (near, out) in blocks {
            let far = self.delayed();
            *out = self.block(near, &far).ok()?;
        }
        if out.iter().all(|sample| sample.is_finite()) {
            return Some(out);
        }
        self.reset();
        None
    }

    /// Returns the next far-end block, delayed by the bulk delay.
    fn delayed(&mut self) -> [f32; BLOCK] {
        let mut block = [0.0; BLOCK];
        // Silence until as much as the bulk delay has been played.
        let held = self.line.len().saturating_sub(self.bulk).min(BLOCK);
        let silent = BLOCK - held;
        for (sample, played) in block[silent..].iter_mut().zip(self.line.drain(..held)) {
            *sample = played;
        }
        block
    }

    fn block(&mut self, near: &[f32; BLOCK], far: &[f32; BLOCK]) -> Result<[f32; BLOCK], FftError> {
        self.hear_far(far)?;
        let echo = self.predict()?;
        let mut clean = *near;
        clean.iter_mut().zip(&echo).for_each(|(clean, echo)| *clean -= echo);
        if self.loudness.measure(near, far) {
            let scale = (PER_ECHO * self.loudness.ratio() / AT_FIRST).clamp(1e-3, 1e3);
            self.parts.iter_mut().for_each(|part| part.uncertainty.iter_mut().for_each(|p| *p *= scale));
        }
        self.learn(&clean)?;
        Ok(clean)
    }

    fn hear_far(&mut self, far: &[f32; BLOCK]) -> Result<(), FftError> {
        let mut newest = self.far.pop_back().unwrap_or_else(silence);
        self.transform.forward(&self.last, far, &mut newest)?;
        self.far.push_front(newest);
        self.last = *far;
        Ok(())
    }

    fn predict(&mut self) -> Result<[f32; BLOCK], FftError> {
        let mut echo = silence();
        for (far, part) in self.far.iter().zip(&self.parts) {
            let weighted = far.iter().zip(part.weights.iter());
            echo.iter_mut().zip(weighted).for_each(|(echo, (far, weight))| *echo += far * weight);
        }
        let (_, late) = self.transform.back(&mut echo)?;
        Ok(late)
    }

    fn learn(&mut self, clean: &[f32; BLOCK]) -> Result<(), FftError> {
        let mut error = silence();
        self.transform.forward(&[0.0; BLOCK], clean, &mut error)?;
        let mut expected = [FLOOR; BLOCK + 1];
        for (far, part) in self.far.iter().zip(&self.parts) {
            for (expected, (far, uncertain)) in
                expected.iter_mut().zip(far.iter().zip(part.uncertainty.iter()))
            {
                // Half of the error's window is zero, and so is half of its power.
                *expected += 0.5 * far.norm_sqr() * uncertain;
            }
        }
        for ((expected, other), error) in expected.iter_mut().zip(self.other.iter_mut()).zip(error.iter()) {
            *other += (error.norm_sqr() - *other) * (1.0 - SMOOTH);
            *expected += *other;
        }
        for (far, part) in self.far.iter().zip(&mut self.parts) {
            part.learn(far, &error, &expected);
            self.transform.constrain(&mut part.weights)?;
        }
        Ok(())
    }
}

impl PathBlock {
    fn unknown(age: usize) -> Self {
        let uncertainty = AT_FIRST * (-6.9 * age as f32 / REVERBERATION).exp();
        Self { weights: silence(), uncertainty: Box::new([uncertainty; BLOCK + 1]) }
    }

    /// The Kalman step of each bin: low uncertainty or high noise power mean a small step.
    fn learn(&mut self, far: &Spectrum, error: &Spectrum, expected: &[f32; BLOCK + 1]) {
        const KEPT: f32 = PERSISTENCE * PERSISTENCE;
        for bin in 0..=BLOCK {
            let (far, uncertain) = (far[bin], self.uncertainty[bin]);
            let step = uncertain / expected[bin];
            self.weights[bin] += far.conj() * error[bin] * step;
            let rest = (1.0 - 0.5 * step * far.norm_sqr()).max(0.0);
            self.uncertainty[bin] = KEPT * rest * uncertain + (1.0 - KEPT) * self.weights[bin].norm_sqr();
        }
    }
}

impl EchoLoudness {
    /// Adds a block; returns whether the loudness has just become known.
    fn measure(&mut self, near: &[f32], far: &[f32]) -> bool {
        let power = |samples: &[f32]| samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32;
        if self.blocks >= SOUNDING || power(far) < SILENCE {
            return false;
        }
        self.blocks += 1;
        self.near += power(near);
        self.far += power(far);
        self.blocks == SOUNDING
    }

    /// Power of the microphone relative to that of the speaker.
    fn ratio(&self) -> f32 {
        self.near / self.far.max(SILENCE)
    }
}

fn silence() -> Spectrum {
    Box::new([Complex32::default(); BLOCK + 1])
}

/// Forward and inverse transform of blocks.
#[derive(Clone)]
struct Transform {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    samples: Vec<f32>,
    scratch: Vec<Complex32>,
}

impl Transform {
    fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(2 * BLOCK), planner.plan_fft_inverse(2 * BLOCK));
        let scratch = forward.get_scratch_len().max(inverse.get_scratch_len());
        let scratch = vec![Complex32::default(); scratch];
        Self { forward, inverse, samples: vec![0.0; 2 * BLOCK], scratch }
    }

    /// Returns the spectrum of two successive blocks.
    fn forward(&mut self, early: &[f32], late: &[f32], into: &mut Spectrum) -> Result<(), FftError> {
        self.samples[..BLOCK].copy_from_slice(early);
        self.samples[BLOCK..].copy_from_slice(late);
        self.forward.process_with_scratch(&mut self.samples, &mut into[..], &mut self.scratch)
    }

    /// Returns the two blocks of a spectrum; overwrites the spectrum.
    fn back(&mut self, spectrum: &mut Spectrum) -> Result<([f32; BLOCK], [f32; BLOCK]), FftError> {
        // DC and Nyquist bins of a real signal have no imaginary part; the library rejects anything else.
        (spectrum[0].im, spectrum[BLOCK].im) = (0.0, 0.0);
        self.inverse.process_with_scratch(&mut spectrum[..], &mut self.samples, &mut self.scratch)?;
        let scaled = |at: usize| std::array::from_fn(|i| self.samples[at + i] / (2 * BLOCK) as f32);
        Ok((scaled(0), scaled(BLOCK)))
    }

    /// Weights describe one block: the second half of their impulse response is set to zero.
    fn constrain(&mut self, weights: &mut Spectrum) -> Result<(), FftError> {
        let (early, _) = self.back(weights)?;
        self.forward(&early, &[0.0; BLOCK], weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speech played in a room: far end and echo, delayed by `late` samples, `loud` relative to playback; the
    /// microphone's clock is faster by `ppm`.
    fn room(seconds: usize, loud: f32, late: usize, ppm: f64) -> (Vec<f32>, Vec<f32>) {
        let mut random = fastrand::Rng::with_seed(5);
        let mut noise = || random.f32() * 2.0 - 1.0;
        // In syllables of a quarter of a second, like speech.
        let far: Vec<f32> = (0..seconds * RATE as usize)
            .map(|i| noise() * 0.3 * (i as f32 * 12.6 / RATE as f32).sin().powi(2))
            .collect();
        let taps: Vec<f32> = (0..1600).map(|n| noise() * 0.1 * (-6.9 * n as f32 / 1600.0).exp()).collect();
        let played = |at: f64| {
            let (whole, part) = (at.floor(), at.fract() as f32);
            let sample =
                |i: f64| if i < 0.0 { 0.0 } else { far.get(i as usize).copied().unwrap_or_default() };
            sample(whole) * (1.0 - part) + sample(whole + 1.0) * part
        };
        let steps = taps.iter().enumerate().step_by(20);
        let heard = |i: usize| {
            let at = i as f64 * (1.0 + ppm * 1e-6) - late as f64;
            loud * steps.clone().map(|(n, tap)| tap * played(at - n as f64)).sum::<f32>()
        };
        let near = (0..far.len()).map(heard).collect();
        (far, near)
    }

    fn cleaned(kalman: &mut Kalman, far: &[f32], near: &[f32]) -> Vec<f32> {
        let frames = near.as_chunks::<FRAME>().0.iter().zip(far.as_chunks::<FRAME>().0);
        frames.flat_map(|(near, far)| kalman.process(near, far).expect("a number")).collect()
    }

    fn level(samples: &[f32]) -> f32 {
        10.0 * (samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32).max(1e-12).log10()
    }

    /// By how many dB the echo became smaller in the last second.
    fn reduction(kalman: &mut Kalman, far: &[f32], near: &[f32]) -> f32 {
        let last = near.len() - RATE as usize..;
        let out = cleaned(kalman, far, near);
        level(&near[last.clone()]) - level(&out[last])
    }

    #[test]
    fn an_echo_of_any_level_is_learnt_within_seconds() {
        for loud in [0.1, 1.0, 5.0] {
            let (far, near) = room(3, loud, 800, 0.0);
            let reduction = reduction(&mut Kalman::new(), &far, &near);
            assert!(reduction > 20.0, "{reduction} dB at {loud}");
        }
    }

    #[test]
    fn a_microphone_with_a_clock_of_its_own_is_followed() {
        let (far, near) = room(6, 1.0, 800, 40.0);
        let reduction = reduction(&mut Kalman::new(), &far, &near);
        assert!(reduction > 15.0, "{reduction} dB");
    }

    #[test]
    fn speech_over_playback_stays_whole_and_playback_is_removed() {
        let (far, mut near) = room(4, 1.0, 800, 0.0);
        let from = 3 * RATE as usize;
        let mut random = fastrand::Rng::with_seed(9);
        let talker: Vec<f32> = near[from..].iter().map(|_| random.f32() * 0.1 - 0.05).collect();
        near[from..].iter_mut().zip(&talker).for_each(|(near, talk)| *near += talk);
        let out = cleaned(&mut Kalman::new(), &far, &near);
        let rest: Vec<f32> = out[from..].iter().zip(&talker).map(|(out, talk)| out - talk).collect();
        let apart = level(&talker) - level(&rest);
        assert!(apart > 15.0, "what is added to the talker, or taken from him, is {apart} dB softer");
    }

    #[test]
    fn a_late_echo_is_found_where_it_is_said_to_be() {
        let late = 7200;
        let (far, near) = room(4, 1.0, late, 0.0);
        let unaware = reduction(&mut Kalman::new(), &far, &near);
        assert!(unaware < 3.0, "it is longer than the filter, yet {unaware} dB");
        let mut kalman = Kalman::new();
        kalman.align(late);
        let aware = reduction(&mut kalman, &far, &near);
        assert!(aware > 15.0, "{aware} dB");
        kalman.align(late + 300);
        kalman.align(0);
        assert!(kalman.bulk > 0 && kalman.parts.iter().any(|part| part.weights[3].norm_sqr() > 0.0), "kept");
        kalman.align(800);
        assert!(
            kalman.bulk == 0 && kalman.parts.iter().all(|part| part.weights[3].norm_sqr() == 0.0),
            "anew"
        );
    }

    #[test]
    fn where_nothing_of_her_is_heard_a_talker_is_left_alone() {
        let (far, _) = room(2, 1.0, 800, 0.0);
        let talker: Vec<f32> = (0..far.len()).map(|i| (i as f32 * 0.3).sin() * 0.1).collect();
        let out = cleaned(&mut Kalman::new(), &far, &talker);
        let last = RATE as usize..;
        let rest: Vec<f32> =
            out[last.clone()].iter().zip(&talker[last.clone()]).map(|(a, b)| a - b).collect();
        assert!(level(&rest) < level(&talker[last]) - 20.0, "{} dB", level(&rest));
    }

    #[test]
    fn what_is_no_number_is_forgotten() {
        let mut kalman = Kalman::new();
        assert_eq!(kalman.process(&[f32::NAN; FRAME], &[0.1; FRAME]), None);
        assert_eq!(kalman.process(&[0.1; FRAME], &[0.0; FRAME]), Some([0.1; FRAME]));
    }
}
