//! The wake engine against the scores of the makers' Python engine, and against damaged files.

use std::path::Path;

use proptest::prelude::*;

use super::super::tests::{data, model, quiet, wav};
use super::*;

fn bytes(stock: &StockPhrase) -> Vec<u8> {
    std::fs::read(model(stock.model, stock.file)).unwrap()
}

fn detector(stock: &StockPhrase) -> MicroWake {
    let phrase = WakePhrase::new(stock.phrase);
    MicroWake::new(&bytes(stock), &phrase, &WakeConfig::default()).unwrap()
}

fn raw(detector: &mut MicroWake, samples: &[f32]) -> Vec<f32> {
    let mut scores = Vec::new();
    detector.ear.probabilities(samples, 0, |_, probability, _| scores.push(probability));
    scores
}

fn correlation(a: &[f32], b: &[f32]) -> f32 {
    let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f32, f32) -> f32| a.iter().zip(b).map(|(&x, &y)| f(x - ma, y - mb)).sum::<f32>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

#[test]
fn the_probabilities_are_those_of_the_reference() {
    let samples = wav("phrases.wav");
    for stock in STOCK {
        let name = stock.file.replace("tflite", "txt");
        let text = std::fs::read_to_string(data(&format!("phrases.{name}"))).unwrap();
        let reference: Vec<f32> = text.lines().map(|l| l.parse::<f32>().unwrap() / 256.0).collect();
        let ours = raw(&mut detector(&stock), &samples);
        assert_eq!(ours.len(), reference.len());
        let worst = ours.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let alike = correlation(&ours, &reference);
        eprintln!("{}: correlation {alike:.5}, largest difference {worst:.3}", stock.phrase);
        assert!(alike > 0.999 && worst < 0.1, "{}: {alike} {worst}", stock.phrase);
    }
}

#[test]
fn what_is_heard_over_playback_does_not_depend_on_both_signals_having_been_the_same_before() {
    let sound = wav("phrases.wav");
    let (before, phrase) = (quiet(3.0), &sound[..sound.len().min(20 * 16_000)]);
    // The suppressor leaves nothing of the phrase, the linear output all of it.
    let (cleaned, whole) = ([&before[..], &vec![0.0; phrase.len()]].concat(), [&before[..], phrase].concat());
    let stock = &STOCK[0];
    let mut both = detector(stock);
    let heard: Vec<_> = (0..whole.len() / 512)
        .map(|i| i * 512..(i + 1) * 512)
        .filter_map(|part| both.feed_both(&cleaned[part.clone()], &whole[part.clone()], part.start as u64))
        .map(|detection| detection.at)
        .collect();
    let mut alone = detector(stock);
    let expected: Vec<_> = whole
        .chunks_exact(512)
        .enumerate()
        .filter_map(|(i, part)| alone.feed(part, i as u64 * 512))
        .map(|detection| detection.at)
        .collect();
    assert!(!expected.is_empty() && heard == expected, "{heard:?}, alone {expected:?}");
}

#[test]
fn each_model_hears_its_own_phrase_once_and_no_other() {
    let samples = wav("phrases.wav");
    let mut at = Vec::new();
    for stock in STOCK {
        let mut detector = detector(&stock);
        let found: Vec<_> =
            samples.chunks(512).enumerate().filter_map(|(i, c)| detector.feed(c, i as u64 * 512)).collect();
        let [Detection { phrase, score, at: crossing, .. }] = found.as_slice() else {
            panic!("{}: {found:?}", stock.phrase)
        };
        assert_eq!(phrase, stock.phrase);
        assert!(*score > stock.cutoff);
        at.push(*crossing);
    }
    // In the recording: hey jarvis, alexa, hey mycroft, okay nabu.
    assert!(at.is_sorted(), "{at:?}");
}

#[test]
fn silence_noise_and_other_speech_do_not_fire() {
    for stock in STOCK {
        let mut detector = detector(&stock);
        for sound in
            [vec![0.0; 48_000], quiet(3.0), wav("question.wav"), vec![1.0; 16_000], vec![f32::NAN; 16_000]]
        {
            assert_eq!(detector.feed(&sound, 0), None, "{}", stock.phrase);
        }
    }
}

#[test]
fn the_phrase_is_not_heard_twice_within_the_refractory_time() {
    let said = [
        quiet(1.0),
        wav("phrase.wav"),
        quiet(0.4),
        wav("phrase.wav"),
        quiet(3.0),
        wav("phrase.wav"),
        quiet(0.5),
    ];
    let said = said.concat();
    let mut detector = detector(&STOCK[0]);
    let found = said.chunks(512).enumerate().filter_map(|(i, c)| detector.feed(c, i as u64 * 512)).count();
    assert_eq!(found, 2);
}

