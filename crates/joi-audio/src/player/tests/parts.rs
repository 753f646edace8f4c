//! Sounds that are played in parts.

use super::*;

/// The same at 2 kHz, which is converted.
fn fine(clip: Clip) -> Clip {
    Clip { rate: 2000, ..clip }
}

/// Plays all there is.
fn play_out(bench: &mut Bench, speaker: &Speaker) -> Vec<PlayEvent> {
    bench.run(speaker, 40, ROOM)
}

#[test]
fn parts_of_a_sound_have_no_joint_also_when_one_comes_late_and_nothing_comes_between_them() {
    let sine: Vec<f32> = (0..600).map(|at| 0.5 * (at as f32 * 0.05).sin()).collect();
    let play = |parts: &[(ClipPart, std::ops::Range<usize>)]| {
        let speaker = Speaker::default();
        let mut bench = Bench::with(&speaker);
        let mut events = Vec::new();
        for (tag, (which, range)) in (1..).zip(parts) {
            bench.player.play(fine(bench.part(tag, *which, &sine[range.clone()]))).unwrap();
            if tag == 1 && parts.len() > 1 {
                bench.player.play(bench.clip(99, &[0.9; 5])).unwrap();
            }
            events.extend(bench.run(&speaker, 600, 1));
        }
        (speaker.heard(), events)
    };
    let (whole, _) = play(&[(ClipPart::Whole, 0..600)]);
    let parts = [(ClipPart::Begin, 0..200), (ClipPart::Middle, 200..420), (ClipPart::End, 420..600)];
    let (heard, events) = play(&parts);
    assert_eq!(heard.len(), whole.len() + 5);
    assert_eq!(heard[..whole.len()], whole, "each part came only when the one before had been played");
    assert_eq!(heard[whole.len()..], [0.9; 5], "a tone waits for the end of the sound");
    let idle = events.iter().filter(|event| **event == PlayEvent::Idle).count();
    assert_eq!(idle, 1, "{events:?}");
}

#[test]
fn a_sound_that_breaks_off_ends_with_an_empty_part_and_a_flush_ends_it_too() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(fine(bench.part(1, ClipPart::Begin, &[0.2; 2000]))).unwrap();
    bench.player.play(bench.clip(2, &[0.9; 5])).unwrap();
    assert_eq!(bench.run(&speaker, 2000, 1), [bench.started(1)], "it may go on at any time");
    bench.player.play(fine(bench.part(3, ClipPart::End, &[]))).unwrap();
    let events = bench.run(&speaker, 2000, 1);
    let over = [1, 3, 2].map(|tag| bench.finished(tag));
    assert!(over.iter().all(|event| events.contains(event)), "{events:?}");
    assert_eq!(events.last(), Some(&PlayEvent::Idle));
    assert_eq!(speaker.heard().len(), 1005);

    bench.player.play(fine(bench.part(4, ClipPart::Begin, &[0.2; 2000]))).unwrap();
    bench.step();
    bench.player.flush();
    bench.step();
    bench.player.play(bench.clip(5, &[0.7; 10])).unwrap();
    assert!(play_out(&mut bench, &speaker).contains(&bench.finished(5)));
}

#[test]
fn between_the_parts_of_a_sound_she_is_still_speaking_and_the_sink_knows_that_one_is_late() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(bench.part(1, ClipPart::Begin, &[0.1; 60])).unwrap();
    assert_eq!(play_out(&mut bench, &speaker), [bench.started(1), bench.finished(1)]);
    assert!(bench.player.is_playing() && speaker.starved() > 0 && !speaker.resting());
    bench.player.play(bench.part(2, ClipPart::End, &[0.1; 60])).unwrap();
    let before = speaker.starved();
    assert_eq!(play_out(&mut bench, &speaker), [bench.started(2), bench.finished(2), PlayEvent::Idle]);
    assert!(speaker.starved() == before && speaker.resting(), "it was the last one");
}

#[test]
fn tones_do_not_keep_out_the_end_of_the_sound_they_wait_for() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(bench.part(1, ClipPart::Begin, &[0.1; 60])).unwrap();
    bench.step();
    for tag in 0..QUEUE as u64 {
        bench.player.play(bench.clip(100 + tag, &[0.9])).unwrap();
    }
    bench.player.play(bench.part(2, ClipPart::End, &[0.2; 60])).unwrap();
    assert_eq!(play_out(&mut bench, &speaker).last(), Some(&PlayEvent::Idle));
    assert_eq!(speaker.heard(), [&[0.1; 60][..], &[0.2; 60], &[0.9; QUEUE]].concat());
}

#[test]
fn a_sound_whose_end_never_came_does_not_keep_the_next_one_waiting() {
    let speaker = Speaker::default();
    let mut bench = Bench::with(&speaker);
    bench.player.play(bench.part(1, ClipPart::Begin, &[0.1; 60])).unwrap();
    bench.step();
    bench.player.play(bench.part(2, ClipPart::Begin, &[0.2; 10])).unwrap();
    bench.player.play(bench.part(3, ClipPart::End, &[0.3; 10])).unwrap();
    assert_eq!(play_out(&mut bench, &speaker).last(), Some(&PlayEvent::Idle));
    assert_eq!(speaker.heard(), [&[0.1; 60][..], &[0.2; 10], &[0.3; 10]].concat());
}

#[test]
fn a_device_that_is_lost_twice_loses_no_order() {
    let speakers = [Speaker::default(), Speaker::default(), Speaker::default()];
    let mut bench = Bench::with(&speakers[0]);
    bench.player.play(bench.part(1, ClipPart::Begin, &[0.1; 30])).unwrap();
    bench.player.play(bench.part(2, ClipPart::End, &[0.2; 40])).unwrap();
    bench.step();
    speakers[0].play(10);
    for next in &speakers[1..] {
        bench.player.shared.change(|queue| queue.notices.push_back(DeviceNotice::Down));
        bench.step();
        up(&bench, next);
        bench.step();
        next.play(5);
    }
    assert_eq!(play_out(&mut bench, &speakers[2]).last(), Some(&PlayEvent::Idle));
    let heard = speakers.iter().flat_map(Speaker::heard).collect::<Vec<_>>();
    assert_eq!(heard, [&[0.1; 30][..], &[0.2; 40]].concat());
}
