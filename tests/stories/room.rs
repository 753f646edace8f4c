//! A room in which joi's microphone hears joi's own speaker, in real time, on a real sound server.
//!
//! `make test` plays each story once; `make bench-room` plays them again and again (`JOI_ROOM_ROUNDS`) and tells
//! distributions. Other people are flite's voices.

use std::sync::PoisonError;

use joi_audio::{RATE, write_wav};

use super::live::{ALONE, LOUD, Recorder, Room, TURN_OVER, ask, last_decision};
use crate::support::ollama_double::Script;
use crate::support::program::project;
use crate::support::sound_server::{FIGURE, SoundServer, with_sound_server};
use crate::support::speech::{flite, pause, plain};

/// Sentences of one answer in which nobody talks.
const SENTENCES: usize = 6;
/// Blocks of some ms that joi has been loud in when somebody says a word.
const SOON: usize = 150;
/// How often a word is said while joi gives one answer.
const AGAIN: usize = 3;
/// Silence between, in seconds.
const BETWEEN_S: f64 = 3.0;

/// What somebody says over joi: by which of flite's voices, and how much softer than it comes, as a factor.
struct Remark {
    voice: &'static str,
    words: &'static str,
    gain: f32,
}

const fn remark(voice: &'static str, words: &'static str, gain: f32) -> Remark {
    Remark { voice, words, gain }
}

/// For joi.
const STOPS: [Remark; 8] = [
    remark("rms", "stop.", 1.0),
    remark("slt", "stop!", 1.0),
    remark("awb", "be quiet.", 1.0),
    remark("kal16", "stop it.", 1.0),
    remark("slt", "enough!", 0.5),
    remark("rms", "be quiet.", 0.5),
    remark("awb", "stop.", 0.5),
    remark("kal16", "shut up.", 0.5),
];

/// For nobody, and not even a word that is meant to interrupt joi.
const NO_STOPS: [Remark; 4] = [
    remark("rms", "mhm.", 1.0),
    remark("slt", "right.", 1.0),
    remark("awb", "yeah.", 0.5),
    remark("kal16", "I see.", 0.5),
];

/// How often each story is played.
fn rounds() -> usize {
    let told = std::env::var("JOI_ROOM_ROUNDS").ok();
    told.map_or(1, |rounds| rounds.parse().expect("JOI_ROOM_ROUNDS is a number"))
}

/// How many answers somebody talks over who has so many remarks: all of them each round, or a single one.
fn answers(remarks: &[Remark]) -> usize {
    if rounds() == 1 { 1 } else { remarks.len() * rounds() }
}

/// `nth` answer of so many sentences.
fn story(nth: usize, sentences: usize) -> String {
    let monologue = std::fs::read_to_string(project("assets/speech/monologue.txt")).unwrap();
    let lines: Vec<&str> = monologue.lines().filter(|line| !line.starts_with('#')).collect();
    lines.iter().cycle().skip(nth * sentences).take(sentences).copied().collect::<Vec<_>>().join(" ")
}

/// Joi is in such a room, and will give these answers.
fn she_tells(server: &mut SoundServer, stories: &[String]) -> Room {
    server.loop_back();
    let room = Room::with(server);
    room.double.when("sky", stories.iter().map(|story| Script::words(story)).collect());
    room
}

#[test]
fn her_own_voice_in_the_microphone_triggers_nothing() {
    // `joi-bench echo` tells longer stories
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let stories: Vec<String> = (0..rounds()).map(|nth| story(nth, SENTENCES)).collect();
        let mut room = she_tells(server, &stories);
        let recorder = Recorder::of(server);
        for _ in &stories {
            ask(server, 1);
            let turn = room.joi.until(TURN_OVER);
            assert_eq!(turn.err.matches("● listening").count(), 1, "{turn:?}");
            // The window for a follow-up goes by as well.
            let after = room.joi.until("nobody went on");
            assert!(!after.err.contains("you:"), "{after:?}");
        }
        // Hers, one for each stream and one or two that list the devices; the recorder's, this question's, and perhaps a
        // player's.
        let connections = server.connections();
        assert!(connections <= 7, "{connections} connections; a server lets in 64");
        let loud = recorder
            .end()
            .chunks(RATE as usize / 2)
            .filter(|half| half.iter().any(|s| s.abs() > LOUD))
            .count();
        let ran = room.joi.terminate();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(plain(&ran.out), plain(&stories.join(" ")), "she spoke to the end");
        println!("{FIGURE}{} s of her own voice triggered nothing", loud / 2);
    });
}

