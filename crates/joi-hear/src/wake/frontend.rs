//! Turns 16 kHz samples into the features microWakeWord models were trained on.
//!
//! Owned by the listener thread. In: samples, any number at a time. Out: 40 numbers every 10 ms, each a
//! band's loudness after noise reduction, automatic gain and a logarithm. The arithmetic is that of the
//! TensorFlow Lite Micro front end, in whole numbers where that one uses whole numbers; only the Fourier
//! transform is a floating-point one. Allocates nothing after construction.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

/// Bands, and so numbers per frame.
pub(super) const FEATURES: usize = 40;
/// Samples from one frame to the next: 10 ms.
pub(super) const HOP: usize = 160;
/// Samples a frame looks at: 30 ms.
const WINDOW: usize = 480;
/// Length of the Fourier transform.
const FFT: usize = 512;
/// Edges of the outermost bands in Hz.
const BAND_EDGES: (f32, f32) = (125.0, 7500.0);
/// Fixed-point one of the window and of the band weights.
const UNIT: f64 = 4096.0;
/// How fast the noise estimate of even and odd bands follows, of 16384.
const NOISE_SMOOTHING: [u64; 2] = [409, 983];
/// The least share of a band that noise reduction leaves, of 16384.
const LEAST_SIGNAL: u64 = 819;
/// Extra bits of the noise estimate.
const NOISE_BITS: u32 = 10;
/// Feature units per unit of the fixed-point logarithm.
const FEATURE_SCALE: f32 = 0.039_062_5;

/// The front end.
#[derive(Clone)]
pub(super) struct Frontend {
    window: [i32; WINDOW],
    bands: Vec<Bin>,
    first_bin: usize,
    gains: GainCurve,
    fft: Arc<dyn RealToComplex<f32>>,
    input: Vec<f32>,
    scratch: Vec<Complex<f32>>,
    spectrum: Vec<Complex<f32>>,
    samples: [i16; WINDOW],
    filled: usize,
    noise: [u32; FEATURES],
}

/// How one frequency bin spreads over two neighbouring bands.
#[derive(Clone, Copy)]
struct Bin {
    /// The upper of the two; 0 is the one below the first band and thrown away.
    band: usize,
    lower: u64,
    upper: u64,
}

impl Frontend {
    /// Creates a front end without any input.
    pub(super) fn new() -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(FFT);
        let (first_bin, bands) = bands();
        Self {
            window: std::array::from_fn(|i| {
                let phase = std::f64::consts::TAU / WINDOW as f64 * (i as f64 + 0.5);
                ((0.5 - 0.5 * phase.cos()) * UNIT + 0.5).floor() as i32
            }),
            bands,
            first_bin,
            gains: GainCurve::new(),
            input: fft.make_input_vec(),
            scratch: fft.make_scratch_vec(),
            spectrum: fft.make_output_vec(),
            fft,
            samples: [0; WINDOW],
            filled: 0,
            noise: [0; FEATURES],
        }
    }

    /// Resets the state and the noise estimate.
    pub(super) fn reset(&mut self) {
        self.filled = 0;
        self.noise = [0; FEATURES];
    }

    /// Takes samples (16 kHz, −1..1) from the front of `samples` until a frame is complete, and returns it;
    /// nothing if there were too few.
    pub(super) fn next(&mut self, samples: &mut &[f32]) -> Option<[f32; FEATURES]> {
        let taken = samples.len().min(WINDOW - self.filled);
        let (now, later) = samples.split_at(taken);
        for (place, &sample) in self.samples[self.filled..].iter_mut().zip(now) {
            *place = (sample * 32768.0).round() as i16;
        }
        *samples = later;
        self.filled += taken;
        if self.filled < WINDOW {
            return None;
        }
        let frame = self.frame();
        self.samples.copy_within(HOP.., 0);
        self.filled = WINDOW - HOP;
        Some(frame)
    }

    fn frame(&mut self) -> [f32; FEATURES] {
        let headroom = self.transform();
        let energies = self.energies();
        std::array::from_fn(|band| {
            let amplitude = (energies[band + 1] as f64).sqrt().round() as u64 >> headroom;
            let signal = self.reduce_noise(band, amplitude as u32);
            logarithm(self.level(band, signal))
        })
    }

    /// Windows the samples and fills the spectrum. The samples are scaled up to use 15 bits; returns by how
    /// many bits.
    fn transform(&mut self) -> u32 {
        let mut loudest = 0;
        for ((place, &sample), &weight) in self.input.iter_mut().zip(&self.samples).zip(&self.window) {
            let windowed = (i32::from(sample) * weight) >> 12;
            loudest = loudest.max(windowed.unsigned_abs());
            *place = windowed as f32;
        }
        self.input[WINDOW..].fill(0.0);
        let used = bits(loudest);
        let scale = if used > 15 { 0.5 } else { (1u32 << (15 - used)) as f32 };
        self.input[..WINDOW].iter_mut().for_each(|v| *v *= scale);
        // Fails only on buffers of a wrong length, and these came from the plan itself; a frame of silence
        // would be the right result then.
        if self.fft.process_with_scratch(&mut self.input, &mut self.spectrum, &mut self.scratch).is_err() {
            self.spectrum.fill(Complex::default());
        }
        15u32.saturating_sub(used)
    }

    fn energies(&self) -> [u64; FEATURES + 2] {
        let mut energies = [0; FEATURES + 2];
        for (bin, value) in self.bands.iter().zip(&self.spectrum[self.first_bin..]) {
            let [re, im] = [value.re, value.im].map(|v| (v / FFT as f32).round() as i64);
            let energy = (re * re + im * im) as u64;
            energies[bin.band] += bin.lower * energy;
            energies[bin.band + 1] += bin.upper * energy;
        }
        energies
    }

    /// Subtracts the slowly following noise estimate from a band.
    fn reduce_noise(&mut self, band: usize, amplitude: u32) -> u32 {
        let smoothing = NOISE_SMOOTHING[band % 2];
        let scaled = amplitude << NOISE_BITS;
        let estimate = ((u64::from(scaled) * smoothing + u64::from(self.noise[band]) * (16384 - smoothing))
            >> 14) as u32;
        self.noise[band] = estimate;
        let least = ((u64::from(amplitude) * LEAST_SIGNAL) >> 14) as u32;
        ((scaled - estimate.min(scaled)) >> NOISE_BITS).max(least)
    }

    /// Automatic gain: loud noise lowers a band, and the result is compressed.
    fn level(&self, band: usize, signal: u32) -> u32 {
        let ratio = ((u64::from(signal) * u64::from(self.gains.at(self.noise[band]))) >> 6) as u32;
        if ratio < 8192 { ratio.wrapping_mul(ratio) >> 20 } else { (ratio >> 6) - 64 }
    }
}

