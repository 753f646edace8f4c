//! Knowledge of an utterance while it may still go on.

use super::super::super::marks::first_marks;
use super::*;

#[test]
fn words_of_one_model_count_behind_an_error_of_the_other_and_never_the_other_way_round() {
    let at = Instant::now();
    let error = || FlowInput::Transcribed { result: Err("broken".into()), generation: 1, revision: 0, at };
    let end = || FlowInput::Ended { utterance: utterance(1, 0, at), decided: at };
    let mut flow = woken();
    let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
    assert!(flow.on(error()).is_empty());
    assert!(flow.is_waiting_for_the_user(), "the pause is known to have no words");
    assert_eq!(flow.on(heard(1, 0, "what time is it", at)).len(), 2);
    assert!(flow.on(error()).is_empty());
    assert_eq!(names(&flow.on(end())), ["answer 8: what time is it"]);
    let mut flow = woken();
    let _ = flow.on(FlowInput::Paused(utterance(1, 1, at)));
    let _ = flow.on(FlowInput::Transcribed { result: Err("broken".into()), generation: 1, revision: 1, at });
    assert!(flow.on(heard(1, 0, "what time is it", at)).is_empty(), "words of before");
}

#[test]
fn the_words_of_a_pause_show_the_endpointer_whether_more_will_come() {
    let at = Instant::now();
    let told = |verdict: JudgeVerdict, text: &str| {
        let mut flow = woken();
        let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
        names(&flow.on(result(1, 0, judged(text, verdict), at)))
    };
    let to_her = |text: &str| told(JudgeVerdict::Addressed(text.into()), text);
    let expect = |more| format!("ears Expect(Outlook {{ generation: 1, revision: 0, more: {more} }})");
    let whole = |more, text: &str| vec![expect(more), format!("rehearse: {text}")];
    assert_eq!(to_her("what time is it"), whole("Unlikely", "what time is it"));
    assert_eq!(to_her("set a timer for ten minutes"), whole("Amendable", "set a timer for ten minutes"));
    assert_eq!(to_her("what is twelve times twelve"), whole("Amendable", "what is twelve times twelve"));
    assert_eq!(
        to_her("remember that I like tea"),
        ["rehearse: remember that I like tea"],
        "any word may follow"
    );
    assert_eq!(to_her("set a timer for"), [expect("Likely")]);
    assert_eq!(told(JudgeVerdict::Stop, "stop"), whole("Unlikely", "stop"));
    assert_eq!(to_her("the sky was blue"), ["read ahead: the sky was blue"]);
    let ahead = |more, text: &str| [expect(more), format!("read ahead: {text}")];
    for why in ["Why is the sky blue?", "why is the sky blue"] {
        assert_eq!(to_her(why), ahead("Answerable", why));
    }
    assert_eq!(to_her("The sky was blue."), ahead("Sentence", "The sky was blue."));
    assert_eq!(to_her("Tell me about the"), [expect("Likely")], "a sentence of which more must follow");
    assert!(told(JudgeVerdict::Ignore, "what time is it").is_empty(), "not meant for her");
    let mut flow = woken();
    let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
    let _ = flow.on(heard(1, 0, "what time is it", at));
    let effects = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let [FlowEffect::Answer(question)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(question.meaning, joi_understand::intents::Completeness::Complete);
}

#[test]
fn the_trace_says_where_the_words_came_too_late_to_end_the_utterance() {
    let at = Instant::now();
    let spoken = |known: u64| {
        let decided = at + Duration::from_millis(704);
        let words = heard(1, 0, "what time is it", at + Duration::from_millis(known));
        let end = FlowInput::Ended { utterance: utterance(1, 0, at), decided };
        let mut flow = woken();
        let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
        let both = if known <= 704 { [words, end] } else { [end, words] };
        let effects: Vec<FlowEffect> = both.into_iter().flat_map(|input| flow.on(input)).collect();
        let Some(FlowEffect::Answer(question)) = effects.last() else { panic!("{effects:?}") };
        let trace = first_marks(question);
        trace.decisions.iter().find(|decision| decision.stage == "endpoint").unwrap().clone()
    };
    assert_eq!(spoken(400).verdict, "a whole command");
    assert!(!spoken(704).reason.contains("came"), "known when the end was decided");
    let late = spoken(900);
    assert_eq!(late.verdict, "silence");
    assert!(late.reason.ends_with("ms of silence; the words came 196 ms later"), "{}", late.reason);
}
