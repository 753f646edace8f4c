//! The scorer on the real model: recordings of synthetic voices, and scores that were kept.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::super::tests::{quiet, wav};
use super::super::whisper::Stt;
use super::super::whisper::tests::tiny;
use super::*;
use joi_audio::{RATE, resample};
use joi_base::pulse::Heart;
use joi_speak::testing::steady_joe;

const WRITTEN: [&str; 5] = ["hey jarvis", "hey joi", "okay nabu", "hey mycroft", "hello computer"];

fn phrases(whisper: &Whisper, written: &[&str]) -> Vec<Phrase> {
    written.iter().map(|w| Phrase::new(whisper, w, &[]).unwrap()).collect()
}

/// The phrase of a WAV file with a little silence before it, no longer than a window.
fn window(name: &str) -> Vec<f32> {
    let mut window = [quiet(0.25), wav(name)].concat();
    window.truncate(32_000);
    window
}

fn margins(whisper: &mut Whisper, samples: &[f32], phrases: &[Phrase]) -> Vec<f32> {
    let scores = score(whisper, samples, phrases, Effort::Full, &AtomicBool::new(false)).unwrap();
    scores.of.iter().map(Score::margin).collect()
}

#[test]
fn what_was_said_scores_high_and_everything_else_low_as_it_always_did() {
    let mut whisper = tiny();
    let phrases = phrases(&whisper, &WRITTEN);
    let mut changed = Vec::new();
    for (name, reference) in [
        ("phrase.wav", [-2.06_f32, -7.37, -7.09, -8.06, -8.68]),
        ("breath.wav", [-0.73, -6.25, -8.88, -7.38, -8.71]),
        ("question.wav", [-9.46, -8.78, -8.24, -7.14, -8.68]),
        ("stop.wav", [-7.91, -8.70, -5.89, -6.94, -7.79]),
    ] {
        let margins = margins(&mut whisper, &window(name), &phrases);
        for (phrase, (margin, reference)) in WRITTEN.iter().zip(margins.iter().zip(reference)) {
            if (margin - reference).abs() > 0.15 {
                changed.push(format!("{name}, {phrase}: {margin:.2}, once {reference}"));
            }
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// A phrase with the rivals that sound like it.
fn with_rivals(whisper: &mut Whisper, written: &str) -> Phrase {
    Phrase::new(whisper, written, &[]).unwrap().with_rivals(whisper, &[]).unwrap()
}

fn only(whisper: &mut Whisper, sound: &str, phrase: &Phrase, effort: Effort) -> Score {
    let phrases = std::slice::from_ref(phrase);
    score(whisper, &window(sound), phrases, effort, &AtomicBool::new(false)).unwrap().of.remove(0)
}

#[test]
fn what_was_said_stands_up_to_what_sounds_like_it() {
    let mut whisper = tiny();
    let said = with_rivals(&mut whisper, "hey jarvis");
    for sound in ["phrase.wav", "breath.wav"] {
        let score = only(&mut whisper, sound, &said, Effort::Above(ACCEPT));
        assert!(score.is_ahead(), "{sound}: {score:?}");
    }
}

#[test]
fn rivals_that_are_left_behind_are_not_looked_at_to_their_end() {
    let mut whisper = tiny();
    let phrase = [with_rivals(&mut whisper, "hey jarvis")];
    let calm = AtomicBool::new(false);
    for sound in ["phrase.wav", "breath.wav", "question.wav"] {
        // Whether the phrase fits is of no interest here.
        let mut scored = |effort| score(&mut whisper, &window(sound), &phrase, effort, &calm).unwrap();
        let (full, short) = (scored(Effort::Full), scored(Effort::Above(-100.0)));
        let was_said = sound != "question.wav";
        assert!(!was_said || short.steps * 2 < full.steps, "{sound}: {} of {}", short.steps, full.steps);
        let (full, short) = (&full.of[0].lead, &short.of[0].lead);
        if full.nats < AHEAD + 2.0 {
            assert!((full.nats - short.nats).abs() < 0.2, "{sound}: {full:?}, {short:?}");
            assert_eq!(full.rival, short.rival);
        } else {
            assert!(short.nats >= full.nats, "{sound}: {full:?}, {short:?}");
        }
    }
}

#[test]
fn rivals_change_no_margin_and_are_asked_about_only_where_it_matters() {
    let mut whisper = tiny();
    let alone = Phrase::new(&whisper, "hey jarvis", &[]).unwrap();
    let with = with_rivals(&mut whisper, "hey jarvis");
    for sound in ["phrase.wav", "question.wav"] {
        let (a, b) =
            (only(&mut whisper, sound, &alone, Effort::Full), only(&mut whisper, sound, &with, Effort::Full));
        assert_eq!((a.llr, a.expected), (b.llr, b.expected));
        assert_eq!(a.lead, Lead::default());
        assert!(b.lead.nats.is_finite());
    }
    let other = only(&mut whisper, "question.wav", &with, Effort::Above(ACCEPT));
    assert_eq!(other.lead, Lead::default(), "it does not fit anyway");
}

#[test]
fn silence_and_noise_support_no_phrase() {
    let mut whisper = tiny();
    let phrases = phrases(&whisper, &WRITTEN);
    let loud: Vec<f32> = quiet(2.0).iter().map(|s| s * 500.0).collect();
    for sound in [vec![], vec![0.0; 32_000], quiet(2.0), loud, vec![f32::NAN; 16_000]] {
        let margins = margins(&mut whisper, &sound, &phrases);
        assert!(margins.iter().all(|m| m.is_nan() || *m < ACCEPT - 0.5), "{margins:.2?}");
    }
}

#[test]
fn less_effort_never_lifts_a_phrase_over_the_bar() {
    let mut whisper = tiny();
    let phrases = phrases(&whisper, &WRITTEN);
    let exact = margins(&mut whisper, &window("phrase.wav"), &phrases);
    let quick =
        score(&mut whisper, &window("phrase.wav"), &phrases, Effort::Above(ACCEPT), &AtomicBool::new(false));
    let quick: Vec<f32> = quick.unwrap().of.iter().map(Score::margin).collect();
    assert_eq!(quick[0], exact[0]);
    assert!(quick.iter().zip(&exact).any(|(quick, exact)| quick > exact), "nothing was left out");
    assert!(quick.iter().skip(1).all(|margin| *margin < ACCEPT), "{quick:?}");
}

#[test]
fn other_speech_is_left_after_a_few_steps() {
    let mut whisper = tiny();
    let phrases = phrases(&whisper, &["hey joi", "hey jarvis"]);
    let calm = AtomicBool::new(false);
    let mut scored =
        |sound: &str, effort| score(&mut whisper, &window(sound), &phrases, effort, &calm).unwrap();
    let (full, quick) =
        (scored("question.wav", Effort::Full), scored("question.wav", Effort::Whether(ACCEPT)));
    assert!(quick.steps * 3 < full.steps, "{} of {}", quick.steps, full.steps);
    for (quick, full) in quick.of.iter().zip(&full.of) {
        assert!((full.margin()..ACCEPT).contains(&quick.margin()), "{quick:?}, {full:?}");
    }
}

#[test]
fn a_phrase_too_short_to_be_distinguished_is_refused_with_the_reason() {
    let whisper = tiny();
    let refused = |written: &str| Phrase::new(&whisper, written, &[]).unwrap_err().to_string();
    assert_eq!(
        refused("computer"),
        "\"computer\" is one single sign to the speech recogniser, too little to tell it from other speech; put a word before it, for example \"hey computer\""
    );
    assert!(refused("r2d2").starts_with("\"r2d2\" is no phrase; allowed: one to five words"));
    assert_eq!(Phrase::new(&whisper, "  Hey JOI ", &[]).unwrap().written(), "hey joi");
}

/// The Piper voice says it, with a little silence around.
fn spoken(text: &str) -> Vec<f32> {
    let mut voice = steady_joe();
    let said = resample(&voice.render(text).unwrap(), voice.rate(), RATE).unwrap();
    [quiet(0.2), said].concat()
}

#[test]
fn a_short_word_is_known_by_its_sound_and_a_newer_question_voids_an_older() {
    // A single token will do here, since it is only compared.
    let mut whisper = tiny();
    assert_eq!(Phrase::word(&whisper, " No ").unwrap().written(), "no");
    assert!(Phrase::word(&whisper, "r2d2").is_err() && Phrase::word(&whisper, "").is_err());
    let question = |sound: Vec<f32>| OpinionRequest {
        key: (3, 1),
        samples: sound.into(),
        words: ["stop", "be quiet", "r2d2"].map(str::to_owned).into(),
        rivals: ["weather", "tomorrow"].map(str::to_owned).into(),
    };
    let stop = question(spoken("Stop."));
    let like = opine(&mut whisper, &stop, &AtomicBool::new(false)).unwrap();
    let (best, margin) = like.best().unwrap();
    assert!(best == 0 && margin > -2.0 && like.rival() < margin - 1.0, "{like:?}");
    assert_eq!(like.words[2], f32::NEG_INFINITY, "what can't be spelled is not found");
    for other in ["question.wav", "phrase.wav"] {
        let other = question([quiet(0.2), wav(other)].concat());
        let like = opine(&mut whisper, &other, &AtomicBool::new(false)).unwrap();
        assert!(like.best().unwrap().1 < -2.0, "{like:?}");
    }
    assert_eq!(opine(&mut whisper, &stop, &AtomicBool::new(true)), Err(SttError::Aborted));

    let (stt, _events) = Stt::spawn(whisper, Heart::unwatched()).unwrap();
    let (mut second, mut opinions) = OpinionScorer::new(stt.lender());
    assert!(second.ask(question(wav("question.wav"))));
    assert!(second.ask(OpinionRequest { key: (4, 0), ..stop }));
    let opinion = opinions.blocking_recv().unwrap();
    assert_eq!(opinion.key, (4, 0), "an older question is given up");
    assert_eq!(opinion.result.unwrap().best().unwrap().0, 0);
    drop(stt);
    assert!(!second.ask(question(vec![])));
}

#[test]
fn a_thread_answers_in_order_and_forgets_what_is_not_wanted() {
    let (stt, _events) = Stt::spawn(tiny(), Heart::unwatched()).unwrap();
    let phrases: Arc<[Phrase]> = phrases(&tiny(), &["hey jarvis"]).into();
    let mut scorer = Scorer::new(stt.lender());
    let ask = |generation, sound: &str| ScoreRequest {
        generation,
        samples: window(sound).into(),
        phrases: Arc::clone(&phrases),
        effort: Effort::Full,
    };
    assert!(scorer.answer().is_none() && !scorer.is_waiting());
    for (generation, sound) in [(1, "question.wav"), (2, "phrase.wav"), (3, "question.wav")] {
        assert!(scorer.ask(ask(generation, sound)));
    }
    scorer.cancel_before(2);
    let answers: Vec<_> = std::iter::from_fn(|| scorer.wait()).collect();
    assert_eq!(answers.iter().map(|a| a.generation).collect::<Vec<_>>(), [2, 3]);
    let margin = |at: usize| answers[at].result.as_ref().unwrap().of[0].margin();
    assert!(margin(0) > ACCEPT && margin(1) < ACCEPT, "{} {}", margin(0), margin(1));
    assert!(scorer.ask(ask(4, "phrase.wav")));
    drop(stt);
    assert!(!scorer.ask(ask(5, "phrase.wav")));
    while scorer.wait().is_some() {}
    assert!(!scorer.is_waiting());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_score_does_not_depend_on_what_else_is_in_the_list(
        order in Just((0..WRITTEN.len()).collect::<Vec<_>>()).prop_shuffle(),
        count in 1..=WRITTEN.len(),
    ) {
        let mut whisper = tiny();
        let mut all = phrases(&whisper, &WRITTEN);
        all[0] = with_rivals(&mut whisper, WRITTEN[0]);
        all[2] = with_rivals(&mut whisper, WRITTEN[2]);
        let some: Vec<Phrase> = order[..count].iter().map(|at| all[*at].clone()).collect();
        let mut scores = |phrases: &[Phrase]| {
            let sound = window("breath.wav");
            score(&mut whisper, &sound, phrases, Effort::Full, &AtomicBool::new(false)).unwrap().of
        };
        let (whole, few) = (scores(&all), scores(&some));
        let expected: Vec<Score> = order[..count].iter().map(|at| whole[*at].clone()).collect();
        prop_assert_eq!(few, expected);
    }
}

/// What flite says, between two silences.
fn said(voice: &str, text: &str) -> Vec<f32> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let flite =
        std::process::Command::new("flite").args(["-voice", voice, "-t", text, "-o"]).arg(&file).status();
    assert!(flite.is_ok_and(|status| status.success()), "flite is installed (apt-get install flite)");
    [quiet(0.4), joi_audio::read_wav(&file, joi_audio::RATE).unwrap(), quiet(0.4)].concat()
}

fn supported(sound: &[f32], lead: Option<&str>, sentences: &[&str]) -> Vec<f32> {
    let sentences: Vec<String> = sentences.iter().map(|text| (*text).to_owned()).collect();
    support(&mut tiny(), sound, lead, &sentences, &AtomicBool::new(false)).unwrap()
}

#[test]
fn of_several_sentences_the_one_that_was_said_is_supported_best() {
    let readings = ["Set a timer for nine minutes.", "Set a timer for five minutes.", "Cancel the timer."];
    let support = supported(&said("rms", "set a timer for nine minutes"), None, &readings);
    assert!(support[0] > support[1] + 2.0 && support[1] > support[2], "{support:.1?}");
    let (sound, lead) = (wav("breath.wav"), Some("hey jarvis"));
    let support = supported(&sound, lead, &["what time is it?", "what rhyme is it?"]);
    assert!(support.iter().all(|support| support.is_finite()), "{support:.1?}");
}

#[test]
fn the_sound_separates_a_slip_from_another_word() {
    // Both are heard as "Turned off the alarm" or the like; only one of them was said so.
    let slip = supported(
        &said("slt", "turn off the alarm"),
        None,
        &["Turned off the alarm.", "Turn off the alarm."],
    );
    let other =
        supported(&said("rms", "burn off the alarm"), None, &["Burn off the alarm.", "Turn off the alarm."]);
    let choice = |support: &[f32]| choose(support[0], &[(support[1], 0)]).unwrap();
    assert!(matches!(choice(&slip), ReadingChoice::Sure { place: 0, .. }), "{slip:.1?}");
    assert!(matches!(choice(&other), ReadingChoice::Unsure { .. }), "{other:.1?}");
}

proptest! {
    #[test]
    fn a_choice_is_sure_only_when_it_is_close_and_stands_apart(
        written in -40.0_f32..0.0,
        readings in prop::collection::vec((-60.0_f32..0.0, 0_usize..3), 0..6),
    ) {
        match choose(written, &readings) {
            None => prop_assert!(readings.is_empty()),
            Some(ReadingChoice::Unsure { .. }) => {}
            Some(ReadingChoice::Sure { place, .. }) => {
                let (best, meaning) = readings[place];
                prop_assert!(best >= written - 2.0 - 1e-4);
                for (support, other) in &readings {
                    prop_assert!(*support <= best);
                    prop_assert!(*other == meaning || *support <= best - 2.0 + 1e-4);
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_never_sure(written in prop::num::f32::ANY, reading in prop::num::f32::ANY) {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        for (written, reading) in [(written, reading), (f32::NAN, reading), (written, odd[0]), (odd[2], odd[2])] {
            if let Some(ReadingChoice::Sure { below, .. }) = choose(written, &[(reading, 0)]) {
                prop_assert!(below <= 2.0);
            }
        }
    }
}
