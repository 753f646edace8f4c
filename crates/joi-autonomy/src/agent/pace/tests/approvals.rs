//! Calls that wait for a yes.

use super::*;

fn asked(scene: &mut Scene) -> u32 {
    let arguments = json!({"item": "Garage_Door"}).as_object().unwrap().clone();
    let asked = scene.agent.ask("homeCommand", &arguments, "open the garage".into(), scene.now.timestamp());
    match asked {
        ApprovalAsked::Pending(id) => id,
        other => panic!("{other:?}"),
    }
}

fn decision(effects: &[AgentEffect]) -> Option<ApprovalDecision> {
    effects.iter().find_map(|effect| match effect {
        AgentEffect::Report(AgentNews::ApprovalDecided { decision, .. }) => Some(*decision),
        _ => None,
    })
}

#[test]
fn nobody_answers_for_ten_minutes_and_that_is_a_no() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    asked(&mut scene);
    scene.over(sleep(3_600, &[]));
    assert_eq!(decision(&scene.pass(599_999)), None);
    let over = scene.pass(1);
    assert_eq!(decision(&over), Some(ApprovalDecision::Expired));
    let brief = turn(&over).expect("the decision wakes it");
    assert_eq!(brief.notifications[0].name, "approval");
    assert!(brief.notifications[0].text.contains("denied"), "{:?}", brief.notifications);
    assert_eq!(scene.agent.approvals(), []);
    assert_eq!(
        decision(&scene.step(AgentInput::Decided { id: 1, is_yes: true })),
        None,
        "a late yes is none"
    );
}

#[test]
fn a_yes_runs_the_very_call_and_wakes_the_agent() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    let id = asked(&mut scene);
    scene.over(sleep(3_600, &[]));
    let over = scene.step(AgentInput::Decided { id, is_yes: true });
    assert_eq!(decision(&over), Some(ApprovalDecision::Granted));
    let ran = over.iter().find_map(|effect| match effect {
        AgentEffect::Run(approval) => Some(approval.arguments["item"].clone()),
        _ => None,
    });
    assert_eq!(ran, Some(json!("Garage_Door")));
    assert_eq!(turn(&over), None, "what became of it is waited for");
    let told = scene.notify("approval");
    assert_eq!(turn(&told).map(|brief| brief.actions_left), Some(9), "it counts as an action");
}

#[test]
fn a_no_is_a_notification_and_runs_nothing() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    let id = asked(&mut scene);
    let over = scene.step(AgentInput::Decided { id, is_yes: false });
    assert_eq!(decision(&over), Some(ApprovalDecision::Denied));
    assert!(!over.iter().any(|effect| matches!(effect, AgentEffect::Run(_))));
}

#[test]
fn the_same_call_is_asked_about_once_and_not_too_many_wait() {
    let mut scene = Scene::new(OWN);
    let now = scene.now.timestamp();
    let mut ask = |item: usize| {
        let arguments = json!({"item": item}).as_object().unwrap().clone();
        scene.agent.ask("homeCommand", &arguments, String::new(), now)
    };
    assert_eq!((ask(0), ask(0)), (ApprovalAsked::Pending(1), ApprovalAsked::Same(1)));
    for item in 1..8 {
        assert!(matches!(ask(item), ApprovalAsked::Pending(_)));
    }
    assert_eq!(ask(8), ApprovalAsked::Full);
}

#[test]
fn a_decision_does_not_end_the_sleep_of_a_limit() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    let id = asked(&mut scene);
    scene.ended(TurnEnding::OutOfActions, 1, 1, None);
    assert_eq!(turn(&scene.step(AgentInput::Decided { id, is_yes: false })), None);
}
