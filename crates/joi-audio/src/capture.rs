//! The microphone's stream: any sample format and channel count, given to a [`CaptureCallback`].
//!
//! The opener runs on a disposable thread of the stream supervisor, the callback on the sound system's
//! thread. The ring holds two seconds; if the listener thread falls behind further, the newest samples are
//! dropped and counted.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, Sample, SampleFormat, SizedSample, Stream};

use super::capture_callback::CaptureCallback;
use super::device::{self, BUILD, Chosen, Direction};
use super::gain::InputGain;
use super::period::Period;
use super::ring::{RingReader, ring};
#[cfg(feature = "pulseaudio")]
use super::sound_server::ServerDevice;
use super::stand_in::ChoiceLog;
use super::stream_supervisor::{CallbackStats, DeviceAccess, OpenedStream};
use super::{AudioConfig, MuteSwitch};

/// The listener's end of an open microphone.
pub(super) struct CaptureStream {
    /// Mono samples at `rate`.
    pub(super) reader: RingReader,
    /// The device's own rate in Hz.
    pub(super) rate: u32,
    /// The callback's counts.
    pub(super) stats: Arc<CallbackStats>,
}

/// Seconds of sound the ring holds.
const RING_SECONDS: usize = 2;

/// Returns how the configured microphone is opened and surveyed; `switch` mutes it.
pub(super) fn access(config: AudioConfig, switch: MuteSwitch) -> DeviceAccess<CaptureStream> {
    let wanted = config.clone();
    let period = Period::of(config.input_period_ms);
    let choices = ChoiceLog::default();
    DeviceAccess {
        open: Arc::new(move |stats| {
            let config = AudioConfig { input_period_ms: period.for_stream(stats), ..config.clone() };
            let start = |chosen: &Chosen| {
                let rate = chosen.config.sample_rate;
                stats.runs_at(rate);
                let (writer, reader) = ring(rate as usize * RING_SECONDS);
                let shape = (chosen.config.channels, rate);
                let gain = InputGain::db(config.input_gain_db);
                let callback = CaptureCallback::new(writer, switch.clone(), stats, gain, shape);
                let stream = start_stream(chosen, callback, stats)?;
                Ok((stream, CaptureStream { reader, rate, stats: Arc::clone(stats) }))
            };
            let (chosen, (stream, link)) = device::open(&config, Direction::Input, start)?;
            choices.log(chosen.stands_in.as_deref());
            Ok(OpenedStream { device: chosen.name, which: chosen.which, stream, link })
        }),
        survey: Arc::new(move |which| device::survey(&wanted, Direction::Input, which)),
    }
}

/// Returns a stream that records until it is dropped.
fn start_stream(
    chosen: &Chosen,
    callback: CaptureCallback,
    stats: &Arc<CallbackStats>,
) -> Result<Box<dyn Any>, Error> {
    #[cfg(feature = "pulseaudio")]
    if let Some(device) = ServerDevice::of(chosen) {
        return Ok(Box::new(device.record(callback, stats)?));
    }
    let stream = build_native(chosen, callback, stats)?;
    stream.play()?;
    Ok(Box::new(stream))
}

/// Returns a stream in the device's own sample format.
fn build_native(
    chosen: &Chosen,
    intake: CaptureCallback,
    stats: &Arc<CallbackStats>,
) -> Result<Stream, Error> {
    match chosen.format {
        SampleFormat::I8 => build::<i8>(chosen, intake, stats),
        SampleFormat::I16 => build::<i16>(chosen, intake, stats),
        SampleFormat::I24 => build::<cpal::I24>(chosen, intake, stats),
        SampleFormat::I32 => build::<i32>(chosen, intake, stats),
        SampleFormat::U8 => build::<u8>(chosen, intake, stats),
        SampleFormat::U16 => build::<u16>(chosen, intake, stats),
        SampleFormat::F64 => build::<f64>(chosen, intake, stats),
        // Any other native format: ask for f32; the sound system converts it, or refuses with a reason.
        _ => build::<f32>(chosen, intake, stats),
    }
}

fn build<T>(chosen: &Chosen, mut intake: CaptureCallback, stats: &Arc<CallbackStats>) -> Result<Stream, Error>
where
    T: SizedSample,
    f32: FromSample<T>,
{
    let (errors, beats) = (Arc::clone(stats), Arc::clone(stats));
    let (channels, rate) =
        (u64::from(chosen.config.channels.max(1)), u64::from(chosen.config.sample_rate.max(1)));
    chosen.device.build_input_stream(
        chosen.config,
        move |samples: &[T], info: &cpal::InputCallbackInfo| {
            let times = info.timestamp();
            let length = Duration::from_micros(samples.len() as u64 / channels * 1_000_000 / rate);
            // The sound system reports the first sample's age; the listener counts back from the last.
            beats.lags(times.callback.duration_since(times.capture).saturating_sub(length));
            intake.take(samples, |sample| f32::from_sample(sample));
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}
