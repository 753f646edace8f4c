//! Interjections while joi speaks or thinks.

use super::super::super::signals::{StopWordTimes, Why};
use super::*;

#[test]
fn words_over_her_interrupt_and_are_the_beginning_of_what_is_listened_to() {
    let at = Instant::now();
    let mut flow = speaking(at);
    assert_eq!(
        names(&flow.on(over_her(at))),
        ["cancel 8: somebody talked over her", "ears Speaking(Silent)", "ears TakeOver { since: 9000 }"]
    );
    assert_eq!(flow.activity(), Activity::Listening);
    assert!(names(&flow.on(over_her(at))).is_empty(), "once");
    let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
    let text = judged("and in tokyo", JudgeVerdict::FollowUp("and in tokyo".into()));
    assert_eq!(names(&flow.on(result(2, 0, text, at))), ["answer 9: and in tokyo"]);
    let _ = flow.on(FlowInput::Speaking(TurnId(9)));
    let _ = flow.on(over_her(at));
    let _ = flow.on(FlowInput::Ended { utterance: utterance(3, 0, at), decided: at });
    let text = judged("and in rome", JudgeVerdict::FollowUp("and in rome".into()));
    assert_eq!(names(&flow.on(result(3, 0, text, at))), ["answer 10: and in rome"]);
    let _ = flow.on(FlowInput::Speaking(TurnId(10)));
    assert_eq!(names(&flow.on(over_her(at))), ["unduck"], "a television is a follow-up, too");
    let mut flow = speaking(at);
    let _ = flow.on(over_her(at));
    let effects = names(&flow.on(interjected(JudgeVerdict::Stop)));
    assert_eq!(
        effects,
        ["ears Cancel", "ears Speaking(Silent)", "rest: she was told to stop"],
        "its sound said so"
    );
    let mut flow = speaking(at);
    let _ = flow.on(over_her(at));
    assert_eq!(names(&flow.on(FlowInput::NothingSaid)), ["ears Speaking(Silent)", "rest: nobody went on"]);
}

#[test]
fn a_stop_word_cancels_what_she_still_thinks_about() {
    let at = Instant::now();
    let stop = || interjected(JudgeVerdict::Stop);
    let rest = ["ears Cancel", "ears Speaking(Silent)", "rest: she was told to stop"].map(str::to_owned);
    let mut flow = answering(at);
    assert_eq!(names(&flow.on(interjected(JudgeVerdict::Ignore))), [""; 0], "and nothing else does");
    assert_eq!(names(&flow.on(stop()))[0], "cancel 8: she was told to stop");
    assert!(flow.is_idle());
    let mut flow = woken();
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
    let effects = names(&flow.on(stop()));
    assert_eq!((effects[0].as_str(), &effects[1..]), ("drop decodes before 2.0", &rest[..]));
    let mut flow = answering(at);
    let _ = flow.on(FlowInput::Continued { at });
    assert_eq!(names(&flow.on(stop())), rest, "the word seemed to go on with the question");
    let mut flow = woken();
    assert!(names(&flow.on(stop())).is_empty(), "whoever has just called her begins anew");
    assert_eq!(flow.activity(), Activity::Listening);
}

#[test]
fn a_stop_word_beside_an_emergency_is_listened_to_and_answered() {
    let at = Instant::now();
    let sound = from_nobody("", at).sound;
    let over_her =
        |text: &str| FlowInput::Interjected(Ok(Judged { sound, ..judged(text, JudgeVerdict::Stop) }));
    let mut flow = speaking(at);
    let effects = names(&flow.on(over_her("stop, my chest hurts")));
    assert_eq!(effects[0], "cancel 8: somebody talked over her");
    assert_eq!(flow.activity(), Activity::Listening);
    let _ = flow.on(FlowInput::Ended { utterance: utterance(2, 0, at), decided: at });
    let text = judged("stop, my chest hurts", JudgeVerdict::FollowUp("stop, my chest hurts".into()));
    assert_eq!(names(&flow.on(result(2, 0, text, at))), ["answer 9: stop, my chest hurts"]);
    let mut flow = speaking(at);
    assert_eq!(names(&flow.on(over_her("stop, that's enough")))[0], "cancel 8: she was told to stop");
    assert!(flow.is_idle());
}

#[test]
fn the_word_that_stopped_her_is_known_to_the_record_and_an_earlier_one_is_not() {
    let at = Instant::now();
    let mut flow = speaking(at);
    let sound = from_nobody("", at).sound;
    let _ = flow.on(FlowInput::Interjected(Ok(Judged { sound, ..judged("mhm", JudgeVerdict::Ignore) })));
    let [FlowEffect::Cancel(_, why), ..] = &flow.on(wake())[..] else { panic!("she goes on") };
    assert_eq!(*why, Why { reason: "she was called", judged: None, word: None });
    let mut flow = speaking(at);
    let stop = Judged { sound, ..judged("stop", JudgeVerdict::Stop) };
    let [FlowEffect::Cancel(_, why), ..] = &flow.on(FlowInput::Interjected(Ok(stop)))[..] else {
        panic!("she goes on")
    };
    let judged = Some("a test".to_owned());
    let word = StopWordTimes { began: at, ended: at, ducked: None };
    assert_eq!(*why, Why { reason: "she was told to stop", judged, word: Some(word) });
}

#[test]
fn the_record_shows_when_she_became_softer_for_the_word_and_nothing_of_what_she_was_softer_for_before() {
    let began = Instant::now();
    let told = |ducked| {
        let word = StopWordTimes { began, ended: began, ducked };
        Why { reason: "she was told to stop", judged: None, word: Some(word) }.description()
    };
    let soon = told(Some(began + Duration::from_millis(210)));
    assert!(soon.starts_with("she was told to stop; ducked 210 ms after it began, silent "), "{soon}");
    let never = told(None);
    assert!(never.starts_with("she was told to stop; silent "), "{never}");
    let before = told(began.checked_sub(Duration::from_secs(1)));
    assert!(before.starts_with("she was told to stop; silent "), "{before}");
}
