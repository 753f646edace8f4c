//! The listener with the real models over recordings.

use super::super::tests::{Scripted, model, quiet, vad, wav};
use super::super::wake::{MicroWake, STOCK, WakePhrase};
use super::*;
use crate::message::EndCause;

fn listener() -> Listener {
    let config = HearConfig::default();
    let stock = STOCK[0];
    let phrase = WakePhrase { name: stock.phrase.into(), cutoff: None };
    let detector = MicroWake::load(&model(stock.model, stock.file), &phrase, &config.wake).unwrap();
    Listener::new(&config, vec![Box::new(detector)], vad())
}

fn run(listener: &mut Listener, samples: &[f32]) -> Vec<HearEvent> {
    let mut out = Vec::new();
    listener.step(samples, Instant::now(), &mut out);
    out
}

/// The one utterance of `events`, which must be wake, started, any pauses, ended.
fn utterance(events: &[HearEvent]) -> &Utterance {
    let [
        HearEvent::Wake { .. },
        HearEvent::Started { generation: 1 },
        ..,
        HearEvent::Ended { utterance, cause, .. },
    ] = events
    else {
        panic!("{:?}", names(events))
    };
    assert_eq!(*cause, EndCause::Silence);
    utterance
}

fn names(events: &[HearEvent]) -> Vec<String> {
    events
        .iter()
        .map(|e| match e {
            HearEvent::Paused { utterance } => {
                format!(
                    "Paused {}..{}",
                    utterance.begins_at,
                    utterance.begins_at + utterance.samples.len() as u64
                )
            }
            HearEvent::Ended { utterance, cause, .. } => format!(
                "Ended {}..{} {cause:?}",
                utterance.begins_at,
                utterance.begins_at + utterance.samples.len() as u64
            ),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn what_follows_the_phrase_in_one_breath_is_heard_whole() {
    for file in ["breath.wav", "breath_stop.wav"] {
        let events = run(&mut listener(), &[quiet(2.0), wav(file), quiet(2.0)].concat());
        let utterance = utterance(&events);
        let (said_from, said_to) = (32_000, 32_000 + wav(file).len() as u64);
        // Everything behind the phrase (0.7 s) is in it, and of the phrase no more than its tail.
        let begins = utterance.begins_at - said_from;
        assert!((4_800..=11_200).contains(&begins), "{:?}", names(&events));
        let end = utterance.begins_at + utterance.samples.len() as u64;
        assert!(end >= said_to + 8_000 && utterance.speech_ends_at <= end, "{:?}", names(&events));
    }
}

#[test]
fn after_a_pause_the_utterance_begins_behind_the_phrase() {
    let question = wav("question.wav");
    for pause in [0.3, 0.5, 1.0, 2.0, 3.0] {
        let sound = [quiet(2.0), wav("phrase.wav"), quiet(pause), question.clone(), quiet(2.0)].concat();
        let events = run(&mut listener(), &sound);
        let utterance = utterance(&events);
        let phrase_end = 32_000 + wav("phrase.wav").len() as u64;
        let question_begins = phrase_end + (pause * 16_000.0) as u64;
        assert!(utterance.begins_at + 1600 >= phrase_end, "pause {pause}: {:?}", names(&events));
        assert!(utterance.begins_at <= question_begins, "pause {pause}: {:?}", names(&events));
        assert!(utterance.speech_ends_at >= question_begins + question.len() as u64 - 4800);
    }
}

#[test]
fn the_phrase_alone_is_no_utterance() {
    let sound = [quiet(2.0), wav("phrase.wav"), quiet(6.0), wav("question.wav"), quiet(1.0)].concat();
    let events = run(&mut listener(), &sound);
    assert!(
        matches!(events.as_slice(), [HearEvent::Wake { .. }, HearEvent::NothingSaid]),
        "{:?}",
        names(&events)
    );
}

#[test]
fn a_one_word_command_after_the_phrase_is_heard() {
    for pause in [0.15, 0.4, 1.5] {
        let sound = [quiet(2.0), wav("phrase.wav"), quiet(pause), wav("stop.wav"), quiet(2.0)].concat();
        let events = run(&mut listener(), &sound);
        utterance(&events);
    }
}

#[test]
fn without_the_phrase_nothing_is_heard_and_on_request_everything() {
    let sound = [quiet(0.5), wav("question.wav"), quiet(1.5)].concat();
    let mut listener = listener();
    assert!(run(&mut listener, &sound).is_empty());
    listener.command(HearCommand::Listen);
    let events = run(&mut listener, &sound);
    let [HearEvent::Started { generation: 1 }, .., HearEvent::Ended { utterance, .. }] = events.as_slice()
    else {
        panic!("{:?}", names(&events))
    };
    assert_eq!(utterance.opened_by, OpenedBy::Request);
    listener.command(HearCommand::Listen);
    run(&mut listener, &wav("question.wav"));
    listener.command(HearCommand::Cancel);
    assert!(run(&mut listener, &quiet(9.0)).is_empty());
}

#[test]
fn the_end_of_the_source_ends_an_open_utterance() {
    let mut listener = listener();
    let mut events = run(&mut listener, &[quiet(2.0), wav("breath.wav")].concat());
    listener.finish(Instant::now(), &mut events);
    let Some(HearEvent::Ended { utterance, cause, .. }) = events.last() else {
        panic!("{:?}", names(&events))
    };
    assert_eq!(*cause, EndCause::SourceEnded);
    let end = utterance.begins_at + utterance.samples.len() as u64;
    assert_eq!(end, 32_000 + wav("breath.wav").len() as u64);
}

#[test]
fn the_phrase_in_the_middle_of_an_utterance_begins_anew() {
    let question = wav("question.wav");
    let sound = [quiet(1.2), question.clone(), quiet(0.3), question.clone(), quiet(2.0)].concat();
    let second = (sound.len() - question.len() - 32_000) as u64;
    let (first, again) = (Box::new(Scripted(16_000)), Box::new(Scripted(second)));
    let mut listener = Listener::new(&HearConfig::default(), vec![first, again], vad());
    let events = run(&mut listener, &sound);
    let kinds: Vec<_> = names(&events).iter().map(|n| n.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["Wake", "Started", "Paused", "Wake", "Started", "Paused", "Ended"]);
    let Some(HearEvent::Ended { utterance, .. }) = events.last() else { unreachable!() };
    assert_eq!(utterance.generation, 2);
}

#[test]
fn moments_and_events_do_not_depend_on_how_the_samples_are_cut() {
    let sound = [quiet(2.0), wav("breath.wav"), quiet(0.4), wav("question.wav"), quiet(2.0)].concat();
    let whole = run(&mut listener(), &sound);
    for size in [1, 160, 333, 4096] {
        let mut listener = listener();
        let pieces: Vec<_> = sound.chunks(size).flat_map(|c| run(&mut listener, c)).collect();
        let positions = |events: &[HearEvent]| {
            names(
                &events.iter().filter(|e| !matches!(e, HearEvent::Wake { .. })).cloned().collect::<Vec<_>>(),
            )
        };
        assert_eq!(positions(&pieces), positions(&whole), "pieces of {size}");
    }
    let now = Instant::now();
    let mut out = Vec::new();
    listener().step(&sound, now, &mut out);
    for event in &out {
        if let HearEvent::Ended { utterance, decided, .. } = event {
            let end = utterance.begins_at + utterance.samples.len() as u64;
            assert_eq!(*decided, earlier(now, sound.len() as u64 - end));
            assert_eq!(utterance.captured, *decided);
        }
    }
}
