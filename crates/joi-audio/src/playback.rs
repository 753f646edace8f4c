//! The speaker's stream: mono samples out of the ring, to every channel, in the device's format.
//!
//! The opener runs on a disposable thread of the stream supervisor, the callback on the sound system's
//! thread.

use std::any::Any;
use std::sync::Arc;

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, SampleFormat, SizedSample, Stream};

use super::AudioConfig;
use super::device::{self, BUILD, Chosen, Direction};
use super::echo_reference::ReferenceSlot;
use super::period::Period;
use super::playback_callback::{PlaybackControls, playback_ring};
use super::sink::AudioSink;
#[cfg(feature = "pulseaudio")]
use super::sound_server::ServerDevice;
use super::speaker_blocks::SpeakerBlocks;
use super::stand_in::ChoiceLog;
use super::stream_supervisor::{DeviceAccess, OpenedStream, Survey};

/// Returns how the configured speaker is opened and surveyed. `far` receives what is played; a preferred speaker is switched to
/// only when `may_change` allows it.
pub(super) fn access(
    config: AudioConfig,
    controls: PlaybackControls,
    far: ReferenceSlot,
    may_change: impl Fn() -> bool + Send + Sync + 'static,
) -> DeviceAccess<Box<dyn AudioSink>> {
    let wanted = config.clone();
    let period = Period::of(config.output_period_ms);
    let choices = ChoiceLog::default();
    DeviceAccess {
        open: Arc::new(move |stats| {
            let config = AudioConfig { output_period_ms: period.for_stream(stats), ..config.clone() };
            let start = |chosen: &Chosen| {
                let rate = chosen.config.sample_rate;
                stats.runs_at(rate);
                let (sink, callback, played) = playback_ring(rate, controls.clone());
                let blocks = SpeakerBlocks::new(callback, stats, (chosen.config.channels, rate));
                let stream = start_stream(chosen, blocks)?;
                Ok((stream, sink, played))
            };
            let (chosen, (stream, sink, played)) = device::open(&config, Direction::Output, start)?;
            choices.log(chosen.stands_in.as_deref());
            far.put(played);
            let link: Box<dyn AudioSink> = Box::new(sink);
            Ok(OpenedStream { device: chosen.name, which: chosen.which, stream, link })
        }),
        survey: Arc::new(move |which| match device::survey(&wanted, Direction::Output, which) {
            Survey::Better if !may_change() => Survey::Same,
            survey => survey,
        }),
    }
}

/// Returns a stream that plays until it is dropped.
fn start_stream(chosen: &Chosen, blocks: SpeakerBlocks) -> Result<Box<dyn Any>, Error> {
    #[cfg(feature = "pulseaudio")]
    if let Some(device) = ServerDevice::of(chosen) {
        return Ok(Box::new(device.play(blocks)?));
    }
    let stream = build_native(chosen, blocks)?;
    stream.play()?;
    Ok(Box::new(stream))
}

/// Returns a stream in the device's own sample format.
fn build_native(chosen: &Chosen, blocks: SpeakerBlocks) -> Result<Stream, Error> {
    match chosen.format {
        SampleFormat::I8 => build::<i8>(chosen, blocks),
        SampleFormat::I16 => build::<i16>(chosen, blocks),
        SampleFormat::I24 => build::<cpal::I24>(chosen, blocks),
        SampleFormat::I32 => build::<i32>(chosen, blocks),
        SampleFormat::U8 => build::<u8>(chosen, blocks),
        SampleFormat::U16 => build::<u16>(chosen, blocks),
        SampleFormat::F64 => build::<f64>(chosen, blocks),
        // Any other native format: ask for f32; the sound system converts it, or refuses with a reason.
        _ => build::<f32>(chosen, blocks),
    }
}

fn build<T>(chosen: &Chosen, mut blocks: SpeakerBlocks) -> Result<Stream, Error>
where
    T: SizedSample + FromSample<f32>,
{
    let errors = Arc::clone(blocks.stats());
    chosen.device.build_output_stream(
        chosen.config,
        move |samples: &mut [T], info: &cpal::OutputCallbackInfo| {
            let times = info.timestamp();
            let latency = times.playback.duration_since(times.callback);
            blocks.fill(samples, latency, |sample| T::from_sample(sample));
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}
