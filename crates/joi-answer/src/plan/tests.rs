use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use joi_language::testing::english;
use joi_tools::{Call, Output, Tool, ToolError, schema};

struct Named(&'static str);

impl Tool for Named {
    fn name(&self) -> &str {
        self.0
    }
    fn description(&self) -> &str {
        ""
    }
    fn schema(&self) -> Value {
        let needed: &[&str] = if self.0 == "page" { &["query"] } else { &[] };
        schema::object(json!({ "url": { "type": "string" }, "query": { "type": "string" } }), needed)
    }
    fn in_words(&self, _: &Arguments, _: &joi_language::Language) -> String {
        String::new()
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async { Ok(Output::own("")) }.boxed()
    }
}

fn toolbox() -> Toolbox {
    Toolbox::new(vec![Arc::new(Named("search")), Arc::new(Named("home-lamp__on")), Arc::new(Named("page"))])
}

fn plan(steps: &[&str]) -> Plan {
    Plan::new(steps.iter().map(|step| (*step).to_owned()).collect(), &toolbox())
}

fn step(text: &str) -> PlanStep {
    plan(&[text, "search", "answer"]).next(0, &toolbox())
}

fn call(name: &str, arguments: Value) -> PlanStep {
    PlanStep::Call(WrittenCall {
        id: None,
        name: name.into(),
        arguments: arguments.as_object().cloned().unwrap(),
    })
}

#[test]
fn a_whole_step_needs_no_model_and_anything_else_does() {
    assert_eq!(
        step("search query='big cats', url=[x](https://a.org/b)"),
        call("search", json!({ "query": "big cats", "url": "https://a.org/b" }))
    );
    assert_eq!(step("search(url=a.org)"), call("search", json!({ "url": "https://a.org" })));
    assert_eq!(step("search query=a.org"), call("search", json!({ "query": "a.org" })));
    assert_eq!(step("home-lamp__on"), call("home-lamp__on", json!({})));
    assert_eq!(step("page query=cats"), call("page", json!({ "query": "cats" })));
    for words in [
        "search for cats",
        "search query='<what was found>'",
        "search colour='red'",
        "look it up",
        "search query='open",
        "page",
        "page url=a.org",
    ] {
        assert_eq!(step(words), PlanStep::Words(words.into()), "{words}");
    }
}

#[test]
fn a_step_for_the_memory_is_taken_off_and_names_its_topic() {
    let about = |topic: &str| Recall::About(topic.to_owned());
    for (first, recall) in [
        ("searchMemory topic='my sister'", about("my sister")),
        ("searchmemory topic=\"Rome\"", about("Rome")),
        ("SEARCHMEMORY topic=Rome", about("Rome")),
        ("searchMemory(topic='Rome')", about("Rome")),
        ("searchMemory", about("")),
        ("searchMemories topic=a", Recall::Skip),
        ("home-lamp__on", Recall::Skip),
    ] {
        let plan = plan(&[first, "search query=a", "answer"]);
        let shown = if recall == Recall::Skip { 3 } else { 2 };
        assert_eq!((&plan.recall, plan.steps.len()), (&recall, shown), "{first}");
        assert!(!plan.block().to_lowercase().contains("searchmemory ") || recall == Recall::Skip);
    }
}

#[test]
fn no_plan_a_mere_reply_and_steps_stay_apart() {
    use Course::{Open, Reply, Steps};
    let skip = || Recall::Skip;
    let about = || Recall::About("Ann".to_owned());
    for (steps, course, recall) in [
        (&[][..], Open, Recall::AsUsual),
        (&["reply"], Reply, skip()),
        (&["Reply."], Reply, skip()),
        (&["searchMemory topic=Ann", "reply"], Reply, about()),
        (&["searchMemory topic=Ann"], Reply, about()),
        (&["searchMemory topic=Ann", "tell him what she said"], Reply, about()),
        (&["search query=a", "reply"], Steps, skip()),
        (&["search query=a"], Steps, skip()),
        (&["searchMemory topic=Ann", "search query=<her town>", "reply"], Steps, about()),
        // Steps that name no tool: nobody knows what was meant.
        (&["look it up on the web", "reply"], Open, Recall::AsUsual),
        (&["searchMemory topic=Ann", "look it up", "reply"], Open, about()),
        (&["tell him"], Open, Recall::AsUsual),
    ] {
        let plan = plan(steps);
        assert_eq!((plan.course, plan.recall), (course, recall), "{steps:?}");
    }
}

#[test]
fn tools_are_named_exactly_in_order_and_once() {
    let steps =
        ["home-lamp__on", "searchit query=a", "search query=a", "Search query=b", "search query=c", "reply"];
    assert_eq!(plan(&steps).tools(&toolbox()), ["home-lamp__on", "search"]);
}

// Only what has steps is shown, without those for the memory
#[test]
fn a_plan_is_shown_a_step_a_line_and_a_mere_reply_is_not() {
    insta::assert_snapshot!(plan(&["searchMemory", "search query=a"]).block(), @"
    [Plan for these words, one step a line. Follow it, and never read it out:]
    1. search query=a
    2. reply
    ");
    assert_eq!((plan(&["reply"]).block(), plan(&[]).block()), (String::new(), String::new()));
    assert!(plan(&["search", "reply"]).block().starts_with(crate::marks::PLAN));
}

#[test]
fn what_a_planner_writes_becomes_at_most_five_short_bare_steps() {
    let written = "```\n1. search query='a'\n2) \"search\"\n- `home-lamp__on`\n\n* 'reply'\n```";
    assert_eq!(steps(written), ["search query='a'", "search", "home-lamp__on", "reply"]);
    let json = json!({ "steps": ["1. search query='a b'", "  ", "reply"] }).to_string();
    assert_eq!(steps(&json), ["search query='a b'", "reply"]);
    assert_eq!(steps(&format!("```json\n{json}\n```")), ["search query='a b'", "reply"]);
    let many = "search\n".repeat(9);
    assert_eq!(steps(&many).len(), 5);
    let long = steps(&"word ".repeat(100));
    assert!(long[0].chars().count() <= 200 && long[0].ends_with('…'));
    for garbage in ["", "{", "{\"steps\": 5}", "{\"plan\": []}", "\u{0}\u{7}", "```"] {
        assert_eq!(steps(garbage), [""; 0], "{garbage:?}");
    }
}

proptest! {
    // Nothing a planner writes breaks anything
    #[test]
    fn any_words_are_read(written in "\\PC{0,400}", lines in proptest::collection::vec("[ -~]{0,60}", 0..8)) {
        for text in [written, lines.join("\n"), json!({ "steps": lines }).to_string()] {
            let steps = steps(&text);
            prop_assert!(steps.len() <= 5 && steps.iter().all(|step| step.chars().count() <= 200));
            let plan = Plan::new(steps, &toolbox());
            prop_assert_eq!(plan.is_empty(), plan.block().is_empty());
            for done in 0..7 {
                plan.next(done, &toolbox());
            }
        }
    }
}

#[test]
fn steps_are_counted_by_the_results_of_this_turn() {
    let plan = plan(&["search query=a", "search query=b", "answer"]);
    assert_eq!(plan.tools(&toolbox()), ["search"]);
    assert_eq!(plan.next(1, &toolbox()), call("search", json!({ "query": "b" })));
    assert_eq!(plan.next(2, &toolbox()), PlanStep::Answer);
    assert!(
        plan.hint(1, english().prompts()).contains("1 of 2")
            && plan.hint(1, english().prompts()).contains("search query=b"),
        "{}",
        plan.hint(1, english().prompts())
    );
    assert!(plan.hint(2, english().prompts()).contains("2 of 2"), "{}", plan.hint(2, english().prompts()));
    assert_eq!(Plan::default().next(0, &toolbox()), PlanStep::Answer);
}
