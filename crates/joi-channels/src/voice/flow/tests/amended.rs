//! Who goes on with a command that is carried out already.

use super::*;
use crate::voice::signals::Continuation;

#[test]
fn what_was_set_is_taken_up_by_the_whole_as_long_as_nothing_is_heard() {
    let at = Instant::now();
    for text in ["set a timer for ten minutes", "wake me at seven", "what time is it"] {
        let mut flow = answering_to(text, at);
        let _ = flow.on(FlowInput::Acted(TurnId(8)));
        assert_eq!(names(&flow.on(FlowInput::Continued { at })), ["cancel 8: the speaker went on"], "{text}");
        let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
        let effects = flow.on(heard(2, 0, "set a timer for ten minutes and thirty seconds", at));
        let [FlowEffect::Answer(question)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(question.continues, Some(Continuation::Answered), "{text}");
    }
    let mut flow = answering_to("set a timer for ten minutes", at);
    let _ = flow.on(FlowInput::Speaking(TurnId(8)));
    assert!(names(&flow.on(FlowInput::Continued { at })).is_empty(), "what is heard is an answer");
}

#[test]
fn what_was_not_answered_yet_has_set_nothing() {
    let at = Instant::now();
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let _ = flow.on(FlowInput::Continued { at });
    let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
    let effects = flow.on(heard(2, 0, "set a timer for ten minutes and thirty seconds", at));
    let [FlowEffect::Answer(question)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(question.continues, Some(Continuation::Unanswered));
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let effects = flow.on(heard(1, 0, "what time is it", at));
    let [FlowEffect::Answer(question)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(question.continues, None);
}

#[test]
fn what_was_done_or_is_being_said_is_not_taken_back_by_more_words() {
    let at = Instant::now();
    let mut flow = answering_to("cancel the timer", at);
    let _ = flow.on(FlowInput::Acted(TurnId(8)));
    assert!(names(&flow.on(FlowInput::Continued { at })).is_empty());
    let mut flow = speaking(at);
    assert!(names(&flow.on(FlowInput::Continued { at })).is_empty());
    let _ = flow.on(FlowInput::Acted(TurnId(8)));
    assert_eq!(flow.activity(), Activity::Speaking, "an action after the first word changes nothing");
}
