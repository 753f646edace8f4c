use std::sync::Arc;

mod amended;
mod early;
mod interjections;
mod table;
mod unasked;

use super::super::marks::first_marks;
use super::super::signals::SoundOf;
use super::*;
use joi_base::message::{OpenedBy, Transcript};
use joi_base::trace::{Mark, Stage};
use joi_hear::judge::FollowUpLoudness;
use joi_language::testing::in_english;

fn utterance(generation: u64, revision: u32, at: Instant) -> Utterance {
    Utterance {
        generation,
        revision,
        opened_by: OpenedBy::Wake { phrase: "hey jarvis".into(), score: 0.99 },
        lead: None,
        samples: Arc::from(vec![0.0; 32_000]),
        begins_at: 16_000,
        speech_begins_at: 24_000,
        voiced: 16_000,
        voice: 1.0,
        speech_ends_at: 16_000 + 32_000 - 11_200,
        captured: at,
    }
}

fn judgement(verdict: JudgeVerdict) -> Judgement {
    Judgement { verdict, reason: "a test".into() }
}

fn judged(text: &str, verdict: JudgeVerdict) -> Judged {
    let transcript = Transcript {
        language: None,
        generation: 1,
        revision: 0,
        text: text.into(),
        mean_logprob: -0.2,
        no_speech: 0.01,
        audio_ctx: 384,
        ran_away: false,
        took: Duration::from_millis(300),
    };
    Judged { transcript, judgement: judgement(verdict), sound: None, look: None, is_unsure: false }
}

/// Said by nobody: no louder than the room.
fn from_nobody(text: &str, at: Instant) -> Judged {
    let loudness =
        FollowUpLoudness { voice_db: -50.0, room_db: -50.0, echo_db: None, overlaps_playback: false };
    let sound = Some(SoundOf { began_at: 0, began: at, ended: at, loudness });
    Judged { sound, ..judged(text, JudgeVerdict::FollowUp(text.into())) }
}

fn interjected(verdict: JudgeVerdict) -> FlowInput {
    FlowInput::Interjected(Ok(judged("stop", verdict)))
}

/// Words that interrupt joi, begun at sample 9000.
fn over_her(at: Instant) -> FlowInput {
    let sound = from_nobody("", at).sound.map(|sound| SoundOf { began_at: 9000, ..sound });
    FlowInput::Interjected(Ok(Judged {
        sound,
        ..judged("and in", JudgeVerdict::Interrupts("and in".into()))
    }))
}

fn result(generation: u64, revision: u32, judged: Judged, at: Instant) -> FlowInput {
    FlowInput::Transcribed { result: Ok(judged), generation, revision, at }
}

/// The judge takes these words for hers.
fn heard(generation: u64, revision: u32, text: &str, at: Instant) -> FlowInput {
    result(generation, revision, judged(text, JudgeVerdict::Addressed(text.into())), at)
}

fn wake() -> FlowInput {
    FlowInput::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 8_000, when: Instant::now() }
}

fn resting() -> Flow {
    Flow::resting(
        TurnId(7),
        FollowUps { most: 2, delay: Duration::from_millis(300), to_nobody: 1 },
        in_english(),
    )
}

fn woken() -> Flow {
    let mut flow = resting();
    assert_eq!(names(&flow.on(wake())), ["acknowledge tone"]);
    flow
}

/// A question that is being answered.
fn answering(at: Instant) -> Flow {
    answering_to("what time is it", at)
}

fn answering_to(text: &str, at: Instant) -> Flow {
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&flow.on(heard(1, 0, text, at))), [format!("answer 8: {text}")]);
    flow
}

fn speaking(at: Instant) -> Flow {
    let mut flow = answering(at);
    assert_eq!(names(&flow.on(FlowInput::Speaking(TurnId(8)))), ["ears Speaking(Talking)"]);
    flow
}

fn over(turn: u64, at: Instant) -> FlowInput {
    let after = After::FollowUp { lasts: Duration::from_secs(3) };
    FlowInput::TurnOver { turn: TurnId(turn), at, after }
}

