//! Interjections, with the real voice activity network.

use super::super::super::Stretch;
use super::*;

#[test]
fn speech_during_playback_is_an_interjection_and_reported_early() {
    let mut listener = listener();
    listener.step(&quiet(1.0)[..], Instant::now(), &mut Vec::new());
    listener.command(SPEAKS);
    let events = run(&mut listener, &[quiet(1.0), wav("stop.wav"), quiet(1.0)].concat());
    assert_eq!(kinds(&events), ["Interrupting", "Interjected", "Interjected"], "{:?}", names(&events));
    let [_, HearEvent::Interjected { utterance: early, stretch: Stretch::SoFar }, ..] = &events[..] else {
        panic!("{:?}", names(&events))
    };
    assert_eq!(early.opened_by, OpenedBy::Interjection);
    let silence = early.begins_at + early.samples.len() as u64 - early.speech_ends_at;
    assert!(silence <= 2_048, "transcribed after {silence} samples of silence");
    listener.command(SILENT);
    assert!(run(&mut listener, &[wav("stop.wav"), quiet(1.0)].concat()).is_empty(), "nobody listens then");
}

#[test]
fn a_short_word_while_an_answer_is_prepared_is_reported_and_so_is_the_question_that_continues_it() {
    let mut listener = listener();
    listener.command(HearCommand::Listen);
    let sound = [quiet(0.5), wav("question.wav"), quiet(1.0), wav("stop.wav"), quiet(0.3)].concat();
    let events = run(&mut listener, &sound);
    assert_eq!(kinds(&events)[..3], ["Started", "Paused", "Ended"]);
    let interjected = events.iter().find_map(|event| match event {
        HearEvent::Interjected { utterance, stretch: Stretch::SoFar } => Some(utterance),
        _ => None,
    });
    let word = interjected.expect("a word of its own");
    let question_ends = (8_000 + wav("question.wav").len()) as u64;
    assert!(
        word.begins_at > question_ends,
        "{} with the question, which ended at {question_ends}",
        word.begins_at
    );
    assert_eq!(word.opened_by, OpenedBy::Interjection);
    assert!(
        kinds(&events).contains(&"Continued".to_owned())
            && !kinds(&events).contains(&"Interrupting".to_owned())
    );
    listener.command(SILENT);
    assert!(
        !run(&mut listener, &[quiet(0.5), wav("stop.wav")].concat())
            .iter()
            .any(|event| { matches!(event, HearEvent::Interjected { .. }) })
    );
}

#[test]
fn speech_over_playback_is_heard_from_its_first_word() {
    let mut listener = listener();
    listener.step(&quiet(1.0)[..], Instant::now(), &mut Vec::new());
    listener.command(SPEAKS);
    let question = wav("question.wav");
    let (before, after) = question.split_at(question.len() / 2);
    let events = run(&mut listener, &[quiet(1.0), before.to_vec()].concat());
    assert_eq!(kinds(&events)[0], "Interrupting");
    let said_from = 32_000;
    listener.command(SILENT);
    listener.command(HearCommand::TakeOver { since: said_from });
    let events = run(&mut listener, &[after.to_vec(), quiet(1.5)].concat());
    let told = kinds(&events);
    assert_eq!(
        (told.first().map(String::as_str), told.last().map(String::as_str)),
        (Some("Started"), Some("Ended"))
    );
    let Some(HearEvent::Ended { utterance, cause: EndCause::Silence, .. }) = events.last() else {
        panic!("{:?}", names(&events))
    };
    assert_eq!(utterance.opened_by, OpenedBy::Interruption);
    assert!(utterance.begins_at <= said_from, "{} after {said_from}", utterance.begins_at);
    assert!(utterance.speech_ends_at + 4_800 >= said_from + question.len() as u64);
}

#[test]
fn whoever_talks_on_while_she_speaks_is_cut_into_pieces_of_three_seconds() {
    let mut listener = listener();
    listener.command(SPEAKS);
    let talk = [wav("question.wav"), wav("question.wav"), wav("question.wav"), wav("question.wav")].concat();
    let events = run(&mut listener, &[talk.clone(), talk, quiet(1.0)].concat());
    let lengths: Vec<u64> = events
        .iter()
        .filter_map(|event| match event {
            HearEvent::Interjected { utterance, stretch: Stretch::Whole } => {
                Some(utterance.speech_ends_at - utterance.speech_begins_at)
            }
            _ => None,
        })
        .collect();
    assert!(lengths.len() >= 2 && lengths.iter().all(|length| *length <= 48_512), "{lengths:?}");
}
