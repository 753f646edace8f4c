//! The speaker's callback: mono samples out of the ring, to every channel, in the device's format.
//!
//! The opener runs on a disposable thread of the keeper, the callback on the sound system's thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{Error, FromSample, SampleFormat, SizedSample, Stream};

use super::capture::BUILD;
use super::device::{self, Chosen, Direction, choose, fault};
use super::keeper::{Opened, Opener, Vitals};
use super::player::Outlet;
use super::pour::{Pour, pour};
use super::{AudioConfig, DeviceFault};

/// Opens the configured speaker; `tap` is the player's count of flushes and its gain.
pub(super) fn opener(
    config: AudioConfig,
    (epoch, gain): (Arc<AtomicU64>, Arc<AtomicU32>),
) -> Opener<Box<dyn Outlet>> {
    Arc::new(move |vitals| {
        let chosen = choose(&config, Direction::Output)?;
        let rate = chosen.config.sample_rate;
        let (outlet, pour) = pour(rate, Arc::clone(&epoch), Arc::clone(&gain));
        vitals.runs_at(rate);
        let built = match chosen.format {
            SampleFormat::I8 => build::<i8>(&chosen, pour, vitals),
            SampleFormat::I16 => build::<i16>(&chosen, pour, vitals),
            SampleFormat::I24 => build::<cpal::I24>(&chosen, pour, vitals),
            SampleFormat::I32 => build::<i32>(&chosen, pour, vitals),
            SampleFormat::U8 => build::<u8>(&chosen, pour, vitals),
            SampleFormat::U16 => build::<u16>(&chosen, pour, vitals),
            SampleFormat::F64 => build::<f64>(&chosen, pour, vitals),
            // Whatever else the device likes best: the sound system converts, or refuses with a reason.
            _ => build::<f32>(&chosen, pour, vitals),
        };
        let named = |error: Error| fault(&error, chosen.name.clone());
        let stream = built.map_err(named)?;
        stream.play().map_err(named)?;
        let link: Box<dyn Outlet> = Box::new(outlet);
        Ok::<_, DeviceFault>(Opened { device: chosen.name.clone(), stream: Box::new(stream), link })
    })
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
