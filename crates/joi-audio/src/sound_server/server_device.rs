//! A device of a sound server: its name, the format of a stream on it, and the length of a period.
//!
//! In: the device that was chosen. Out: what the server's messages need of it. Devices of other systems are refused.
//! Pure: no I/O, no clock.

use std::ffi::CString;

use cpal::BufferSize;
use pulseaudio::protocol::stream::StreamFlags;
use pulseaudio::protocol::{ChannelMap, SampleFormat, SampleSpec};

use crate::device::{Chosen, SOUND_SERVER};

/// The period at rest, if the configured one is not longer. With what the device itself takes, sound is to reach the
/// listener within 60 ms.
const REST_PERIOD_MS: u32 = 40;

/// A device of a sound server, with the format and the period of a stream on it.
pub(in super::super) struct ServerDevice {
    pub(super) name: CString,
    pub(super) spec: SampleSpec,
    pub(super) period_frames: u32,
}

impl ServerDevice {
    /// Returns the chosen device, if a sound server has it: its own rate, one channel or two, as f32, which the server
    /// converts from and to any format.
    pub(in super::super) fn of(chosen: &Chosen) -> Option<Self> {
        let name = CString::new(chosen.which.id.strip_prefix(SOUND_SERVER)?).ok()?;
        let sample_rate = chosen.config.sample_rate;
        let period_frames = match chosen.config.buffer_size {
            BufferSize::Fixed(frames) => frames,
            BufferSize::Default => sample_rate / 50,
        };
        let channels =
            u8::try_from(chosen.config.channels).ok().filter(|channels| (1..=2).contains(channels))?;
        Some(Self {
            name,
            spec: SampleSpec { format: SampleFormat::Float32Le, channels, sample_rate },
            period_frames,
        })
    }

    /// Returns the number of channels, one or two.
    pub(super) fn channels(&self) -> usize {
        usize::from(self.spec.channels)
    }

    /// Bytes of sound per second.
    pub(super) fn bytes_per_second(&self) -> u64 {
        u64::from(self.spec.sample_rate) * (self.channels() * size_of::<f32>()) as u64
    }

    /// Bytes of a period, which is longer at rest: half as many wake-ups are worth more than 20 ms there.
    pub(super) fn period_bytes(&self, is_resting: bool) -> u32 {
        let at_rest = self.spec.sample_rate / 1000 * REST_PERIOD_MS;
        let frames = if is_resting { self.period_frames.max(at_rest) } else { self.period_frames };
        frames * u32::from(self.spec.channels) * size_of::<f32>() as u32
    }

    /// Returns the order of the channels.
    pub(super) fn channel_map(&self) -> ChannelMap {
        if self.spec.channels == 2 { ChannelMap::stereo() } else { ChannelMap::mono() }
    }
}

/// Flags that ask the server to run the device with the latency the stream's buffers ask for.
pub(super) fn flags() -> StreamFlags {
    StreamFlags { adjust_latency: true, ..StreamFlags::default() }
}
