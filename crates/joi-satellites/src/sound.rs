//! Sound as it crosses a connection: PCM of any usual format in, 16 kHz mono out, and the other way round.
//!
//! In: chunks, each with its format, which may change within a stream. Out: mono f32 in −1..1 at [`RATE`]. Refuses formats
//! that no microphone has. A payload that is no whole number of frames loses its tail.
//! Pure: no I/O, no clock.

use serde_json::Value;

use joi_audio::{RATE, Resampler};

use super::wire::WireData;

/// The format of a chunk of PCM, little-endian and signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PcmFormat {
    /// Frames a second, in Hz.
    pub(crate) rate: u32,
    /// Bytes of a sample.
    pub(crate) width: u32,
    /// Samples of a frame.
    pub(crate) channels: u32,
}

/// A format that is not taken: the sender is to convert it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} of the sound is {value}; allowed: {allowed}")]
pub(crate) struct FormatError {
    key: &'static str,
    value: u32,
    allowed: &'static str,
}

/// Lowest and highest rate in Hz.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=96_000;
const MOST_CHANNELS: u32 = 8;

impl PcmFormat {
    /// Mono of 16 bit, as every voice speaks.
    pub(crate) fn of_voice(rate: u32) -> Self {
        Self { rate, width: 2, channels: 1 }
    }

    /// Returns the format of a chunk of sound; what is missing is as it is with every satellite known.
    pub(crate) fn of_chunk(data: &WireData) -> Self {
        let field = |key: &str, usual: u32| match data.get(key).and_then(Value::as_f64) {
            Some(value) if value >= 0.0 && value <= f64::from(u32::MAX) => value as u32,
            Some(_) => 0,
            None => usual,
        };
        Self { rate: field("rate", RATE), width: field("width", 2), channels: field("channels", 1) }
    }

    /// Checks that the format can be converted.
    pub(crate) fn checked(self) -> Result<Self, FormatError> {
        let refused = |key, value, allowed| Err(FormatError { key, value, allowed });
        if !RATES.contains(&self.rate) {
            return refused("rate", self.rate, "8000 to 96000 Hz");
        }
        if ![1, 2, 4].contains(&self.width) {
            return refused("width", self.width, "1, 2 or 4 bytes");
        }
        if !(1..=MOST_CHANNELS).contains(&self.channels) {
            return refused("channels", self.channels, "1 to 8");
        }
        Ok(self)
    }

    /// Returns the mean of the channels of each whole frame in `pcm`.
    fn mono(self, pcm: &[u8]) -> Vec<f32> {
        let width = self.width as usize;
        let frame = width * self.channels as usize;
        let sample = |bytes: &[u8]| match *bytes {
            [a] => f32::from(a.cast_signed()) / 128.0,
            [a, b] => f32::from(i16::from_le_bytes([a, b])) / 32_768.0,
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]) as f32 / 2_147_483_648.0,
            _ => 0.0,
        };
        pcm.chunks_exact(frame)
            .map(|frame| frame.chunks_exact(width).map(sample).sum::<f32>() / self.channels as f32)
            .collect()
    }
}

/// Converts one stream of sound.
#[derive(Default)]
pub(crate) struct SoundIntake(Option<(PcmFormat, Resampler)>);

impl SoundIntake {
    /// Converts a chunk; where the format has changed, the sound before it ends there.
    ///
    /// # Errors
    /// The format is not taken.
    pub(crate) fn push(&mut self, format: PcmFormat, pcm: &[u8]) -> Result<Vec<f32>, FormatError> {
        let mut samples = Vec::new();
        if self.0.as_ref().is_none_or(|(before, _)| *before != format) {
            let format = format.checked()?;
            let refused = |_| FormatError { key: "rate", value: format.rate, allowed: "8000 to 96000 Hz" };
            let resampler = Resampler::new(format.rate, RATE).map_err(refused)?;
            samples = self.finish();
            self.0 = Some((format, resampler));
        }
        if let Some((format, resampler)) = &mut self.0 {
            resampler.push(&format.mono(pcm), &mut samples);
        }
        Ok(samples)
    }

    /// Ends the stream: returns what is still on its way.
    pub(crate) fn finish(&mut self) -> Vec<f32> {
        let mut samples = Vec::new();
        if let Some((_, mut resampler)) = self.0.take() {
            resampler.finish(&mut samples);
        }
        samples
    }
}

/// Returns samples in −1..1 as PCM of 16 bit; what is beyond is limited.
pub(crate) fn pcm_of(samples: &[f32]) -> Vec<u8> {
    let sample = |sample: &f32| (sample.clamp(-1.0, 1.0) * 32_767.0).round() as i16;
    samples.iter().flat_map(|it| sample(it).to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MONO: PcmFormat = PcmFormat { rate: RATE, width: 2, channels: 1 };

    #[test]
    fn every_width_and_number_of_channels_gives_the_same_sound() {
        let half = [
            (1, vec![64_u8]),
            (2, 16_384_i16.to_le_bytes().to_vec()),
            (4, (1_i32 << 30).to_le_bytes().to_vec()),
        ];
        for (width, sample) in half {
            for channels in 1..=8 {
                let format = PcmFormat { width, channels, ..MONO };
                let pcm = sample.repeat(channels as usize * 3);
                assert_eq!(SoundIntake::default().push(format, &pcm), Ok(vec![0.5; 3]), "{format:?}");
            }
        }
        let stereo = PcmFormat { channels: 2, ..MONO };
        let (left, right) = (16_384_i16.to_le_bytes(), (-16_384_i16).to_le_bytes());
        assert_eq!(SoundIntake::default().push(stereo, &[left, right].concat()), Ok(vec![0.0]));
    }

    #[test]
    fn a_format_may_change_within_a_stream_and_no_sound_is_lost() {
        let mut intake = SoundIntake::default();
        let tone = |rate: u32| pcm_of(&vec![0.25; rate as usize]);
        let mut heard = 0;
        for rate in [16_000, 48_000, 22_050] {
            heard += intake.push(PcmFormat { rate, ..MONO }, &tone(rate)).unwrap().len();
        }
        assert_eq!(heard + intake.finish().len(), 3 * RATE as usize);
        assert!(intake.finish().is_empty());
    }

    #[test]
    fn formats_that_no_microphone_has_are_refused_by_name() {
        for (format, error) in [
            (PcmFormat { rate: 0, ..MONO }, "rate of the sound is 0; allowed: 8000 to 96000 Hz"),
            (
                PcmFormat { rate: u32::MAX, ..MONO },
                "rate of the sound is 4294967295; allowed: 8000 to 96000 Hz",
            ),
            (PcmFormat { width: 3, ..MONO }, "width of the sound is 3; allowed: 1, 2 or 4 bytes"),
            (PcmFormat { channels: 0, ..MONO }, "channels of the sound is 0; allowed: 1 to 8"),
        ] {
            let refused = SoundIntake::default().push(format, &[0; 64]).map_err(|it| it.to_string());
            assert_eq!(refused, Err(error.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_of_any_format_become_finite_sound(
            chunks in prop::collection::vec((0_u32..100_000, 0_u32..6, 0_u32..10, prop::collection::vec(any::<u8>(), 0..400)), 0..8),
        ) {
            let mut intake = SoundIntake::default();
            for (rate, width, channels, pcm) in chunks {
                let Ok(samples) = intake.push(PcmFormat { rate, width, channels }, &pcm) else { continue };
                prop_assert!(samples.iter().all(|sample| sample.is_finite() && sample.abs() < 8.0));
            }
            prop_assert!(intake.finish().iter().all(|sample| sample.is_finite()));
        }
    }
}
