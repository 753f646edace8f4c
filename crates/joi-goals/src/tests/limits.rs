//! The hard limits of a run, at their boundaries.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_language::Language;
use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
use serde_json::{Value, json};
use tokio::time::Duration;

use super::scripted::{Bench, Deed, call, writes};
use crate::kind::TYPES;
use crate::modes::RunMode;
use crate::tools::SEND_MESSAGE;

#[tokio::test(start_paused = true)]
async fn a_task_ends_after_twenty_replies_and_not_before() {
    let look = Deed::new("look", Effect::Looks, false);
    let other = Deed::new("other", Effect::Looks, false);
    // Two tools in turn, so that neither is called too often in a row.
    let calls = (0..30).map(|n| call(if n % 2 == 0 { "look" } else { "other" }, json!({ "n": n })));
    let bench = Bench::with(calls.collect(), vec![look.clone(), other.clone()], TYPES);
    let goal = bench.goal().await;
    let task = bench.task(goal).await;
    bench.run(task, RunMode::Child).await;
    assert_eq!((bench.asked().len(), look.ran() + other.ran()), (20, 20));
    assert_eq!(bench.row(task).await.status, "completed", "it ends with grace");
}

#[tokio::test(start_paused = true)]
async fn one_tool_runs_five_times_in_a_row_and_a_sixth_call_is_refused() {
    let look = Deed::new("look", Effect::Looks, false);
    let calls = (0..6).map(|n| call("look", json!({ "n": n })));
    let script = calls.chain([writes("enough")]).collect();
    let bench = Bench::with(script, vec![look.clone()], TYPES);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::CheckIn).await;
    assert_eq!(look.ran(), 5);
    assert!(bench.asked().last().unwrap().contains("5 times in a row"));
}

#[tokio::test(start_paused = true)]
async fn a_message_ends_the_run() {
    let bench = Bench::new(vec![
        call(SEND_MESSAGE, json!({ "text": "One." })),
        call(SEND_MESSAGE, json!({ "text": "Two." })),
    ]);
    let goal = bench.goal().await;
    bench.run(goal, RunMode::Chat).await;
    assert_eq!(bench.asked().len(), 1);
    assert_eq!(bench.thread(goal).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn two_messages_of_a_goal_are_said_aloud_a_day_and_further_ones_stand_in_its_thread() {
    let says = |text: &str| call(SEND_MESSAGE, json!({ "text": text }));
    let bench = Bench::new(vec![says("First."), says("Second."), says("Third.")]);
    let goal = bench.goal().await;
    for _ in 0..3 {
        bench.run(goal, RunMode::CheckIn).await;
    }
    assert_eq!(bench.announced().len(), 2);
    assert_eq!(bench.thread(goal).await.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn five_items_of_the_day_are_taken_each_with_its_source_and_a_sixth_is_not() {
    let item = |n: u32, source: &str| {
        call("add_feed_item", json!({ "text": format!("News number {n}."), "source": source }))
    };
    let first = [item(0, ""), item(1, "the diary"), item(2, "the diary"), item(3, "the diary")];
    let then = [item(4, "the diary"), writes("done"), item(5, "the diary"), item(6, "the diary")];
    // No more than five in a row of one tool: the day is collected in two runs.
    let bench = Bench::new(first.into_iter().chain(then).chain([writes("done")]).collect());
    let assistant = crate::owner::assistant(&bench.store, bench.now()).await.unwrap();
    bench.run(assistant, RunMode::Feed).await;
    bench.run(assistant, RunMode::Feed).await;
    let items = bench.store.work_notes(assistant, "feed", 9).await.unwrap();
    assert_eq!(items.len(), 5);
    assert!(items.iter().all(|item| item.source == "the diary"), "{items:?}");
    assert!(bench.asked().iter().any(|asked| asked.contains("5 items already")));
    assert!(items.iter().all(|item| item.text != "News number 0."), "it had no source");
}

/// A tool that takes 80 s.
struct Slow;

impl Tool for Slow {
    fn name(&self) -> &str {
        "slow"
    }
    fn description(&self) -> &str {
        "take your time"
    }
    fn schema(&self) -> Value {
        schema::object(json!({ "n": { "type": "integer" } }), &[])
    }
    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }
    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        "take your time".into()
    }
    fn time_limit(&self) -> Duration {
        Duration::from_secs(90)
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async {
            tokio::time::sleep(Duration::from_secs(80)).await;
            Ok(Output::own("done"))
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_takes_ten_minutes_ends_with_what_it_has() {
    let look = Deed::new("look", Effect::Looks, false);
    let calls = (0..20).map(|n| call(if n % 2 == 0 { "slow" } else { "look" }, json!({ "n": n })));
    let bench = Bench::with(calls.collect(), vec![Arc::new(Slow), look], TYPES);
    let goal = bench.goal().await;
    let task = bench.task(goal).await;
    let began = bench.now();
    bench.run(task, RunMode::Child).await;
    assert_eq!(bench.now().duration_since(began).as_secs(), 600);
    let row = bench.row(task).await;
    assert_eq!((row.status.as_str(), row.run, row.failure.as_str()), ("completed", None, ""));
}
