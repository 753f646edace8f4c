//! Generates signal tones: "listening", "error", "thinking"; and the ring of timers.
//!
//! Out: mono f32 samples at any rate, faded at both ends: at most 150 ms and soft, but for the ring.
//! Pure: no I/O, no clock.

/// Peak level of the tones, about −18 dBFS.
const PEAK: f32 = 0.125;

/// Peak level of the ring, about −8 dBFS.
const RING_PEAK: f32 = 0.4;

/// Two rising notes: the wake phrase was heard. 120 ms.
pub fn acknowledge(rate: u32) -> Vec<f32> {
    notes(rate, &[(659.3, 0.05), (880.0, 0.07)])
}

/// Two falling low notes: this did not work. 150 ms.
pub fn error(rate: u32) -> Vec<f32> {
    notes(rate, &[(329.6, 0.06), (220.0, 0.09)])
}

/// Two soft equal notes: I am thinking. 130 ms.
pub fn thinking(rate: u32) -> Vec<f32> {
    notes(rate, &[(440.0, 0.05), (440.0, 0.08)])
}

/// Three rising notes, three times: something is due. 1.6 s, loud.
pub fn ring(rate: u32) -> Vec<f32> {
    let once = [(784.0, 0.12), (988.0, 0.12), (1175.0, 0.2)];
    let pause = vec![0.0; (0.1 * rate as f32) as usize];
    let mut out = Vec::new();
    for _ in 0..3 {
        out.extend(notes(rate, &once).into_iter().map(|sample| sample * (RING_PEAK / PEAK)));
        out.extend(&pause);
    }
    out
}

/// Sine notes (Hz, seconds) one after the other, each with raised-cosine ends.
fn notes(rate: u32, notes: &[(f32, f32)]) -> Vec<f32> {
    let fade = 0.012 * rate as f32;
    let mut out = Vec::new();
    for &(pitch, seconds) in notes {
        let len = (seconds * rate as f32) as usize;
        let step = std::f32::consts::TAU * pitch / rate as f32;
        out.extend((0..len).map(|i| {
            let edge = i.min(len - 1 - i) as f32;
            let envelope = 0.5 - 0.5 * (std::f32::consts::PI * (edge / fade).min(1.0)).cos();
            PEAK * envelope * (step * i as f32).sin()
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tones_are_short_soft_and_start_and_end_in_silence() {
        for rate in [8_000, 16_000, 22_050, 48_000] {
            for tone in [acknowledge(rate), error(rate), thinking(rate)] {
                assert!(!tone.is_empty() && tone.len() as f32 <= 0.150 * rate as f32);
                assert!(tone.iter().all(|sample| sample.abs() <= PEAK));
                assert!(tone[0].abs() < 1e-4 && tone[tone.len() - 1].abs() < 1e-4);
                let loudest = tone.iter().fold(0_f32, |peak, sample| peak.max(sample.abs()));
                assert!(loudest > 0.9 * PEAK);
            }
            assert_ne!(acknowledge(rate), error(rate));
        }
    }

    #[test]
    fn the_ring_is_louder_and_longer_than_any_tone_and_never_clips() {
        for rate in [8_000, 22_050, 48_000] {
            let ring = ring(rate);
            let loudest = ring.iter().fold(0_f32, |peak, sample| peak.max(sample.abs()));
            assert!(loudest > 0.9 * RING_PEAK && loudest <= RING_PEAK + 1e-6, "{loudest}");
            assert!((1.4..1.8).contains(&(ring.len() as f32 / rate as f32)));
        }
    }
}
