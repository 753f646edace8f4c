//! Sound in and out: devices, rings, resampling, WAV files.
//!
//! A device callback only converts, pushes or pops, and counts; everything else happens on the
//! threads that own the other end of its ring: the listener thread reads a [`Source`], the feeder
//! thread behind a [`Player`] fills the playback ring. Devices come and go: opening never fails,
//! a fault is told once and the device is tried again until it works.
//!
//! Only `line`, `device`, `capture` and `playback` name the device library, only `echo` the echo canceller.

mod capture;
mod config;
mod cookie;
mod device;
mod echo;
mod far;
mod fault;
mod gain;
mod intake;
mod keeper;
mod level;
mod line;
mod liveness;
mod microphone;
mod mute;
#[cfg(test)]
mod no_alloc;
mod playback;
mod player;
mod pour;
mod resample;
mod ring;
pub mod tone;
mod wav;

pub use config::{AudioConfig, EchoCancel, HostChoice};
pub use device::{DeviceInfo, Direction, devices};
pub use echo::{EchoCancelled, EchoMeter, EchoReport};
pub use far::{FarEnd, FarFeed};
pub use fault::DeviceFault;
pub use gain::{Duck, Volume};
pub use level::Meter;
pub use microphone::Microphone;
pub use mute::MuteSwitch;
pub use player::{Clip, Epoch, Flushed, PlayEvent, Player};
pub use resample::{RateError, Resampler};
pub use wav::{Pace, WavError, WavSource, read_wav, write_wav};

/// The rate everything between the microphone and whisper runs at, in Hz.
pub const RATE: u32 = 16_000;

/// A microphone as the listener thread sees it: mono f32 in −1..1 at [`RATE`].
pub trait Source: Send {
    /// Appends what has arrived to `into`, waiting at most about 20 ms for something.
    fn read(&mut self, into: &mut Vec<f32>) -> Heard;

    /// What the last read gave out, sample for sample, with less taken out of it, where something was.
    fn tracks(&self) -> Option<Tracks<'_>> {
        None
    }
}

/// The same stretch of sound in other states. Both are as long as what was given out.
#[derive(Debug, Clone, Copy)]
pub struct Tracks<'a> {
    /// As the microphone captured it.
    pub captured: &'a [f32],
    /// With her own voice taken out as far as that is foretold, and nothing suppressed: whoever talks over her is
    /// whole in it, beside a rest of her.
    pub whole: &'a [f32],
}

impl<'a> Tracks<'a> {
    /// A part of the stretch, if it has it.
    pub fn part(self, range: std::ops::Range<usize>) -> Option<Tracks<'a>> {
        Some(Self { captured: self.captured.get(range.clone())?, whole: self.whole.get(range)? })
    }
}

/// What one [`Source::read`] brought.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// So many samples were appended.
    Samples(usize),
    /// Nothing arrived in time.
    Nothing,
    /// The microphone is missing from here on; told once, retried in the background.
    Gone(DeviceFault),
    /// This device delivers: told at the first start and after every [`Heard::Gone`].
    Back {
        /// The device's name as the sound system gives it.
        device: String,
    },
    /// The owner has switched the microphone off; what was heard just before is gone. Told once, and at
    /// the start when it is off.
    Muted,
    /// The owner has switched it on again.
    Unmuted,
    /// A file has been read to its end; every further read says so again.
    End,
}
