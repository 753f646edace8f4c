use super::*;
use crate::DeviceFault;
use crate::echo_reference::{EchoReferenceFeed, ReferenceSlot};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A microphone that reads out a script.
struct Script(std::collections::VecDeque<(SourceEvent, Vec<f32>)>);

impl AudioSource for Script {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        let (heard, samples) = self.0.pop_front().unwrap_or((SourceEvent::End, vec![]));
        into.extend(samples);
        heard
    }
}

/// White noise of this seed, −1..1.
fn noise(seed: u64, count: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.f32() * 2.0 - 1.0).collect()
}

/// Far and near of a room with an echo of half the size after 50 ms, for `seconds`.
fn room(seconds: usize) -> (Vec<f32>, Vec<f32>) {
    let far: Vec<f32> = noise(7, seconds * RATE as usize).iter().map(|sample| sample * 0.2).collect();
    let delay = RATE as usize / 20;
    let near = (0..far.len()).map(|i| if i < delay { 0.0 } else { 0.5 * far[i - delay] }).collect();
    (far, near)
}

fn samples(samples: &[f32]) -> (SourceEvent, Vec<f32>) {
    (SourceEvent::Samples(samples.len()), samples.to_vec())
}

/// What comes out when in every step of `near` the speaker plays a piece of `far`.
struct Bench {
    feed: EchoReferenceFeed,
    cancelled: EchoCancelled,
    out: Vec<f32>,
    captured: Vec<f32>,
    whole: Vec<f32>,
}

impl Bench {
    fn new(near: Vec<(SourceEvent, Vec<f32>)>, choice: EchoCancel) -> Self {
        let (feed, far) = EchoReference::by_hand(RATE);
        let cancelled = EchoCancelled::new(Box::new(Script(near.into())), far, choice);
        Self { feed, cancelled, out: vec![], captured: vec![], whole: vec![] }
    }

    /// Near and far in the same pieces of `len`.
    fn paired(far: &[f32], near: &[f32], len: usize, choice: EchoCancel) -> (Self, Vec<SourceEvent>) {
        let mut bench = Self::new(near.chunks(len).map(samples).collect(), choice);
        let told = far.chunks(len).map(|piece| bench.step(piece)).collect();
        (bench, told)
    }

    fn step(&mut self, far: &[f32]) -> SourceEvent {
        self.feed.played(far);
        let heard = self.cancelled.read(&mut self.out);
        let tracks = self.cancelled.tracks();
        self.captured.extend(tracks.map(|tracks| tracks.captured).unwrap_or_default());
        self.whole.extend(tracks.map(|tracks| tracks.whole).unwrap_or_default());
        heard
    }
}

fn level(samples: &[f32]) -> f32 {
    let power = samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32;
    10.0 * power.max(1e-12).log10()
}

#[test]
fn playback_is_removed_and_the_meter_shows_it() {
    let (far, near) = room(4);
    let (bench, _) = Bench::paired(&far, &near, 320, EchoCancel::Auto);
    let last = 3 * RATE as usize..;
    let (before, after) = (level(&near[last.clone()]), level(&bench.out[last]));
    assert!(after < before - 20.0, "{before} dB became {after} dB");
    let report = bench.cancelled.meter().report();
    assert!(report.wanted && report.active && report.converged, "{report:?}");
    assert!(report.erle_db > 20.0, "{report:?}");
    assert!((40..=60).contains(&report.delay_ms), "{report:?}");
}

