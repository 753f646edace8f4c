//! WAV files as microphone and as speaker: tests, benchmarks, `joi hear`, `joi listen`, `joi say`.
//!
//! Reading runs on the listener thread, writing on the feeder thread of a player. In: whatever `hound`
//! reads (8 to 32 bit, float, any rate, any number of channels). Out: mono f32 at 16 kHz, and mono
//! 16-bit files. Refuses a file without samples; a truncated file simply ends there.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use hound::{SampleFormat, WavIntoSamples, WavReader, WavSpec, WavWriter};
use thiserror::Error;

use super::resample::{RateError, Resampler, resample};
use super::{AudioSource, RATE, SourceEvent};

mod sink;

pub(super) use sink::WavSink;

/// Why a WAV file can't be used; the path is in every message.
#[derive(Debug, Error)]
pub enum WavError {
    /// The file can't be opened: check path and permissions.
    #[error("{path} can't be opened ({source}); check the path and its permissions")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file has no content.
    #[error("{path} is empty; record it again")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file's header is not that of a WAV file.
    #[error("{path} is not a readable WAV file ({why}); convert it to 16-bit PCM")]
    NotWav {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The header is right but no sound follows.
    #[error("{path} holds no samples; record it again")]
    NoSamples {
        /// The file.
        path: PathBuf,
    },
    /// The rate in the header is nonsensical.
    #[error("{path}: {source}")]
    Rate {
        /// The file.
        path: PathBuf,
        /// Which rate.
        source: RateError,
    },
    /// The file can't be written: check the path and the free disk space.
    #[error("{path} can't be written ({why}); check the path and the free disk space")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// How fast a file passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// One second of sound takes one second.
    RealTime,
    /// As fast as the other end takes it.
    Fast,
}

/// A WAV file in place of the microphone.
pub struct WavSource {
    frames: Frames,
    resampler: Resampler,
    pace: Pace,
    started: Option<Instant>,
    /// Samples returned so far, at [`RATE`].
    given: u64,
    block: Vec<f32>,
    block_len: usize,
    ended: bool,
}

/// The most sound one read returns.
const BLOCKS_PER_SECOND: u32 = 50;

impl WavSource {
    /// Opens a WAV file of any rate, width and number of channels.
    ///
    /// # Errors
    /// The file is missing, not a WAV file, or holds no samples.
    pub fn open(path: impl AsRef<Path>, pace: Pace) -> Result<Self, WavError> {
        let path = path.as_ref();
        let frames = Frames::open(path)?;
        let rate = frames.rate;
        let resampler =
            Resampler::new(rate, RATE).map_err(|source| WavError::Rate { path: path.to_owned(), source })?;
        Ok(Self {
            frames,
            resampler,
            pace,
            started: None,
            given: 0,
            block: Vec::new(),
            block_len: (rate / BLOCKS_PER_SECOND).max(1) as usize,
            ended: false,
        })
    }

