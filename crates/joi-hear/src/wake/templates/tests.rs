//! Templates of a phrase against the phrase, other speech, and damaged files.

use super::super::super::tests::quiet;
use super::*;

#[test]
fn without_a_voice_nothing_is_compared_and_a_moment_longer_behind_one() {
    let loud: Vec<f32> = (0..512).map(|at| 0.1 * (at as f32 * 0.3).sin()).collect();
    let soft = quiet(512.0 / 16_000.0);
    let mut gate = LoudnessGate::default();
    let mut at = 0;
    let mut open = |samples: &[f32], frames: usize| -> Vec<bool> {
        let mut told = Vec::new();
        for _ in 0..frames {
            at += 512;
            told.push(gate.is_open(samples, at));
        }
        told
    };
    assert_eq!(open(&soft, 40), [false; 40]);
    assert_eq!(open(&loud, 10), [true; 10]);
    let behind = open(&soft, 40);
    assert_eq!(behind.iter().filter(|open| **open).count(), 31, "a second");
    assert!(behind[..31].iter().all(|open| *open));
}

#[test]
fn a_steady_noise_becomes_the_floor() {
    let noise = quiet(512.0 / 16_000.0);
    let louder: Vec<f32> = noise.iter().map(|sample| sample * 100.0).collect();
    let mut gate = LoudnessGate::default();
    let mut is_open = true;
    for frame in 1..=1000 {
        let samples = if frame < 50 { &noise } else { &louder };
        is_open = gate.is_open(samples, frame * 512);
    }
    assert!(!is_open);
}

#[test]
fn a_file_that_is_not_there_or_too_large_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hey.rpw");
    let told = Templates::read(&file, None).unwrap_err().to_string();
    assert!(told.contains("hey.rpw") && told.contains("joi wake add --record --engine rustpotter"), "{told}");
    std::fs::File::create(&file).unwrap().set_len(LARGEST + 1).unwrap();
    assert!(Templates::read(&file, None).unwrap_err().to_string().contains("larger than any"));
}

#[cfg(not(feature = "rustpotter"))]
#[test]
fn without_the_engine_every_use_says_how_to_get_it() {
    let told = Templates::learn("hey jarvis", &[]).unwrap_err().to_string();
    assert!(told.contains("FEATURES=rustpotter"), "{told}");
}

#[cfg(feature = "rustpotter")]
mod with_the_engine {
    use proptest::prelude::*;

    use super::super::super::super::tests::wav;
    use super::*;

    fn silence(seconds: f32) -> Vec<f32> {
        vec![0.0; (seconds * RATE as f32) as usize]
    }

    /// The same recording, spoken this much slower or faster, in percent.
    fn stretched(sound: &[f32], percent: usize) -> Vec<f32> {
        (0..sound.len() * 100 / percent).map(|at| sound[at * percent / 100]).collect()
    }

    fn learnt() -> Templates {
        let phrase = wav("phrase.wav");
        let phrase = crate::enrol::trimmed(&phrase).unwrap();
        let takes: Vec<Vec<f32>> =
            [95, 97, 99, 101, 104].iter().map(|percent| stretched(phrase, *percent)).collect();
        Templates::learn("hey jarvis", &takes).unwrap()
    }

    fn detector(templates: &Templates) -> TemplateWake {
        TemplateWake::new("hey jarvis", templates, &WakeConfig::default()).unwrap()
    }

    /// Every detection in `sound`, fed as the listener does.
    fn heard(detector: &mut TemplateWake, sound: &[f32]) -> Vec<Detection> {
        let frames = sound.chunks(512).enumerate();
        frames.filter_map(|(number, frame)| detector.feed(frame, number as u64 * 512)).collect()
    }

