//! Turns that are routed, planned and extracted for: what is asked beside the answer, how often, and what comes of it.

use serde_json::json;

use super::scripted::{answers, writes};
use super::tools::{Kit, calls};
use super::*;
use crate::agent::protocols::Answering;
use joi_llm::ModelSize::{self, Large};
use joi_llm::Role::{System, User};
use joi_store::{MemoryKind, NewMemory};
use joi_tools::{Effect, Output};

const NOW: &str = "[Context: Sunday, 22 November 2026, 14:05, Europe/Vienna. Location: Unknown]";
const FOUND: &str = include_str!("../../../../assets/prompts/memory.md");
const PLAN: &str = include_str!("../../../../assets/prompts/plan.md");

/// What a router writes.
pub(super) fn picks(names: &[&str]) -> Vec<Step> {
    writes(&json!({ "tools": names }))
}

/// What an extractor writes.
pub(super) fn extracts(keywords: &[&str], from: &str, to: &str) -> Vec<Step> {
    writes(&json!({ "keywords": keywords, "from": from, "to": to, "questions": [] }))
}

/// Everything as it is shipped.
pub(super) fn as_shipped(parts: &mut EngineParts<Scripted>) {
    parts.reply.planner = PlannerConfig::default();
    parts.memory = MemoryConfig::default();
    parts.tool_rules.router = Router::Auto;
}

impl Bench {
    /// A model of that size with the tools of a kit, and everything as it is shipped.
    pub(super) fn directed(size: ModelSize, script: Vec<Vec<Step>>) -> Self {
        Self::equipped(size, Kit::new().toolbox(), script, as_shipped)
    }

    pub(super) async fn has(&self, day: &str, text: &str) {
        let at = format!("{day}T10:00:00Z").parse().unwrap();
        let new =
            NewMemory { kind: MemoryKind::World, at, text: Private(text.into()), source: "said".into() };
        self.store.remember(vec![new]).await.unwrap();
    }

    /// What each call was for.
    fn head_now(&self) -> String {
        let Answering { size, protocol, .. } = self.engine.answering();
        self.head(size, protocol)
    }
}

impl Ran {
    /// What the model was asked for, in order.
    pub(super) fn purposes(&self) -> Vec<&str> {
        let used = |event: &'_ ReplyEvent| matches!(event, ReplyEvent::Used(_));
        let uses = self.events.iter().filter(|event| used(event));
        uses.filter_map(|e| if let ReplyEvent::Used(u) = e { Some(&*u.purpose) } else { None }).collect()
    }
}

// The whole way with a large model
#[tokio::test]
async fn a_large_model_picks_plans_and_says_what_to_look_for_on_one_trunk() {
    let script = vec![
        picks(&["look"]),
        plans(&["searchMemory topic='spare key'", "look what='shed'", "reply"]),
        extracts(&["key"], "", ""),
        answers("In the shed."),
    ];
    let bench = Bench::directed(Large, script);
    bench.has("2026-11-03", "The spare key is in the garden shed").await;
    let ran = bench.say("where is it").await;
    assert_eq!(ran.purposes(), ["router", "planner", "extractor", "answer"]);
    let asks = bench.model.asks();
    for ask in &asks {
        assert_eq!((&ask.messages[0], &ask.tools), (&Message::new(System, bench.head_now()), &asks[3].tools));
        assert_eq!(
            (ask.messages.len(), &ask.model),
            (2, &None),
            "the chat model, and nothing before the instruction"
        );
    }
    let instruction = |template: &str| {
        let filled = template
            .trim()
            .replace("{asked}", "where is it")
            .replace("{context}", NOW)
            .replace("{topic}", "\nTopic: spare key");
        Message::new(User, filled)
    };
    let tools = |list: &str, template: &str| instruction(&template.replace("{tools}", list));
    let router = include_str!("../../../../assets/prompts/router.md");
    let planner = include_str!("../../../../assets/prompts/planner.md");
    assert_eq!(asks[0].messages[1], tools("lamp, look, page, broken", router));
    assert_eq!(asks[1].messages[1], tools("look (does as it is told)", planner), "the router's list");
    assert_eq!(asks[2].messages[1], instruction(include_str!("../../../../assets/prompts/extractor.md")));
    let newest = format!(
        "{NOW}\n\n{}\n- [2026-11-03] The user said: \"The spare key is in the garden shed\"\n\n{}\n1. look what='shed'\n\
         2. reply\n\nwhere is it",
        FOUND.trim(),
        PLAN.trim()
    );
    assert_eq!(asks[3].messages, request(&[(System, &bench.head_now()), (User, &newest)]));
    assert_eq!((ran.decided("tools"), ran.called().len()), (vec!["llm+plan"], 0), "advice only");
}

