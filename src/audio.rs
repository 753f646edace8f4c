//! Sound in and out: devices, rings, resampling, WAV files.

/// The rate everything between the microphone and whisper runs at, in Hz.
pub const RATE: u32 = 16_000;
