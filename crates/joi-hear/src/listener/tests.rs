//! The listener with the real models over recordings.

use std::time::Duration;

use super::super::tests::{Scripted, model, quiet, vad, wav};
use super::super::wake::{MicroWake, STOCK, WakePhrase};
use super::*;
use crate::{FollowUpWindow, More};
use joi_audio::Tracks;
use joi_base::message::EndCause;

mod interjections;
mod second_stage;

fn listener() -> Listener {
    let config = HearConfig::default();
    let stock = STOCK[0];
    let phrase = WakePhrase::new(stock.phrase);
    let detector = MicroWake::load(&model(stock.model, stock.file), &phrase, &config.wake).unwrap();
    Listener::new(&config, vec![Box::new(detector)], vad())
}

#[test]
fn one_phrase_by_two_detectors_wakes_once() {
    let config = HearConfig::default();
    let stock = STOCK[0];
    let detector = |cutoff| -> Box<dyn WakeDetector> {
        let phrase = WakePhrase { cutoff: Some(cutoff), ..WakePhrase::new(stock.phrase) };
        Box::new(MicroWake::load(&model(stock.model, stock.file), &phrase, &config.wake).unwrap())
    };
    // The second one crosses some frames later.
    let mut listener = Listener::new(&config, vec![detector(0.5), detector(0.97)], vad());
    let events = run(&mut listener, &[quiet(0.5), wav("phrase.wav"), quiet(1.0)].concat());
    let wakes = events.iter().filter(|event| matches!(event, HearEvent::Wake { .. })).count();
    assert_eq!(wakes, 1, "{:?}", names(&events));
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
        // It begins with the phrase (0.7 s), and with little before.
        let before = said_from - utterance.begins_at;
        assert!((0..=11_200).contains(&before), "{:?}", names(&events));
        assert_eq!(utterance.lead.as_deref(), Some("hey jarvis"));
        let speech_begins = utterance.speech_begins_at - said_from;
        assert!((8_000..=14_400).contains(&speech_begins), "the phrase is no part of what was said");
        let end = utterance.begins_at + utterance.samples.len() as u64;
        assert!(end >= said_to + 8_000 && utterance.speech_ends_at <= end, "{:?}", names(&events));
    }
}

#[test]
fn it_is_at_rest_until_the_phrase_and_again_once_the_answer_was_heard() {
    let mut listener = listener();
    run(&mut listener, &quiet(2.0));
    assert!(listener.is_at_rest());
    run(&mut listener, &wav("breath.wav"));
    assert!(!listener.is_at_rest(), "a command follows");
    run(&mut listener, &quiet(2.0));
    assert!(!listener.is_at_rest(), "an answer is being prepared");
    listener.command(HearCommand::Speaking(SpeakingState::Talking));
    run(&mut listener, &quiet(1.0));
    assert!(!listener.is_at_rest(), "she speaks");
    listener.command(HearCommand::Speaking(SpeakingState::Silent));
    assert!(listener.is_at_rest());
    listener.command(HearCommand::Listen);
    assert!(!listener.is_at_rest(), "somebody is waited for");
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
        assert_eq!(utterance.lead, None, "pause {pause}");
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
    let mut config = HearConfig::default();
    config.wake.refractory = 0.5;
    let mut listener = Listener::new(&config, vec![first, again], vad());
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
    listener().step(&sound[..], now, &mut out);
    for event in &out {
        if let HearEvent::Ended { utterance, decided, .. } = event {
            let end = utterance.begins_at + utterance.samples.len() as u64;
            assert_eq!(*decided, earlier(now, sound.len() as u64 - end));
            assert_eq!(utterance.captured, *decided);
        }
    }
}

const SPEAKS: HearCommand = HearCommand::Speaking(SpeakingState::Talking);
const SILENT: HearCommand = HearCommand::Speaking(SpeakingState::Silent);