fn logarithm(level: u32) -> f32 {
    let level = level << 3;
    if level > 1 { (f64::from(level).ln() * 64.0).round() as f32 * FEATURE_SCALE } else { 0.0 }
}

fn bits(x: u32) -> u32 {
    u32::BITS - x.leading_zeros()
}

/// The frequency bins in use, beginning with the bin that is returned first, over triangular mel bands.
fn bands() -> (usize, Vec<Bin>) {
    let mel = |hz: f32| 1127.0 * (hz / 700.0).ln_1p();
    let (low, high) = (mel(BAND_EDGES.0), mel(BAND_EDGES.1));
    let spacing = (high - low) / (FEATURES + 1) as f32;
    let hz_per_bin = joi_audio::RATE as f32 / FFT as f32;
    let first = (1.5 + BAND_EDGES.0 / hz_per_bin) as usize;
    let mut bins = Vec::new();
    for band in 0..=FEATURES {
        let (left, centre) = (low + spacing * band as f32, low + spacing * (band + 1) as f32);
        loop {
            let at = mel((first + bins.len()) as f32 * hz_per_bin);
            if at > centre {
                break;
            }
            let lower = f64::from((centre - at) / (centre - left));
            let fixed = |w: f64| (w * UNIT + 0.5).floor() as u64;
            bins.push(Bin { band, lower: fixed(lower), upper: fixed(1.0 - lower) });
        }
    }
    (first, bins)
}

/// The gain of a band over its noise estimate: a power law in 33 quadratic pieces, one per power of two.
#[derive(Clone)]
struct GainCurve {
    first: [u16; 2],
    pieces: [[i32; 3]; 33],
}

impl GainCurve {
    fn new() -> Self {
        let exact = |noise: u32| {
            let gain = 2_097_152.0f32 * (noise as f32 / 128.0 + 80.0).powf(-0.95);
            if gain > 32767.0 { 32767 } else { (gain + 0.5) as i32 }
        };
        let mut pieces = [[0; 3]; 33];
        for (i, piece) in pieces.iter_mut().enumerate().skip(2) {
            let start = 1u32 << (i - 1);
            let middle = start + (start >> 1);
            let end = if i == 32 { u32::MAX } else { 2 * start };
            let (base, half, whole) = (exact(start), exact(middle), exact(end));
            let slope = 4 * (half - base) - (whole - base);
            *piece = [base, slope, (whole - base) - slope];
        }
        Self { first: [exact(0) as u16, exact(1) as u16], pieces }
    }

    fn at(&self, noise: u32) -> u16 {
        if noise < 2 {
            return self.first[noise as usize];
        }
        let piece = bits(noise);
        let [base, slope, bend] = self.pieces[piece as usize];
        let shifted = if piece < 11 { noise << (11 - piece) } else { noise >> (piece - 11) };
        let along = (shifted & 0x3ff) as i32;
        let curve = (((bend * along) >> 5) + (slope << 5)).wrapping_mul(along);
        (((curve + (1 << 14)) >> 15) + base) as i16 as u16
    }
}
