//! Sound in and out: devices, rings, resampling, WAV files.
//!
//! A device callback only converts, pushes or pops, and counts; everything else runs on the threads that own
//! the other end of its ring: the listener thread reads an [`AudioSource`], the feeder thread behind a
//! [`Player`] fills the playback ring. Devices come and go: opening never fails; a fault is reported once and
//! the device is retried in the background until it works.
//!
//! Only `connection`, `device`, `capture`, `playback` and `sound_server` name the device library (cpal), only
//! `sound_server` the messages of PulseAudio, only `echo` the echo canceller.
//!
//! Example: `cargo run -p joi-audio --example resample -- IN.wav OUT.wav 48000`.

mod backlog;
mod block_moment;
mod capture;
mod capture_callback;
mod config;
mod connection;
mod delay;
mod device;
mod echo;
mod echo_reference;
mod fault;
mod gain;
mod level;
mod liveness;
mod microphone;
mod mute;
#[cfg(test)]
mod no_alloc;
mod period;
mod playback;
mod playback_callback;
mod player;
#[cfg(feature = "pulseaudio")]
mod pulse_cookie;
#[cfg(feature = "pulseaudio")]
pub mod pulse_server;
mod remote;
mod resample;
mod ring;
mod ring_sound;
mod sink;
#[cfg(feature = "pulseaudio")]
mod sound_server;
mod speaker_blocks;
mod stand_in;
mod stream_supervisor;
pub mod tone;
mod voice_note;
mod wav;

use std::time::Duration;

pub use config::{AudioConfig, EchoCancel, HostChoice};
pub use delay::DelayMeter;
pub use device::{DeviceInfo, Direction, device_choices, devices};
pub use echo::{EchoCancelled, EchoMeter, EchoReport};
pub use echo_reference::{EchoReference, EchoReferenceFeed};
pub use fault::DeviceFault;
pub use gain::{Duck, Volume};
pub use joi_base::message::RATE;
pub use level::LevelMeter;
pub use microphone::Microphone;
pub use mute::MuteSwitch;
pub use player::{Clip, ClipPart, Epoch, Flushed, PlayEvent, Player};
pub use remote::{MicrophoneFeed, RemoteMicrophone, RemoteSpeaker, SpeakerPart};
pub use resample::{RateError, Resampler, resample};
pub use ring_sound::{RingSound, RingSoundError};
pub use voice_note::{VoiceNoteError, decode_voice_note};
pub use wav::{Pace, WavError, WavSource, read_wav, write_wav};

/// A microphone as the listener thread sees it: mono f32 in −1..1 at [`RATE`].
pub trait AudioSource: Send {
    /// Appends what has arrived to `into`, waiting at most about 20 ms for something.
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent;

    /// Nobody speaks and nothing is prepared, or no longer so: at rest, blocks may be longer and fewer.
    fn may_rest(&mut self, _may_rest: bool) {}

    /// Returns the age of the newest sample of the last block.
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the last block in other processing states, sample for sample, where the source processes what it
    /// captures.
    fn tracks(&self) -> Option<Tracks<'_>> {
        None
    }
}

/// One stretch of sound in other processing states. Both slices are as long as the block that was read.
#[derive(Debug, Clone, Copy)]
pub struct Tracks<'a> {
    /// As the microphone captured it.
    pub captured: &'a [f32],
    /// With the predicted echo subtracted and nothing suppressed: a talker over playback is undistorted, with
    /// some residual echo beside.
    pub whole: &'a [f32],
}

impl<'a> Tracks<'a> {
    /// Returns the given range of both slices, if it lies within them.
    pub fn part(self, range: std::ops::Range<usize>) -> Option<Tracks<'a>> {
        Some(Self { captured: self.captured.get(range.clone())?, whole: self.whole.get(range)? })
    }
}

/// The result of one [`AudioSource::read`].
#[derive(Debug, Clone, PartialEq)]
pub enum SourceEvent {
    /// This many samples were appended.
    Samples(usize),
    /// Nothing arrived in time.
    Nothing,
    /// The microphone is missing from here on; reported once, retried in the background.
    Gone(DeviceFault),
    /// This device delivers: reported at the first start and after every [`SourceEvent::Gone`].
    Back {
        /// The device's name as the sound system gives it.
        device: String,
    },
    /// Somebody said the wake phrase, which the microphone's own machine has recognised: listen from here on.
    Called {
        /// The phrase.
        phrase: String,
    },
    /// The user has muted the microphone; what was captured just before is discarded. Reported once, and at
    /// the start if it is muted.
    Muted,
    /// The user has unmuted the microphone.
    Unmuted,
    /// A file has been read to its end; every further read returns this again.
    End,
}
