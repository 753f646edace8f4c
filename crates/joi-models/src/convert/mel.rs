//! The mel filter bank that whisper was trained with, which CTranslate2 files leave out.
//! Pure: no I/O, no clock.

/// Bins of a spectrum of 400 samples.
pub(super) const BINS: usize = 201;
const HIGHEST_HZ: f64 = 8000.0;
/// Slaney's mel scale is linear below this and logarithmic above.
const KNEE_HZ: f64 = 1000.0;
const LINEAR_STEP: f64 = 200.0 / 3.0;
const KNEE_MEL: f64 = KNEE_HZ / LINEAR_STEP;

/// `mels` rows of [`BINS`] weights: triangles of equal area, evenly spaced on the mel scale.
pub(super) fn filters(mels: usize) -> Vec<f32> {
    let step = mel(HIGHEST_HZ) / (mels + 1) as f64;
    let mut edges: Vec<f64> = (0..mels + 1).map(|n| hz(n as f64 * step)).collect();
    edges.push(hz(mel(HIGHEST_HZ)));
    let bin_hz = HIGHEST_HZ / (BINS - 1) as f64;
    let triangle = |edge: &[f64]| {
        let (left, top, right) = (edge[0], edge[1], edge[2]);
        let area = 2.0 / (right - left);
        (0..BINS)
            .map(|bin| {
                let hz = bin as f64 * bin_hz;
                let rising = -(left - hz) / (top - left);
                let falling = (right - hz) / (right - top);
                let height = rising.min(falling);
                // Not `max`: it would lose the sign of the zero that whisper's own file has.
                (if height < 0.0 { 0.0 } else { height * area }) as f32
            })
            .collect::<Vec<f32>>()
    };
    edges.windows(3).flat_map(triangle).collect()
}

fn mel(hz: f64) -> f64 {
    if hz < KNEE_HZ { hz / LINEAR_STEP } else { KNEE_MEL + (hz / KNEE_HZ).ln() / log_step() }
}

fn hz(mel: f64) -> f64 {
    if mel < KNEE_MEL { mel * LINEAR_STEP } else { KNEE_HZ * (log_step() * (mel - KNEE_MEL)).exp() }
}

fn log_step() -> f64 {
    6.4_f64.ln() / 27.0
}
