//! The speaker's callback: mono samples out of the ring, to every channel, in the device's format.
//!
//! The opener runs on a disposable thread of the keeper, the callback on the sound system's thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, SampleFormat, SizedSample, Stream};

use super::AudioConfig;
use super::capture::BUILD;
use super::device::{self, Chosen, Direction, choose};
use super::keeper::{Opened, Opener, Vitals};
use super::player::Outlet;
use super::pour::{Pour, pour};

/// Opens the configured speaker; `tap` is the player's count of flushes and its gain.
pub(super) fn opener(
    config: AudioConfig,
    (epoch, gain): (Arc<AtomicU64>, Arc<AtomicU32>),
) -> Opener<Box<dyn Outlet>> {
    Arc::new(move |vitals| {
        let mut chosen = choose(&config, Direction::Output)?;
        let rate = chosen.config.sample_rate;
        vitals.runs_at(rate);
        let (stream, outlet) = device::start(&mut chosen, |chosen| {
            let (outlet, pour) = pour(rate, Arc::clone(&epoch), Arc::clone(&gain));
            let stream = build_native(chosen, pour, vitals)?;
            stream.play()?;
            Ok((stream, outlet))
        })?;
        let link: Box<dyn Outlet> = Box::new(outlet);
        Ok(Opened { device: chosen.name, stream: Box::new(stream), link })
    })
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
            pour.begin();
            for frame in samples.chunks_exact_mut(channels) {
                frame.fill(T::from_sample(pour.sample()));
            }
            let times = info.timestamp();
            pour.end(times.playback.duration_since(times.callback));
            beats.beat(0);
        },
        move |error| errors.error(device::weight(&error)),
        Some(BUILD),
    )
}
