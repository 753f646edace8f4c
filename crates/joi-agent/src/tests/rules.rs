//! What the owner's configuration forbids, asks about or counts, for commands that need no model.

use super::scripted::answers;
use super::tools::{Kit, chooses, writes};
use super::*;
use joi_llm::ModelSize::{Large, Small};

/// Returns the sentence for a request that the settings forbid.
fn forbidden() -> &'static str {
    &say().forbidden_by_settings
}

fn ruled(change: impl FnOnce(&mut ToolsConfig)) -> Bench {
    let pardon = || answers("Pardon?");
    Bench::shipped(vec![pardon(), pardon()]).rebuilt(|parts| change(&mut parts.tool_rules))
}

#[tokio::test]
async fn a_tool_that_never_runs_does_not_run_for_a_quick_command() {
    let never = |tool: &str| ruled(|rules| rules.never = vec![tool.to_owned()]);
    for (tool, asked) in [
        ("timers", "set a timer for ten minutes"),
        ("timers", "what timers are running?"),
        ("setVolume", "louder"),
        ("memory", "remember that I like tea"),
        ("memory", "forget everything you know about me"),
        ("time", "what time is it"),
    ] {
        let bench = never(tool);
        let ran = bench.say(asked).await;
        assert_eq!((ran.shown().as_str(), ran.acts()), (forbidden(), vec![]), "{asked}");
        assert_eq!((bench.scheduled().await, ran.decided("gate")), (0, vec!["forbidden"]), "{asked}");
    }
    let bench = never("stop");
    assert!(bench.say("stop").await.acts().contains(&Action::StopSpeaking), "silence is never held back");
}

#[tokio::test]
async fn a_tool_that_always_asks_asks_for_a_quick_command_and_does_it_after_a_yes() {
    let bench = ruled(|rules| rules.always_ask = vec!["timers".into()]);
    let question = "Shall I really do that: set a timer for ten minutes?";
    assert_eq!(bench.say("set a timer for ten minutes").await.shown(), question);
    assert_eq!(bench.scheduled().await, 0);
    assert_eq!(bench.say("no").await.shown(), say().left_alone);
    assert_eq!(bench.scheduled().await, 0);
    bench.say("set a timer for ten minutes").await;
    assert_eq!(bench.say("yes").await.shown(), "Timer, 10 minutes.");
    bench.say("cancel all timers").await;
    bench.later(60);
    bench.say("yes").await;
    assert_eq!(bench.scheduled().await, 1, "a yes that comes too late is none");
    // What only looks is not asked about less than anything else of that tool.
    assert!(bench.say("what timers are running?").await.shown().starts_with("Shall I really"));
}

#[tokio::test]
async fn an_unsure_yes_to_a_quick_command_is_asked_for_once_more() {
    let bench = ruled(|rules| rules.always_ask = vec!["timers".into()]);
    bench.say("set a timer for ten minutes").await;
    assert_eq!(bench.mumbles("yes").await.shown(), say().is_that_a_yes);
    assert_eq!(bench.mumbles("yes").await.shown(), say().left_alone);
    assert_eq!(bench.scheduled().await, 0);
}

#[tokio::test]
async fn quick_commands_are_not_counted_among_the_calls_of_a_model() {
    let bench = ruled(|rules| rules.calls_per_minute = 1);
    for (asked, answer) in [
        ("set a timer for ten minutes", "Timer, 10 minutes."),
        ("set a tea timer for four minutes", "Tea timer, 4 minutes."),
        ("set a rice timer for 20 minutes", "Rice timer, 20 minutes."),
    ] {
        assert_eq!(bench.say(asked).await.shown(), answer);
    }
    assert_eq!(bench.scheduled().await, 3);
}

// A no that comes after the time for a yes still counts
#[tokio::test]
async fn a_late_no_forbids_the_deed_like_any_other() {
    let kit = Kit::new();
    let lamp = || writes("lamp", "{\"what\":\"on\"}");
    let bench = Bench::with_kit(Small, &kit, vec![lamp(), lamp(), answers("As you like.")]);
    bench.say("the lamp please").await;
    bench.later(600);
    assert_eq!(bench.say("no, leave it").await.shown(), say().left_alone);
    let ran = bench.say("the lamp, well").await;
    assert_eq!((ran.called(), kit.lamp.ran()), (vec![("lamp", "refused")], 0));
}

// What a tool is asked about in any case does not bring back what was refused
#[tokio::test]
async fn what_was_refused_is_not_asked_about_by_a_tool_that_always_asks() {
    let kit = Kit::new();
    let lamp = || writes("lamp", "{\"what\":\"on\"}");
    let bench =
        Bench::equipped(Small, kit.toolbox(), vec![lamp(), lamp(), answers("As you like.")], |parts| {
            parts.tool_rules.always_ask = vec!["lamp".into()];
        });
    bench.say("the lamp please").await;
    bench.say("no").await;
    let ran = bench.say("the lamp, well").await;
    assert_eq!((ran.called(), kit.lamp.ran()), (vec![("lamp", "refused")], 0));
}

// "2 of 2 steps are done" would be a lie
#[tokio::test]
async fn a_failed_step_of_a_plan_is_not_done() {
    let kit = Kit::new();
    let mut bench = Bench::with_kit(Small, &kit, vec![answers("I could not reach it.")]);
    let ran = bench.say_planned("find it out, then light on", &["broken", "lamp what=on", "answer"]).await;
    assert_eq!((ran.called(), kit.lamp.ran()), (vec![("broken", "failed")], 0), "{}", ran.shown());
    let newest = &bench.newest()[1];
    assert!(newest.contains("0 of 2 parts are answered. Still open: broken."), "{newest}");
}

#[tokio::test]
async fn with_one_turn_the_model_is_asked_once() {
    let kit = Kit::new();
    for size in [Small, Large] {
        let script = vec![writes("look", "{\"what\":\"key\"}")];
        let bench = Bench::equipped(size, kit.toolbox(), script, |parts| parts.tool_rules.max_turns = 1);
        bench.engine.parts.protocols.learn("scripted", None).await;
        bench.say("where is the key").await;
        assert_eq!(bench.model.requests().len(), 1, "{size:?}");
    }
}

#[tokio::test]
async fn a_small_model_searches_for_nothing_that_nobody_spoke_of() {
    let search = |query: &str| chooses("webSearch", &format!("{{\"query\":\"{query}\"}}"));
    let bench = Bench::shipped(vec![search("quince market opening hours"), answers("I don't know.")]);
    let ran = bench.say("search the web for cake recipes").await;
    assert_eq!(ran.called(), [("webSearch", "refused")], "{}", ran.shown());
}
