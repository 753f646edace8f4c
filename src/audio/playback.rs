//! The speaker's callback: mono samples out of the ring, to every channel, in the device's format.
//!
//! The opener runs on a disposable thread of the keeper, the callback on the sound system's thread.

use std::sync::Arc;

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, SampleFormat, SizedSample, Stream};

use super::AudioConfig;
use super::capture::BUILD;
use super::device::{self, Chosen, Direction};
use super::far::FarSlot;
use super::keeper::{Access, Opened, Survey, Vitals};
use super::player::Outlet;
use super::pour::{Pour, Wishes, pour};

/// How the configured speaker is opened. `far` gets what is played; it is changed for a preferred one
/// only when `may_change` says so.
pub(super) fn access(
    config: AudioConfig,
    wishes: Wishes,
    far: FarSlot,
    may_change: impl Fn() -> bool + Send + Sync + 'static,
) -> Access<Box<dyn Outlet>> {
    let wanted = config.clone();
    Access {
        open: Arc::new(move |vitals| {
            let start = |chosen: &Chosen| {
                let rate = chosen.config.sample_rate;
                vitals.runs_at(rate);
                let (outlet, pour, played) = pour(rate, wishes.clone());
                let stream = build_native(chosen, pour, vitals)?;
                stream.play()?;
                Ok((stream, outlet, played))
            };
            let (chosen, (stream, outlet, played)) = device::open(&config, Direction::Output, start)?;
            far.put(played);
            let link: Box<dyn Outlet> = Box::new(outlet);
            Ok(Opened { device: chosen.name, which: chosen.which, stream: Box::new(stream), link })
        }),
        survey: Arc::new(move |which| match device::survey(&wanted, Direction::Output, which) {
            Survey::Better if !may_change() => Survey::Same,
            survey => survey,
        }),
    }
}

/// A stream in the device's own sample format.
fn build_native(chosen: &Chosen, pour: Pour, vitals: &Arc<Vitals>) -> Result<Stream, Error> {
    match chosen.format {
        SampleFormat::I8 => build::<i8>(chosen, pour, vitals),
        SampleFormat::I16 => build::<i16>(chosen, pour, vitals),
        SampleFormat::I24 => build::<cpal::I24>(chosen, pour, vitals),
        SampleFormat::I32 => build::<i32>(chosen, pour, vitals),
        SampleFormat::U8 => build::<u8>(chosen, pour, vitals),
        SampleFormat::U16 => build::<u16>(chosen, pour, vitals),
        SampleFormat::F64 => build::<f64>(chosen, pour, vitals),
        // Whatever else the device likes best: the sound system converts, or refuses with a reason.
        _ => build::<f32>(chosen, pour, vitals),
    }
}

fn build<T>(chosen: &Chosen, mut pour: Pour, vitals: &Arc<Vitals>) -> Result<Stream, Error>
where
    T: SizedSample + FromSample<f32>,
{
    let channels = usize::from(chosen.config.channels.max(1));
    let (beats, errors) = (Arc::clone(vitals), Arc::clone(vitals));
    chosen.device.build_output_stream(
        chosen.config,
        move |samples: &mut [T], info: &cpal::OutputCallbackInfo| {
            pour.fill(samples, channels, |sample| T::from_sample(sample));
            let times = info.timestamp();
            pour.end(times.playback.duration_since(times.callback));
            beats.beat(0, false);
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}
