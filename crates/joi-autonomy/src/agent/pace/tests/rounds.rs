//! Rounds: what a turn is shown, the gate in front of it, sleeps, failures.

use super::*;

#[test]
fn a_round_refreshes_first_and_then_shows_the_turn_what_has_changed() {
    let entry = "prompt = \"You watch.\"\nautonomy = { enabled = true }\n\
        fields.door = { ttl_s = 60, refresh_tool = \"homeRead\" }";
    let mut scene = Scene::new(entry);
    let begun = scene.pass(0);
    assert_eq!(begun, [AgentEffect::Refresh(vec!["door".into()])]);
    scene.hot.read("door", &json!("open"), Source::Own, scene.now.timestamp()).unwrap();
    let thinking = scene.step(AgentInput::Refreshed);
    assert_eq!(reported(&thinking), ["autonomy:turn_started"]);
    let changes = &turn(&thinking).unwrap().changes;
    assert_eq!((changes[0].name.as_str(), &changes[0].now), ("door", &json!("open")));
    scene.over(None);
    let next = scene.wait();
    assert_eq!(turn(&next).unwrap().changes, [], "only what is new since the last turn");
    assert_eq!(turn(&next).unwrap().turn, 2);
}

#[test]
fn a_failed_refresh_keeps_nothing_from_going_on() {
    let entry = "prompt = \"You watch.\"\nautonomy = { enabled = true }\n\
        fields.door = { ttl_s = 60, refresh_tool = \"homeRead\" }";
    let mut scene = Scene::new(entry);
    scene.pass(0);
    assert!(turn(&scene.step(AgentInput::Refreshed)).is_some());
}

#[test]
fn turns_that_do_not_yield_are_apart_by_the_shortest_pause() {
    let mut scene = Scene::new(OWN);
    assert!(turn(&scene.pass(0)).is_some());
    scene.over(None);
    assert_eq!(turn(&scene.pass(999)), None);
    assert!(turn(&scene.pass(1)).is_some());
    scene.over(Some(YieldOrder::Continue));
    assert_eq!(turn(&scene.pass(999)), None);
    assert!(turn(&scene.pass(1)).is_some());
}

#[test]
fn a_sleep_lasts_as_long_as_it_was_ordered() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.over(sleep(90, &[]));
    assert_eq!(turn(&scene.pass(89_999)), None);
    assert!(turn(&scene.pass(1)).is_some());
}

#[test]
fn only_a_matching_notification_ends_a_sleep_and_it_stands_at_the_top_of_the_turn() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.over(sleep(900, &["opened"]));
    assert_eq!(reported(&scene.notify("rang")), ["autonomy:notification_pushed"]);
    assert_eq!(turn(&scene.set("door", json!("open"))), None, "a changed field wakes nobody");
    let woken = scene.notify("opened");
    let names: Vec<_> = turn(&woken).unwrap().notifications.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["rang", "opened"]);
}

#[test]
fn a_notification_that_came_during_the_turn_ends_its_sleep_at_once() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.notify("opened");
    let next = scene.over(sleep(900, &["opened"]));
    assert_eq!(turn(&next).map(|brief| brief.notifications.len()), Some(1));
}

#[test]
fn notifications_are_gone_once_a_turn_that_saw_them_has_succeeded() {
    let mut scene = Scene::new(OWN);
    scene.notify("opened");
    let mut count = |end| {
        let brief = scene.agent.clone();
        assert!(matches!(brief.phase, AgentPhase::Thinking { .. }));
        scene.ended(end, 10, 0, None);
        let next = scene.wait();
        turn(&next).unwrap().notifications.len()
    };
    assert_eq!(count(TurnEnding::Failed), 1, "the agent has not seen it");
    assert_eq!(count(TurnEnding::Interrupted), 1);
    assert_eq!(count(TurnEnding::Finished), 0);
}

#[test]
fn of_too_many_notifications_the_oldest_are_dropped() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    for number in 0..40 {
        scene.notify(&format!("n{number}"));
    }
    scene.over(None);
    let next = scene.wait();
    let notifications = &turn(&next).unwrap().notifications;
    assert_eq!((notifications.len(), notifications[0].name.as_str()), (32, "n8"));
}

#[test]
fn somebody_who_talks_with_the_agent_wakes_it() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.over(sleep(900, &[]));
    assert!(turn(&scene.step(AgentInput::Talked)).is_some());
}

const GATED: &str =
    "prompt = \"You watch.\"\nautonomy = { enabled = true, precheck_model = \"auto\" }\nfields.door = {}";

#[test]
fn the_gate_skips_what_is_not_material_and_extends_the_pause() {
    let mut scene = Scene::new(GATED);
    assert!(turn(&scene.pass(0)).is_some(), "the first turn takes place");
    scene.over(None);
    scene.set("door", json!("open"));
    let asked = scene.pass(1_000);
    assert!(matches!(&asked[..], [AgentEffect::Precheck(changes)] if changes.len() == 1), "{asked:?}");
    let skipped = scene.step(AgentInput::Prechecked(PrecheckVerdict::Nothing));
    assert_eq!(skipped, [AgentEffect::Report(AgentNews::PrecheckSkipped { changes: 1 })]);
    assert_eq!(scene.pass(9_999), []);
    let again = scene.pass(1);
    assert_eq!(reported(&again), ["autonomy:precheck_skipped"], "the same is not asked about again");
    assert!(!again.iter().any(|effect| matches!(effect, AgentEffect::Precheck(_))));
    scene.set("door", json!("closed"));
    let asked = scene.pass(10_000);
    let since = asked.iter().find_map(|effect| match effect {
        AgentEffect::Precheck(changes) => Some(changes[0].before.clone()),
        _ => None,
    });
    assert_eq!(since, Some(None), "changes are counted from the last turn, not from the last question");
    assert!(turn(&scene.step(AgentInput::Prechecked(PrecheckVerdict::Material))).is_some());
}

