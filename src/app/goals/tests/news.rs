//! The items of the day: collected once, offered to the impulse once each, and read out when somebody asks what is new.

use joi_goals::goals_tool::GoalsTool;
use joi_proactive::awareness::{Significance, Topic};
use joi_tools::Source;

use super::*;

/// Collects two items, one of which is a stranger's.
fn collects(last: &str) -> String {
    let item = |text: &str, source: &str| call("add_feed_item", json!({ "text": text, "source": source }));
    match last {
        last if last.contains("was added") && !last.contains("Second") => item("Second item.", "the diary"),
        last if last.contains("was added") => "done".into(),
        last if last.contains("add_feed_item") => item("First item.", "trip to Tokyo"),
        _ => "Nothing to do.".into(),
    }
}

impl Bench {
    fn topics(&self) -> Vec<Topic> {
        self.topics.lock().unwrap().clone()
    }

    async fn news(&self) -> String {
        let shown = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let tool = GoalsTool::new(self.store.clone(), shown, self.handle.known.clone(), Arc::new(|| ()));
        let arguments = tool.ready("what's new?", english(), "talk").expect("it is understood");
        let now = self.clock.now();
        let call = Call {
            arguments: &arguments,
            effect: Effect::Looks,
            now: &now,
            source: Source::Own,
            language: english(),
            conversation: "talk",
        };
        tool.run(call).await.unwrap().sentence.unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn items_of_the_day_are_topics_of_the_impulse_and_are_read_out_on_request() {
    let began: Zoned = "2026-03-04T07:00:00[Europe/Vienna]".parse().unwrap();
    let clock = Arc::new(PausedClock { began, at: Instant::now() });
    let store = Store::in_memory().unwrap();
    let start = || {
        let mut collected = 0;
        let thoughts = move |last: &str| {
            let is_result = last.contains("was added");
            collected += usize::from(is_result);
            Ok(if is_result && collected > 1 { "done".into() } else { collects(last) })
        };
        Bench::with((store.clone(), GoalsConfig::default()), Arc::clone(&clock), thoughts)
    };
    let bench = start();
    bench.pass(1).await;
    bench.goal().await;
    bench.pass(59 * 60).await;
    assert_eq!(bench.topics(), [], "it is not eight yet");
    bench.pass(10 * 60).await;
    let topics = bench.topics();
    let said: Vec<String> =
        topics.iter().map(|topic| topic.fact.sentence(english(), &bench.clock.now())).collect();
    assert_eq!(said, ["First item. From trip to Tokyo.", "Second item. From the diary."]);
    assert!(topics.iter().all(|topic| topic.significance == Significance::Routine && topic.kind() == "news"));
    assert_eq!(bench.news().await, said.join(" "));
    let is_item = |said: &String| said.contains("item");
    assert!(!bench.announced().iter().any(is_item), "the impulse decides when it is said");
    bench.running.abort();
    let bench = start();
    bench.pass(10 * 60).await;
    let again = bench.topics();
    assert_eq!(
        again.iter().map(|topic| &topic.key).collect::<Vec<_>>(),
        topics.iter().map(|topic| &topic.key).collect::<Vec<_>>(),
        "a restart offers the same ones, which the impulse knows"
    );
    bench.pass(24 * 3_600).await;
    assert!(bench.topics().len() <= 2 + 5, "the next day has its own");
}
