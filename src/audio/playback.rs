//! The speaker's callback: mono samples out of the ring, to every channel, in the device's format.
//!
//! The opener runs on a disposable thread of the stream supervisor, the callback on the sound system's
//! thread.

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, SampleFormat, SizedSample, Stream};

use super::AudioConfig;
use super::backlog::Backlog;
use super::capture::BUILD;
use super::device::{self, Chosen, Direction};
use super::echo_reference::ReferenceSlot;
use super::period::Period;
use super::playback_callback::{PlaybackCallback, PlaybackControls, playback_ring};
use super::sink::AudioSink;
use super::stream_supervisor::{CallbackStats, DeviceAccess, ErrorSeverity, OpenedStream, Survey};

/// How the configured speaker is opened. `far` receives what is played; a preferred speaker is switched to
/// only when `may_change` allows it.
pub(super) fn access(
    config: AudioConfig,
    controls: PlaybackControls,
    far: ReferenceSlot,
    may_change: impl Fn() -> bool + Send + Sync + 'static,
) -> DeviceAccess<Box<dyn AudioSink>> {
    let wanted = config.clone();
    let period = Period::of(config.output_period_ms);
    DeviceAccess {
        open: Arc::new(move |stats| {
            let config = AudioConfig { output_period_ms: period.for_stream(stats), ..config.clone() };
            let start = |chosen: &Chosen| {
                let rate = chosen.config.sample_rate;
                stats.runs_at(rate);
                let (sink, callback, played) = playback_ring(rate, controls.clone());
                let stream = build_native(chosen, callback, stats)?;
                stream.play()?;
                Ok((stream, sink, played))
            };
            let (chosen, (stream, sink, played)) = device::open(&config, Direction::Output, start)?;
            far.put(played);
            let link: Box<dyn AudioSink> = Box::new(sink);
            Ok(OpenedStream { device: chosen.name, which: chosen.which, stream: Box::new(stream), link })
        }),
        survey: Arc::new(move |which| match device::survey(&wanted, Direction::Output, which) {
            Survey::Better if !may_change() => Survey::Same,
            survey => survey,
        }),
    }
}

/// A stream in the device's own sample format.
fn build_native(
    chosen: &Chosen,
    callback: PlaybackCallback,
    stats: &Arc<CallbackStats>,
) -> Result<Stream, Error> {
    match chosen.format {
        SampleFormat::I8 => build::<i8>(chosen, callback, stats),
        SampleFormat::I16 => build::<i16>(chosen, callback, stats),
        SampleFormat::I24 => build::<cpal::I24>(chosen, callback, stats),
        SampleFormat::I32 => build::<i32>(chosen, callback, stats),
        SampleFormat::U8 => build::<u8>(chosen, callback, stats),
        SampleFormat::U16 => build::<u16>(chosen, callback, stats),
        SampleFormat::F64 => build::<f64>(chosen, callback, stats),
        // Any other native format: ask for f32; the sound system converts it, or refuses with a reason.
        _ => build::<f32>(chosen, callback, stats),
    }
}

fn build<T>(
    chosen: &Chosen,
    mut callback: PlaybackCallback,
    stats: &Arc<CallbackStats>,
) -> Result<Stream, Error>
where
    T: SizedSample + FromSample<f32>,
{
    let channels = usize::from(chosen.config.channels.max(1));
    let rate = u64::from(chosen.config.sample_rate.max(1));
    let (beats, errors, mut backlog) = (Arc::clone(stats), Arc::clone(stats), Backlog::default());
    chosen.device.build_output_stream(
        chosen.config,
        move |samples: &mut [T], info: &cpal::OutputCallbackInfo| {
            callback.fill(samples, channels, |sample| T::from_sample(sample));
            let times = info.timestamp();
            let latency = times.playback.duration_since(times.callback);
            callback.end(latency);
            beats.lags(latency);
            let length = Duration::from_micros((samples.len() / channels) as u64 * 1_000_000 / rate);
            if backlog.observe(latency, length, callback.is_playing()) {
                // Opened anew, it begins without what is waiting in the buffers.
                beats.error(ErrorSeverity::Fatal);
            }
            beats.beat(0, false);
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}