#[test]
fn an_echo_that_suddenly_comes_later_is_learnt_anew_and_never_grows() {
    // A wireless speaker, or a clock that jumped.
    let rate = RATE as usize;
    let (first, all) = (4 * rate, 12 * rate);
    let far: Vec<f32> = noise(7, all).iter().map(|sample| sample * 0.2).collect();
    let delay = |i: usize| if i < first { rate / 20 } else { rate / 4 };
    let near: Vec<f32> = (0..all).map(|i| if i < delay(i) { 0.0 } else { 0.5 * far[i - delay(i)] }).collect();
    let mut bench = Bench::new(near.chunks(320).map(samples).collect(), EchoCancel::On);
    let (mut reports, mut forgotten) = (Vec::new(), None);
    for (nth, piece) in far.chunks(320).enumerate() {
        bench.step(piece);
        let report = bench.cancelled.meter().report();
        if nth * 320 > first && !report.converged {
            forgotten.get_or_insert((nth * 320 - first) as f64 / rate as f64);
        }
        reports.push(report);
    }
    let before = reports[first / 320 - 1];
    assert!(before.converged && (40..=60).contains(&before.delay_ms), "{before:?}");
    let forgotten = forgotten.expect("what was known of the room is forgotten");
    assert!(forgotten < 3.0, "after {forgotten} s");
    let after = reports.last().unwrap();
    assert!(after.converged && after.erle_db > 15.0 && (235..=265).contains(&after.delay_ms), "{after:?}");
    let last = all - 2 * rate..bench.out.len();
    assert!(level(&bench.out[last.clone()]) < level(&near[last]) - 15.0, "the echo is removed again");
    for (out, near) in bench.out.chunks(rate / 10).zip(near.chunks(rate / 10)).skip(2) {
        assert!(level(out) < level(near).max(-60.0) + 3.0, "nothing comes out louder than it went in");
    }
}

#[test]
fn the_report_fits_in_a_line() {
    let report = EchoReport { wanted: true, active: true, converged: true, erle_db: 23.4, delay_ms: 86 };
    assert_eq!(report.summary(), "echo delay 86 ms, reduced by 23 dB");
    for (report, told) in [
        (EchoReport { wanted: false, ..report }, "left to the sound system, or switched off"),
        (EchoReport { erle_db: 0.2, ..report }, "no echo reaches the microphone"),
        (EchoReport { converged: false, ..report }, "echo reduced by only 23 dB; still adapting to the room"),
        (
            EchoReport { active: false, converged: false, erle_db: 0.0, delay_ms: 0, ..report },
            "nothing was played yet",
        ),
    ] {
        assert_eq!(report.summary(), told);
    }
}

#[test]
fn without_anything_played_every_bit_passes_at_once() {
    let near = noise(1, 10_000);
    let (bench, told) = Bench::paired(&[0.0; 10_000], &near, 333, EchoCancel::Auto);
    assert_eq!(bench.out, near);
    assert_eq!(told[0], SourceEvent::Samples(333));
    assert!(!bench.cancelled.meter().report().active);
}

#[test]
fn switched_off_every_bit_passes_whatever_is_played() {
    let (far, near) = room(1);
    let (bench, _) = Bench::paired(&far, &near, 333, EchoCancel::Off);
    assert_eq!(bench.out, near);
    assert!(!bench.cancelled.meter().report().wanted);
}

#[test]
fn a_microphone_that_cancels_by_itself_is_left_alone() {
    let (far, near) = room(1);
    let device = "Echo-Cancel Source".to_owned();
    let mut script = vec![(SourceEvent::Back { device: device.clone() }, vec![])];
    script.extend(near.chunks(320).map(samples));
    let mut bench = Bench::new(script, EchoCancel::Auto);
    assert_eq!(bench.step(&[]), SourceEvent::Back { device });
    for piece in far.chunks(320) {
        bench.step(piece);
    }
    assert_eq!(bench.out, near);
    assert!(!bench.cancelled.meter().report().wanted);
}

#[test]
fn as_many_samples_come_out_as_went_in_whatever_their_pieces() {
    let (far, near) = room(1);
    for len in [1_usize, 97, 160, 500, 4_001] {
        let (mut bench, told) = Bench::paired(&far, &near, len, EchoCancel::On);
        let given: usize =
            told.iter().map(|heard| if let SourceEvent::Samples(count) = heard { *count } else { 0 }).sum();
        assert!(near.len() - given < FRAME, "at most 10 ms late");
        while bench.step(&[]) != SourceEvent::End {}
        assert_eq!(bench.out.len(), near.len(), "in pieces of {len}");
        assert_eq!(bench.captured, near, "and beside it what was captured");
        assert_eq!(bench.whole.len(), near.len());
    }
}

