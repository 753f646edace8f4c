//! What rings: the built-in notes, or a WAV file of the owner's.
//!
//! Read once, before anything rings, on the thread that starts the conversation. In: a WAV file of any rate and number
//! of channels. Out: mono f32 at one rate, at most ten seconds, faded where it was cut. Refuses a file that is silent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::tone;
use super::wav::{WavError, read_wav_start};

/// Rate of the samples, in Hz.
const RATE: u32 = 48_000;
/// Longer sounds are cut: between two rings joi announces what is due, and listens.
const LONGEST: Duration = Duration::from_secs(10);
/// Length of the fade at the end of a ring that was cut, in samples.
const FADE: usize = RATE as usize / 4;
/// A file whose peak stays below this (-50 dBFS) counts as silent.
const SILENT: f32 = 0.003;

/// Why a file can't ring.
#[derive(Debug, Error)]
pub enum RingSoundError {
    /// It can't be read as a WAV file.
    #[error(transparent)]
    Wav(#[from] WavError),
    /// There is nothing to hear in it.
    #[error("{path} is silent")]
    Silent {
        /// The file.
        path: PathBuf,
    },
}

/// The sound of a ring.
#[derive(Debug, Clone, PartialEq)]
pub struct RingSound {
    samples: Vec<f32>,
}

impl RingSound {
    /// Returns the built-in notes.
    pub fn built_in() -> Self {
        Self { samples: tone::ring(RATE) }
    }

    /// Returns the sound of a WAV file, at most ten seconds of it.
    ///
    /// # Errors
    /// The file is missing, not a WAV file, or silent.
    pub fn read(path: &Path) -> Result<Self, RingSoundError> {
        let (mut samples, is_cut) = read_wav_start(path, RATE, LONGEST)?;
        if samples.iter().all(|sample| sample.abs() < SILENT) {
            return Err(RingSoundError::Silent { path: path.to_owned() });
        }
        if is_cut {
            let fade = FADE.min(samples.len());
            for (left, sample) in samples.iter_mut().rev().take(fade).enumerate() {
                *sample *= left as f32 / fade as f32;
            }
        }
        Ok(Self { samples })
    }

    /// Mono samples at [`rate`](Self::rate).
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// In Hz.
    pub fn rate(&self) -> u32 {
        RATE
    }
}

#[cfg(test)]
mod tests {
    use hound::{SampleFormat, WavSpec, WavWriter};

    use super::*;

    fn file(folder: &Path, (rate, channels): (u32, u16), seconds: f32, level: f32) -> PathBuf {
        let path = folder.join(format!("{rate}-{channels}-{seconds}-{level}.wav"));
        let spec =
            WavSpec { channels, sample_rate: rate, bits_per_sample: 32, sample_format: SampleFormat::Float };
        let mut writer = WavWriter::create(&path, spec).unwrap();
        for frame in 0..(seconds * rate as f32) as u32 {
            let sample = level * (std::f32::consts::TAU * 440.0 * frame as f32 / rate as f32).sin();
            (0..channels).for_each(|_| writer.write_sample(sample).unwrap());
        }
        writer.finalize().unwrap();
        path
    }

    #[test]
    fn any_rate_and_number_of_channels_becomes_the_same_sound() {
        let folder = tempfile::tempdir().unwrap();
        for shape in [(8_000, 1), (44_100, 2), (96_000, 6)] {
            let sound = RingSound::read(&file(folder.path(), shape, 0.5, 0.5)).unwrap();
            assert!(sound.samples().len().abs_diff(24_000) <= 1, "{shape:?}: {}", sound.samples().len());
            let middle = &sound.samples()[6_000..18_000];
            let power = middle.iter().map(|s| s * s).sum::<f32>() / middle.len() as f32;
            assert!((power - 0.125).abs() < 0.005, "{shape:?}: {power}");
        }
    }

    #[test]
    fn a_long_file_is_cut_after_ten_seconds_and_fades() {
        let folder = tempfile::tempdir().unwrap();
        let sound = RingSound::read(&file(folder.path(), (16_000, 1), 11.0, 0.5)).unwrap();
        assert!(sound.samples().len().abs_diff(480_000) <= 1);
        let peak = |part: &[f32]| part.iter().fold(0_f32, |peak, s| peak.max(s.abs()));
        let end = sound.samples().len();
        assert!(peak(&sound.samples()[..end - FADE]) > 0.45);
        assert!(peak(&sound.samples()[end - 480..]) < 0.03, "no click");
    }

    #[test]
    fn what_can_not_ring_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let silent = RingSound::read(&file(folder.path(), (16_000, 1), 1.0, 0.001)).unwrap_err();
        assert!(silent.to_string().ends_with("is silent"), "{silent}");
        let missing = RingSound::read(&folder.path().join("gone.wav")).unwrap_err();
        assert!(missing.to_string().contains("can't be opened"), "{missing}");
        let text = folder.path().join("text.wav");
        std::fs::write(&text, "ring").unwrap();
        assert!(RingSound::read(&text).unwrap_err().to_string().contains("not a readable WAV file"));
    }
}
