//! Phrases without a model of their own: the real scorer behind the real listener.

use std::sync::mpsc::{Receiver, channel};

use super::super::super::score::{ACCEPT, Phrase, Scorer};
use super::super::super::wake::{CandidateReason, Onsets, PhraseThreshold, ScoredCandidate};
use super::super::super::whisper::Stt;
use super::super::super::whisper::tests::tiny;
use super::*;
use joi_base::pulse::Heart;

/// A listener for written phrases alone, with the thread its scorer works on.
struct Written {
    listener: Listener,
    stt: Stt,
    now: Instant,
}

impl Written {
    fn new(phrases: &[&str], onsets: Onsets) -> Self {
        let whisper = tiny();
        let wanted =
            |w: &&str| PhraseThreshold { phrase: Phrase::new(&whisper, w, &[]).unwrap(), margin: ACCEPT };
        let wanted = phrases.iter().map(wanted).collect();
        let (stt, _) = Stt::spawn(whisper, Heart::unwatched()).unwrap();
        let confirmer = Confirmer::new(wanted, onsets, Scorer::new(stt.lender()));
        Self::confirmed_by(confirmer, stt)
    }

    fn confirmed_by(confirmer: Confirmer, stt: Stt) -> Self {
        let listener = Listener::new(&HearConfig::default(), vec![], vad()).confirmed_by(confirmer);
        Self { listener, stt, now: Instant::now() }
    }

    /// The same, whose model is loaded and spells the phrase once `load` says so.
    fn loading(name: &'static str, load: Receiver<()>) -> Self {
        let (spelled, comes) = channel();
        let loading = move || {
            load.recv().ok()?;
            let whisper = tiny();
            let phrase = Phrase::new(&whisper, name, &[]).unwrap();
            spelled.send(vec![PhraseThreshold { phrase, margin: ACCEPT }]).unwrap();
            Some(whisper)
        };
        let (stt, _) = Stt::loading(loading, Heart::unwatched()).unwrap();
        let scorer = Scorer::new(stt.lender());
        let confirmer = Confirmer::early(vec![name.to_owned()], Onsets::On, scorer, comes);
        Self::confirmed_by(confirmer, stt)
    }

    /// Hears `samples`, and waits for nothing.
    fn overhear(&mut self, samples: &[f32]) -> Vec<HearEvent> {
        let mut out = Vec::new();
        for frame in samples.chunks_exact(FRAME) {
            self.now += Duration::from_millis(32);
            self.listener.step(frame, self.now, &mut out);
        }
        out
    }

    /// Hears `samples`; each answer of the scorer comes `late` frames after the newest question at the
    /// latest.
    fn hear(&mut self, samples: &[f32], late: usize) -> Vec<HearEvent> {
        let mut out = Vec::new();
        for (at, frame) in samples.chunks_exact(FRAME).enumerate() {
            self.now += Duration::from_millis(32);
            self.listener.step(frame, self.now, &mut out);
            if at % (late + 1) == late {
                self.listener.settle(self.now, &mut out);
            }
        }
        out
    }
}

fn kinds_of(events: &[HearEvent]) -> Vec<String> {
    kinds(events).into_iter().filter(|kind| kind != "Paused").collect()
}

#[test]
fn a_written_phrase_wakes_without_a_model_and_what_follows_is_heard_whole() {
    let mut written = Written::new(&["hey joi", "hey jarvis"], Onsets::On);
    let said = [quiet(2.0), wav("phrase.wav"), quiet(1.2), wav("question.wav"), quiet(2.5)].concat();
    let events = written.hear(&said, 0);
    assert_eq!(kinds_of(&events), ["Wake", "Started", "Ended"], "{:?}", names(&events));
    let HearEvent::Wake { phrase, score, at, .. } = &events[0] else { unreachable!() };
    assert_eq!(phrase, "hey jarvis");
    assert!((0.5..1.0).contains(score));
    let phrase_ends = 32_000 + wav("phrase.wav").len() as u64;
    assert!(*at < phrase_ends + 9_600, "{at} is not soon after {phrase_ends}");
    let utterance = utterance(&events);
    assert!(utterance.begins_at >= phrase_ends, "the phrase is not in it");
    assert!(utterance.speech_begins_at.abs_diff(phrase_ends + 19_200) < 4_800);
}

