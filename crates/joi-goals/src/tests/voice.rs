//! What the user says about goals: opened, asked about, gone on with, left and ended, in English and German.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use joi_base::clock::Clock;
use joi_base::message::Origin;
use joi_language::Language;
use joi_language::testing::{english, german};
use joi_store::{NewCell, NewWorkNote};
use joi_tools::{Call, Output, Source, Tool};
use tokio::time::{Duration, advance};

use super::scripted::Bench;
use crate::goals_tool::{GoalsTool, KnownGoals};

struct Talk {
    bench: Bench,
    tool: GoalsTool,
    woken: Arc<AtomicUsize>,
}

impl Talk {
    fn new() -> Self {
        let bench = Bench::new(Vec::new());
        let woken = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&woken);
        let wake_up = Arc::new(move || {
            counts.fetch_add(1, Ordering::SeqCst);
        });
        let clock = Arc::clone(&bench.clock) as Arc<dyn Clock>;
        let tool = GoalsTool::new(bench.store.clone(), clock, KnownGoals::default(), wake_up);
        Self { bench, tool, woken }
    }

    async fn output(&self, asked: &str, language: &Language) -> Option<Output> {
        self.output_in("home", asked, language).await
    }

    async fn output_in(&self, conversation: &str, asked: &str, language: &Language) -> Option<Output> {
        let arguments = self.tool.ready(asked, language, conversation)?;
        let (effect, now) = (self.tool.effect(&arguments), self.bench.clock.now());
        let call =
            Call { arguments: &arguments, effect, now: &now, source: Source::Own, language, conversation };
        Some(self.tool.run(call).await.unwrap())
    }

    async fn says(&self, asked: &str, language: &Language) -> String {
        let output = self.output(asked, language).await;
        output.map_or_else(|| "-".to_owned(), |output| output.sentence.unwrap_or(output.text))
    }
}

#[tokio::test(start_paused = true)]
async fn a_goal_is_opened_asked_about_worked_on_left_and_ended_by_its_name_or_as_it() {
    let talk = Talk::new();
    for (asked, answer) in [
        ("What happened today?", "-"),
        ("work on it", "-"),
        ("Help me plan the trip to Tokyo.", "I'll work on that in the background. I call it trip to Tokyo."),
        ("help me plan the trip to Tokyo", "I'm on that already: trip to Tokyo."),
        ("How is the Tokyo trip going?", "I'm working on trip to Tokyo."),
        ("leave it for now", "I'll leave trip to Tokyo for now."),
        ("how is it going?", "Trip to Tokyo is waiting for you."),
        ("work on it", "I'm on it: trip to Tokyo."),
        ("tell the Tokyo trip that we go in May", "I've passed that on to trip to Tokyo."),
        ("which goals do I have?", "You have one goal: trip to Tokyo."),
        ("we're done with Tokyo", "Trip to Tokyo is done. Its notes stay."),
        ("which goals do I have?", "You have no goals."),
        ("how is Osaka going?", "-"),
        ("how is the weather going?", "-"),
    ] {
        assert_eq!(talk.says(asked, english()).await, answer, "{asked}");
    }
    assert_eq!(talk.woken.load(Ordering::SeqCst), 3, "it was opened, gone on with, and spoken to");
    let goal = &talk.bench.store.work().await.unwrap()[0];
    let thread = talk.bench.thread(goal.id).await;
    assert_eq!(thread, ["user: trip to Tokyo", "user: we go in May"], "no other word went there");
}

#[tokio::test(start_paused = true)]
async fn it_is_the_goal_that_was_last_spoken_of_for_five_minutes() {
    let talk = Talk::new();
    talk.says("help me plan the trip to Tokyo", english()).await;
    advance(Duration::from_secs(299)).await;
    assert_ne!(talk.says("work on it", english()).await, "-");
    advance(Duration::from_secs(300)).await;
    assert_eq!(talk.says("work on it", english()).await, "-");
}