#[tokio::test]
async fn with_the_other_placement_the_plan_ends_the_system_message() {
    let script = vec![plans(&["look", "lamp", "reply"]), answers("So.")];
    let bench = Bench::equipped(Large, Kit::new().toolbox(), script, |parts| {
        parts.reply.planner.mode = PlannerMode::Always;
        parts.context.placement = Placement::System;
    });
    bench.say("look and light").await;
    let system = format!("{NOW}\n\n{}\n\n{}\n1. look\n2. lamp\n3. reply", bench.head_now(), PLAN.trim());
    assert_eq!(bench.model.requests()[1], request(&[(System, &system), (User, "look and light")]));
}

// The same once more, after a stop, after silence
#[tokio::test]
async fn a_repeated_request_is_neither_routed_nor_extracted_for_again() {
    let plan = || plans(&["searchMemory topic='key'", "reply"]);
    let whole = || vec![picks(&["look"]), plan(), extracts(&["key"], "", ""), answers("There.")];
    let script = [whole(), vec![plan(), answers("There.")], whole(), whole()].concat();
    let bench = Bench::directed(Large, script);
    bench.has("2026-11-03", "The spare key is in the garden shed").await;
    let all = ["router", "planner", "extractor", "answer"];
    assert_eq!(bench.say("where is the key").await.purposes(), all);
    let ran = bench.say("where is the key").await;
    assert_eq!(ran.purposes(), ["planner", "answer"]);
    assert_eq!((ran.decided("router"), ran.decided("extractor")), (vec!["known"], vec!["known"]));
    bench.say("stop").await;
    assert_eq!(bench.say("where is the key").await.purposes(), all, "a stop forgets it");
    bench.later(301);
    assert_eq!(bench.say("where is the key").await.purposes(), all, "and so does a new conversation");
}

// What fell open, or was made up, is not kept; new tools are picked from anew
#[tokio::test]
async fn a_pick_of_everything_is_asked_for_again_and_so_is_one_among_other_tools() {
    let everything = || picks(&["lamp", "look", "page", "broken"]);
    let script = vec![
        everything(),
        answers("A."),
        everything(),
        answers("B."),
        picks(&["look", "teleport"]),
        answers("C."),
        answers("D."),
        picks(&["blinds"]),
        answers("E."),
    ];
    let toolbox = Kit::new().toolbox().with_hidden(vec![super::tools::Fake::new(
        "blinds",
        Effect::Looks,
        Ok(Output::own("down")),
    )]);
    let bench = Bench::equipped(Large, toolbox, script, |parts| parts.tool_rules.router = Router::Llm);
    bench.say("how is it").await;
    assert_eq!(bench.say("how is it").await.purposes(), ["router", "answer"], "it picked everything");
    let ran = bench.say("is it there").await;
    assert_eq!((ran.purposes(), ran.decided("tools")), (vec!["router", "answer"], vec!["llm"]));
    assert_eq!(bench.say("is it there").await.purposes(), ["answer"]);
    bench.voice.with(|state| state.history.grow("blinds"));
    let ran = bench.say("is it there").await;
    assert_eq!(ran.purposes(), ["router", "answer"], "there is one more");
    let instruction = bench.model.requests()[7].last().unwrap().content.clone();
    assert!(instruction.contains("lamp, look, page, broken, blinds"), "{instruction}");
}

// A router that is no use leaves it to the words, and to everything only when they say nothing
#[tokio::test]
async fn a_router_that_fails_leaves_it_to_the_words() {
    for broken in
        [vec![Step::Lasting], answers("I like tools."), picks(&["teleport"]), answers("{\"tools\": 5}")]
    {
        let mut bench = Bench::shipped(vec![broken.clone(), answers("A."), broken, answers("B.")]);
        bench.engine.parts.tool_rules.router = Router::Llm;
        bench.model.state.send_replace(scripted::ready(Large));
        let ran = bench.say("I keep a shopping list for milk").await;
        assert_eq!(ran.decided("router"), ["failed"]);
        assert_eq!(ran.choice(), ("keyword".into(), "lists stop".into()));
        let all = bench.engine.parts.tools.snapshot().toolbox.names().join(" ");
        assert_eq!(bench.say("who are you").await.choice(), ("keyword".into(), all), "and it is not kept");
    }
}

// Nothing picked means nothing but what is always there; failures come on top of what is kept
#[tokio::test]
async fn a_tool_that_was_not_picked_is_not_run_and_a_failed_one_is_back_for_one_turn() {
    let script = vec![
        picks(&[]),
        calls("1", "lamp", "{}"),
        answers("I can't."),
        picks(&["broken"]),
        calls("2", "broken", "{}"),
        answers("It fails."),
        answers("So."),
    ];
    let bench = Bench::equipped(Large, Kit::new().toolbox(), script, |parts| {
        parts.tool_rules.router = Router::Llm;
    });
    let ran = bench.say("how are you").await;
    assert_eq!((ran.choice(), ran.called()), (("llm".into(), "stop".into()), vec![("lamp", "refused")]));
    bench.say("try it").await;
    let ran = bench.say("how are you").await;
    assert_eq!(ran.choice(), ("llm+carryover".into(), "broken stop".into()), "known, and one more");
}

