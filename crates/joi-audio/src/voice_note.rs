//! Decodes a voice message as phones record it, AAC (in MP4 or on its own), MP3, or Opus (in Ogg or MP4), to mono at
//! 16 kHz.
//!
//! Pure; blocks for a fraction of the sound's length. In: the bytes of the file, which are foreign: a process of its own
//! decodes them (`confined`). Out: samples. A damaged packet costs itself; sound over the limit is refused before it is
//! decoded to its end. More channels than two are no voice.

use std::io::Cursor;
use std::time::Duration;

use opus_decoder::OpusDecoder;
use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

use super::RATE;
use super::resample::Resampler;

/// The rate at which Opus is decoded, in Hz.
const OPUS_RATE: u32 = 48_000;

/// Why a voice message can't be listened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VoiceNoteError {
    /// Its format or codec is not known: ask for text.
    #[error("a kind of sound that is not known; AAC, MP3 and Opus are")]
    UnknownKind,
    /// It is longer than allowed: ask for a shorter one.
    #[error("longer than allowed")]
    TooLong,
    /// There is no sound in it: ask for another one.
    #[error("no sound can be read of it")]
    NoSound,
}

/// Decodes a voice message of at most `longest`: mono, f32 in −1..1, at [`RATE`].
///
/// # Errors
/// It can't be listened to.
pub fn decode_voice_note(bytes: Vec<u8>, longest: Duration) -> Result<Vec<f32>, VoiceNoteError> {
    let stream = MediaSourceStream::new(Box::new(Cursor::new(bytes)), Default::default());
    let (format, metadata) = (FormatOptions::default(), MetadataOptions::default());
    let probed = symphonia::default::get_probe().probe(&Hint::new(), stream, format, metadata);
    let mut reader = probed.map_err(|_| VoiceNoteError::UnknownKind)?;
    let mut sound = DecodedSound { longest, ..DecodedSound::default() };
    sound.read(&mut *reader)?;
    sound.finish()
}

/// The samples decoded so far.
#[derive(Default)]
struct DecodedSound {
    samples: Vec<f32>,
    /// Of the rate that the last packet had.
    resampler: Option<(u32, Resampler)>,
    longest: Duration,
}

impl DecodedSound {
    fn read(&mut self, reader: &mut dyn FormatReader) -> Result<(), VoiceNoteError> {
        let track = reader.default_track(TrackType::Audio).ok_or(VoiceNoteError::NoSound)?;
        let wanted = track.id;
        let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
        let parameters = parameters.ok_or(VoiceNoteError::UnknownKind)?;
        let mut decoder = PacketDecoder::of(parameters)?;
        let mut interleaved = Vec::new();
        // The end of a file that was cut off looks like an error.
        while let Ok(Some(packet)) = reader.next_packet() {
            if packet.track_id != wanted {
                continue;
            }
            match decoder.decode(&packet, &mut interleaved) {
                DecodedPacket::Sound { rate, channels } => self.take(&interleaved, channels.max(1), rate)?,
                DecodedPacket::Damaged => {}
                DecodedPacket::NoMore => break,
            }
        }
        Ok(())
    }

    fn take(&mut self, interleaved: &[f32], channels: usize, rate: u32) -> Result<(), VoiceNoteError> {
        let mono: Vec<f32> = interleaved
            .chunks_exact(channels)
            .map(|frame| frame.iter().sum::<f32>() / channels as f32)
            .map(|sample| if sample.is_finite() { sample.clamp(-1.0, 1.0) } else { 0.0 })
            .collect();
        if self.resampler.as_ref().is_none_or(|(of, _)| *of != rate) {
            self.end_rate();
            let resampler = Resampler::new(rate, RATE).map_err(|_| VoiceNoteError::UnknownKind)?;
            self.resampler = Some((rate, resampler));
        }
        if let Some((_, resampler)) = &mut self.resampler {
            resampler.push(&mono, &mut self.samples);
        }
        let most = self.longest.as_secs_f64() * f64::from(RATE);
        if self.samples.len() as f64 > most { Err(VoiceNoteError::TooLong) } else { Ok(()) }
    }

    fn end_rate(&mut self) {
        if let Some((_, mut resampler)) = self.resampler.take() {
            resampler.finish(&mut self.samples);
        }
    }

    fn finish(mut self) -> Result<Vec<f32>, VoiceNoteError> {
        self.end_rate();
        // The filter of another rate rings above what a damaged file is full of.
        self.samples.iter_mut().for_each(|sample| *sample = sample.clamp(-1.0, 1.0));
        if self.samples.is_empty() { Err(VoiceNoteError::NoSound) } else { Ok(self.samples) }
    }
}

/// Who decodes the packets of a file.
enum PacketDecoder {
    Opus { decoder: Box<OpusDecoder>, block: Vec<f32> },
    Other(Box<dyn AudioDecoder>),
}