/// What came of a remark.
struct Outcome {
    /// Why joi fell silent, if joi did.
    reason: Option<String>,
    /// How often it had been said.
    times: usize,
}

/// Somebody says it again and again while joi tells a story.
fn said_over_her(server: &mut SoundServer, room: &mut Room, remark: &Remark) -> Outcome {
    let word: Vec<f32> = flite(remark.voice, remark.words).iter().map(|s| s * remark.gain).collect();
    let pause = pause(BETWEEN_S);
    let each = (word.len() + pause.len()) as f64 / f64::from(RATE);
    let file = server.place().join("remark.wav");
    write_wav(&file, RATE, &[word, pause].concat().repeat(AGAIN)).unwrap();
    let recorder = Recorder::of(server);
    ask(server, 1);
    room.joi.until("you:");
    recorder.until_loud(SOON);
    let began = std::time::Instant::now();
    server.feed(&file);
    room.joi.until("○ ");
    let times = (began.elapsed().as_secs_f64() / each) as usize + 1;
    recorder.end();
    let (verdict, reason) = last_decision(room);
    Outcome { reason: (verdict == "stopped").then_some(reason), times }
}

/// The number before ` ms {what}` in a reason.
fn ms(reason: &str, what: &str) -> Option<u32> {
    let before = reason.split_once(&format!(" ms {what}"))?.0;
    before.rsplit(' ').next()?.parse().ok()
}

/// Median and 95th percentile.
fn spread(mut values: Vec<u32>) -> String {
    values.sort_unstable();
    let at = |share: f64| values.get(((values.len() as f64 * share).ceil() as usize).max(1) - 1);
    match (at(0.5), at(0.95)) {
        (Some(median), Some(p95)) => format!("median {median} ms, p95 {p95} ms of {}", values.len()),
        _ => "never".to_owned(),
    }
}

#[test]
fn in_a_room_where_she_hears_herself_the_word_stop_silences_her() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let trials = answers(&STOPS);
        let stories: Vec<String> = (0..trials).map(|nth| story(nth, 2 * SENTENCES)).collect();
        let mut room = she_tells(server, &stories);
        let mut stopped = Vec::new();
        for remark in STOPS.iter().cycle().take(trials) {
            let outcome = said_over_her(server, &mut room, remark);
            let told = outcome.reason.as_deref().unwrap_or("spoke on");
            println!("{FIGURE}{:?} by {}, {} times: {told}", remark.words, remark.voice, outcome.times);
            stopped.extend(outcome.reason.map(|reason| (reason, outcome.times)));
        }
        let at_once = stopped.iter().filter(|(_, times)| *times == 1).count();
        let all = |what| spread(stopped.iter().filter_map(|(reason, _)| ms(reason, what)).collect());
        println!("{FIGURE}whisper-tiny.en: {} of {trials} stopped, {at_once} when said once", stopped.len());
        println!("{FIGURE}ducked after it began: {}", all("after it began"));
        println!("{FIGURE}silent after its end: {}", all("after the word"));
        assert!(stopped.len() * 10 >= trials * 9, "{} of {trials}", stopped.len());
        assert!(stopped.iter().all(|(reason, _)| reason.contains("told to stop")), "{stopped:?}");
        assert_eq!(room.joi.terminate().code, Some(0));
    });
}

#[test]
fn in_such_a_room_somebody_who_only_listens_does_not_stop_her() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_sound_server(|server| {
        let trials = answers(&NO_STOPS);
        let stories: Vec<String> = (0..trials).map(|nth| story(nth, SENTENCES)).collect();
        let mut room = she_tells(server, &stories);
        let mut wrong = Vec::new();
        for remark in NO_STOPS.iter().cycle().take(trials) {
            let outcome = said_over_her(server, &mut room, remark);
            println!(
                "{FIGURE}{:?} by {}: {}",
                remark.words,
                remark.voice,
                outcome.reason.as_deref().unwrap_or("spoke on")
            );
            wrong.extend(outcome.reason);
        }
        println!("{FIGURE}{} of {trials} answers ended by somebody who only listens", wrong.len());
        assert!(wrong.len() * 10 <= trials, "{wrong:?}");
        assert_eq!(room.joi.terminate().code, Some(0));
    });
}
