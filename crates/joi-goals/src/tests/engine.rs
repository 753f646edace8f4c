//! Runs: what is consumed, said, noted, handed on, archived and counted; and what becomes of them when the model fails.

use jiff::SignedDuration;
use joi_base::message::Origin;
use joi_llm::LlmError;
use joi_store::{NewWork, UsageSum};
use serde_json::json;
use tokio::time::{Duration, advance};

use super::scripted::{Bench, DIARIST, Next, WITH_DIARIST, call, writes};
use crate::modes::RunMode;
use crate::orchestrator::RunOutcome;
use crate::owner;
use crate::tools::SEND_MESSAGE;

#[tokio::test(start_paused = true)]
async fn a_message_is_consumed_answered_once_said_aloud_and_counted() {
    let mut bench = Bench::new(vec![
        call("create_note", json!({ "text": "May is wanted", "source": "owner" })),
        call(SEND_MESSAGE, json!({ "text": "I will look for trains." })),
    ]);
    let goal = bench.goal().await;
    assert_eq!(bench.row(goal).await.unread, 1);
    let outcome = bench.run(goal, RunMode::Chat).await;
    assert!(matches!(outcome, RunOutcome::Over(_)), "{outcome:?}");
    let thread = bench.thread(goal).await;
    assert_eq!(
        thread,
        ["user: two weeks in May", "agent: note 1: May is wanted", "agent: I will look for trains."]
    );
    assert_eq!(bench.announced(), ["About trip to Tokyo: I will look for trains."]);
    let row = bench.row(goal).await;
    assert_eq!((row.unread, row.run, row.locked, row.status.as_str()), (0, None, None, "working"));
    let usage = bench.store.usage_since(jiff::Timestamp::MIN).await.unwrap();
    let sum = usage.iter().fold(UsageSum::default(), UsageSum::plus);
    assert_eq!((sum.calls, sum.tokens_in, sum.tokens_out, sum.cost_micros), (2, 180, 20, 0));
    assert!(usage.iter().all(|one| (one.purpose.as_str(), one.model.as_str()) == ("goals", "scripted")));
    assert_eq!(
        bench.events(),
        [
            "goal:run_started",
            "goal:think",
            "goal:tool_started",
            "goal:tool_completed",
            "goal:think",
            "goal:tool_started",
            "goal:message",
            "goal:tool_completed",
            "goal:run_completed",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn three_notes_are_three_cells_and_six_entries_of_the_inner_history() {
    let note = |n: u32| call("create_note", json!({ "text": format!("note of {n}") }));
    let bench = Bench::new(vec![note(1), note(2), note(3), writes("done")]);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::CheckIn).await;
    let cells = bench.cells(goal).await;
    assert_eq!(cells.iter().filter(|cell| cell.kind == "tool").count(), 3);
    let steps = bench.store.steps(goal, 100).await.unwrap();
    let roles: Vec<_> = steps.iter().map(|step| step.role.as_str()).collect();
    assert_eq!(roles, ["call", "result"].repeat(3));
}

#[tokio::test(start_paused = true)]
async fn what_a_model_writes_in_place_of_a_message_is_one_where_somebody_waits_and_else_nothing() {
    let bench = Bench::new(vec![writes("May sounds good."), writes("Nothing to do.")]);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::Chat).await;
    bench.run(goal, RunMode::CheckIn).await;
    assert_eq!(bench.thread(goal).await, ["user: two weeks in May", "agent: May sounds good."]);
}

#[tokio::test(start_paused = true)]
async fn a_second_start_is_refused_while_one_runs() {
    let bench = Bench::new(vec![writes("first")]);
    let goal = bench.goal().await;
    let row = bench.row(goal).await;
    let start =
        || bench.orchestrator.run(&row, RunMode::Chat, joi_autonomy::agent::turn::AgentCaller::Nobody);
    let (one, other) = tokio::join!(start(), start());
    let outcomes = [one.unwrap(), other.unwrap()];
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == RunOutcome::Refused).count(), 1, "{outcomes:?}");
    assert_eq!(bench.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cut_off_in_any_phase_loses_no_message_and_answers_none_twice() {
    // Each second the model has written once more: the run is dropped after so many of them.
    for seconds in 0..4 {
        let bench = Bench::new(vec![
            call("create_note", json!({ "text": "one" })),
            call(SEND_MESSAGE, json!({ "text": "Here is the answer." })),
            writes("Here is the answer again."),
        ]);
        let goal = bench.goal().await;
        let cut = Duration::from_millis(seconds * 1_000 + 500);
        let _ = tokio::time::timeout(cut, bench.run(goal, RunMode::Chat)).await;
        let answers = |thread: &[String]| thread.iter().filter(|line| line.contains("Here is")).count();
        let said = answers(&bench.thread(goal).await);
        bench.store.give_back_runs(bench.now()).await.unwrap();
        let row = bench.row(goal).await;
        assert_eq!((row.run, row.locked), (None, None));
        assert_eq!(row.unread, 1 - u32::try_from(said).unwrap(), "after {seconds} s");
        if row.unread > 0 {
            bench.run(goal, RunMode::Chat).await;
        }
        assert_eq!(answers(&bench.thread(goal).await), 1, "after {seconds} s");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_gives_its_message_back_and_waits_until_it_has_failed_for_good() {
    let fails = || Next::Fails(LlmError::Broken);
    let bench = Bench::new(vec![fails(), fails(), fails(), fails()]);
    let goal = bench.goal().await;
    for (attempt, seconds) in [(1, 10..=12), (2, 20..=22), (3, 40..=42)] {
        assert_eq!(bench.run(goal, RunMode::Chat).await, RunOutcome::Failed);
        let row = bench.row(goal).await;
        let wait = row.retry.unwrap().duration_since(bench.now()).as_secs();
        assert!(seconds.contains(&wait), "attempt {attempt}: {wait} s");
        assert_eq!((row.unread, row.attempts, row.failure.as_str()), (1, attempt, "network"));
    }
    bench.run(goal, RunMode::Chat).await;
    let row = bench.row(goal).await;
    assert_eq!((row.unread, row.attempts, row.retry, row.status.as_str()), (0, 0, None, "waiting"));
    assert_eq!(
        bench.thread(goal).await,
        ["user: two weeks in May", "error: Failed permanently: network, after 4 attempts."]
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_limits_requests_is_asked_again_at_once_twice() {
    let busy = || Next::Fails(LlmError::TooManyRequests);
    let bench = Bench::new(vec![busy(), busy(), writes("Here I am.")]);
    let goal = bench.goal().await;
    let began = bench.now();
    bench.run(goal, RunMode::Chat).await;
    assert_eq!(bench.thread(goal).await.last().unwrap(), "agent: Here I am.");
    assert_eq!(bench.now().duration_since(began), SignedDuration::from_secs(4), "2 × 1.5 s and a reply");
    let bench = Bench::new(vec![busy(), busy(), busy()]);
    let goal = bench.goal().await;
    assert_eq!(bench.run(goal, RunMode::Chat).await, RunOutcome::Failed);
    assert_eq!(bench.row(goal).await.failure, "rate limit");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_fails_is_paused_and_one_that_is_done_brings_a_note_and_wakes_its_goal() {
    let bench =
        Bench::new(vec![Next::Fails(LlmError::Broken), writes("Small inns cost 90 euros (example.org).")]);
    let goal = bench.goal().await;
    let task = bench.task(goal).await;
    bench.run(task, RunMode::Child).await;
    assert_eq!(bench.row(task).await.status, "paused");
    bench
        .store
        .change_work(task, vec![joi_store::WorkChange::Status("active".into())], bench.now())
        .await
        .unwrap();
    bench.run(task, RunMode::Child).await;
    assert_eq!((bench.row(task).await.status.as_str(), bench.row(goal).await.is_woken), ("completed", true));
    let notes = bench.store.work_notes(goal, "note", 9).await.unwrap();
    assert_eq!(notes[0].text, "Small inns cost 90 euros (example.org).");
    assert_eq!(notes[0].source, format!("task {task}: hotels"));
    assert_eq!(bench.announced(), Vec::<String>::new(), "a task says nothing");
}

#[tokio::test(start_paused = true)]
async fn a_session_is_archived_on_the_next_run_after_half_an_hour_and_its_summary_is_in_the_prompt() {
    let bench = Bench::new(vec![
        writes("May sounds good."),
        writes("They want to go in May."),
        writes("By train, then."),
    ]);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::Chat).await;
    advance(Duration::from_secs(31 * 60)).await;
    owner::say(&bench.store, goal, "by train", (Origin::Speech, "talk"), bench.now()).await.unwrap();
    bench.run(goal, RunMode::Chat).await;
    let sessions = bench.store.archived_sessions(goal, 9).await.unwrap();
    assert_eq!(sessions.len(), 1);
    assert_eq!((sessions[0].summary.as_str(), sessions[0].messages), ("They want to go in May.", 2));
    let prompt = bench.asked().pop().unwrap();
    assert!(prompt.contains("They want to go in May.") && prompt.contains("owner: by train"), "{prompt}");
    assert!(!prompt.contains("you: May sounds good."), "the session begins anew: {prompt}");
    assert!(bench.head().contains("search_agent_history"), "there is something to search now");
}

#[tokio::test(start_paused = true)]
async fn without_a_model_for_it_a_summary_quotes_the_owner() {
    let bench = Bench::new(vec![writes("Good."), Next::Fails(LlmError::Broken), writes("By train, then.")]);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::Chat).await;
    advance(Duration::from_secs(31 * 60)).await;
    owner::say(&bench.store, goal, "by train", (Origin::Speech, "talk"), bench.now()).await.unwrap();
    bench.run(goal, RunMode::Chat).await;
    let sessions = bench.store.archived_sessions(goal, 9).await.unwrap();
    assert_eq!(sessions[0].summary, "The owner said \"two weeks in May\".");
}

#[tokio::test(start_paused = true)]
async fn a_type_that_only_this_test_knows_runs_without_a_change_of_the_engine() {
    let bench = Bench::with(
        vec![call("create_note", json!({ "text": "It rained." })), writes("done")],
        Vec::new(),
        WITH_DIARIST,
    );
    let new = NewWork {
        kind: DIARIST.name.into(),
        parent: 0,
        name: "diary".into(),
        brief: "weather".into(),
        status: DIARIST.begins.name().into(),
        tools: Vec::new(),
        checks_per_day: DIARIST.checks_per_day,
        origin: Origin::Ours,
    };
    let id = bench.store.open_work(new, bench.now()).await.unwrap();
    let outcome = bench.run(id, RunMode::CheckIn).await;
    assert_eq!(outcome, RunOutcome::Over("done".into()));
    assert_eq!(bench.store.work_notes(id, "note", 9).await.unwrap()[0].text, "It rained.");
    let usage = bench.store.usage_since(jiff::Timestamp::MIN).await.unwrap();
    assert!(usage.iter().all(|one| one.purpose == "diaries"));
    assert!(bench.asked()[0].contains("You write one line a day."));
}

#[tokio::test(start_paused = true)]
async fn a_goal_opens_tasks_that_inherit_its_tools_and_no_more_than_three() {
    let open = |name: &str| call("create_task", json!({ "name": name, "instructions": "look" }));
    let bench = Bench::new(vec![open("a"), open("b"), open("c"), open("d"), writes("Done.")]);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::CheckIn).await;
    let tasks: Vec<_> =
        bench.store.work().await.unwrap().into_iter().filter(|row| row.parent == goal).collect();
    assert_eq!(tasks.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(tasks.iter().all(|row| row.tools == ["fsRead"] && row.status == "active"));
    assert!(bench.asked().last().unwrap().contains("3 tasks are open"), "{:?}", bench.asked().last());
}
