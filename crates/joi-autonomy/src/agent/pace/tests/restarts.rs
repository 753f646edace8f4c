//! What a loop goes on with after a restart, and its rest.

use super::*;
use crate::agent::lines::AgentRest;

fn ask(scene: &mut Scene, item: &str) -> u32 {
    let arguments = json!({ "item": item }).as_object().unwrap().clone();
    let asked = scene.agent.ask("homeCommand", &arguments, format!("open {item}"), scene.now.timestamp());
    match asked {
        ApprovalAsked::Pending(id) => id,
        other => panic!("{other:?}"),
    }
}

/// The same agent in the next run of the program.
fn restarted(scene: &Scene, entry: &str) -> Scene {
    let mut next = Scene::at(entry, &scene.now.to_string());
    next.agent = next.agent.going_on(scene.agent.kept(), scene.now.timestamp());
    next
}

#[test]
fn nothing_that_waited_or_ran_is_done_after_a_restart_and_the_agent_hears_of_both() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    let (granted, waiting) = (ask(&mut scene, "garage"), ask(&mut scene, "gate"));
    scene.step(AgentInput::Decided { id: granted, is_yes: true });
    let mut next = restarted(&scene, OWN);
    let began = next.pass(0);
    let runs = |effects: &[AgentEffect]| effects.iter().any(|effect| matches!(effect, AgentEffect::Run(_)));
    assert!(!runs(&began));
    let texts: Vec<&str> = turn(&began).unwrap().notifications.iter().map(|one| one.text.as_str()).collect();
    assert!(texts[0].contains("so it was denied") && texts[1].contains("outcome is unknown"), "{texts:?}");
    assert_eq!(next.agent.approvals(), []);
    assert_eq!(next.agent.lapsed().map(|call| call.id), Some(waiting));
    for id in [granted, waiting] {
        assert!(!runs(&next.step(AgentInput::Decided { id, is_yes: true })));
    }
    assert_eq!(ask(&mut next, "gate"), waiting + 1, "a number is never used again");
}

#[test]
fn what_was_done_is_not_kept_as_running() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    let id = ask(&mut scene, "garage");
    scene.step(AgentInput::Decided { id, is_yes: true });
    assert_eq!(scene.agent.kept().running.len(), 1);
    let (name, text, source) = ("approval".to_owned(), "done".to_owned(), Source::Own);
    scene.step(AgentInput::Ran(id, Notification { name, text, source }));
    assert_eq!(scene.agent.kept().running, []);
}

#[test]
fn tokens_of_the_hour_count_on_and_are_free_again_an_hour_after_they_were_spent() {
    const POOR: &str = "prompt = \"You watch.\"\nautonomy = { enabled = true, token_budget_per_hour = 1000 }";
    let mut scene = Scene::new(POOR);
    scene.pass(0);
    scene.ended(TurnEnding::Finished, 1_000, 0, None);
    scene.now = scene.now.checked_add(1.minute()).unwrap();
    let mut next = restarted(&scene, POOR);
    let began = next.pass(0);
    assert_eq!((turn(&began), held(&began)), (None, Some(Guardrail::TokenBudgetPerHour)));
    assert_eq!(turn(&next.pass(59 * 60_000 - 1)), None);
    assert!(turn(&next.pass(1)).is_some());
}

#[test]
fn a_rest_ends_at_the_owners_word_alone_and_outlasts_a_restart() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.over(sleep(60, &["rang"]));
    scene.step(AgentInput::Rest(AgentRest::Pause));
    assert_eq!(scene.agent.doing(), "paused");
    assert_eq!(turn(&scene.notify("rang")), None);
    assert_eq!(turn(&scene.pass(86_400_000)), None);
    let mut next = restarted(&scene, OWN);
    assert_eq!((turn(&next.pass(0)), next.agent.doing()), (None, "paused"));
    assert!(turn(&next.step(AgentInput::Rest(AgentRest::Resume))).is_some());
}