/// An answer was spoken, and the window for a follow-up is open.
fn window(at: Instant) -> Flow {
    let mut flow = speaking(at);
    assert_eq!(names(&flow.on(over(8, at))), ["ears Speaking(Silent)", "ears window of 3s after 300ms"]);
    flow
}

fn names(effects: &[FlowEffect]) -> Vec<String> {
    effects
        .iter()
        .map(|effect| match effect {
            FlowEffect::AcknowledgeTone => "acknowledge tone".into(),
            FlowEffect::ErrorTone => "error tone".into(),
            FlowEffect::Cancel(turn, why) => format!("cancel {turn}: {}", why.reason),
            FlowEffect::Duck => "duck".into(),
            FlowEffect::Unduck => "unduck".into(),
            FlowEffect::Decode(u, urgency) => format!("decode {}.{} {urgency:?}", u.generation, u.revision),
            FlowEffect::DropDecode { generation, revision } => {
                format!("drop decodes before {generation}.{revision}")
            }
            FlowEffect::Rehearse(judged) => format!("rehearse: {}", judged.transcript.text),
            FlowEffect::ReadAhead(judged) => format!("read ahead: {}", judged.transcript.text),
            FlowEffect::Answer(q) => format!("answer {}: {}", q.turn, q.text),
            FlowEffect::Dismiss(turn, judged) => {
                format!("dismiss {turn}: {}", judged.judgement.verdict.name())
            }
            FlowEffect::GiveUp(turn, why) => format!("give up {turn}: {why}"),
            FlowEffect::Announce(turn) => format!("announce {turn}"),
            FlowEffect::Ears(HearCommand::FollowUp(w)) => {
                format!("ears window of {:?} after {:?}", w.lasts, w.after)
            }
            FlowEffect::Ears(command) => format!("ears {command:?}"),
            FlowEffect::Rest(why) => format!("rest: {why}"),
        })
        .collect()
}

#[test]
fn a_question_is_transcribed_when_it_has_ended_and_then_answered() {
    let at = Instant::now();
    let mut flow = woken();
    let effects = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&effects), ["decode 1.0 Final"]);
    let effects = flow.on(heard(1, 0, "what time is it", at));
    assert_eq!(names(&effects), ["answer 8: what time is it"]);
    assert_eq!(names(&flow.on(FlowInput::Speaking(TurnId(8)))), ["ears Speaking(Talking)"]);
    let rest = FlowInput::TurnOver { turn: TurnId(8), at, after: After::Rest };
    assert_eq!(names(&flow.on(rest)), ["ears Speaking(Silent)"]);
    assert!(flow.is_idle());
}

#[test]
fn a_transcript_made_during_the_pause_is_used_when_speech_did_not_go_on() {
    let at = Instant::now();
    let mut flow = woken();
    assert_eq!(names(&flow.on(FlowInput::Paused(utterance(1, 0, at)))), ["decode 1.0 Speculative"]);
    assert!(!flow.is_waiting_for_the_user());
    assert_eq!(names(&flow.on(heard(1, 0, "the sky was blue", at))), ["read ahead: the sky was blue"]);
    assert!(flow.is_waiting_for_the_user());
    let effects = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&effects), ["answer 8: the sky was blue"]);
}

#[test]
fn a_transcript_made_during_the_pause_is_dropped_when_speech_went_on() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
    let _ = flow.on(heard(1, 0, "set a timer for", at));
    assert_eq!(
        names(&flow.on(FlowInput::Resumed { generation: 1, revision: 1 })),
        ["drop decodes before 1.1"]
    );
    let effects = flow.on(FlowInput::Ended { utterance: utterance(1, 1, at), decided: at });
    assert_eq!(names(&effects), ["decode 1.1 Final"]);
    assert!(names(&flow.on(heard(1, 0, "set a timer for", at))).is_empty());
    let effects = flow.on(heard(1, 1, "set a timer for ten minutes", at));
    assert_eq!(names(&effects), ["answer 8: set a timer for ten minutes"]);
}

