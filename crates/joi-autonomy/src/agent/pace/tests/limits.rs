//! Every limit at its boundary, and a day of a model that wants too much.

use super::*;

/// Has the model never yield, for `turns` turns at the shortest pause.
fn turns_in_a_row(scene: &mut Scene, turns: u32) {
    for number in 0..turns {
        let begun = if number == 0 { scene.pass(0) } else { scene.wait() };
        assert!(turn(&begun).is_some(), "turn {number}: {begun:?}");
        scene.ended(TurnEnding::Finished, 10, 0, None);
        scene.set("door", json!(number));
    }
}

#[test]
fn the_fiftieth_turn_takes_place_and_the_fifty_first_does_not() {
    let mut scene = Scene::new(OWN);
    turns_in_a_row(&mut scene, 50);
    let began = scene.now.clone();
    let next = scene.wait();
    assert_eq!((turn(&next), held(&next)), (None, Some(Guardrail::MaxConsecutiveTurns)));
    scene.notify("opened");
    assert_eq!(turn(&scene.step(AgentInput::Talked)), None, "nobody talks it out of a limit");
    assert!(turn(&scene.wait()).is_some(), "after the forced sleep it goes on");
    assert_eq!(scene.since(&began), 61);
}

#[test]
fn a_sleep_of_its_own_counts_the_turns_anew() {
    let mut scene = Scene::new(OWN);
    turns_in_a_row(&mut scene, 49);
    scene.wait();
    scene.over(sleep(5, &[]));
    scene.wait();
    scene.over(None);
    for _ in 0..48 {
        assert!(turn(&scene.wait()).is_some());
        scene.over(None);
    }
    assert!(turn(&scene.wait()).is_some(), "the fiftieth since the sleep");
    scene.over(None);
    assert_eq!(held(&scene.wait()), Some(Guardrail::MaxConsecutiveTurns));
}

#[test]
fn the_budget_of_tokens_holds_to_the_last_one() {
    for (spent, left) in [(99_999, Some(1)), (100_000, None), (100_001, None)] {
        let mut scene = Scene::new(OWN);
        scene.pass(0);
        scene.ended(TurnEnding::Finished, spent, 0, None);
        let next = scene.wait();
        assert_eq!(turn(&next).map(|brief| brief.tokens_left), left, "{spent}");
        let guardrail = if left.is_none() { Some(Guardrail::TokenBudgetPerHour) } else { None };
        assert_eq!(held(&next), guardrail, "{spent}");
    }
}

#[test]
fn tokens_are_free_again_an_hour_after_they_were_spent() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.ended(TurnEnding::Finished, 60_000, 0, sleep(1_800, &[]));
    scene.wait();
    scene.ended(TurnEnding::Finished, 40_000, 0, None);
    let began = scene.now.clone();
    assert_eq!(held(&scene.wait()), Some(Guardrail::TokenBudgetPerHour));
    let next = scene.wait();
    assert_eq!((scene.since(&began), turn(&next).map(|brief| brief.tokens_left)), (1_800, Some(60_000)));
}

#[test]
fn tokens_beside_turns_count_as_well() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.step(AgentInput::Spent(99_900));
    scene.ended(TurnEnding::Finished, 100, 0, None);
    assert_eq!(held(&scene.wait()), Some(Guardrail::TokenBudgetPerHour));
}

#[test]
fn ten_actions_fit_into_a_minute_and_the_eleventh_ends_the_turn() {
    let mut scene = Scene::new(OWN);
    assert_eq!(turn(&scene.pass(0)).map(|brief| brief.actions_left), Some(10));
    scene.ended(TurnEnding::Finished, 10, 9, None);
    assert_eq!(turn(&scene.wait()).map(|brief| brief.actions_left), Some(1));
    let stopped = scene.ended(TurnEnding::OutOfActions, 10, 1, None);
    assert_eq!(held(&stopped), Some(Guardrail::MaxActionsPerMinute));
    let next = scene.wait();
    assert_eq!(
        turn(&next).map(|brief| brief.actions_left),
        Some(10),
        "the forced sleep is as long as they count"
    );
}

#[test]
fn an_action_counts_for_a_minute_to_the_second() {
    for (seconds, left) in [(59, 0), (60, 10), (61, 10)] {
        let mut scene = Scene::new(OWN);
        scene.pass(0);
        scene.ended(TurnEnding::Finished, 10, 10, sleep(seconds, &[]));
        assert_eq!(turn(&scene.wait()).map(|brief| brief.actions_left), Some(left), "{seconds}");
    }
}

#[test]
fn ten_minutes_in_which_nothing_happens_end_in_a_sleep_that_anything_ends() {
    for (seconds, is_idle) in [(599, false), (600, true), (601, true)] {
        let mut scene = Scene::new(
            "prompt = \"You watch.\"\nautonomy = { enabled = true, min_pause_s = 3600 }\nfields.door = {}",
        );
        scene.agent.limits.min_pause_s = seconds;
        scene.pass(0);
        scene.over(None);
        let next = scene.wait();
        assert_eq!(
            (turn(&next).is_none(), held(&next) == Some(Guardrail::IdleTimeout)),
            (is_idle, is_idle),
            "{seconds}"
        );
        if is_idle {
            assert_eq!(scene.agent.next(), None);
            assert!(turn(&scene.set("door", json!("open"))).is_some());
        }
    }
}

