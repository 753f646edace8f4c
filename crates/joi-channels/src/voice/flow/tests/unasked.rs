//! What joi says without having been asked, and who has the floor then.

use super::*;
use joi_schedule::announce::Floor;

#[test]
fn she_speaks_up_only_when_nothing_is_going_on() {
    let at = Instant::now();
    for mut flow in [woken(), answering(at), speaking(at), window(at)] {
        assert!(names(&flow.on(FlowInput::Announcing)).is_empty());
    }
    let mut flow = resting();
    assert_eq!(names(&flow.on(FlowInput::Announcing)), ["announce 8"]);
    assert_eq!(names(&flow.on(FlowInput::Speaking(TurnId(8)))), ["ears Speaking(Talking)"]);
    let rest = FlowInput::TurnOver { turn: TurnId(8), at, after: After::Rest };
    assert_eq!(names(&flow.on(rest)), ["ears Speaking(Silent)"]);
}

#[test]
fn whoever_calls_has_the_floor_for_certain_only_while_he_speaks() {
    let at = Instant::now();
    let mut flow = resting();
    assert_eq!(flow.floor(), Floor::Free);
    let _ = flow.on(FlowInput::Requested { at });
    assert_eq!(flow.floor(), Floor::Called { since: at });
    let _ = flow.on(FlowInput::Started { at });
    assert_eq!(flow.floor(), Floor::User { since: at });
    // A pause of a tenth of a second is in the middle of a sentence.
    let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
    assert_eq!(flow.floor(), Floor::User { since: at });
    let _ = flow.on(FlowInput::Resumed { generation: 1, revision: 1 });
    assert_eq!(flow.floor(), Floor::User { since: at });
    let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 1, at), decided: at });
    assert_eq!(flow.floor(), Floor::Heard);
    let later = at + Duration::from_secs(1);
    let _ = flow.on(heard(1, 1, "", later));
    assert_eq!(flow.floor(), Floor::Called { since: later }, "there was nothing in it");
    assert_eq!(answering(at).floor(), Floor::Answer);
    let mut flow = window(at);
    assert_eq!(flow.floor(), Floor::FollowUp);
    let spoke = at + Duration::from_secs(2);
    let _ = flow.on(FlowInput::Started { at: spoke });
    assert_eq!(flow.floor(), Floor::User { since: spoke }, "since the voice began");
}

#[test]
fn an_alarm_ends_whatever_goes_on_and_is_reported() {
    let at = Instant::now();
    let transcribing = || {
        let mut flow = woken();
        let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
        flow
    };
    let spoken = || {
        let mut flow = woken();
        let _ = flow.on(FlowInput::Started { at });
        flow
    };
    let paused = || {
        let mut flow = spoken();
        let _ = flow.on(FlowInput::Paused(utterance(1, 0, at)));
        flow
    };
    let given_up = "give up 8: there is an alarm";
    let cases: [(Flow, &[&str]); 7] = [
        (resting(), &["announce 8"]),
        (woken(), &["ears Cancel", "ears Speaking(Silent)", "announce 8"]),
        (spoken(), &["ears Cancel", given_up, "ears Speaking(Silent)", "announce 9"]),
        (
            paused(),
            &["drop decodes before 2.0", "ears Cancel", given_up, "ears Speaking(Silent)", "announce 9"],
        ),
        (transcribing(), &["drop decodes before 2.0", "ears Cancel", "ears Speaking(Silent)", "announce 8"]),
        (speaking(at), &["cancel 8: there is an alarm", "ears Speaking(Silent)", "announce 9"]),
        (window(at), &["ears Cancel", "ears Speaking(Silent)", "announce 9"]),
    ];
    for (mut flow, expected) in cases {
        assert_eq!(names(&flow.on(FlowInput::Alarming)), expected);
        assert_eq!(flow.floor(), Floor::Answer);
        assert!(names(&flow.on(heard(1, 0, "what time is it", at))).is_empty(), "nothing else is answered");
    }
}