#[test]
fn a_second_after_the_last_sound_every_bit_passes_again() {
    let (mut far, mut near) = room(1);
    let tail = noise(3, 3 * RATE as usize);
    far.resize(far.len() + tail.len(), 0.0);
    near.extend(&tail);
    let (bench, _) = Bench::paired(&far, &near, 160, EchoCancel::On);
    let from = near.len() - 3 * RATE as usize / 2;
    assert_eq!(bench.out[from..], near[from..]);
    assert!(!bench.cancelled.meter().report().active);
}

#[test]
fn what_is_learnt_in_one_answer_serves_the_next() {
    let (far, near) = room(3);
    let pause = vec![0.0; 5 * RATE as usize];
    let both_far = [&far[..], &pause, &far[..RATE as usize]].concat();
    let both_near = [&near[..], &pause, &near[..RATE as usize]].concat();
    let (bench, _) = Bench::paired(&both_far, &both_near, 320, EchoCancel::On);
    let again = near.len() + pause.len();
    let (early, learnt) = (level(&bench.out[1_600..8_000]), level(&bench.out[again + 1_600..again + 8_000]));
    assert!(learnt < early - 6.0 && learnt < level(&near) - 15.0, "{early} dB, then {learnt} dB");
}

#[test]
fn muting_and_another_microphone_forget_what_is_held() {
    let fault = DeviceFault::Lost { device: "desk".into() };
    for news in [
        SourceEvent::Muted,
        SourceEvent::Unmuted,
        SourceEvent::Gone(fault),
        SourceEvent::Back { device: "b".into() },
    ] {
        let script = vec![samples(&[0.5; 100]), (news.clone(), vec![]), samples(&[0.25; 160])];
        let mut bench = Bench::new(script, EchoCancel::On);
        assert_eq!(bench.step(&[0.1; 160]), SourceEvent::Nothing, "held");
        assert_eq!(bench.step(&[0.0; 160]), news);
        assert!(bench.out.is_empty());
        assert_eq!(bench.step(&[0.0; 160]), SourceEvent::Samples(160));
    }
}

#[test]
fn where_nothing_of_her_is_heard_a_talker_passes_whole() {
    let rate = RATE as usize;
    let far: Vec<f32> = noise(7, 3 * rate).iter().map(|sample| sample * 0.2).collect();
    let talker: Vec<f32> = noise(9, 2 * rate).iter().map(|sample| sample * 0.05).collect();
    let near = [vec![0.0; rate], talker].concat();
    let (bench, _) = Bench::paired(&far, &near, 320, EchoCancel::On);
    let out = &bench.out[rate..];
    assert!(out.len() > 2 * rate - 400);
    assert_eq!(out, &near[rate..rate + out.len()], "headphones");
    assert!(bench.cancelled.meter().report().converged);
}

#[test]
fn microphone_and_speaker_rest_together() {
    /// A microphone that shows whether it may rest.
    struct Resting(std::sync::mpsc::Sender<bool>);

    impl AudioSource for Resting {
        fn read(&mut self, _: &mut Vec<f32>) -> SourceEvent {
            SourceEvent::Nothing
        }

        fn may_rest(&mut self, may_rest: bool) {
            self.0.send(may_rest).unwrap();
        }
    }

    let (told, rests) = std::sync::mpsc::channel();
    let speaker = Arc::<AtomicBool>::default();
    let far = EchoReference::of(ReferenceSlot::default(), speaker.clone());
    let mut cancelled = EchoCancelled::new(Box::new(Resting(told)), far, EchoCancel::Off);
    for may_rest in [true, false] {
        cancelled.may_rest(may_rest);
        assert_eq!((rests.try_recv(), speaker.load(Ordering::Relaxed)), (Ok(may_rest), may_rest));
    }
}
