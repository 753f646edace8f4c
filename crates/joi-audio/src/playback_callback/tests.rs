use proptest::prelude::*;

use super::*;

struct Bench {
    asked: Arc<AtomicU64>,
    gain: Arc<AtomicU32>,
    duck: Arc<AtomicU32>,
    sink: RingSink,
    callback: PlaybackCallback,
    far: ReferenceStream,
}

/// 1000 Hz: a ring of 200 samples, a fade of 5.
fn bench() -> Bench {
    let asked = Arc::<AtomicU64>::default();
    let (gain, duck) = (Arc::new(AtomicU32::new(1_f32.to_bits())), Arc::new(AtomicU32::new(1_f32.to_bits())));
    let (epoch, gain_too, duck_too) = (Arc::clone(&asked), Arc::clone(&gain), Arc::clone(&duck));
    let controls = PlaybackControls { epoch, gain: gain_too, duck: duck_too, ..PlaybackControls::default() };
    let (sink, callback, far) = playback_ring(1000, controls);
    Bench { asked, gain, duck, sink, callback, far }
}

impl Bench {
    fn callback(&mut self, frames: usize) -> Vec<f32> {
        let mut out = vec![0.0; frames];
        self.callback.fill(&mut out, 1, |sample| sample);
        self.callback.end(Duration::from_millis(40));
        out
    }

    fn flush(&self) {
        self.asked.fetch_add(1, Ordering::AcqRel);
    }

    /// The feeder sees every flush so far.
    fn see(&mut self) {
        self.sink.flush(self.asked.load(Ordering::Acquire));
    }
}

#[test]
fn samples_pass_in_order_then_silence_and_both_are_counted() {
    let mut bench = bench();
    assert_eq!(bench.sink.push(&[0.1, 0.2, 0.3], 0.0), 3);
    assert_eq!(bench.callback(5), [0.1, 0.2, 0.3, 0.0, 0.0]);
    assert_eq!((bench.sink.position(), bench.sink.heard()), (3, 3));
    assert_eq!(bench.sink.delay(), Duration::from_millis(40));
    assert_eq!(bench.sink.tap.starved.load(Ordering::Relaxed), 2);
    bench.sink.rest();
    bench.callback(5);
    assert_eq!(bench.sink.tap.starved.load(Ordering::Relaxed), 2);
}

#[test]
fn a_flush_fades_within_one_callback_and_nothing_old_is_heard_after_it() {
    let mut bench = bench();
    bench.sink.push(&[0.5; 100], 0.0);
    bench.callback(10);
    bench.flush();
    let out = bench.callback(20);
    let fade: Vec<f32> = [1.0, 0.8, 0.6, 0.4, 0.2].iter().map(|fade| 0.5 * fade).collect();
    assert_eq!(out[..5], fade);
    assert_eq!(out[5..], [0.0; 15]);
    // The feeder has not noticed yet and still pushes old sound: not heard either.
    bench.sink.push(&[0.7; 50], 0.0);
    assert_eq!(bench.callback(20), [0.0; 20]);
    bench.sink.push(&[0.7; 50], 0.0);
    bench.see();
    bench.sink.push(&[0.25; 3], 0.0);
    assert_eq!(bench.callback(5), [0.25, 0.25, 0.25, 0.0, 0.0]);
    assert_eq!((bench.sink.position(), bench.sink.heard()), (203, 13));
}

#[test]
fn a_change_of_volume_takes_twenty_milliseconds() {
    let mut bench = bench();
    bench.gain.store(0_f32.to_bits(), Ordering::Relaxed);
    bench.sink.push(&[0.5; 60], 0.0);
    let out = bench.callback(60);
    assert!(out.windows(2).all(|pair| pair[1] <= pair[0]));
    assert!(out[0] > 0.45 && out[18] > 0.0 && out[20..].iter().all(|sample| sample.abs() < 1e-6));
}

#[test]
fn ducking_glides_down_by_twenty_decibel_whatever_the_volume_and_back() {
    let mut bench = bench();
    bench.gain.store(0.5_f32.to_bits(), Ordering::Relaxed);
    bench.sink.push(&[0.4; 200], 0.0);
    bench.callback(30);
    bench.duck.store(0.1_f32.to_bits(), Ordering::Relaxed);
    let down = bench.callback(60);
    let steps = down.windows(2).map(|pair| pair[0] - pair[1]);
    assert!(steps.clone().all(|step| (-1e-6..0.01).contains(&step)), "no click");
    assert!((down[59] - 0.02).abs() < 1e-5 && down[20] > 0.05, "{down:?}");
    bench.duck.store(1_f32.to_bits(), Ordering::Relaxed);
    assert!((bench.callback(60)[59] - 0.2).abs() < 1e-5);
}

