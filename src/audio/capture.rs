//! The microphone's callback: any sample format and channel count in, mono f32 into the ring.
//!
//! The opener runs on a disposable thread of the keeper, the callback on the sound system's thread.
//! The ring holds two seconds; when the listener thread is later than that, the newest sound is dropped
//! and counted.

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, Sample, SampleFormat, SizedSample, Stream};

use super::AudioConfig;
use super::device::{self, Chosen, Direction, choose};
use super::keeper::{Opened, Opener, Vitals};
use super::ring::{Reader, Writer, ring};

/// The listener's end of an open microphone.
pub(super) struct Capture {
    /// Mono samples at `rate`.
    pub(super) reader: Reader,
    /// The device's own rate in Hz.
    pub(super) rate: u32,
}

/// Seconds of sound the ring holds.
const RING_SECONDS: usize = 2;

/// How long the sound system may take to build a stream.
pub(super) const BUILD: Duration = Duration::from_secs(5);

/// Opens the configured microphone.
pub(super) fn opener(config: AudioConfig) -> Opener<Capture> {
    Arc::new(move |vitals| {
        let mut chosen = choose(&config, Direction::Input)?;
        let rate = chosen.config.sample_rate;
        vitals.runs_at(rate);
        let (stream, reader) = device::start(&mut chosen, |chosen| {
            let (writer, reader) = ring(rate as usize * RING_SECONDS);
            let stream = build_native(chosen, writer, vitals)?;
            stream.play()?;
            Ok((stream, reader))
        })?;
        Ok(Opened { device: chosen.name, stream: Box::new(stream), link: Capture { reader, rate } })
    })
}

/// A stream in the device's own sample format.
fn build_native(chosen: &Chosen, writer: Writer, vitals: &Arc<Vitals>) -> Result<Stream, Error> {
    match chosen.format {
        SampleFormat::I8 => build::<i8>(chosen, writer, vitals),
        SampleFormat::I16 => build::<i16>(chosen, writer, vitals),
        SampleFormat::I24 => build::<cpal::I24>(chosen, writer, vitals),
        SampleFormat::I32 => build::<i32>(chosen, writer, vitals),
        SampleFormat::U8 => build::<u8>(chosen, writer, vitals),
        SampleFormat::U16 => build::<u16>(chosen, writer, vitals),
        SampleFormat::F64 => build::<f64>(chosen, writer, vitals),
        // Whatever else the device likes best: the sound system converts, or refuses with a reason.
        _ => build::<f32>(chosen, writer, vitals),
    }
}

fn build<T>(chosen: &Chosen, mut writer: Writer, vitals: &Arc<Vitals>) -> Result<Stream, Error>
where
    T: SizedSample,
    f32: FromSample<T>,
{
    let channels = usize::from(chosen.config.channels.max(1));
    let (beats, errors) = (Arc::clone(vitals), Arc::clone(vitals));
    let mut zeros = 0;
    chosen.device.build_input_stream(
        chosen.config,
        move |samples: &[T], _: &cpal::InputCallbackInfo| {
            let frames = samples.chunks_exact(channels).map(|frame| mix(frame));
            zeros = trailing_zeros(frames.clone(), zeros);
            writer.push_or_drop(frames);
            beats.beat(zeros);
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}

/// One frame as a mono sample: the mean of its channels.
fn mix<T: Sample>(frame: &[T]) -> f32
where
    f32: FromSample<T>,
{
    frame.iter().map(|sample| f32::from_sample(*sample)).sum::<f32>() / frame.len() as f32
}

/// How many frames at the end are zero, `before` of them already before this block.
fn trailing_zeros(frames: impl Iterator<Item = f32>, before: u64) -> u64 {
    frames.fold(before, |run, frame| if frame == 0.0 { run + 1 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_averaged_in_any_format() {
        assert_eq!(mix(&[0.5_f32, -0.25]), 0.125);
        assert_eq!(mix(&[16_384_i16, 16_384, 0, 0]), 0.25);
        assert_eq!(mix(&[128_u8]), 0.0);
    }

    #[test]
    fn zeros_are_counted_over_blocks_and_ended_by_sound() {
        let run = trailing_zeros([0.0; 10].into_iter(), 0);
        assert_eq!(trailing_zeros([0.0; 5].into_iter(), run), 15);
        assert_eq!(trailing_zeros([0.0, 1e-9, 0.0, 0.0].into_iter(), run), 2);
    }
}
