//! Tests that the device callbacks neither allocate nor free: every allocation of the test binary is counted.

use std::sync::Arc;
use std::time::Duration;

use assert_no_alloc::{AllocDisabler, assert_no_alloc, reset_violation_count, violation_count};

use super::MuteSwitch;
use super::capture_callback::CaptureCallback;
use super::gain::{Duck, InputGain};
use super::playback_callback::{PlaybackControls, playback_ring};
use super::ring::ring;
use super::sink::AudioSink;
use super::stream_supervisor::{CallbackStats, ErrorSeverity};

#[global_allocator]
static COUNTING: AllocDisabler = AllocDisabler;

/// Allocations and frees within `callbacks` on this thread.
fn allocations(callbacks: impl FnOnce()) -> u32 {
    reset_violation_count();
    assert_no_alloc(callbacks);
    violation_count()
}

#[test]
fn the_guard_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1_u8]))) >= 2);
}

#[test]
fn the_microphones_callback_neither_allocates_nor_frees() {
    // The ring holds one second; the rest is dropped and counted.
    let (writer, _reader) = ring(48_000);
    let (switch, stats) = (MuteSwitch::default(), Arc::<CallbackStats>::default());
    let mut intake = CaptureCallback::new(writer, switch.clone(), &stats, InputGain::db(12.0), (2, 48_000));
    stats.read_here();
    let (floats, shorts) = ([0.25_f32; 1920], [1_000_i16; 1920]);
    let count = allocations(|| {
        for round in 0..200 {
            switch.set(round % 7 == 0);
            intake.take(&floats, |sample| sample);
            intake.take(&shorts, |sample| f32::from(sample) / 32_768.0);
            intake.take::<f32>(&[], |sample| sample);
            stats.error(ErrorSeverity::Passing);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_speakers_callback_neither_allocates_nor_frees() {
    let controls = PlaybackControls::default();
    controls.gain.store(0.5_f32.to_bits(), std::sync::atomic::Ordering::Relaxed);
    let (mut sink, mut callback, _far) = playback_ring(48_000, controls.clone());
    let mut block = [0_f32; 1920];
    for round in 0..300_u32 {
        sink.push(&[0.9; 1_000], 1.0);
        let duck = if round % 3 == 0 { Duck::Ducked } else { Duck::Full };
        controls.duck.store(duck.factor().to_bits(), std::sync::atomic::Ordering::Relaxed);
        if round % 11 == 0 {
            controls.epoch.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
        }
        if round % 11 == 2 {
            sink.flush(controls.epoch.load(std::sync::atomic::Ordering::Acquire));
        }
        let count = allocations(|| {
            callback.fill(&mut block, 2, |sample| sample);
            callback.end(Duration::from_millis(20));
        });
        assert_eq!(count, 0, "in round {round}");
    }
}