#[test]
fn in_one_breath_nothing_is_lost_however_late_the_scorer_answers() {
    for late in [0, 12, 25] {
        let mut written = Written::new(&["hey jarvis"], Onsets::On);
        let said = [quiet(2.0), wav("breath.wav"), quiet(3.0)].concat();
        let events = written.hear(&said, late);
        assert_eq!(kinds_of(&events), ["Wake", "Started", "Ended"], "{late}: {:?}", names(&events));
        let Some(HearEvent::Ended { utterance, decided, .. }) = events.last() else { unreachable!() };
        let (from, to) = (32_000, 32_000 + wav("breath.wav").len() as u64);
        assert!(utterance.begins_at <= from + 4_800, "the phrase is in it: {:?}", names(&events));
        assert!(utterance.speech_ends_at >= to - 4_800, "{:?}", names(&events));
        let end = utterance.begins_at + utterance.samples.len() as u64;
        let heard = written.listener.history.end();
        assert_eq!(*decided, earlier(written.now, heard - end), "times are those of the sound");
    }
}

#[test]
fn two_phrases_in_a_minute_wake_twice_and_other_speech_never_does() {
    let mut written = Written::new(&["hey joi", "hey jarvis"], Onsets::On);
    let turn = [quiet(1.5), wav("phrase.wav"), quiet(1.0), wav("question.wav"), quiet(3.0)].concat();
    let other = [quiet(1.0), wav("question.wav"), quiet(1.0), wav("stop.wav"), quiet(1.0)].concat();
    let events = written.hear(&[other.clone(), turn.clone(), other.clone(), turn, other].concat(), 0);
    let wakes = events.iter().filter(|e| matches!(e, HearEvent::Wake { .. })).count();
    assert_eq!(wakes, 2, "{:?}", names(&events));
}

#[test]
fn while_she_speaks_and_while_somebody_is_listened_to_the_scorer_rests() {
    let mut written = Written::new(&["hey jarvis"], Onsets::On);
    let phrase = [quiet(1.0), wav("phrase.wav"), quiet(1.0)].concat();
    written.listener.command(SPEAKS);
    assert!(!kinds(&written.hear(&phrase, 0)).contains(&"Wake".into()));
    written.listener.command(SILENT);
    written.listener.command(HearCommand::Listen);
    assert!(!kinds(&written.hear(&phrase, 0)).contains(&"Wake".into()));
    written.listener.command(HearCommand::Cancel);
    assert!(kinds(&written.hear(&phrase, 0)).contains(&"Wake".into()));
}

/// A listener whose model has a cutoff out of reach: it only ever doubts.
fn doubtful() -> Written {
    let config = HearConfig::default();
    let phrase = WakePhrase { cutoff: Some(0.99999), ..WakePhrase::new("hey jarvis") };
    let detector = MicroWake::load(&model(STOCK[0].model, STOCK[0].file), &phrase, &config.wake).unwrap();
    let mut written = Written::new(&["hey jarvis"], Onsets::Off);
    written.listener.detectors = vec![Box::new(detector)];
    written
}

#[test]
fn a_model_spares_the_scorer_what_is_too_unlike_the_phrases_it_was_measured_for() {
    let scored = |mut written: Written, sound: &str| {
        let (watcher, scored) = channel();
        written.listener.watched_by(watcher);
        written.hear(&[quiet(2.0), wav(sound), quiet(1.5)].concat(), 0);
        let began = |scored: &ScoredCandidate| matches!(scored.candidate.why, CandidateReason::Voice { .. });
        let (unlike, scored): (Vec<_>, Vec<_>) =
            scored.try_iter().filter(began).partition(ScoredCandidate::is_unlike);
        (scored.len(), unlike.len())
    };
    let alone = || Written::new(&["hey joi"], Onsets::Likely);
    let beside_the_model_for = |phrases: &[&str], onsets| {
        let mut written = Written::new(phrases, onsets);
        written.listener.detectors = doubtful().listener.detectors;
        written
    };
    let beside_a_model = || beside_the_model_for(&["hey joi"], Onsets::Likely);
    for other in ["question.wav", "stop.wav"] {
        let (all, none) = scored(alone(), other);
        assert!(all > 0 && none == 0, "{other}");
        assert_eq!(scored(beside_a_model(), other), (0, all), "{other}: and who watches is told of it");
    }
    assert_eq!(scored(beside_a_model(), "phrase.wav"), (1, 0), "\"hey\" it is");
    for (phrases, onsets) in [
        (&["hey computer"][..], Onsets::Likely),
        (&["hey joi", "hey computer"], Onsets::Likely),
        (&["hey joi"], Onsets::On),
    ] {
        let scored = scored(beside_the_model_for(phrases, onsets), "question.wav");
        assert!(scored.0 > 0 && scored.1 == 0, "{phrases:?}: the model can't tell, or is not asked");
    }
}

