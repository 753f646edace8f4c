//! Whose words a goal has read: what a task may do, what is a stranger's in everything that follows, what waits for a yes.

use joi_base::message::Origin;
use joi_tools::{Effect, fence};
use serde_json::json;

use super::scripted::{Bench, Deed, call, writes};
use crate::kind::TYPES;
use crate::modes::RunMode;
use crate::tools::SEND_MESSAGE;

#[tokio::test(start_paused = true)]
async fn a_task_is_offered_tools_that_look_alone_and_those_its_goal_may_use() {
    let tools = [
        Deed::new("webLook", Effect::Fetches, false),
        Deed::new("closeGarage", Effect::Changes, false),
        Deed::new("fsRead", Effect::Looks, true),
        Deed::new("fsOther", Effect::Looks, true),
    ];
    let tools = tools.map(|tool| tool as std::sync::Arc<dyn joi_tools::Tool>).to_vec();
    let bench = Bench::with(vec![writes("Found.")], tools.clone(), TYPES);
    let goal = bench.goal().await;
    let task = bench.task(goal).await;
    bench.run(task, RunMode::Child).await;
    let head = bench.head();
    for (name, is_offered) in [
        ("webLook", true),
        ("fsRead", true),
        ("create_note", true),
        ("closeGarage", false),
        ("fsOther", false),
        ("send_message", false),
        ("create_task", false),
        ("manage_learning", false),
        ("search_agent_history", false),
    ] {
        assert_eq!(head.contains(name), is_offered, "{name}: {head}");
    }
    let bench = Bench::with(vec![writes("Found.")], tools, TYPES);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::CheckIn).await;
    let head = bench.head();
    assert!(head.contains("closeGarage") && !head.contains("fsOther"), "{head}");
}

#[tokio::test(start_paused = true)]
async fn what_a_task_has_read_is_a_strangers_in_the_note_the_next_prompt_the_message_and_the_archive() {
    let web = Deed::new("webLook", Effect::Fetches, false);
    let bench = Bench::with(
        vec![
            call("webLook", json!({})),
            writes("May is mild (example.org)."),
            call("create_note", json!({ "text": "mild in May" })),
            call("manage_learning", json!({ "action": "add", "text": "likes it mild" })),
            call(SEND_MESSAGE, json!({ "text": "May is mild." })),
        ],
        vec![web.clone()],
        TYPES,
    );
    let goal = bench.goal().await;
    let task = bench.task(goal).await;
    bench.run(task, RunMode::Child).await;
    let notes = bench.store.work_notes(goal, "note", 9).await.unwrap();
    assert_eq!((web.ran(), notes[0].origin), (1, Origin::Stranger));
    bench.run(goal, RunMode::Chat).await;
    let prompt = bench.asked()[2].clone();
    assert!(fence::is_fenced(&prompt) && prompt.contains("May is mild (example.org)."), "{prompt}");
    let kept = bench.store.work_notes(goal, "note", 9).await.unwrap();
    let learnt = bench.store.work_notes(goal, "learning", 9).await.unwrap();
    assert!(kept.iter().chain(&learnt).all(|note| note.origin == Origin::Stranger));
    let message = bench.cells(goal).await.pop().unwrap();
    assert_eq!((message.text.as_str(), message.origin), ("May is mild.", Origin::Stranger));
    assert_eq!(bench.announced(), ["About trip to Tokyo, from what was read elsewhere: May is mild."]);
    let steps = bench.store.steps(goal, 100).await.unwrap();
    assert!(steps.iter().all(|step| step.origin == Origin::Stranger));
}

#[tokio::test(start_paused = true)]
async fn what_has_an_effect_waits_for_a_yes_and_a_task_does_not_even_ask() {
    let garage = Deed::new("closeGarage", Effect::Changes, false);
    let bench =
        Bench::with(vec![call("closeGarage", json!({})), writes("It waits.")], vec![garage.clone()], TYPES);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::CheckIn).await;
    let waiting: Vec<_> = {
        let approvals = bench.orchestrator.world().approvals();
        approvals.calls.waiting().iter().map(|call| call.tool.clone()).collect()
    };
    assert_eq!((garage.ran(), waiting), (0, vec!["closeGarage".to_owned()]));

    let bench = Bench::with(
        vec![call("closeGarage", json!({})), writes("I could not.")],
        vec![garage.clone()],
        TYPES,
    );
    let goal = bench.goal().await;
    let task = bench.task(goal).await;
    bench.run(task, RunMode::Child).await;
    assert_eq!(garage.ran(), 0);
    assert!(bench.orchestrator.world().approvals().calls.waiting().is_empty());
    assert!(bench.asked()[1].contains("There is no tool closeGarage"), "{}", bench.asked()[1]);
}

#[tokio::test(start_paused = true)]
async fn secrets_are_taken_out_of_what_is_stored() {
    let secret = "my password is hunter2secret";
    let bench = Bench::new(vec![
        call("create_note", json!({ "text": secret })),
        call(SEND_MESSAGE, json!({ "text": "Noted." })),
    ]);
    let goal = bench.goal().await;
    let typed = (Origin::Typing, "typed");
    crate::owner::say(&bench.store, goal, secret, typed, bench.now()).await.unwrap();
    bench.run(goal, RunMode::Chat).await;
    let thread = bench.thread(goal).await.concat();
    let notes = format!("{:?}", bench.store.work_notes(goal, "note", 9).await.unwrap());
    let steps = format!("{:?}", bench.store.steps(goal, 100).await.unwrap());
    for stored in [thread, notes, steps] {
        assert!(!stored.contains("hunter2secret"), "{stored}");
    }
}
