//! The microphone's stream: any sample format and channel count, given to an [`Intake`].
//!
//! The opener runs on a disposable thread of the keeper, the callback on the sound system's thread.
//! The ring holds two seconds; when the listener thread is later than that, the newest sound is dropped
//! and counted.

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, Sample, SampleFormat, SizedSample, Stream};

use super::device::{self, Chosen, Direction};
use super::intake::Intake;
use super::keeper::{Access, Opened, Vitals};
use super::ring::{Reader, ring};
use super::{AudioConfig, MuteSwitch};

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

/// How the configured microphone is opened; `switch` mutes it.
pub(super) fn access(config: AudioConfig, switch: MuteSwitch) -> Access<Capture> {
    let wanted = config.clone();
    Access {
        open: Arc::new(move |vitals| {
            let start = |chosen: &Chosen| {
                let rate = chosen.config.sample_rate;
                vitals.runs_at(rate);
                let (writer, reader) = ring(rate as usize * RING_SECONDS);
                let shape = (chosen.config.channels, rate);
                let stream =
                    build_native(chosen, Intake::new(writer, switch.clone(), vitals, shape), vitals)?;
                stream.play()?;
                Ok((stream, Capture { reader, rate }))
            };
            let (chosen, (stream, link)) = device::open(&config, Direction::Input, start)?;
            Ok(Opened { device: chosen.name, which: chosen.which, stream: Box::new(stream), link })
        }),
        survey: Arc::new(move |which| device::survey(&wanted, Direction::Input, which)),
    }
}

/// A stream in the device's own sample format.
fn build_native(chosen: &Chosen, intake: Intake, vitals: &Arc<Vitals>) -> Result<Stream, Error> {
    match chosen.format {
        SampleFormat::I8 => build::<i8>(chosen, intake, vitals),
        SampleFormat::I16 => build::<i16>(chosen, intake, vitals),
        SampleFormat::I24 => build::<cpal::I24>(chosen, intake, vitals),
        SampleFormat::I32 => build::<i32>(chosen, intake, vitals),
        SampleFormat::U8 => build::<u8>(chosen, intake, vitals),
        SampleFormat::U16 => build::<u16>(chosen, intake, vitals),
        SampleFormat::F64 => build::<f64>(chosen, intake, vitals),
        // Whatever else the device likes best: the sound system converts, or refuses with a reason.
        _ => build::<f32>(chosen, intake, vitals),
    }
}

fn build<T>(chosen: &Chosen, mut intake: Intake, vitals: &Arc<Vitals>) -> Result<Stream, Error>
where
    T: SizedSample,
    f32: FromSample<T>,
{
    let errors = Arc::clone(vitals);
    chosen.device.build_input_stream(
        chosen.config,
        move |samples: &[T], _: &cpal::InputCallbackInfo| {
            intake.take(samples, |sample| f32::from_sample(sample));
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}