#[test]
fn a_doubtful_model_is_decided_by_the_scorer_without_any_onset() {
    let mut written = doubtful();
    let said = [quiet(2.0), wav("phrase.wav"), quiet(1.2), wav("question.wav"), quiet(2.5)].concat();
    let events = written.hear(&said, 0);
    assert_eq!(kinds_of(&events), ["Wake", "Started", "Ended"], "{:?}", names(&events));
    let begins = utterance(&events).begins_at - 32_000;
    assert!(begins + 4_800 >= wav("phrase.wav").len() as u64, "{begins}");
}

#[test]
fn a_doubtful_model_is_decided_while_she_speaks_and_while_somebody_is_listened_to() {
    let wakes = |events: &[HearEvent]| kinds(events).iter().filter(|kind| *kind == "Wake").count();
    let phrase = [quiet(1.0), wav("phrase.wav"), quiet(0.8)].concat();
    let mut written = doubtful();
    written.listener.command(SPEAKS);
    assert_eq!(wakes(&written.hear(&phrase, 0)), 1, "over her");
    let mut written = doubtful();
    written.listener.command(HearCommand::Listen);
    let said = [quiet(1.0), wav("phrase.wav"), quiet(0.1), wav("question.wav"), quiet(2.5)].concat();
    let events = written.hear(&said, 0);
    assert_eq!(wakes(&events), 1, "{:?}", names(&events));
    let Some(HearEvent::Ended { utterance, .. }) = events.last() else { panic!("{:?}", names(&events)) };
    let phrase_ends = 16_000 + wav("phrase.wav").len() as u64;
    assert!(utterance.speech_begins_at + 4_800 >= phrase_ends, "it starts over: {:?}", names(&events));
    assert_eq!(wakes(&written.hear(&[quiet(1.0), wav("question.wav"), quiet(2.0)].concat(), 0)), 0);
}

#[test]
fn a_phrase_said_while_the_model_is_loaded_wakes_when_it_is_there_and_what_follows_is_heard_whole() {
    let (load, may_load) = channel();
    let mut written = Written::loading("hey jarvis", may_load);
    let said = [quiet(2.0), wav("phrase.wav"), quiet(1.2), wav("question.wav"), quiet(2.5)].concat();
    assert!(written.overhear(&said).is_empty(), "nobody knows the phrase yet");
    load.send(()).unwrap();
    let mut events = Vec::new();
    written.listener.settle(written.now, &mut events);
    assert_eq!(kinds_of(&events), ["Wake", "Started", "Ended"], "{:?}", names(&events));
    let phrase_ends = 32_000 + wav("phrase.wav").len() as u64;
    let utterance = utterance(&events);
    assert!(utterance.begins_at >= phrase_ends, "the phrase is not in it");
    assert!(utterance.samples.len() >= wav("question.wav").len() / 2, "the question is");
}

#[test]
fn a_model_that_cannot_be_loaded_keeps_the_listener_from_nothing_else() {
    let (load, may_load) = channel::<()>();
    let mut written = Written::loading("hey jarvis", may_load);
    drop(load);
    assert!(written.hear(&[quiet(2.0), wav("phrase.wav"), quiet(1.2)].concat(), 0).is_empty());
    written.listener.command(HearCommand::Listen);
    let events = written.hear(&[quiet(0.5), wav("question.wav"), quiet(2.0)].concat(), 0);
    assert_eq!(kinds_of(&events), ["Started", "Ended"]);
}

#[test]
fn without_its_thread_the_listener_goes_on() {
    let mut written = Written::new(&["hey jarvis"], Onsets::On);
    let (stt, _) = Stt::spawn(tiny(), Heart::unwatched()).unwrap();
    drop(std::mem::replace(&mut written.stt, stt));
    let said = [quiet(1.0), wav("phrase.wav"), quiet(1.0)].concat();
    assert!(written.hear(&said, 0).is_empty());
    written.listener.command(HearCommand::Listen);
    let events = written.hear(&[quiet(0.5), wav("question.wav"), quiet(2.0)].concat(), 0);
    assert_eq!(kinds_of(&events), ["Started", "Ended"]);
}
