//! The device callbacks neither allocate nor free: every allocation of the test binary is counted.

use std::sync::Arc;
use std::time::Duration;

use assert_no_alloc::{AllocDisabler, assert_no_alloc, reset_violation_count, violation_count};

use super::MuteSwitch;
use super::gain::Duck;
use super::intake::Intake;
use super::keeper::{Vitals, Weight};
use super::player::Outlet;
use super::pour::{Wishes, pour};
use super::ring::ring;

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
    // One second fits: the rest is dropped, which is counted and no more.
    let (writer, _reader) = ring(48_000);
    let (switch, vitals) = (MuteSwitch::default(), Arc::<Vitals>::default());
    let mut intake = Intake::new(writer, switch.clone(), &vitals, (2, 48_000));
    let (floats, shorts) = ([0.25_f32; 1920], [1_000_i16; 1920]);
    let count = allocations(|| {
        for round in 0..200 {
            switch.set(round % 7 == 0);
            intake.take(&floats, |sample| sample);
            intake.take(&shorts, |sample| f32::from(sample) / 32_768.0);
            intake.take::<f32>(&[], |sample| sample);
            vitals.error(Weight::Passing);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_speakers_callback_neither_allocates_nor_frees() {
    let wishes = Wishes { epoch: Arc::default(), gain: Arc::default(), duck: Arc::default() };
    wishes.gain.store(0.5_f32.to_bits(), std::sync::atomic::Ordering::Relaxed);
    let (mut outlet, mut pour, _far) = pour(48_000, wishes.clone());
    let mut block = [0_f32; 1920];
    for round in 0..300_u32 {
        outlet.push(&[0.9; 1_000], 1.0);
        let duck = if round % 3 == 0 { Duck::Ducked } else { Duck::Full };
        wishes.duck.store(duck.factor().to_bits(), std::sync::atomic::Ordering::Relaxed);
        if round % 11 == 0 {
            wishes.epoch.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
        }
        if round % 11 == 2 {
            outlet.flush(wishes.epoch.load(std::sync::atomic::Ordering::Acquire));
        }
        let count = allocations(|| {
            pour.fill(&mut block, 2, |sample| sample);
            pour.end(Duration::from_millis(20));
        });
        assert_eq!(count, 0, "in round {round}");
    }
}
