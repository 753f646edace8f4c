//! The scorer on the real model: recordings of synthetic voices, and scores that were kept.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::super::tests::{quiet, wav};
use super::super::whisper::Stt;
use super::super::whisper::tests::tiny;
use super::*;
use crate::pulse::Heart;

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

/// A phrase that is told from what sounds like it.
fn told_apart(whisper: &mut Whisper, written: &str) -> Phrase {
    Phrase::new(whisper, written, &[]).unwrap().with_rivals(whisper, &[]).unwrap()
}

fn only(whisper: &mut Whisper, sound: &str, phrase: &Phrase, effort: Effort) -> Score {
    let phrases = std::slice::from_ref(phrase);
    score(whisper, &window(sound), phrases, effort, &AtomicBool::new(false)).unwrap().of.remove(0)
}

#[test]
fn a_phrase_is_told_from_what_sounds_like_it() {
    let mut whisper = tiny();
    let said = told_apart(&mut whisper, "hey jarvis");
    for sound in ["phrase.wav", "breath.wav"] {
        let score = only(&mut whisper, sound, &said, Effort::Above(ACCEPT));
        assert!(score.is_ahead() && score.lead.rival.is_some(), "{sound}: {score:?}");
    }
    let alike = told_apart(&mut whisper, "hey travis");
    let score = only(&mut whisper, "phrase.wav", &alike, Effort::Full);
    assert!(!score.is_ahead(), "hey jarvis was said: {score:?}");
    let rival = score.lead.rival.unwrap();
    assert!(["hey jarvis", "hey service", "hey harvest"].contains(&rival.as_str()), "{rival}");
}

#[test]
fn rivals_change_no_margin_and_are_asked_about_only_where_it_matters() {
    let mut whisper = tiny();
    let alone = Phrase::new(&whisper, "hey jarvis", &[]).unwrap();
    let with = told_apart(&mut whisper, "hey jarvis");
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
    assert!((quick[0] - exact[0]).abs() < 0.05, "{quick:?} {exact:?}");
    assert!(quick.iter().zip(&exact).any(|(quick, exact)| quick > exact), "nothing was left out");
    assert!(quick.iter().skip(1).all(|margin| *margin < ACCEPT), "{quick:?}");
}

#[test]
fn a_phrase_too_short_to_be_told_apart_is_refused_with_the_reason() {
    let whisper = tiny();
    let refused = |written: &str| Phrase::new(&whisper, written, &[]).unwrap_err().to_string();
    assert_eq!(
        refused("computer"),
        "\"computer\" is one single sign to the speech recogniser, too little to tell it from other speech; put a word before it, for example \"hey computer\""
    );
    assert!(refused("r2d2").starts_with("\"r2d2\" is no phrase; allowed: one to five words"));
    assert_eq!(Phrase::new(&whisper, "  Hey JOI ", &[]).unwrap().written(), "hey joi");
}

#[test]
fn a_thread_answers_in_order_and_forgets_what_is_not_wanted() {
    let (stt, _events) = Stt::spawn(tiny(), Heart::unwatched()).unwrap();
    let phrases: Arc<[Phrase]> = phrases(&tiny(), &["hey jarvis"]).into();
    let mut scorer = Scorer::new(stt.lender());
    let ask = |generation, sound: &str| Ask {
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
    stt.shutdown();
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
        all[0] = told_apart(&mut whisper, WRITTEN[0]);
        all[2] = told_apart(&mut whisper, WRITTEN[2]);
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
