//! A week of life with three goals, seeded: messages at any hour, tasks, a model and a network that fail, restarts of the program.

use std::collections::BTreeMap;

use super::*;
use joi_goals::limits::SPOKEN_PER_DAY;
use joi_store::UsageSum;

/// Minutes of a week.
const WEEK: u64 = 7 * 24 * 60;

/// What a model does in this week: it writes, opens tasks, is busy, breaks off.
fn thinks(mut random: fastrand::Rng) -> impl FnMut(&str) -> Result<String, LlmError> + Send + 'static {
    move |last| {
        let dice = random.u32(0..100);
        Ok(match last {
            _ if dice < 4 => return Err(LlmError::Broken),
            _ if dice < 8 => return Err(LlmError::TooManyRequests),
            last if last.contains("Sum up this talk") => "They spoke of plans.".into(),
            last if last.contains("<instructions>") => "Something was found (example.org).".into(),
            last if last.contains("add_feed_item") && !last.contains("was added") => {
                call("add_feed_item", json!({ "text": format!("News {dice}."), "source": "the goals" }))
            }
            _ if dice < 20 => {
                call("create_task", json!({ "name": format!("task {dice}"), "instructions": "look it up" }))
            }
            _ if dice < 70 => says(&format!("Step {dice} is done.")),
            _ => "Nothing to do.".into(),
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_week_of_life_loses_no_message_and_keeps_to_every_limit() {
    let mut random = fastrand::Rng::with_seed(49);
    let store = Store::in_memory().unwrap();
    let began: Zoned = "2026-03-04T12:00:00[Europe/Vienna]".parse().unwrap();
    let clock = Arc::new(PausedClock { began: began.clone(), at: Instant::now() });
    let start =
        |random| Bench::with((store.clone(), GoalsConfig::default()), Arc::clone(&clock), thinks(random));
    let mut bench = start(random.fork());
    bench.pass(1).await;
    let mut goals = Vec::new();
    for name in ["trip to Tokyo", "garden", "birthday of Tom"] {
        let opened =
            owner::open(&store, (name, name), (Origin::Speech, "talk"), Vec::new(), bench.now()).await;
        let Ok(OpenedGoal::Opened(id, _)) = opened else { panic!("{opened:?}") };
        goals.push(id);
    }
    let (mut passed, mut calls, mut restarts, mut said) = (0, 0, 0, goals.len());
    while passed < WEEK {
        let minutes = random.u64(20..240);
        bench.pass(minutes * 60).await;
        passed += minutes;
        if random.u32(0..3) == 0 {
            let goal = goals[random.usize(0..goals.len())];
            owner::say(&store, goal, "and now?", (Origin::Speech, "talk"), bench.now()).await.unwrap();
            bench.handle.look_again();
            said += 1;
        }
        if random.u32(0..12) == 0 {
            // Killed wherever it is, a second after something may have begun.
            bench.pass(1).await;
            bench.running.abort();
            calls += bench.calls();
            restarts += 1;
            bench = start(random.fork());
        }
    }
    bench.pass(30 * 60).await;
    calls += bench.calls();
    let rows = store.work().await.unwrap();
    assert!(rows.iter().all(|row| row.unread == 0), "{rows:?}");
    assert!(rows.iter().all(|row| row.run.is_none()), "no lock is left");
    let usage = store.usage_since(Timestamp::MIN).await.unwrap();
    let sum = usage.iter().fold(UsageSum::default(), UsageSum::plus);
    let mut spoken: BTreeMap<(i64, jiff::civil::Date), usize> = BTreeMap::new();
    let (mut messages, mut errors) = (0, 0);
    for goal in &goals {
        for cell in store.cells(*goal, 0, 100_000).await.unwrap() {
            messages += usize::from(cell.author == "agent" && cell.kind == "text");
            errors += usize::from(cell.author == "error");
            if cell.channel == "aloud" {
                let day = cell.at.to_zoned(began.time_zone().clone()).date();
                *spoken.entry((*goal, day)).or_default() += 1;
            }
        }
    }
    assert!(spoken.values().all(|count| *count <= SPOKEN_PER_DAY), "{spoken:?}");
    let runs = store.runs_since(Timestamp::MIN).await.unwrap();
    let check_ins: Vec<_> =
        runs.iter().filter(|run| run.mode == "agent_check_in" && run.ending == "finished").collect();
    let mut daily: BTreeMap<(i64, jiff::civil::Date), usize> = BTreeMap::new();
    for run in &check_ins {
        let at = run.began.to_zoned(began.time_zone().clone());
        assert!((8..23).contains(&at.hour()), "{at}");
        *daily.entry((run.work, at.date())).or_default() += 1;
    }
    assert!(daily.values().all(|count| *count <= 2), "{daily:?}");
    let ended = |ending: &str| runs.iter().filter(|run| run.ending == ending).count();
    println!(
        "{} runs tried again, {} interrupted, {} given up; {said} messages of the owner, {messages} of goals, {} said \
         aloud, {errors} failed for good, {restarts} restarts, {calls} calls asked, {} answered, {} tokens, {} check-ins",
        ended("failed"),
        ended("interrupted"),
        ended("given up"),
        spoken.values().sum::<usize>(),
        sum.calls,
        sum.tokens_in + sum.tokens_out,
        check_ins.len(),
    );
    assert!(messages > 20 && sum.calls > 50 && restarts > 2, "{messages} {sum:?} {restarts}");
    assert!(u64::try_from(calls).unwrap() >= sum.calls, "each answered call was asked for");
    assert!(sum.calls < 7 * 3 * 60, "a week of three goals costs {} calls", sum.calls);
}