#[test]
fn a_gate_that_fails_is_open_and_so_is_one_with_notifications() {
    let mut scene = Scene::new(GATED);
    scene.pass(0);
    scene.over(None);
    scene.set("door", json!("open"));
    scene.pass(1_000);
    assert!(turn(&scene.step(AgentInput::Prechecked(PrecheckVerdict::Failed))).is_some());
    scene.over(None);
    scene.notify("rang");
    assert!(turn(&scene.pass(1_000)).is_some(), "a notification is not asked about");
    scene.over(None);
    scene.set("door", json!("closed"));
    scene.pass(1_000);
    scene.notify("opened");
    assert!(turn(&scene.step(AgentInput::Prechecked(PrecheckVerdict::Nothing))).is_some());
}

#[test]
fn without_a_gate_every_round_is_a_turn() {
    let mut scene = Scene::new(OWN);
    for _ in 0..5 {
        assert!(turn(&scene.pass(1_000)).is_some());
        scene.over(None);
    }
}

#[test]
fn a_model_that_fails_is_asked_again_after_longer_and_longer_pauses() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    let mut pauses = Vec::new();
    for _ in 0..8 {
        let began = scene.now.clone();
        scene.ended(TurnEnding::Failed, 0, 0, None);
        scene.wait();
        pauses.push(scene.now.duration_since(&began).as_millis());
    }
    assert_eq!(pauses, [1_500, 1_500, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
}

#[test]
fn a_shutdown_and_a_stop_end_the_loop_for_good() {
    for input in [
        AgentInput::Stop,
        AgentInput::TurnOver(TurnReport {
            end: TurnEnding::Finished,
            tokens: 1,
            actions: 0,
            order: Some(YieldOrder::Shutdown),
        }),
    ] {
        let mut scene = Scene::new(OWN);
        scene.pass(0);
        assert_eq!(scene.step(input).last(), Some(&AgentEffect::End));
        assert_eq!(scene.agent.next(), None);
        assert_eq!(scene.notify("opened"), []);
        assert_eq!(scene.step(AgentInput::Talked), []);
        assert_eq!(scene.agent.doing(), "ended");
    }
}

#[test]
fn a_heartbeat_comes_at_its_interval_and_is_neither_gated_nor_woken() {
    let entry = "prompt = \"You watch.\"\nheartbeat = { every_min = 30, prompt = \"Look.\" }\n\
        autonomy = { precheck_model = \"auto\" }\nfields.door = {}";
    let mut scene = Scene::new(entry);
    assert_eq!(scene.pass(1_799_999), []);
    assert!(turn(&scene.pass(1)).is_some());
    scene.over(None);
    scene.notify("opened");
    assert_eq!(turn(&scene.pass(1_799_999)), None);
    assert_eq!(turn(&scene.pass(1)).map(|brief| brief.notifications.len()), Some(1));
}

#[test]
fn ten_scripted_turns_leave_this_log() {
    let mut scene = Scene::new(GATED);
    let mut log = Vec::new();
    let mut note = |effects: Vec<AgentEffect>| {
        let is_turn = turn(&effects).is_some();
        log.extend(
            reported(&effects).into_iter().map(|name| name.trim_start_matches("autonomy:").to_owned()),
        );
        is_turn
    };
    let mut done = 0;
    let mut effects = scene.pass(0);
    while done < 10 {
        effects = match note(effects) {
            true => {
                done += 1;
                let order = if done % 3 == 0 { sleep(30, &["opened"]) } else { None };
                scene.over(order)
            }
            false => match done {
                4 => {
                    scene.set("door", json!(format!("seen {}", scene.now)));
                    let asked = scene.wait();
                    note(asked);
                    scene.step(AgentInput::Prechecked(PrecheckVerdict::Material))
                }
                _ => {
                    let pushed = scene.notify(if done == 2 { "opened" } else { "tick" });
                    if turn(&pushed).is_some() {
                        pushed
                    } else {
                        note(pushed);
                        scene.wait()
                    }
                }
            },
        };
    }
    note(effects);
    let started = log.iter().filter(|name| *name == "turn_started").count();
    let completed = log.iter().filter(|name| *name == "turn_completed").count();
    assert_eq!((started, completed), (10, 10), "{log:?}");
    let mut open = false;
    for name in &log {
        match name.as_str() {
            "turn_started" => assert!(!std::mem::replace(&mut open, true), "{log:?}"),
            "turn_completed" => assert!(std::mem::replace(&mut open, false), "{log:?}"),
            _ => {}
        }
    }
    assert!(log.iter().any(|name| name == "notification_pushed"), "{log:?}");
}

#[test]
fn an_agent_without_autonomy_and_heartbeat_only_answers() {
    let mut scene = Scene::new("prompt = \"You watch.\"\nfields.door = {}");
    assert_eq!(
        (scene.pass(0), scene.pass(86_400_000), scene.step(AgentInput::Talked)),
        (vec![], vec![], vec![])
    );
    assert_eq!(reported(&scene.notify("opened")), ["autonomy:notification_pushed"]);
    assert_eq!((turn(&scene.set("door", json!("open"))), scene.agent.next()), (None, None));
}
