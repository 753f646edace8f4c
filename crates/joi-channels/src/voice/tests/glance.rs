//! Two models read a pause, with the real one in both places: whichever decides first is the answer.

use tokio::sync::mpsc::Receiver;

use super::super::first_look::TrialModel;
use super::super::glance::{Glance, GlanceWorth};
use super::super::hearing::Hearing;
use super::super::signals::Judged;
use super::second_opinion::said;
use super::*;
use joi_base::message::Transcript;
use joi_hear::judge::{JudgeVerdict, Judgement};
use joi_hear::whisper::{DecodeUrgency, SttError, SttEvent, SttJob};

/// A conversation's hearing, the results of the chosen model, and those of the quickest one.
fn hearing(trial: TrialModel) -> (Hearing, Receiver<SttEvent>, Receiver<SttEvent>) {
    let ((chosen, of_chosen), (quickest, of_quickest)) = (stt(), stt());
    let (hearing, _) = Hearing::new(chosen, quickest, HearingRules { trial, ..english_ears() });
    (hearing, of_chosen, of_quickest)
}

fn pause(text: &str) -> SttJob {
    SttJob { utterance: said(text, 16_000), urgency: DecodeUrgency::Speculative }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chosen_model_is_asked_where_the_quickest_is_not_decisive_and_at_once_where_both_read() {
    for trial in [TrialModel::QuickestFirst, TrialModel::Both] {
        let (mut hearing, mut of_chosen, mut of_quickest) = hearing(trial);
        // Any word may belong to it.
        let job = pause("Remember that the key is in the shed.");
        hearing.decode(job.clone());
        if trial == TrialModel::Both {
            // Also when it comes first. What has not come by then is given up, so both are awaited.
            let quickest = of_quickest.recv().await.unwrap();
            assert!(hearing.is_news(&of_chosen.recv().await.unwrap()));
            let late = hearing.glance(quickest, job.utterance);
            assert!(late.is_none(), "{late:?}");
            continue;
        }
        let glance = hearing.glance(of_quickest.recv().await.unwrap(), job.utterance);
        assert!(matches!(glance, Some(Glance::Words(_))), "{glance:?}");
        let event = of_chosen.recv().await.unwrap();
        assert!(hearing.is_news(&event) && !hearing.is_news(&event), "once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_chosen_model_leaves_the_words_to_the_quickest_and_the_end_is_always_reported() {
    let (mut hearing, _of_chosen, mut of_quickest) = hearing(TrialModel::Both);
    let job = pause("What time is it?");
    hearing.decode(job.clone());
    let event = of_quickest.recv().await.unwrap();
    let error = SttEvent { result: Err(SttError::Failed("broken".into())), ..event.clone() };
    assert!(hearing.is_news(&error), "the flow may wait for it");
    let before = SttEvent { revision: event.revision - 1, ..event.clone() };
    assert!(matches!(hearing.glance(event.clone(), job.utterance), Some(Glance::Enough(_))));
    assert!(!hearing.is_news(&error) && !hearing.is_news(&before), "the words are known");
    assert!(hearing.is_news(&SttEvent { urgency: DecodeUrgency::Final, ..event }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_command_that_the_quickest_model_is_sure_of_is_reported_once() {
    for trial in [TrialModel::QuickestFirst, TrialModel::Both] {
        let (mut hearing, mut of_chosen, mut of_quickest) = hearing(trial);
        let job = pause("What time is it?");
        hearing.decode(job.clone());
        let glance = hearing.glance(of_quickest.recv().await.unwrap(), job.utterance.clone());
        let Some(Glance::Enough(judged)) = glance else { panic!("{glance:?}") };
        assert_eq!(judged.look.unwrap().stage, "first look");
        // What the chosen model has made of it meanwhile, if it was not aborted.
        while let Ok(event) = of_chosen.try_recv() {
            assert!(!hearing.is_news(&event));
        }
        // The whole of it may be asked for all the same.
        hearing.decode(SttJob { urgency: DecodeUrgency::Final, ..job });
        let event = loop {
            let event = of_chosen.recv().await.unwrap();
            if hearing.is_news(&event) {
                break event;
            }
        };
        assert_eq!(event.urgency, DecodeUrgency::Final);
        assert!(event.result.unwrap().text.contains("time"));
    }
}

#[tokio::test]
async fn the_answer_to_a_whole_command_is_prepared_also_where_the_quickest_model_is_not_sure_of_it() {
    let (mut hearing, _of_chosen, _of_quickest) = hearing(TrialModel::Both);
    let judge = |hearing: &Hearing, text: &str, mean_logprob: f32, verdict: fn(String) -> JudgeVerdict| {
        let transcript = Transcript { text: text.into(), mean_logprob, ..Transcript::default() };
        let judgement = Judgement { verdict: verdict(text.into()), reason: "a test".into() };
        hearing.worth(&Judged { transcript, judgement, sound: None, look: None, is_unsure: false })
    };
    let (sure, unsure) = (-0.1, -0.9);
    let worth =
        |text: &str, sure: f32, verdict: fn(String) -> JudgeVerdict| judge(&hearing, text, sure, verdict);
    assert_eq!(worth("what time is it", unsure, JudgeVerdict::Addressed), GlanceWorth::Answer);
    assert_eq!(worth("set a timer for ten minutes", unsure, JudgeVerdict::FollowUp), GlanceWorth::Answer);
    assert_eq!(worth("set a timer for", sure, JudgeVerdict::Addressed), GlanceWorth::Nothing, "a beginning");
    assert_eq!(worth("why is the sky blue", sure, JudgeVerdict::Addressed), GlanceWorth::Prompt);
    assert_eq!(
        worth("why is the sky blue", unsure, JudgeVerdict::Addressed),
        GlanceWorth::Nothing,
        "a guess"
    );
    assert_eq!(worth("what time is it", unsure, |_| JudgeVerdict::Ignore), GlanceWorth::Nothing);
    hearing.ears.trial = TrialModel::QuickestFirst;
    let shared = judge(&hearing, "what time is it", unsure, JudgeVerdict::Addressed);
    assert_eq!(shared, GlanceWorth::Nothing, "the chosen model needs the core");
}
