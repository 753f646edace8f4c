//! What outlasts the program: the budget of the hour, questions, numbers of calls, a rest.

use super::*;
use joi_autonomy::agent::lines::AgentRest;
use joi_store::Store;

/// Wants to close the garage, then sleeps.
fn closes(last: &str) -> String {
    match last.contains("pending") || last.contains("notification approval") || last.contains("waits for") {
        true => yields(3_600, &[]),
        false => call("closeGarage", json!({})),
    }
}

/// The program ends without a word.
async fn killed(bench: Bench) {
    let mut running = bench.running;
    running.shutdown().await;
}

fn agent(thoughts: fn(&str) -> String, kept: &KeptAgents) -> Bench {
    Bench::keeping(kept.clone(), Duration::from_secs(2), GARAGE, thoughts)
}

#[tokio::test(start_paused = true)]
async fn a_restart_announces_an_open_question_as_denied_and_does_nothing() {
    let kept = KeptAgents::new(None);
    let mut before = agent(closes, &kept);
    before.pass(10).await;
    assert_eq!(before.agents.rows()[0].approvals[0].approval, 1);
    killed(before).await;
    let mut after = agent(closes, &kept);
    after.pass(10).await;
    let told = "I was restarted before you answered the garage agent, so it was told no: close the garage.";
    assert_eq!(after.announced(), [told]);
    assert!(after.agents.decide("garage", 1, true).await.is_err(), "its number is never used again");
    assert!(after.asked()[0].contains("joi was restarted"), "{:?}", after.asked());
    killed(after).await;
    let mut third = agent(closes, &kept);
    third.pass(10).await;
    assert!(third.announced().iter().all(|announced| announced != told), "it is told once");
    assert_eq!(third.deeds(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_restart_does_not_reset_the_budget_of_the_hour() {
    let kept = KeptAgents::new(None);
    let limited = |kept: &KeptAgents| {
        let entry = GARAGE.replace(
            "autonomy = { enabled = true }",
            "autonomy = { enabled = true, token_budget_per_hour = 5000 }",
        );
        Bench::keeping(kept.clone(), Duration::from_secs(2), &entry, |_| "Nothing.".to_owned())
    };
    let mut turns = 0;
    for _ in 0..10 {
        let mut bench = limited(&kept);
        bench.pass(10).await;
        turns += bench.turns();
        killed(bench).await;
    }
    assert!((1..=5).contains(&turns), "a turn costs 1000 tokens, and {turns} were made");
    let mut bench = limited(&kept);
    bench.pass(5).await;
    assert_eq!((bench.turns(), bench.asked().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_rest_outlasts_the_program_and_ends_at_the_owners_word() {
    let kept = KeptAgents::new(None);
    let mut before = agent(watchful, &kept);
    before.pass(10).await;
    before.agents.rest("garage", AgentRest::Pause).unwrap();
    before.pass(10).await;
    assert_eq!(before.agents.rows()[0].doing, "paused");
    killed(before).await;
    let mut after = agent(watchful, &kept);
    after.pass(10).await;
    after.house.send_replace(garage("0"));
    after.pass(60).await;
    assert_eq!((after.turns(), after.announced()), (0, vec![]));
    after.agents.rest("garage", AgentRest::Resume).unwrap();
    after.pass(10).await;
    assert_eq!(after.announced(), ["The garage door is open."]);
}

#[tokio::test(start_paused = true)]
async fn a_pause_ends_the_turn_that_runs() {
    let slow = Duration::from_secs(60);
    let mut bench = Bench::keeping(KeptAgents::new(None), slow, GARAGE, watchful);
    bench.pass(10).await;
    assert_eq!(bench.agents.rows()[0].doing, "thinking");
    bench.agents.rest("garage", AgentRest::Pause).unwrap();
    bench.pass(5).await;
    assert_eq!(bench.agents.rows()[0].doing, "paused");
    let ended =
        |news: &AgentNews| matches!(news, AgentNews::TurnCompleted { end: TurnEnding::Interrupted, .. });
    assert_eq!(bench.count(ended), 1);
}

#[tokio::test]
async fn what_is_kept_is_on_the_disk_when_that_is_said() {
    let store = Store::in_memory().unwrap();
    let spent = vec![("2026-03-04T12:00:00Z".parse().unwrap(), 700)];
    let kept = joi_autonomy::agent::kept::KeptAgent { tokens: spent, last: 4, ..Default::default() };
    KeptAgents::new(Some(store.clone())).keep("garage", kept.clone()).await.unwrap();
    let again = KeptAgents::new(Some(store.clone()));
    assert_eq!((again.of("garage").await, again.of("attic").await), (kept, Default::default()));
    store.set_setting(joi_store::AGENTS, "no JSON".to_owned()).await.unwrap();
    assert_eq!(KeptAgents::new(Some(store)).of("garage").await, Default::default());
}