// A plan that is a mere reply has nothing looked for, picked or run
#[tokio::test]
async fn a_mere_reply_costs_one_call_beside_the_answer_and_nothing_else() {
    let bench = Bench::directed(Large, vec![picks(&[]), plans(&["reply"]), answers("I am fine.")]);
    bench.has("2026-11-03", "You are feeling fine today").await;
    let ran = bench.say("how are you feeling").await;
    assert_eq!(ran.purposes(), ["router", "planner", "answer"]);
    assert_eq!((ran.decided("recall"), ran.decided("planner")), (vec!["skipped"], vec!["reply"]));
    let newest = format!("{NOW}\n\nhow are you feeling");
    assert_eq!(bench.model.requests()[2][1].content, newest, "neither plan nor memory");
    // With a small model nothing is bound, run at once or digested either.
    let script = vec![plans(&["reply"]), answers("It is what it is.")];
    let mut bench = Bench::shipped(script);
    bench.engine.parts.reply.planner.mode = PlannerMode::Always;
    let ran = bench.say("What is 17 times 23?").await;
    assert_eq!((ran.purposes(), ran.called()), (vec!["planner", "answer"], vec![]));
    assert_eq!(bench.model.asks()[1].format, None);
}

// Without a plan everything is as it is without a planner
#[tokio::test]
async fn a_plan_that_fails_is_no_plan() {
    for broken in
        [vec![Step::Lasting], answers("Well, I would…"), plans(&[]), plans(&["find out more", "reply"])]
    {
        let script = vec![picks(&["look"]), broken, extracts(&["key"], "", ""), answers("There.")];
        let bench = Bench::directed(Large, script);
        bench.has("2026-11-03", "The spare key is in the garden shed").await;
        let ran = bench.say("where is the key").await;
        assert_eq!(ran.shown(), "There.");
        assert_eq!((ran.decided("recall"), ran.decided("tools")), (vec!["found"], vec!["llm"]));
        assert!(!bench.model.requests()[3][1].content.contains(PLAN.trim()));
        assert_eq!(bench.model.requests().len(), 4, "router and extractor once each");
    }
}

// What the extractor says is looked for; garbage leaves it to the words
#[tokio::test]
async fn the_memory_is_searched_for_what_the_extractor_says() {
    let planner = || plans(&["searchMemory", "reply"]);
    for (extractor, decided, is_found) in [
        (extracts(&["shed"], "", ""), "read", true),
        (extracts(&[], "2026-11-03", "2026-11-03"), "read", true),
        (extracts(&[], "2026-10-03", "2026-10-04"), "read", false),
        (extracts(&[], "", ""), "read", false),
        (answers("no idea"), "failed", true),
        (vec![Step::Lasting], "failed", true),
    ] {
        let bench = Bench::directed(Large, vec![picks(&[]), planner(), extractor, answers("There.")]);
        bench.has("2026-11-03", "The spare key is in the garden shed").await;
        let ran = bench.say("where is the key").await;
        assert_eq!(ran.decided("extractor"), [decided]);
        assert_eq!(bench.model.requests()[3][1].content.contains("garden shed"), is_found, "{decided}");
    }
}

// Another model where one is named, for the extractor in the order of the chain
#[tokio::test]
async fn other_models_are_asked_where_they_are_named() {
    let named = |router: &'static str, planner: &'static str| {
        let script =
            vec![picks(&[]), plans(&["searchMemory", "reply"]), extracts(&[], "", ""), answers("A.")];
        Bench::equipped(Large, Kit::new().toolbox(), script, move |parts| {
            as_shipped(parts);
            parts.tool_rules.router_model = router.into();
            parts.reply.planner.model = planner.into();
        })
    };
    for (router, planner, extractor) in [("a:1b", "b:1b", "a:1b"), ("", "b:1b", "b:1b"), ("a:1b", "", "a:1b")]
    {
        let bench = named(router, planner);
        let ran = bench.say("where is the key").await;
        let models: Vec<Option<String>> = bench.model.asks().into_iter().map(|ask| ask.model).collect();
        let expected =
            [router, planner, extractor, ""].map(|name| Some(name.to_owned()).filter(|n| !n.is_empty()));
        assert_eq!(models, expected);
        assert!(
            ran.events.iter().any(|event| matches!(event, ReplyEvent::Used(used) if used.model == extractor))
        );
    }
}

// The planner first
#[tokio::test]
async fn the_planner_may_come_first_and_sees_all_tools_then() {
    let script = vec![plans(&["lamp", "reply"]), picks(&["look"]), answers("A.")];
    let bench = Bench::equipped(Large, Kit::new().toolbox(), script, |parts| {
        as_shipped(parts);
        parts.reply.planner.order = PlannerOrder::Planner;
    });
    let ran = bench.say("light, please").await;
    assert_eq!(ran.purposes(), ["planner", "router", "answer"]);
    assert!(bench.model.requests()[0][1].content.contains("Tools: lamp, look, page, broken\n"));
    assert_eq!(ran.choice(), ("llm+plan".into(), "look lamp stop".into()), "united");
}
