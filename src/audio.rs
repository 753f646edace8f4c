//! Sound in and out: devices, rings, resampling, WAV files.

mod fault;

pub use fault::DeviceFault;

/// The rate everything between the microphone and whisper runs at, in Hz.
pub const RATE: u32 = 16_000;

/// A microphone as the listener thread sees it: mono f32 in −1..1 at [`RATE`].
pub trait Source: Send {
    /// Appends what has arrived to `into`, waiting at most about 20 ms for something.
    fn read(&mut self, into: &mut Vec<f32>) -> Heard;
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
    /// A file has been read to its end; every further read says so again.
    End,
}
