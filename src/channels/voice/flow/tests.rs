use std::sync::Arc;

use super::*;
use crate::message::OpenedBy;

fn utterance(generation: u64, revision: u32, at: Instant) -> Utterance {
    Utterance {
        generation,
        revision,
        opened_by: OpenedBy::Wake { phrase: "hey jarvis".into(), score: 0.99 },
        samples: Arc::from(vec![0.0; 32_000]),
        begins_at: 16_000,
        speech_begins_at: 24_000,
        voiced: 16_000,
        speech_ends_at: 16_000 + 32_000 - 11_200,
        captured: at,
    }
}

fn transcript(generation: u64, revision: u32, text: &str) -> Transcript {
    Transcript {
        generation,
        revision,
        text: text.into(),
        mean_logprob: -0.2,
        no_speech: 0.01,
        audio_ctx: 384,
        decoded_twice: false,
        took: Duration::from_millis(300),
    }
}

fn heard(generation: u64, revision: u32, text: &str, at: Instant) -> Input {
    Input::Transcribed { result: Ok(transcript(generation, revision, text)), generation, revision, at }
}

fn woken() -> Flow {
    let mut flow = Flow::resting(TurnId(7));
    let effects = flow.on(Input::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 8_000 });
    assert_eq!(names(&effects), ["acknowledge tone"]);
    flow
}

/// A question that is being answered.
fn answering(at: Instant) -> Flow {
    let mut flow = woken();
    let _ = flow.on(Input::Ended { utterance: utterance(1, 0, at), decided: at });
    let effects = flow.on(heard(1, 0, "what time is it", at));
    assert_eq!(names(&effects), ["answer 8: what time is it"]);
    flow
}

fn names(effects: &[Effect]) -> Vec<String> {
    effects
        .iter()
        .map(|effect| match effect {
            Effect::AcknowledgeTone => "acknowledge tone".into(),
            Effect::ErrorTone => "error tone".into(),
            Effect::Cancel(turn) => format!("cancel {turn}"),
            Effect::Decode(u, urgency) => format!("decode {}.{} {urgency:?}", u.generation, u.revision),
            Effect::DropDecode { generation, revision } => {
                format!("drop decodes before {generation}.{revision}")
            }
            Effect::Answer(q) => format!("answer {}: {}", q.turn, q.transcript.text),
            Effect::Ears(command) => format!("ears {command:?}"),
            Effect::Rest(why) => format!("rest: {why}"),
        })
        .collect()
}

#[test]
fn a_question_is_transcribed_when_it_has_ended_and_then_answered() {
    let at = Instant::now();
    let mut flow = woken();
    let effects = flow.on(Input::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&effects), ["decode 1.0 Final"]);
    let effects = flow.on(heard(1, 0, "what time is it", at));
    assert_eq!(names(&effects), ["answer 8: what time is it"]);
    assert_eq!(names(&flow.on(Input::Speaking(TurnId(8)))), ["ears Speaking(Talking)"]);
    assert_eq!(names(&flow.on(Input::TurnOver(TurnId(8)))), ["ears Speaking(Silent)"]);
    assert!(flow.is_idle());
}

#[test]
fn a_transcript_made_during_the_pause_is_used_when_speech_did_not_go_on() {
    let at = Instant::now();
    let mut flow = woken();
    assert_eq!(names(&flow.on(Input::Paused(utterance(1, 0, at)))), ["decode 1.0 Speculative"]);
    assert!(!flow.is_waiting_for_the_user());
    assert!(names(&flow.on(heard(1, 0, "what time is it", at))).is_empty());
    assert!(flow.is_waiting_for_the_user());
    let effects = flow.on(Input::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&effects), ["answer 8: what time is it"]);
}

#[test]
fn a_transcript_made_during_the_pause_is_dropped_when_speech_went_on() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(Input::Paused(utterance(1, 0, at)));
    let _ = flow.on(heard(1, 0, "set a timer for", at));
    assert_eq!(names(&flow.on(Input::Resumed { generation: 1, revision: 1 })), ["drop decodes before 1.1"]);
    let effects = flow.on(Input::Ended { utterance: utterance(1, 1, at), decided: at });
    assert_eq!(names(&effects), ["decode 1.1 Final"]);
    assert!(names(&flow.on(heard(1, 0, "set a timer for", at))).is_empty());
    let effects = flow.on(heard(1, 1, "set a timer for ten minutes", at));
    assert_eq!(names(&effects), ["answer 8: set a timer for ten minutes"]);
}

#[test]
fn the_wake_phrase_stops_a_running_answer_at_once() {
    let at = Instant::now();
    let mut flow = answering(at);
    let _ = flow.on(Input::Speaking(TurnId(8)));
    let effects = flow.on(Input::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 8_000 });
    assert_eq!(names(&effects), ["cancel 8", "ears Speaking(Silent)", "acknowledge tone"]);
    assert!(names(&flow.on(Input::TurnOver(TurnId(8)))).is_empty(), "the old turn is history");
}

#[test]
fn the_wake_phrase_alone_keeps_her_listening_once() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(Input::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&flow.on(heard(1, 0, "", at))), ["ears Listen"]);
    let _ = flow.on(Input::Ended { utterance: utterance(2, 0, at), decided: at });
    let effects = flow.on(heard(2, 0, "", at));
    assert_eq!(names(&effects), ["ears Speaking(Silent)", "rest: no words were understood"]);
    assert!(flow.is_idle());
}

#[test]
fn silence_after_the_wake_phrase_ends_the_listening() {
    let mut flow = woken();
    assert_eq!(names(&flow.on(Input::NothingSaid)), ["ears Speaking(Silent)", "rest: nothing was said"]);
}

#[test]
fn a_failed_transcription_is_told_by_a_tone() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(Input::Ended { utterance: utterance(1, 0, at), decided: at });
    let failed = Input::Transcribed { result: Err("no memory".into()), generation: 1, revision: 0, at };
    let effects = flow.on(failed);
    assert_eq!(
        names(&effects),
        ["error tone", "ears Speaking(Silent)", "rest: the speech could not be transcribed"]
    );
}

#[test]
fn events_that_nobody_waits_for_change_nothing() {
    let at = Instant::now();
    let mut flow = Flow::resting(TurnId(0));
    for input in [
        Input::Paused(utterance(1, 0, at)),
        Input::Resumed { generation: 1, revision: 1 },
        Input::Ended { utterance: utterance(1, 0, at), decided: at },
        Input::NothingSaid,
        heard(1, 0, "hello", at),
        Input::Speaking(TurnId(3)),
        Input::TurnOver(TurnId(3)),
    ] {
        assert!(names(&flow.on(input)).is_empty());
        assert!(flow.is_idle());
    }
}

#[test]
fn the_end_of_speech_lies_the_trailing_silence_before_the_decision() {
    let at = Instant::now() + Duration::from_secs(5);
    let mut flow = woken();
    let _ = flow.on(Input::Ended { utterance: utterance(1, 0, at), decided: at });
    let effects = flow.on(heard(1, 0, "hello", at));
    let Some(Effect::Answer(question)) = effects.first() else { panic!("{effects:?}") };
    assert_eq!(question.decided - question.speech_ended, Duration::from_millis(700));
    assert_eq!(question.woke.map(|woke| question.decided - woke), Some(Duration::from_millis(2500)));
}