/// What became of a packet.
enum DecodedPacket {
    /// Its sound is there.
    Sound { rate: u32, channels: usize },
    /// There is none in it.
    Damaged,
    /// Nothing behind it can be decoded.
    NoMore,
}

impl PacketDecoder {
    fn of(parameters: &AudioCodecParameters) -> Result<Self, VoiceNoteError> {
        if parameters.codec != CODEC_ID_OPUS {
            let options = AudioDecoderOptions::default();
            let decoder = symphonia::default::get_codecs().make_audio_decoder(parameters, &options);
            return decoder.map(Self::Other).map_err(|_| VoiceNoteError::UnknownKind);
        }
        if parameters.channels.as_ref().is_some_and(|channels| channels.count() > 2) {
            return Err(VoiceNoteError::UnknownKind);
        }
        let decoder = OpusDecoder::new(OPUS_RATE, 1).map_err(|_| VoiceNoteError::UnknownKind)?;
        let block = vec![0.0; decoder.max_frame_size_per_channel()];
        Ok(Self::Opus { decoder: Box::new(decoder), block })
    }

    fn decode(&mut self, packet: &Packet, interleaved: &mut Vec<f32>) -> DecodedPacket {
        match self {
            // The decoder would invent sound for an empty packet.
            Self::Opus { .. } if packet.data.is_empty() => DecodedPacket::Damaged,
            Self::Opus { decoder, block } => match decoder.decode_float(&packet.data, block, false) {
                Ok(count) => {
                    interleaved.clear();
                    interleaved.extend(block.iter().take(count));
                    DecodedPacket::Sound { rate: OPUS_RATE, channels: 1 }
                }
                Err(_) => DecodedPacket::Damaged,
            },
            Self::Other(decoder) => match decoder.decode(packet) {
                Ok(block) => {
                    block.copy_to_vec_interleaved(interleaved);
                    let (rate, channels) = (block.spec().rate(), block.spec().channels().count());
                    DecodedPacket::Sound { rate, channels }
                }
                Err(Error::DecodeError(_)) => DecodedPacket::Damaged,
                Err(_) => DecodedPacket::NoMore,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_wav;

    const LONG: Duration = Duration::from_secs(60);

    fn note(name: &str) -> Vec<u8> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/notes").join(name);
        std::fs::read(path).unwrap()
    }

    /// Returns the level of each tenth of a second, in which the same speech is alike whatever the codec.
    fn envelope(samples: &[f32]) -> Vec<f32> {
        samples.chunks(RATE as usize / 10).map(|c| (c.iter().map(|s| s * s).sum::<f32>()).sqrt()).collect()
    }

    fn likeness(a: &[f32], b: &[f32]) -> f32 {
        let (a, b) = (envelope(a), envelope(b));
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
    }

    #[test]
    fn what_phones_record_sounds_as_it_was_spoken() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/jfk.wav");
        let spoken = read_wav(&path, RATE).unwrap();
        let files = [
            ("jfk.m4a", 2.9..3.3),
            ("jfk.aac", 2.9..3.3),
            ("jfk.mp3", 2.9..3.3),
            ("jfk.ogg", 0.95..1.1),
            ("jfk-hybrid.ogg", 2.9..3.3),
            ("jfk-celt.ogg", 2.9..3.3),
        ];
        for (name, length) in files {
            let heard = decode_voice_note(note(name), LONG).unwrap();
            let seconds = heard.len() as f32 / RATE as f32;
            assert!(length.contains(&seconds), "{name}: {seconds} s");
            let alike = likeness(&heard, &spoken[..heard.len()]);
            assert!(alike > 0.9, "{name}: {alike}");
        }
    }

    #[test]
    fn noise_at_full_scale_stays_within_full_scale_at_another_rate() {
        let mut sound = DecodedSound { longest: LONG, ..DecodedSound::default() };
        let mut bits = 1_u32;
        let mut noise = || {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if bits >> 31 == 0 { 9.0 } else { -9.0 }
        };
        let noise: Vec<f32> = std::iter::repeat_with(&mut noise).take(44_100).collect();
        sound.take(&noise, 1, 44_100).unwrap();
        assert!(
            sound.samples.iter().any(|sample| sample.abs() > 1.0),
            "the filter rings, or this proves nothing"
        );
        assert!(sound.finish().unwrap().iter().all(|sample| sample.abs() <= 1.0));
    }

    #[test]
    fn what_can_not_be_listened_to_says_why() {
        assert_eq!(decode_voice_note(note("../jfk.wav"), LONG), Err(VoiceNoteError::UnknownKind));
        assert_eq!(decode_voice_note(b"no sound at all".repeat(99), LONG), Err(VoiceNoteError::UnknownKind));
        assert_eq!(decode_voice_note(Vec::new(), LONG), Err(VoiceNoteError::UnknownKind));
        assert_eq!(decode_voice_note(note("jfk.m4a"), Duration::from_secs(1)), Err(VoiceNoteError::TooLong));
    }
}