#[test]
fn while_she_speaks_it_takes_a_surer_score() {
    let said = [quiet(1.0), wav("phrase.wav"), quiet(0.5)].concat();
    let phrase = WakePhrase { cutoff: Some(0.5), ..WakePhrase::new("Hey  Jarvis") };
    let config = WakeConfig { strict_cutoff: 0.999, ..WakeConfig::default() };
    let mut detector = MicroWake::new(&bytes(&STOCK[0]), &phrase, &config).unwrap();
    detector.set_vigilance(Vigilance::Strict);
    assert_eq!(detector.feed(&said, 0), None);
    detector.reset();
    detector.set_vigilance(Vigilance::Normal);
    assert_eq!(detector.feed(&said, 0).unwrap().phrase, detector.phrase());
}

#[test]
fn a_file_cut_off_anywhere_is_an_error() {
    let whole = bytes(&STOCK[3]);
    for cut in (0..whole.len()).step_by(61) {
        assert!(compile::compile(&whole[..cut]).is_err(), "cut at {cut}");
    }
    assert!(matches!(compile::compile(b"RIFF....WAVE"), Err(WakeModelError::NotTflite)));
    let missing = MicroWake::load(
        Path::new("/nowhere/x.tflite"),
        &WakeConfig::default().phrases[0],
        &WakeConfig::default(),
    );
    assert!(missing.err().unwrap().to_string().starts_with("can't read the wake model /nowhere/x.tflite"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever stands in the file: an error, or a network that runs.
    #[test]
    fn foreign_bytes_never_break_the_reader_of_wake_models(
        which in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        near_structure in any::<bool>(),
    ) {
        let mut model = bytes(&STOCK[which]);
        // Half of the time only the first and last kilobytes, where tables are, not weights.
        let len = model.len();
        for (index, value) in changes {
            let at = index.index(if near_structure { 12_000 } else { len });
            model[if near_structure { len - 1 - at } else { at }] = value;
        }
        if let Ok(mut network) = compile::compile(&model) {
            for frame in 0..network.stride() {
                network.set_frame(frame, &[1.0; frontend::FEATURES]);
            }
            network.run();
            network.run();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_scores_do_not_depend_on_how_the_samples_are_cut(
        cuts in prop::collection::vec(1usize..2000, 1..40),
    ) {
        let samples = [quiet(0.2), wav("phrase.wav")].concat();
        let whole = raw(&mut detector(&STOCK[0]), &samples);
        let mut cut_up = detector(&STOCK[0]);
        let mut rest = samples.as_slice();
        let mut scores = Vec::new();
        for cut in cuts.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*cut));
            scores.extend(raw(&mut cut_up, now));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(scores, whole);
    }
}

#[test]
fn sound_that_a_model_heard_whole_and_without_echo_is_rejected_for_the_phrases_it_was_measured_for() {
    let other = [quiet(0.5), wav("stop.wav"), quiet(0.3)].concat();
    let (length, second) = (other.len() as u64, 16_000);
    // Where the voice begins, and the end.
    let of = |begin: u64| (begin + 7_000, begin + length);
    let may_be = |model: &MicroWake, phrase: &str, (from, to)| model.may_be(phrase, from, to);
    let mut jarvis = detector(&STOCK[0]);
    jarvis.feed(&quiet(1.0), 0);
    jarvis.feed(&other, second);
    assert!(!may_be(&jarvis, "hey joi", of(second)) && !may_be(&jarvis, "Hey Jarvis", of(second)));
    assert!(may_be(&jarvis, "hey computer", of(second)), "it was not measured");
    jarvis.reset();
    let begin = second + length;
    jarvis.feed(&other, begin);
    assert!(may_be(&jarvis, "hey joi", (begin - 1, begin + length)), "what was before the gap is forgotten");
    jarvis.feed_both(&quiet(1.0), &[0.1; 16_000], begin + length);
    let begin = begin + length + second;
    jarvis.feed_both(&other, &other, begin);
    assert!(may_be(&jarvis, "hey joi", (begin - 1, begin + length)), "a part of it may be suppressed");
    assert!(!may_be(&jarvis, "hey joi", of(begin)));
    let (begin, phrase) = (begin + length, [wav("phrase.wav"), quiet(0.3)].concat());
    jarvis.feed(&phrase, begin);
    assert!(may_be(&jarvis, "hey joi", (begin, begin + phrase.len() as u64)));
    let mut alexa = detector(&STOCK[1]);
    alexa.feed(&other, 0);
    assert!(may_be(&alexa, "hey joi", of(0)), "nothing was measured for the other models");
}
