//! Short answers and stop words by their sound, with the real model.

use super::super::doubt::ExpectedWords;
use super::super::hearing::Hearing;
use super::super::signals::Judged;
use super::*;
use joi_audio::resample;
use joi_base::message::Transcript;
use joi_hear::judge::{JudgeVerdict, Judgement, judge_answer, judge_stop};
use joi_speak::testing::steady_joe;

/// Joi's voice says it, as a follow-up; nothing of it counts as voiced but so many samples.
pub(super) fn said(text: &str, voiced: u64) -> Utterance {
    let mut voice = steady_joe();
    let spoken = resample(&voice.render(text).unwrap(), voice.rate(), RATE).unwrap();
    let samples = [vec![0.0; 4_000], spoken].concat();
    Utterance {
        generation: 4,
        revision: 1,
        opened_by: OpenedBy::FollowUp,
        lead: None,
        begins_at: 0,
        speech_begins_at: 4_000,
        speech_ends_at: samples.len() as u64,
        voiced,
        voice: 1.0,
        samples: samples.into(),
        captured: Instant::now(),
    }
}

/// What whisper writes when it has not understood a word.
fn not_understood() -> Judged {
    let transcript = Transcript {
        language: None,
        generation: 4,
        revision: 1,
        text: String::new(),
        mean_logprob: -1.0,
        no_speech: 0.5,
        audio_ctx: 384,
        ran_away: false,
        took: Duration::ZERO,
    };
    let judgement = Judgement { verdict: JudgeVerdict::Ignore, reason: "no words".into() };
    Judged { transcript, judgement, sound: None, look: None, is_unsure: false }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_answer_to_a_question_of_hers_is_known_by_its_sound() {
    let ((answers, _), (cries, _)) = (stt(), stt());
    let (mut hearing, (_, mut opinions)) = Hearing::new(answers, cries, english_ears());
    for (text, word) in [("Yes.", Some("yes")), ("No.", Some("no")), ("Seventy.", None)] {
        hearing.decode(joi_hear::whisper::SttJob {
            utterance: said(text, 6_000),
            urgency: joi_hear::whisper::DecodeUrgency::Speculative,
        });
        hearing.speech.begins("The light is on.".into(), Instant::now());
        assert_eq!(hearing.asks_its_sound(&not_understood(), false), None, "she did not ask");
        hearing.speech.begins("Shall I go on?".into(), Instant::now());
        assert_eq!(hearing.asks_its_sound(&not_understood(), false), Some(ExpectedWords::Answer));
        let opinion = opinions.recv().await.unwrap();
        assert_eq!(opinion.key, (4, 1));
        let like = opinion.result.unwrap();
        let language = hearing.ears.languages.get();
        let judgement = judge_answer(&hearing.ears.rules(&language), &like);
        let expected = word.map(|word| JudgeVerdict::FollowUp(word.into()));
        assert_eq!(judgement.map(|judgement| judgement.verdict), expected, "{text}: {like:?}");
    }
    hearing.decode(joi_hear::whisper::SttJob {
        utterance: said("Yes.", 60_000),
        urgency: joi_hear::whisper::DecodeUrgency::Speculative,
    });
    let understood = Judged {
        judgement: Judgement { verdict: JudgeVerdict::FollowUp("yes".into()), reason: "a test".into() },
        ..not_understood()
    };
    assert_eq!(hearing.asks_its_sound(&understood, false), None, "its words are enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_said_to_what_rings_may_be_stop_whatever_its_transcript_says() {
    let ((answers, _), (cries, _)) = (stt(), stt());
    let (mut hearing, (_, mut opinions)) = Hearing::new(answers, cries, english_ears());
    let written = |text: &str| Judged {
        judgement: Judgement { verdict: JudgeVerdict::FollowUp(text.into()), reason: "a test".into() },
        ..not_understood()
    };
    for (text, stops) in [("Stop.", true), ("Snooze.", false), ("Seventy.", false)] {
        hearing.keep(said(text, 6_000));
        assert_eq!(hearing.asks_its_sound(&written("start."), false), None, "nothing rings");
        assert_eq!(hearing.asks_its_sound(&written("start the timer"), true), None, "more than a word");
        assert_eq!(hearing.asks_its_sound(&written("start."), true), Some(ExpectedWords::Stop));
        let like = opinions.recv().await.unwrap().result.unwrap();
        let verdict = judge_stop(&like).map(|judgement| judgement.verdict);
        assert_eq!(verdict, stops.then_some(JudgeVerdict::Stop), "{text}: {like:?}");
    }
}

#[test]
fn a_word_that_only_the_sound_shows_is_unsure() {
    let judged = not_understood().rescored("yes".into(), "it sounds like it");
    assert_eq!(judged.judgement.verdict, JudgeVerdict::FollowUp("yes".into()));
    assert_eq!(judged.transcript.text, "yes");
    assert!(judged.is_unsure);
}
