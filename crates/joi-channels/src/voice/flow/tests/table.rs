//! Every input in every phase, and any inputs in any order.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

fn phase(flow: &Flow) -> &'static str {
    match &flow.phase {
        Phase::Idle => "idle",
        Phase::Listening { by: Opening::Called { attempt: Attempt::First, .. }, .. } => "called",
        Phase::Listening { by: Opening::Called { attempt: Attempt::Second, .. }, .. } => "called again",
        Phase::Listening { by: Opening::Window, .. } => "window",
        Phase::Listening { by: Opening::Interruption, .. } => "interrupted",
        Phase::Transcribing { .. } => "transcribing",
        Phase::Answering { progress: Progress::Begun { .. }, .. } => "answering",
        Phase::Answering { progress: Progress::Committed, .. } => "committed",
        Phase::Answering { progress: Progress::Audible, .. } => "speaking",
    }
}

/// What each input does in each phase.
#[test]
fn the_transition_table() {
    let at = Instant::now();
    let transcribing = || {
        let mut flow = woken();
        let _ = flow.on(FlowInput::Ended { utterance: utterance(1, 0, at), decided: at });
        flow
    };
    let again = || {
        let mut flow = transcribing();
        let _ = flow.on(heard(1, 0, "", at));
        flow
    };
    let interrupted = || {
        let mut flow = speaking(at);
        let _ = flow.on(over_her(at));
        flow
    };
    let phases: [&dyn Fn() -> Flow; 8] = [
        &resting,
        &woken,
        &again,
        &transcribing,
        &|| answering(at),
        &|| speaking(at),
        &|| window(at),
        &interrupted,
    ];
    let inputs: [(&str, &dyn Fn() -> FlowInput); 19] = [
        ("wake phrase", &wake),
        ("request", &|| FlowInput::Requested { at }),
        ("silence asked", &|| FlowInput::Silenced),
        ("speech", &|| FlowInput::Started { at }),
        ("pause", &|| FlowInput::Paused(utterance(1, 0, at))),
        ("resumed", &|| FlowInput::Resumed { generation: 1, revision: 1 }),
        ("continued", &|| FlowInput::Continued { at }),
        ("end of speech", &|| FlowInput::Ended { utterance: utterance(2, 0, at), decided: at }),
        ("nothing said", &|| FlowInput::NothingSaid),
        ("deaf", &|| FlowInput::Deaf("the microphone is gone")),
        ("words", &|| heard(1, 0, "hello", at)),
        ("someone speaks", &|| FlowInput::Interrupting),
        ("stop word", &|| interjected(JudgeVerdict::Stop)),
        ("words over her", &|| over_her(at)),
        ("first sample", &|| FlowInput::Speaking(TurnId(8))),
        ("acted", &|| FlowInput::Acted(TurnId(8))),
        ("turn over", &|| over(8, at)),
        ("announcement", &|| FlowInput::Announcing),
        ("alarm", &|| FlowInput::Alarming),
    ];
    let mut table = String::new();
    for make in phases {
        for (name, input) in inputs {
            let mut flow = make();
            let from = phase(&flow);
            let effects = names(&flow.on(input())).join(", ");
            writeln!(table, "{from:13} {name:15} {:13} {effects}", phase(&flow)).unwrap();
        }
    }
    insta::assert_snapshot!(table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
}

fn inputs() -> impl Strategy<Value = Vec<(u8, u64)>> {
    prop::collection::vec((0_u8..19, 1_u64..14), 0..80)
}

proptest! {
    /// Whatever happens in whatever order: one answer at a time, every answer is cancelled or played to its
    /// end before the next, and joi's ears know whether joi speaks.
    #[test]
    fn she_never_answers_two_questions_at_once(script in inputs()) {
        let at = Instant::now();
        let mut flow = resting();
        let (mut open, mut talking): (Option<u64>, bool) = (None, false);
        for (kind, n) in script {
            let verdict = [JudgeVerdict::FollowUp("so".into()), JudgeVerdict::Echo, JudgeVerdict::Stop, JudgeVerdict::Ignore][n as usize % 4].clone();
            let input = match kind {
                0 => wake(),
                1 => FlowInput::Requested { at },
                2 => FlowInput::Paused(utterance(n, 0, at)),
                3 => FlowInput::Resumed { generation: n, revision: 1 },
                4 => FlowInput::Continued { at },
                5 => FlowInput::Ended { utterance: utterance(n, 0, at), decided: at },
                6 => FlowInput::NothingSaid,
                7 | 8 => result(n, 0, judged("so", verdict), at),
                9 => FlowInput::Interrupting,
                10 => interjected(verdict),
                11 => FlowInput::Speaking(TurnId(7 + n)),
                12 => FlowInput::Acted(TurnId(7 + n)),
                13 => over(7 + n, at),
                14 => over_her(at),
                15 => FlowInput::Started { at },
                16 => FlowInput::Alarming,
                17 => FlowInput::Silenced,
                _ => FlowInput::Announcing,
            };
            let ended = match &input { FlowInput::TurnOver { turn, .. } => Some(turn.0), _ => None };
            for effect in flow.on(input) {
                match effect {
                    FlowEffect::Answer(question) => {
                        prop_assert_eq!(open, None);
                        open = Some(question.turn.0);
                    }
                    FlowEffect::Announce(turn) => {
                        prop_assert_eq!(open, None);
                        open = Some(turn.0);
                    }
                    FlowEffect::Cancel(turn, _) => {
                        prop_assert_eq!(open, Some(turn.0));
                        open = None;
                    }
                    FlowEffect::Ears(HearCommand::Speaking(state)) => talking = state == SpeakingState::Talking,
                    _ => {}
                }
            }
            if open.is_some() && open == ended {
                open = None;
            }
            prop_assert_eq!(flow.activity() == Activity::Speaking, talking);
            prop_assert_eq!(open.is_some(), matches!(flow.phase, Phase::Answering { .. }));
        }
    }
}
