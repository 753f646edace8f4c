//! The microphone's callback: mix a block to mono, apply the gain, push it into the ring, wake its reader, count.
//!
//! Runs on the sound system's thread. In: a block in the device's own format. Out: mono f32 in the ring, and
//! the counts in the [`CallbackStats`]. While muted, no sample goes into the ring; the callback still counts
//! as alive. No lock, no allocation, no waiting.

use std::sync::Arc;

use super::MuteSwitch;
use super::gain::{InputGain, is_clipped};
use super::ring::{FRAMES_AT_ONCE, RingWriter};
use super::stream_supervisor::CallbackStats;

/// After this many seconds without a run of zeros a microphone is known to have a noise floor.
const RESTLESS_SECONDS: u64 = 5;

/// The device callback's end of the capture ring.
pub(super) struct CaptureCallback {
    writer: RingWriter,
    switch: MuteSwitch,
    stats: Arc<CallbackStats>,
    gain: InputGain,
    channels: usize,
    zeros: Zeros,
}

impl CaptureCallback {
    /// For blocks of `channels` interleaved channels at `rate` Hz.
    pub(super) fn new(
        writer: RingWriter,
        switch: MuteSwitch,
        stats: &Arc<CallbackStats>,
        gain: InputGain,
        (channels, rate): (u16, u32),
    ) -> Self {
        let channels = usize::from(channels.max(1));
        Self { writer, switch, stats: Arc::clone(stats), gain, channels, zeros: Zeros::at(rate) }
    }

    /// The whole of a callback; `to_f32` makes −1..1 of a sample.
    pub(super) fn take<T: Copy>(&mut self, samples: &[T], to_f32: impl Fn(T) -> f32) {
        self.store(samples, to_f32);
        self.wake_reader();
    }

    /// The same, but nobody is woken: more sound is there already.
    pub(super) fn store<T: Copy>(&mut self, samples: &[T], to_f32: impl Fn(T) -> f32) {
        if !self.switch.is_muted() {
            let mut mono = [0.0; FRAMES_AT_ONCE];
            for block in samples.chunks(FRAMES_AT_ONCE * self.channels) {
                let mono = &mut mono[..block.len() / self.channels];
                for (sample, frame) in mono.iter_mut().zip(block.chunks_exact(self.channels)) {
                    *sample = self.gain.apply(mix(frame, &to_f32));
                }
                self.zeros.hear(mono);
                self.stats.clip(mono.iter().filter(|sample| is_clipped(**sample)).count() as u64);
                self.writer.push_or_drop(mono);
            }
        }
        // While muted the run of zeros is not counted: it says nothing about the device.
        self.stats.beat(self.zeros.run, self.zeros.is_restless());
    }

    /// Wakes the reader that waits for sound, unless the microphone is muted.
    pub(super) fn wake_reader(&self) {
        if !self.switch.is_muted() {
            self.stats.wake_reader();
        }
    }
}

/// One frame as a mono sample: the mean of its channels.
fn mix<T: Copy>(frame: &[T], to_f32: impl Fn(T) -> f32) -> f32 {
    frame.iter().map(|sample| to_f32(*sample)).sum::<f32>() / frame.len() as f32
}

/// Detects a dead microphone by its runs of zeros. Pure.
///
/// The converter of a real microphone has a noise floor: a quiet room is noise in the last bits. A device
/// that had one for seconds and then gives only zeros is off or dead. A device that goes to zeros and comes
/// back has a noise gate or a mute switch of its own, so its zeros prove nothing.
#[derive(Debug)]
struct Zeros {
    /// Frames of zeros up to now.
    run: u64,
    /// Frames of sound before.
    sound: u64,
    /// It has recovered from a run of zeros.
    gates: bool,
    rate: u64,
}

impl Zeros {
    fn at(rate: u32) -> Self {
        Self { run: 0, sound: 0, gates: false, rate: u64::from(rate.max(1)) }
    }

    fn hear(&mut self, frames: &[f32]) {
        for frame in frames {
            if *frame == 0.0 {
                self.run += 1;
            } else {
                self.gates |= self.sound > 0 && self.run > self.rate / 5;
                self.run = 0;
                self.sound += 1;
            }
        }
    }

