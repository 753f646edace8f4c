use super::*;
use crate::score::{Lead, Score};
use crate::whisper::tests::tiny;

fn wanted(written: &[&str]) -> Vec<PhraseThreshold> {
    let whisper = tiny();
    let wanted = |w: &&str| PhraseThreshold { phrase: Phrase::new(&whisper, w, &[]).unwrap(), margin: -3.0 };
    written.iter().map(wanted).collect()
}

fn scores(text: &str, margins: &[f32]) -> Scores {
    let of = margins.iter().map(|m| Score { llr: *m, expected: *m, lead: Lead::default() }).collect();
    Scores { text: text.into(), of, steps: 1 }
}

fn voice(ended: Option<u64>) -> Candidate {
    Candidate { why: CandidateReason::Voice { began: 16_000, ended }, from: 12_000, to: 44_000 }
}

#[test]
fn the_phrase_that_stands_out_most_wakes_and_none_below_its_threshold() {
    let wanted = wanted(&["hey joi", "hey jarvis"]);
    assert_eq!(decide(&voice(None), &scores("Hey", &[-3.1, -4.0]), &wanted), None);
    let found = decide(&voice(None), &scores("Hey Joy", &[-2.0, -2.5]), &wanted).unwrap();
    assert_eq!((found.phrase.as_str(), found.at), ("hey joi", 44_000));
    assert!((0.73..0.74).contains(&found.score), "{}", found.score);
    let nan = decide(&voice(None), &scores("", &[f32::NAN, f32::NAN]), &wanted);
    assert_eq!(nan, None);
}

#[test]
fn a_phrase_that_a_rival_beats_does_not_wake_however_well_it_fits() {
    let wanted = wanted(&["hey joi", "hey jarvis"]);
    let mut scores = scores("Hey Joyce", &[-0.2, -2.5]);
    scores.of[0].lead = Lead { nats: -2.1, rival: Some("hey joyce".into()) };
    assert_eq!(decide(&voice(None), &scores, &wanted).unwrap().phrase, "hey jarvis");
    scores.of[0].lead.nats = -1.9;
    assert_eq!(decide(&voice(None), &scores, &wanted).unwrap().phrase, "hey joi");
}

#[test]
fn a_phrase_alone_ends_with_the_voice_and_in_one_breath_after_the_time_it_takes() {
    let wanted = wanted(&["hey joi"]);
    let ends = |candidate: Candidate, text: &str| {
        decide(&candidate, &scores(text, &[-0.5]), &wanted).unwrap().ends_by
    };
    assert_eq!(ends(voice(Some(30_000)), "Hey, Joy."), 30_000);
    assert_eq!(ends(voice(Some(30_000)), "Enjoy"), 30_000);
    assert_eq!(ends(voice(Some(30_000)), "Hey Joy, stop."), 24_800, "0.55 s after it began");
    assert_eq!(ends(voice(None), "Hey Joy"), 24_800);
    let louder = Candidate { why: CandidateReason::Louder { began: 20_000 }, from: 10_400, to: 42_400 };
    assert_eq!(ends(louder, "Hey Joy"), 28_800);
    let doubt = Candidate { why: CandidateReason::Doubt { phrase: 0, ends_by: 25_000 }, from: 0, to: 30_000 };
    assert_eq!(ends(doubt, "Hey Joy, what time is it"), 25_000);
}