#[test]
fn the_far_end_gets_exactly_what_is_played() {
    let mut bench = bench();
    bench.sink.push(&[0.5, -3.0, 0.1], 0.0);
    let mut played = bench.callback(4);
    bench.flush();
    bench.sink.push(&[0.5; 20], 0.0);
    played.extend(bench.callback(30));
    let mut far = vec![];
    bench.far.reader.drain(&mut far);
    assert_eq!(far, played);
    assert!(played.iter().all(|sample| sample.abs() < 1.0));
}

#[derive(Debug, Clone)]
enum Do {
    Push(usize),
    Callback(usize),
    Flush,
    See,
}

fn doing() -> impl Strategy<Value = Do> {
    prop_oneof![
        4 => (0_usize..80).prop_map(Do::Push),
        4 => (0_usize..60).prop_map(Do::Callback),
        1 => Just(Do::Flush),
        2 => Just(Do::See),
    ]
}

#[test]
fn the_moment_of_a_sample_is_counted_from_the_block_it_was_taken_with() {
    let mut bench = bench();
    let (before, fallback) = (Instant::now(), Instant::now() + Duration::from_secs(100));
    assert_eq!(bench.sink.moment(0, fallback), (fallback, fallback), "nothing was taken yet");
    bench.sink.push(&[0.5; 30], 0.0);
    for _ in 0..3 {
        // The third block finds nothing, and reports nothing.
        bench.callback.fill(&mut [0.0; 20], 1, |sample| sample);
        bench.callback.end(Duration::from_millis(40));
    }
    let (taken, heard) = bench.sink.moment(20, fallback);
    assert!((before..fallback).contains(&taken));
    assert_eq!(heard - taken, Duration::from_millis(40));
    let (_, behind) = bench.sink.moment(30, fallback);
    assert_eq!(behind - heard, Duration::from_millis(10));
}

#[test]
fn the_delay_of_each_block_is_reported() {
    let mut bench = bench();
    let delay = bench.callback.tap.controls.delay.clone();
    for ms in [20, 70, 30] {
        bench.callback.fill(&mut [0.0; 8], 1, |sample| sample);
        bench.callback.end(Duration::from_millis(ms));
    }
    assert_eq!(delay.last(), Some(Duration::from_millis(30)));
    assert_eq!(delay.highest(), Some(Duration::from_millis(70)));
}

proptest! {
    /// However pushes, callbacks and flushes interleave: after a flush only a fade of the old sound is
    /// heard, and everything pushed once the feeder has seen the newest flush is heard, in order.
    #[test]
    fn flushes_keep_exactly_the_new_sound(doings in prop::collection::vec(doing(), 0..80)) {
        let mut bench = bench();
        let (mut next, mut seen, mut fading) = (1_u32, 0_u64, 0_usize);
        let mut valid: std::collections::VecDeque<f32> = Default::default();
        for what in doings {
            match what {
                Do::Push(count) => {
                    // Distinct values below the limiter's knee.
                    let batch: Vec<f32> = (0..count as u32).map(|i| (next + i) as f32 / 10_000.0).collect();
                    let taken = bench.sink.push(&batch, 0.0);
                    next += taken as u32;
                    if seen == bench.asked.load(Ordering::Acquire) {
                        valid.extend(&batch[..taken]);
                    }
                }
                Do::Callback(frames) => {
                    let current = seen == bench.asked.load(Ordering::Acquire);
                    let out = bench.callback(frames);
                    let mut heard = out.into_iter().filter(|sample| *sample != 0.0).collect::<Vec<_>>();
                    let new = heard.iter().position(|sample| current && Some(sample) == valid.front());
                    let old = new.unwrap_or(heard.len());
                    prop_assert!(old <= fading, "{old} old samples, {fading} allowed");
                    fading -= old;
                    for sample in heard.drain(old..) {
                        prop_assert_eq!(valid.pop_front(), Some(sample));
                        fading = 0;
                    }
                }
                Do::Flush => {
                    bench.flush();
                    valid.clear();
                    fading = 5;
                }
                Do::See => {
                    bench.see();
                    if seen != bench.asked.load(Ordering::Acquire) {
                        seen = bench.asked.load(Ordering::Acquire);
                    }
                }
            }
        }
    }
}