#[test]
fn a_sentence_that_goes_on_is_answered_as_a_whole_and_only_once() {
    let at = Instant::now();
    let went_on = ["cancel 8: the speaker went on"];
    for (mut flow, expected) in [(answering(at), &went_on[..]), {
        let mut flow = woken();
        let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
        (flow, &["drop decodes before 2.0"][..])
    }] {
        assert_eq!(names(&flow.on(FlowInput::Continued { at })), expected);
        assert_eq!(flow.activity(), Activity::Listening);
        let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
        let effects = flow.on(heard(2, 0, "what time is it in tokyo", at));
        assert!(names(&effects)[0].ends_with(": what time is it in tokyo"), "{effects:?}");
    }
}

#[test]
fn the_wake_phrase_stops_a_running_answer_at_once() {
    let at = Instant::now();
    let mut flow = speaking(at);
    let effects = flow.on(wake());
    assert_eq!(names(&effects), ["cancel 8: she was called", "ears Speaking(Silent)", "acknowledge tone"]);
    assert!(names(&flow.on(over(8, at))).is_empty(), "the old turn is history");
}

#[test]
fn while_she_speaks_a_stop_word_silences_her_and_other_words_do_not() {
    let at = Instant::now();
    let mut flow = speaking(at);
    assert_eq!(names(&flow.on(FlowInput::Interrupting)), ["duck"]);
    assert_eq!(names(&flow.on(interjected(JudgeVerdict::Ignore))), ["unduck"]);
    assert_eq!(names(&flow.on(interjected(JudgeVerdict::Echo))), ["unduck"]);
    assert_eq!(names(&flow.on(FlowInput::Interjected(Err("a test".into())))), ["unduck"]);
    assert_eq!(
        names(&flow.on(interjected(JudgeVerdict::Stop))),
        ["cancel 8: she was told to stop", "ears Speaking(Silent)", "rest: she was told to stop"]
    );
    assert!(flow.is_idle());
    assert!(names(&flow.on(interjected(JudgeVerdict::Stop))).is_empty(), "too late to matter");
}

#[test]
fn after_answers_to_nobody_she_is_silent_until_she_is_called() {
    // A television that passes every other rule
    let at = Instant::now();
    let mut flow = window(at);
    let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
    let _ = flow.on(result(1, 0, from_nobody("and now the news", at), at));
    let _ = flow.on(FlowInput::Resumed { generation: 1, revision: 1 });
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 1, at), decided: at });
    let effects = flow.on(result(1, 1, from_nobody("and now the news", at), at));
    assert_eq!(names(&effects), ["answer 9: and now the news"], "what was transcribed twice counts once");
    let _ = flow.on(FlowInput::Speaking(TurnId(9)));
    assert_eq!(names(&flow.on(over(9, at))), ["ears Speaking(Silent)"], "and no window");

    // A window that was open already answers nobody either; a person gets an answer.
    let mut flow = window(at);
    flow.breaker.may_answer(&from_nobody("", at).sound.unwrap().loudness);
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let effects = flow.on(result(1, 0, from_nobody("and now the news", at), at));
    assert_eq!(names(&effects), ["dismiss 9: ignore", "ears Reopen"]);
    let _ = flow.on(wake());
    assert!(!flow.breaker.is_silent());
}

