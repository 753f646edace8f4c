//! A WAV file in place of the speaker. Owned by the player's feeder thread.
//!
//! In: samples at the file's rate, and stretches of silence. Out: a mono 16-bit WAV file whose timeline is
//! what was played. A write error is kept and reported when the file is closed.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hound::WavWriter;

use super::{Pace, WavError, mono, quantise};
use crate::gain::soft_limit;
use crate::sink::AudioSink;

/// A WAV file as a loudspeaker.
pub(crate) struct WavSink {
    path: PathBuf,
    rate: u32,
    writer: Option<WavWriter<BufWriter<File>>>,
    failure: Option<WavError>,
    /// Nothing for a file that is written as fast as possible.
    started: Option<Instant>,
    /// Samples on the timeline, silence included.
    written: u64,
    /// Samples of clips.
    heard: u64,
    /// No clip is playing: real time passes in silence.
    resting: bool,
}

impl WavSink {
    /// Creates the file, or truncates it.
    ///
    /// # Errors
    /// When it can't be created.
    pub(crate) fn create(path: &Path, rate: u32, pace: Pace) -> Result<Self, WavError> {
        let failed = |error: hound::Error| WavError::Write { path: path.to_owned(), why: error.to_string() };
        let writer = WavWriter::create(path, mono(rate)).map_err(failed)?;
        let started = (pace == Pace::RealTime).then(Instant::now);
        let path = path.to_owned();
        Ok(Self {
            path,
            rate,
            writer: Some(writer),
            failure: None,
            started,
            written: 0,
            heard: 0,
            resting: true,
        })
    }

    fn write(&mut self, samples: impl Iterator<Item = f32>) {
        let Some(writer) = &mut self.writer else { return };
        for sample in samples {
            if let Err(error) = writer.write_sample(quantise(sample)) {
                self.failure = Some(WavError::Write { path: self.path.clone(), why: error.to_string() });
                self.writer = None;
                return;
            }
            self.written += 1;
        }
    }

    /// Samples that would have been played by now in real time and are not yet written.
    fn behind(&self) -> Option<u64> {
        let played = (self.started?.elapsed().as_secs_f64() * f64::from(self.rate)) as u64;
        Some(played.saturating_sub(self.written))
    }

    /// Writes the silence in which real time has passed.
    fn catch_up(&mut self) {
        if let Some(behind) = self.behind() {
            self.write(std::iter::repeat_n(0.0, behind as usize));
        }
    }
}

impl AudioSink for WavSink {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn push(&mut self, samples: &[f32], volume: f32) -> usize {
        if std::mem::take(&mut self.resting) {
            self.catch_up();
        }
        let room = self.behind().map_or(samples.len(), |behind| samples.len().min(behind as usize));
        self.write(samples[..room].iter().map(|sample| soft_limit(sample * volume)));
        self.heard += room as u64;
        room
    }

    fn position(&self) -> u64 {
        self.heard
    }

    fn heard(&self) -> u64 {
        self.heard
    }

    fn flush(&mut self, _epoch: u64) {}

    fn rest(&mut self) {
        self.resting = true;
    }

    fn starve(&mut self) {
        self.rest();
    }

    fn silence(&mut self, length: Duration) {
        let samples = (length.as_secs_f64() * f64::from(self.rate)).round() as usize;
        self.write(std::iter::repeat_n(0.0, samples));
    }

    fn close(&mut self) -> Result<Duration, WavError> {
        self.catch_up();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if let Some(writer) = self.writer.take() {
            writer
                .finalize()
                .map_err(|error| WavError::Write { path: self.path.clone(), why: error.to_string() })?;
        }
        Ok(Duration::from_secs_f64(self.written as f64 / f64::from(self.rate)))
    }
}