    /// Waits until the sound up to `given` would have been captured in real time.
    fn keep_pace(&mut self) {
        if self.pace == Pace::Fast {
            return;
        }
        let started = *self.started.get_or_insert_with(Instant::now);
        let due = started + Duration::from_secs_f64(self.given as f64 / f64::from(RATE));
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}

impl AudioSource for WavSource {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let before = into.len();
        while into.len() == before {
            if self.ended {
                return SourceEvent::End;
            }
            self.block.clear();
            self.block.extend(self.frames.by_ref().take(self.block_len));
            if self.block.len() < self.block_len {
                self.ended = true;
            }
            self.resampler.push(&self.block, into);
            if self.ended {
                self.resampler.finish(into);
            }
        }
        let count = into.len() - before;
        self.given += count as u64;
        self.keep_pace();
        SourceEvent::Samples(count)
    }
}

/// The frames of a file, mixed down to mono, in −1..1.
struct Frames {
    samples: Samples,
    channels: u16,
    rate: u32,
    /// Read at opening to find out whether there is any sound.
    first: Option<f32>,
}

enum Samples {
    Int(WavIntoSamples<BufReader<File>, i32>, f32),
    Float(WavIntoSamples<BufReader<File>, f32>),
}

impl Frames {
    fn open(path: &Path) -> Result<Self, WavError> {
        let open = |source| WavError::Open { path: path.to_owned(), source };
        let not_wav = |why: String| WavError::NotWav { path: path.to_owned(), why };
        let file = File::open(path).map_err(open)?;
        let about = file.metadata().map_err(open)?;
        if about.is_dir() {
            return Err(not_wav("it is a directory".to_owned()));
        }
        if about.is_file() && about.len() == 0 {
            return Err(WavError::Empty { path: path.to_owned() });
        }
        let reader = WavReader::new(BufReader::new(file)).map_err(|error| not_wav(error.to_string()))?;
        let WavSpec { channels, sample_rate, bits_per_sample, sample_format } = reader.spec();
        if channels == 0 || !(1..=32).contains(&bits_per_sample) {
            return Err(not_wav(format!("{channels} channels of {bits_per_sample} bits")));
        }
        let samples = match sample_format {
            SampleFormat::Float => Samples::Float(reader.into_samples()),
            SampleFormat::Int => {
                let full_scale = 1_u64 << (bits_per_sample - 1);
                Samples::Int(reader.into_samples(), 1.0 / full_scale as f32)
            }
        };
        let mut frames = Self { samples, channels, rate: sample_rate, first: None };
        frames.first = frames.next();
        match frames.first {
            Some(_) => Ok(frames),
            None => Err(WavError::NoSamples { path: path.to_owned() }),
        }
    }

    fn sample(&mut self) -> Option<f32> {
        // A read error means a truncated file: what came before is still good sound.
        let sample = match &mut self.samples {
            Samples::Int(samples, scale) => samples.next()?.ok()? as f32 * *scale,
            Samples::Float(samples) => samples.next()?.ok()?,
        };
        Some(if sample.is_finite() { sample } else { 0.0 })
    }
}

impl Iterator for Frames {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let mut sum = 0.0;
        for _ in 0..self.channels {
            sum += self.sample()?;
        }
        Some(sum / f32::from(self.channels))
    }
}

fn mono(rate: u32) -> WavSpec {
    WavSpec { channels: 1, sample_rate: rate, bits_per_sample: 16, sample_format: SampleFormat::Int }
}

/// −1..1 as a 16-bit number; values outside are clipped.
fn quantise(sample: f32) -> i16 {
    (sample * 32_767.0).round() as i16
}

/// Writes mono samples (−1..1) at `rate` Hz to a 16-bit WAV file.
///
/// # Errors
/// When the file can't be written.
pub fn write_wav(path: impl AsRef<Path>, rate: u32, samples: &[f32]) -> Result<(), WavError> {
    let path = path.as_ref();
    let failed = |error: hound::Error| WavError::Write { path: path.to_owned(), why: error.to_string() };
    let mut writer = WavWriter::create(path, mono(rate)).map_err(failed)?;
    for sample in samples {
        writer.write_sample(quantise(*sample)).map_err(failed)?;
    }
    writer.finalize().map_err(failed)
}

/// Reads the first `longest` of a WAV file as mono f32 at `rate` Hz, and says whether there was more.
///
/// # Errors
/// As [`WavSource::open`].
pub(super) fn read_wav_start(
    path: &Path,
    rate: u32,
    longest: Duration,
) -> Result<(Vec<f32>, bool), WavError> {
    let mut frames = Frames::open(path)?;
    let from = frames.rate;
    let most = (longest.as_secs_f64() * f64::from(from)) as usize;
    let samples: Vec<f32> = frames.by_ref().take(most).collect();
    let samples =
        resample(&samples, from, rate).map_err(|source| WavError::Rate { path: path.to_owned(), source })?;
    Ok((samples, frames.next().is_some()))
}

/// Reads a whole WAV file as mono f32 at `rate` Hz.
///
/// # Errors
/// As [`WavSource::open`].
pub fn read_wav(path: impl AsRef<Path>, rate: u32) -> Result<Vec<f32>, WavError> {
    Ok(read_wav_start(path.as_ref(), rate, Duration::MAX)?.0)
}

#[cfg(test)]
mod tests;