#[tokio::test(start_paused = true)]
async fn it_is_the_same_goal_in_the_next_program_of_a_conversation() {
    let first = Talk::new();
    first.says("help me plan the trip to Tokyo", english()).await;
    first.says("help me plan the birthday party", english()).await;
    first.says("how is the Tokyo trip going?", english()).await;
    let (store, clock) = (first.bench.store.clone(), Arc::clone(&first.bench.clock) as Arc<dyn Clock>);
    let known = KnownGoals::default();
    known.read(&store).await.unwrap();
    let tool = GoalsTool::new(store, clock, known, Arc::new(|| ())).recalled().await;
    let second = Talk { tool, ..first };
    assert!(second.output_in("signal", "leave it for now", english()).await.is_none());
    assert_eq!(second.says("leave it for now", english()).await, "I'll leave trip to Tokyo for now.");
    advance(Duration::from_secs(300)).await;
    assert_eq!(second.says("work on it", english()).await, "-");
}

#[tokio::test(start_paused = true)]
async fn it_means_nothing_in_another_conversation() {
    let talk = Talk::new();
    talk.says("help me plan the trip to Tokyo", english()).await;
    assert!(talk.output_in("signal", "work on it", english()).await.is_none());
    assert!(talk.output_in("home", "work on it", english()).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn german_works_as_well() {
    let talk = Talk::new();
    for (asked, answer) in [
        (
            "Hilf mir, die Reise nach Tokio zu planen.",
            "Ich arbeite im Hintergrund daran. Ich nenne es Reise nach Tokio.",
        ),
        ("Wie steht es um die Reise nach Tokio?", "Ich arbeite an Reise nach Tokio."),
        ("lass es erst mal", "Ich lasse Reise nach Tokio erst einmal ruhen."),
        ("arbeite daran weiter", "Ich mache weiter: Reise nach Tokio."),
        ("wir sind mit Tokio fertig", "Reise nach Tokio ist abgeschlossen. Die Notizen bleiben."),
    ] {
        assert_eq!(talk.says(asked, german()).await, answer, "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn words_of_strangers_are_said_to_be_so_and_taint_the_turn() {
    let talk = Talk::new();
    talk.says("help me plan the trip to Tokyo", english()).await;
    let goal = talk.bench.store.work().await.unwrap()[0].id;
    let cell = NewCell {
        author: "agent",
        kind: "text",
        text: "May is mild.".into(),
        origin: Origin::Stranger,
        channel: String::new(),
        run: None,
    };
    talk.bench.store.add_cell(goal, cell, talk.bench.now()).await.unwrap();
    let told = talk.output("how is it going", english()).await.unwrap();
    assert_eq!(told.source, Source::Foreign);
    assert_eq!(
        told.sentence.as_deref(),
        Some("I'm working on trip to Tokyo. The latest, from what was read elsewhere: May is mild.")
    );
    assert_eq!(talk.says("what happened today", english()).await, "Today: trip to Tokyo: one message.");
}

#[tokio::test(start_paused = true)]
async fn the_news_of_the_day_are_read_out_with_their_sources_and_not_on_the_next_day() {
    let talk = Talk::new();
    assert_eq!(talk.says("what's new?", english()).await, "-", "nothing is collected");
    let assistant = crate::owner::assistant(&talk.bench.store, talk.bench.now()).await.unwrap();
    let item = |text: &str, origin| NewWorkNote {
        work: assistant,
        kind: "feed",
        text: text.into(),
        source: "example.org".into(),
        origin,
    };
    for one in [item("Trains are full.", Origin::Stranger), item("Tom has birthday.", Origin::Ours)] {
        talk.bench.store.add_work_note(one, 5, talk.bench.now()).await.unwrap();
    }
    talk.says("help me plan the trip to Tokyo", english()).await;
    let told = talk.output("what's new?", english()).await.unwrap();
    assert_eq!(
        told.sentence.as_deref(),
        Some(
            "Trains are full. That was read elsewhere, from example.org. Tom has birthday. From example.org."
        )
    );
    assert_eq!(told.source, Source::Foreign);
    advance(Duration::from_secs(86_400)).await;
    assert_eq!(talk.says("what's new?", english()).await, "There is nothing new.");
}