/// The first words of each event.
fn kinds(events: &[HearEvent]) -> Vec<String> {
    names(events).iter().map(|n| n.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn a_sentence_with_a_long_pause_in_it_becomes_one_utterance() {
    let mut listener = listener();
    listener.command(HearCommand::Listen);
    let question = wav("question.wav");
    let mut events =
        run(&mut listener, &[quiet(0.5), question.clone(), quiet(1.0), question, quiet(2.5)].concat());
    // It might have been a stop word, too.
    events.retain(|event| !matches!(event, HearEvent::Interjected { .. }));
    assert_eq!(kinds(&events), ["Started", "Paused", "Ended", "Continued", "Paused", "Ended"]);
    let (HearEvent::Ended { utterance: first, .. }, HearEvent::Ended { utterance: whole, .. }) =
        (&events[2], &events[5])
    else {
        unreachable!()
    };
    assert!(whole.generation > first.generation);
    assert_eq!(whole.begins_at, first.begins_at);
    assert_eq!(&whole.samples[..first.samples.len()], &*first.samples, "the first half is in it");
    assert!(whole.voiced > first.voiced * 3 / 2);
}

/// Steps a listener frame by frame, with the outlook `more` at the pause, and returns the silence it ended by in ms.
fn silence_after(more: Option<More>, generation: u64) -> u64 {
    let mut listener = listener();
    listener.command(HearCommand::Listen);
    let (mut events, mut seen) = (Vec::new(), 0);
    for frame in [quiet(0.5), wav("question.wav"), quiet(2.0)].concat().chunks(FRAME) {
        listener.step(frame, Instant::now(), &mut events);
        for event in &events[seen..] {
            if let (HearEvent::Paused { utterance }, Some(more)) = (event, more) {
                let revision = utterance.revision;
                listener.command(HearCommand::Expect(Outlook { generation, revision, more }));
            }
        }
        seen = events.len();
    }
    let Some(HearEvent::Ended { utterance, .. }) = events.last() else { panic!("{:?}", names(&events)) };
    let end = utterance.begins_at + utterance.samples.len() as u64;
    (end - utterance.speech_ends_at) * 1000 / u64::from(RATE)
}

#[test]
fn the_words_before_a_pause_decide_how_long_she_waits() {
    assert_eq!(silence_after(None, 1), 704);
    assert_eq!(silence_after(Some(More::Unlikely), 1), 224, "the first frame behind 0.2 s");
    assert_eq!(silence_after(Some(More::Likely), 1), 1216, "the first frame behind 1.2 s");
    assert_eq!(silence_after(Some(More::Unlikely), 7), 704, "another utterance");
}

#[test]
fn a_follow_up_is_heard_in_its_window_without_the_phrase_and_not_behind_it() {
    for (pause, expected) in [(1.0, vec!["Started", "Paused", "Ended"]), (3.6, vec!["NothingSaid"])] {
        let mut listener = listener();
        let spoken = quiet(1.0);
        let last_sample = Instant::now();
        let mut events = Vec::new();
        listener.step(&spoken[..], last_sample, &mut events);
        let lasts = Duration::from_secs(3);
        let after = Duration::from_millis(300);
        listener.command(HearCommand::FollowUp(FollowUpWindow { since: last_sample, after, lasts }));
        events.extend(run(&mut listener, &[quiet(pause), wav("question.wav"), quiet(2.5)].concat()));
        assert_eq!(kinds(&events), expected, "after {pause} s");
        if let Some(HearEvent::Ended { utterance, .. }) = events.last() {
            assert_eq!(utterance.opened_by, OpenedBy::FollowUp);
        }
    }
}

// 0.2 s after the last played sample, and the window opens after 0.3 s
#[test]
fn a_quick_word_begun_before_the_window_opens_is_not_lost() {
    let sound = [quiet(1.2), wav("stop.wav"), quiet(2.5)].concat();
    for came_ms in [0_u64, 100, 250, 400] {
        let mut listener = listener();
        let last_sample = Instant::now() + Duration::from_secs(10);
        let came = Duration::from_millis(came_ms);
        let (before, behind) = sound.split_at(16_000 + samples(came) as usize);
        let mut events = Vec::new();
        listener.step(before, last_sample + came, &mut events);
        let (after, lasts) = (Duration::from_millis(300), Duration::from_secs(3));
        listener.command(HearCommand::FollowUp(FollowUpWindow { since: last_sample, after, lasts }));
        listener.step(behind, last_sample + Duration::from_secs(4), &mut events);
        assert_eq!(kinds(&events), ["Started", "Paused", "Ended"], "the command came after {came_ms} ms");
        let Some(HearEvent::Ended { utterance, .. }) = events.last() else { unreachable!() };
        assert_eq!(utterance.opened_by, OpenedBy::FollowUp);
        assert!((15_000..=19_712).contains(&utterance.begins_at), "{:?}", names(&events));
    }
}

#[test]
fn a_window_counts_from_her_last_sample_also_when_the_command_comes_late_or_early() {
    let heard_at = Instant::now() + Duration::from_secs(10);
    for (since, opens_at) in [
        (heard_at - Duration::from_millis(500), 16_000 - 8_000 + 4_800),
        (heard_at + Duration::from_millis(250), 16_000 + 4_000 + 4_800),
    ] {
        let mut listener = listener();
        listener.step(&quiet(1.024)[..], heard_at, &mut Vec::new());
        assert_eq!(listener.position_at(since) + 4_800, opens_at + 384);
    }
}

#[test]
fn a_sound_system_that_fails_while_she_speaks_does_not_deafen_her_to_stop() {
    let mut listener = listener();
    listener.command(SPEAKS);
    listener.interrupt();
    let events = run(&mut listener, &[quiet(0.5), wav("stop.wav"), quiet(1.0)].concat());
    assert!(kinds(&events).contains(&"Interjected".to_owned()), "{:?}", names(&events));
}

#[test]
fn whoever_calls_her_is_heard_in_either_sound_and_once() {
    // A canceller that does not know the room yet takes a talker for echo.
    let said = [quiet(1.0), wav("phrase.wav"), quiet(1.0)].concat();
    let nothing = quiet(said.len() as f64 / 16_000.0);
    for (samples, whole, wakes) in
        [(&nothing, &said, 1), (&said, &nothing, 1), (&said, &said, 1), (&nothing, &nothing, 0)]
    {
        let mut listener = listener();
        listener.command(SPEAKS);
        let mut events = Vec::new();
        for (samples, whole) in samples.chunks(500).zip(whole.chunks(500)) {
            let sound = SoundBlock { samples, tracks: Some(Tracks { captured: whole, whole }) };
            listener.step(sound, Instant::now(), &mut events);
        }
        let woken = events.iter().filter(|event| matches!(event, HearEvent::Wake { .. })).count();
        assert_eq!(woken, wakes, "{:?}", names(&events));
    }
}

#[test]
fn while_she_is_silent_nothing_is_taken_from_whoever_speaks() {
    // The tone that acknowledges the phrase is played, too.
    let said = [quiet(1.0), wav("breath.wav"), quiet(2.0)].concat();
    let cleaned: Vec<f32> = said.iter().map(|sample| sample * 0.3).collect();
    for (speaking, expected) in [(SpeakingState::Silent, &said), (SpeakingState::Talking, &cleaned)] {
        let mut listener = listener();
        listener.command(HearCommand::Speaking(speaking));
        let mut events = Vec::new();
        for (samples, captured) in cleaned.chunks(512).zip(said.chunks(512)) {
            let tracks = Some(Tracks { captured, whole: samples });
            listener.step(SoundBlock { samples, tracks }, Instant::now(), &mut events);
        }
        let kept = listener.history.copy(0, 40_000);
        let from = listener.history.begin() as usize;
        assert_eq!(&kept[..], &expected[from..40_000], "{speaking:?}");
    }
}
