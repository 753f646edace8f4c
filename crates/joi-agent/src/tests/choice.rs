//! Which tools a turn may call, and what of earlier calls comes into it.

use serde_json::json;

use super::scripted::answers;
use super::tools::{Fake, Kit, calls, chooses, writes};
use super::*;
use joi_llm::ModelSize::{self, Large, Small};
use joi_tools::{Effect, Output};

impl Ran {
    /// The strategy of the turn, and the names it may call.
    pub(super) fn choice(&self) -> (String, String) {
        let decided = self.events.iter().find_map(|event| match event {
            ReplyEvent::Decided(decision) if decision.stage == "tools" => Some(decision),
            _ => None,
        });
        let decision = decided.expect("tools were chosen");
        let names = decision.reason.split(", as ").next().unwrap_or_default();
        (decision.verdict.clone(), names.to_owned())
    }
}

// Words pick; where no word fits it is talk, and no tool is shown
#[tokio::test]
async fn a_small_model_may_call_what_the_words_pick_and_stop_and_a_large_one_everything() {
    let none = || vec![Step::Text("{\"name\":\"none\"}"), Step::Done];
    let bench = Bench::shipped(vec![none(), answers("Fine."), answers("I am Joi.")]);
    let ran = bench.say("I keep a shopping list for milk").await;
    assert_eq!(ran.choice(), ("keyword".into(), "lists stop".into()));
    let ran = bench.say("who are you").await;
    let all = bench.engine.parts.tools.snapshot().toolbox.names().join(" ");
    assert_eq!(ran.choice().0, "talk", "no word fits");
    let mut bench = Bench::shipped(vec![answers("Fine.")]);
    bench.engine.parts.tool_rules.router = Router::All;
    bench.model.state.send_replace(scripted::ready(Large));
    assert_eq!(bench.say("I keep a shopping list for milk").await.choice(), ("all".into(), all));
}

// What would be refused whatever is in it is not even written
#[tokio::test]
async fn a_question_is_answered_by_calls_that_only_look() {
    for (asked, actions) in [
        ("I keep a shopping list for milk", json!(["add", "read", "remove", "clear", "begin"])),
        ("do you like what stands on my shopping list", json!(["read"])),
    ] {
        let none = vec![Step::Text("{\"name\":\"none\"}"), Step::Done];
        let bench = Bench::shipped(vec![none, answers("Fine.")]);
        bench.say(asked).await;
        let format = bench.model.asks()[0].format.clone().unwrap();
        let options = format["anyOf"].as_array().unwrap();
        let lists = options.iter().find(|option| option["properties"]["name"]["const"] == "lists").unwrap();
        assert_eq!(lists["properties"]["arguments"]["properties"]["action"]["enum"], actions, "{asked}");
    }
}

// The switch of the bench
#[tokio::test]
async fn without_the_constraint_a_small_model_writes_what_it_likes() {
    let script = vec![writes("lists", "{\"what\":\"milk\"}")];
    let bench = Bench::with(script, |parts| {
        parts.tool_rules.constrain = false;
        parts.tools = Toolbox::new(vec![Fake::new(
            "lists",
            Effect::Remembers,
            Ok(Output::own("added milk").saying("Milk is on the list.")),
        )])
        .into();
    });
    assert_eq!(bench.say("put milk on the shopping list").await.called(), [("lists", "done")]);
    assert!(bench.model.asks().iter().all(|ask| ask.format.is_none()));
}

// The flag is set at every place where a result is appended
#[tokio::test]
async fn a_tool_that_failed_is_allowed_in_the_next_turn_in_both_protocols_and_another_is_not() {
    for size in [Small, Large] {
        for (tool, is_back) in [("broken", true), ("look", false)] {
            let call = |size: ModelSize| match (size, tool) {
                (Large, "broken") => calls("call_1", "broken", "{}"),
                (Large, _) => calls("call_1", "look", "{}"),
                (Small, _) => writes(tool, "{}"),
            };
            let bench = Bench::with_kit(
                size,
                &Kit::new(),
                vec![call(size), answers("I tried."), answers("Again, then.")],
            );
            bench.say("try it").await;
            let (strategy, _) = bench.say("do it again").await.choice();
            assert_eq!(strategy.ends_with("+carryover"), is_back, "{tool} {size:?}: {strategy}");
        }
    }
}

// Rows are kept also behind an apology, and never as words of the dialogue
#[tokio::test(start_paused = true)]
async fn what_was_called_before_an_apology_is_carried_over_and_is_no_dialogue() {
    let script = vec![writes("look", "{}"), vec![Step::Lasting], answers("As I said: under the mat.")];
    let bench = Bench::with_kit(Small, &Kit::new(), script);
    let ran = bench.say("where is it").await;
    assert_eq!(ran.outcome.ended, Ended::Apologised);
    bench.say("where was that").await;
    let seen: Vec<String> =
        bench.model.requests().pop().unwrap().into_iter().map(|message| message.content).collect();
    assert!(
        seen.iter().any(|text| text.starts_with("[Tool result: look]\nthe key is under the mat")),
        "{seen:?}"
    );
    let stored = bench.stored().await;
    assert_eq!(stored.len(), 4);
    assert!(stored.iter().all(|(_, text)| !text.contains("Tool result") && !text.contains("tool_call")));
}

#[tokio::test]
async fn a_brief_tool_is_not_digested_however_long_its_result() {
    let long = "the forecast says rain ".repeat(60);
    let brief = Fake::new("look", Effect::Looks, Ok(Output::own(long.trim())));
    let script = vec![writes("look", "{}"), answers("Rain.")];
    let bench = Bench::equipped(Small, Toolbox::new(vec![brief]), script, |_| {});
    bench.say("how will it be").await;
    let asks = bench.model.requests();
    assert_eq!(asks.len(), 2, "no call for a note");
    assert!(asks[1].last().unwrap().content.contains(long.trim()));
}

// A result is something to answer from
#[tokio::test]
async fn behind_a_result_stands_that_the_user_is_to_be_answered() {
    let script = vec![chooses("calculate", "{\"expression\":\"17 +\"}"), answers("I can't.")];
    let bench = Bench::shipped(script);
    bench.say("how would you work out 17 plus").await;
    let newest = bench.model.requests().pop().unwrap().pop().unwrap().content;
    assert!(newest.ends_with(include_str!("../../../../assets/prompts/hint.complete.md").trim()), "{newest}");
}