    fn is_restless(&self) -> bool {
        !self.gates && self.sound > RESTLESS_SECONDS * self.rate
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::ring::ring;
    use super::*;

    fn zeros(frames: &[(usize, f32)]) -> Zeros {
        let mut zeros = Zeros::at(100);
        for (count, value) in frames {
            zeros.hear(&vec![*value; *count]);
        }
        zeros
    }

    #[test]
    fn channels_are_averaged_in_any_format() {
        assert_eq!(mix(&[0.5_f32, -0.25], |sample| sample), 0.125);
        assert_eq!(mix(&[16_384_i16, 16_384, 0, 0], |sample| f32::from(sample) / 32_768.0), 0.25);
    }

    #[test]
    fn zeros_are_counted_over_blocks_and_ended_by_sound() {
        assert_eq!(zeros(&[(10, 0.0), (5, 0.0)]).run, 15);
        assert_eq!(zeros(&[(10, 0.0), (1, 1e-9), (2, 0.0)]).run, 2);
    }

    #[test]
    fn a_microphone_that_was_never_still_is_restless_and_one_with_a_gate_is_not() {
        assert!(!zeros(&[(500, 0.1)]).is_restless(), "not yet");
        assert!(zeros(&[(100, 0.0), (501, 0.1), (50, 0.0)]).is_restless(), "zeros before the first sound");
        assert!(zeros(&[(300, 0.1), (20, 0.0), (300, 0.1)]).is_restless(), "too short for a gate");
        assert!(!zeros(&[(300, 0.1), (21, 0.0), (600, 0.1)]).is_restless(), "a gate");
    }

    #[test]
    fn while_muted_no_sample_goes_into_the_ring_and_the_callback_is_still_seen() {
        let (writer, mut reader) = ring(100);
        let (switch, stats) = (MuteSwitch::default(), Arc::<CallbackStats>::default());
        stats.runs_at(1000);
        let mut intake = CaptureCallback::new(writer, switch.clone(), &stats, InputGain::db(0.0), (2, 1000));
        intake.take(&[0.5_f32, 0.25, 0.0, 0.0], |sample| sample);
        switch.set(true);
        intake.take(&[0.5_f32; 20], |sample| sample);
        intake.take(&[0.0_f32; 2000], |sample| sample);
        switch.set(false);
        intake.take(&[0.125_f32; 2], |sample| sample);
        let mut heard = vec![];
        reader.drain(&mut heard);
        assert_eq!(heard, [0.375, 0.0, 0.125]);
        assert_eq!(stats.counts().callbacks, 4);
        assert!(stats.counts().zeros.is_zero());
    }

    #[test]
    fn the_gain_comes_before_the_ring_and_what_it_cuts_is_counted() {
        let (writer, mut reader) = ring(100);
        let stats = Arc::<CallbackStats>::default();
        let mut intake =
            CaptureCallback::new(writer, MuteSwitch::default(), &stats, InputGain::db(20.0), (2, 1000));
        intake.take(&[0.03_f32, 0.01, 0.5, 0.5, -0.2, -0.2, 0.0, 0.0], |sample| sample);
        let mut heard = vec![];
        reader.drain(&mut heard);
        assert!((heard[0] - 0.2).abs() < 1e-6, "the mean, ten times as loud: {heard:?}");
        assert_eq!(heard[1..], [1.0, -1.0, 0.0]);
        assert_eq!(stats.clipped(), 2);
    }

    #[test]
    fn whoever_waits_for_sound_is_woken_by_it() {
        let (writer, reader) = ring(100);
        let stats = Arc::<CallbackStats>::default();
        let mut intake =
            CaptureCallback::new(writer, MuteSwitch::default(), &stats, InputGain::db(0.0), (1, 1000));
        // Nobody waits yet.
        intake.take(&[0.5_f32; 2], |sample| sample);
        let (tell, told) = mpsc::channel();
        let waiting = Arc::clone(&stats);
        std::thread::spawn(move || {
            waiting.read_here();
            tell.send(0).unwrap();
            while reader.len() < 3 {
                std::thread::park();
            }
            tell.send(reader.len()).unwrap();
        });
        assert_eq!(told.recv(), Ok(0));
        intake.take(&[0.5_f32; 1], |sample| sample);
        let limit = std::time::Duration::from_secs(60);
        assert_eq!(told.recv_timeout(limit), Ok(3), "it was not woken");
    }

    #[test]
    fn zeros_of_a_muted_microphone_do_not_count() {
        let (writer, _reader) = ring(100);
        let (switch, stats) = (MuteSwitch::new(true), Arc::<CallbackStats>::default());
        stats.runs_at(1000);
        let mut intake = CaptureCallback::new(writer, switch, &stats, InputGain::db(0.0), (1, 1000));
        intake.take(&[0.0_f32; 5000], |sample| sample);
        assert!(stats.counts().zeros.is_zero());
    }
}