    #[test]
    fn the_phrase_is_detected_once_where_it_ends_and_other_words_are_not() {
        let templates = learnt();
        let phrase = wav("phrase.wav");
        let ends = silence(2.0).len() + phrase.len();
        let sound = [silence(2.0), phrase, silence(2.0), wav("stop.wav"), silence(2.0)].concat();
        let found = heard(&mut detector(&templates), &sound);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].phrase, "hey jarvis");
        assert!(found[0].score > LIKENESS && found[0].score <= 1.0);
        let late = found[0].at as f32 / RATE as f32 - ends as f32 / RATE as f32;
        assert!((-1.0..0.3).contains(&late), "{late} s behind the recording");
        assert!(templates.likeness(&wav("phrase.wav")).unwrap() > 0.6);
        assert!(templates.likeness(&wav("stop.wav")).unwrap() < LIKENESS);
    }

    #[test]
    fn it_goes_by_the_likeness_that_is_asked_for_before_that_of_the_file() {
        let sound = [silence(1.0), wav("phrase.wav"), silence(2.0)].concat();
        let templates = learnt().counting_from(0.99);
        assert_eq!(templates.from(), Some(0.99));
        assert_eq!(heard(&mut detector(&templates), &sound), []);
        assert_eq!(heard(&mut detector(&templates.counting_from(0.5)), &sound).len(), 1);
    }

    #[test]
    fn while_she_speaks_nothing_is_compared() {
        let sound = [silence(1.0), wav("phrase.wav"), silence(2.0)].concat();
        let mut detector = detector(&learnt());
        detector.set_vigilance(Vigilance::Strict);
        assert_eq!(heard(&mut detector, &sound), []);
        detector.set_vigilance(Vigilance::Normal);
        assert_eq!(heard(&mut detector, &sound).len(), 1);
    }

    #[test]
    fn templates_survive_being_kept_and_come_from_files_too() {
        let templates = learnt().counting_from(0.6);
        let kept = serde_json::to_string(&templates).unwrap();
        assert_eq!(serde_json::from_str::<Templates>(&kept).unwrap(), templates);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hey_jarvis.rpw");
        std::fs::write(&file, templates.bytes().unwrap()).unwrap();
        assert_eq!(Templates::read(&file, Some(0.6)).unwrap(), templates);
    }

    #[test]
    fn a_file_without_templates_is_refused() {
        let templates = Templates { rpw: BASE64_STANDARD.encode(b"RIFF"), from: None };
        let told = templates.check().unwrap_err().to_string();
        assert!(told.contains("an .rpw file of rustpotter 2 or 3"), "{told}");
        learnt().check().unwrap();
    }

    /// As a file of rustpotter 2 is: without the number of coefficients, and with a switch.
    #[test]
    fn an_earlier_file_goes_by_the_likeness_that_is_asked_for_too() {
        let bytes = learnt().counting_from(0.99).bytes().unwrap();
        let name = b"mfcc_size";
        let place = bytes.windows(name.len()).position(|part| part == name).unwrap();
        let mut earlier = bytes.clone();
        // The same length, another field, which is not looked at.
        earlier[place..place + name.len()].copy_from_slice(b"unlooked!");
        let templates = Templates { rpw: BASE64_STANDARD.encode(&earlier), from: Some(0.99) };
        templates.check().unwrap();
        let sound = [silence(1.0), wav("phrase.wav"), silence(2.0)].concat();
        assert_eq!(heard(&mut detector(&templates), &sound), []);
        assert_eq!(heard(&mut detector(&templates.counting_from(0.5)), &sound).len(), 1);
    }

    #[test]
    fn recordings_of_nothing_teach_nothing() {
        for takes in [vec![], vec![vec![]], vec![vec![0.1; 10]]] {
            let told = Templates::learn("hey jarvis", &takes).unwrap_err().to_string();
            assert!(told.starts_with("no templates can be made of these recordings"), "{told}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn a_damaged_file_is_refused_or_harmless(at in 0.0..1.0_f64, with in any::<[u8; 4]>(), cut in any::<bool>()) {
            let mut bytes = learnt().bytes().unwrap();
            let place = (at * (bytes.len() - 4) as f64) as usize;
            if cut {
                bytes.truncate(place);
            } else {
                bytes[place..place + 4].copy_from_slice(&with);
            }
            let templates = Templates { rpw: BASE64_STANDARD.encode(&bytes), from: None };
            if templates.check().is_ok() {
                heard(&mut detector(&templates), &wav("phrase.wav"));
            }
        }
    }
}