#[test]
fn a_follow_up_needs_no_wake_phrase_and_opens_the_next_window() {
    let at = Instant::now();
    let mut flow = window(at);
    assert_eq!(flow.activity(), Activity::Listening);
    let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
    let follow_up = judged("and in tokyo", JudgeVerdict::FollowUp("and in tokyo".into()));
    let effects = flow.on(result(2, 0, follow_up, at));
    let [FlowEffect::Answer(question)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((question.text.as_str(), question.woke), ("and in tokyo", None));
    assert_eq!(names(&flow.on(over(9, at)))[1], "ears window of 3s after 300ms");
    assert_eq!(names(&flow.on(FlowInput::NothingSaid)), ["ears Speaking(Silent)", "rest: nobody went on"]);
    assert!(flow.is_idle());
}

#[test]
fn an_echo_or_a_stranger_in_the_window_is_put_on_record_and_changes_nothing_else() {
    // The window is not extended
    let at = Instant::now();
    for verdict in [JudgeVerdict::Echo, JudgeVerdict::Ignore] {
        let mut flow = window(at);
        let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
        let name = verdict.name();
        let effects = flow.on(result(2, 0, judged("it is nine", verdict), at));
        assert_eq!(names(&effects), [format!("dismiss 9: {name}"), "ears Reopen".into()]);
        assert_eq!(flow.activity(), Activity::Listening);
    }
}

#[test]
fn a_television_can_not_hold_a_conversation() {
    // At most two follow-ups here
    let at = Instant::now();
    let mut flow = window(at);
    let follow_up = |flow: &mut Flow, generation| {
        let _ = flow.on(FlowInput::Ended { utterance: utterance(generation, 0, at), decided: at });
        let text = judged("and now", JudgeVerdict::FollowUp("and now".into()));
        let _ = flow.on(result(generation, 0, text, at));
        names(&flow.on(over(7 + generation, at)))
    };
    assert_eq!(follow_up(&mut flow, 2).len(), 2, "the window opens once more");
    assert_eq!(follow_up(&mut flow, 3), ["ears Speaking(Silent)"]);
    assert!(flow.is_idle());
    let _ = flow.on(wake());
    let _ = flow.on(FlowInput::Ended { utterance: utterance(4, 0, at), decided: at });
    let _ = flow.on(heard(4, 0, "hello", at));
    assert_eq!(names(&flow.on(over(11, at))).len(), 2, "the wake phrase begins the count anew");
}

#[test]
fn the_wake_phrase_alone_keeps_her_listening_once() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    assert_eq!(names(&flow.on(heard(1, 0, "", at))), ["ears Listen"]);
    let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
    let effects = flow.on(heard(2, 0, "", at));
    assert_eq!(names(&effects), ["ears Speaking(Silent)", "rest: no words were understood"]);
    assert!(flow.is_idle());
}

#[test]
fn silence_after_the_wake_phrase_ends_the_listening() {
    let mut flow = woken();
    assert_eq!(names(&flow.on(FlowInput::NothingSaid)), ["ears Speaking(Silent)", "rest: nothing was said"]);
    let mut flow = woken();
    assert_eq!(names(&flow.on(FlowInput::Deaf("muted"))), ["ears Speaking(Silent)", "rest: muted"]);
}

#[test]
fn a_failed_transcription_is_reported_by_a_tone() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let failed = FlowInput::Transcribed { result: Err("no memory".into()), generation: 1, revision: 0, at };
    let effects = flow.on(failed);
    assert_eq!(
        names(&effects),
        ["error tone", "ears Speaking(Silent)", "rest: the speech could not be transcribed"]
    );
}

#[test]
fn the_end_of_speech_lies_the_trailing_silence_before_the_decision() {
    let at = Instant::now() + Duration::from_secs(5);
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let effects = flow.on(heard(1, 0, "hello", at));
    let Some(FlowEffect::Answer(question)) = effects.first() else { panic!("{effects:?}") };
    assert_eq!(question.decided - question.speech_ended, Duration::from_millis(700));
    assert_eq!(question.woke.map(|woke| question.decided - woke), Some(Duration::from_millis(2500)));
}

#[test]
fn a_turn_is_timed_from_the_last_loud_sound_and_ended_by_the_silence_of_the_network() {
    let at = Instant::now() + Duration::from_secs(5);
    let mut flow = woken();
    let mut samples = vec![0.0; 32_000];
    samples[8_000..19_200].iter_mut().step_by(2).for_each(|sample| *sample = 0.3);
    let said = Utterance { samples: samples.into(), ..utterance(1, 0, at) };
    let _ = flow.on(FlowInput::Ended { utterance: said, decided: at });
    let effects = flow.on(heard(1, 0, "hello", at));
    let Some(FlowEffect::Answer(question)) = effects.first() else { panic!("{effects:?}") };
    let before = [question.speech_ended, question.voice_ended].map(|ended| (at - ended).as_millis());
    assert_eq!(before, [800, 700]);
    let trace = first_marks(question);
    assert!(trace.decisions.iter().any(|why| why.reason.starts_with("ended by 700 ms of silence")));
    assert!(trace.marks().contains(&Mark { stage: Stage::Endpoint, ms: 800.0 }));
}