#[test]
fn whatever_happens_counts_against_idleness() {
    let mut scene = Scene::new(OWN);
    scene.agent.limits.min_pause_s = 400;
    scene.pass(0);
    let over = |scene: &mut Scene, actions| scene.ended(TurnEnding::Finished, 1, actions, None);
    over(&mut scene, 1);
    scene.wait();
    over(&mut scene, 1);
    assert!(turn(&scene.wait()).is_some(), "an action");
    over(&mut scene, 0);
    scene.pass(100_000);
    scene.notify("rang");
    assert!(turn(&scene.wait()).is_some(), "a notification");
    over(&mut scene, 0);
    scene.step(AgentInput::Talked);
    assert!(turn(&scene.wait()).is_some(), "a talk");
    over(&mut scene, 0);
    scene.pass(399_000);
    scene.set("door", json!("open"));
    scene.agent.limits.min_pause_s = 601;
    assert!(turn(&scene.wait()).is_some(), "a changed field");
    over(&mut scene, 0);
    assert_eq!(held(&scene.wait()), Some(Guardrail::IdleTimeout));
}

#[test]
fn a_long_sleep_is_no_idleness() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.over(sleep(7_200, &[]));
    assert!(turn(&scene.wait()).is_some());
}

#[test]
fn it_works_from_eight_to_eleven_at_night_to_the_second() {
    for (now, works) in [
        ("2026-03-04T07:59:59", false),
        ("2026-03-04T08:00:00", true),
        ("2026-03-04T22:59:59", true),
        ("2026-03-04T23:00:00", false),
    ] {
        let mut scene = Scene::at(OWN, &format!("{now}[Europe/Vienna]"));
        let begun = scene.pass(0);
        assert_eq!(turn(&begun).is_some(), works, "{now}");
        if !works {
            assert_eq!(held(&begun), Some(Guardrail::ActiveHours));
            scene.notify("opened");
            scene.step(AgentInput::Talked);
            assert!(turn(&scene.wait()).is_some());
            assert_eq!((scene.now.hour(), scene.now.minute(), scene.now.second()), (8, 0, 0));
        }
    }
}

#[test]
fn hours_may_cross_midnight() {
    let entry = format!("active_hours = [\"22:00-06:00\"]\n{OWN}");
    for (hour, works) in
        [("21:59:59", false), ("22:00:00", true), ("03:00:00", true), ("05:59:59", true), ("06:00:00", false)]
    {
        let mut scene = Scene::at(&entry, &format!("2026-03-04T{hour}[Europe/Vienna]"));
        assert_eq!(turn(&scene.pass(0)).is_some(), works, "{hour}");
    }
}

#[test]
fn a_clock_that_is_put_back_voids_no_limit() {
    let mut scene = Scene::new(OWN);
    scene.pass(0);
    scene.ended(TurnEnding::Finished, 100_000, 10, None);
    scene.now = scene.now.checked_sub(30.minutes()).unwrap();
    let at = scene.now.timestamp();
    assert_eq!(scene.agent.counters.tokens_left(&scene.agent.limits, at), 0);
}

#[test]
fn a_day_of_a_model_that_never_yields_stays_within_every_limit() {
    let mut scene = Scene::at(OWN, "2026-03-04T00:00:00[Europe/Vienna]");
    let midnight = scene.now.clone();
    let mut spent: Vec<(Timestamp, u64, u32)> = Vec::new();
    let mut effects = scene.pass(0);
    let (mut in_a_row, mut turns) = (0, 0);
    while scene.since(&midnight) < 86_400 {
        if held(&effects).is_some() {
            in_a_row = 0;
        }
        effects = match turn(&effects) {
            Some(brief) => {
                (in_a_row, turns) = (in_a_row + 1, turns + 1);
                assert!(in_a_row <= 50);
                assert!((8..23).contains(&scene.now.hour()), "{}", scene.now);
                let (tokens, actions) = (brief.tokens_left.min(1_300), brief.actions_left.min(3));
                spent.push((scene.now.timestamp(), tokens, actions));
                let end = if actions < 3 { TurnEnding::OutOfActions } else { TurnEnding::Finished };
                scene.ended(end, tokens, actions, None)
            }
            None => scene.wait(),
        };
    }
    assert!(turns > 100, "it works: {turns}");
    for (at, ..) in &spent {
        let within = |seconds: i64| {
            spent.iter().filter(move |(then, ..)| (0..seconds).contains(&at.duration_since(*then).as_secs()))
        };
        assert!(within(3_600).map(|(_, tokens, _)| tokens).sum::<u64>() <= 100_000);
        assert!(within(60).map(|(.., actions)| actions).sum::<u32>() <= 10);
    }
}
