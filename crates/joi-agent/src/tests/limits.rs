//! Where the loop ends: repeats, unknown tools, wrong arguments, too many turns, long results, plans.

use super::scripted::answers;
use super::tools::{Fake, Kit, calls, writes};
use super::*;
use joi_llm::ModelSize::{Large, Small};
use joi_llm::Role;
use joi_tools::{Effect, Output, fence};

impl Bench {
    /// The newest message of each request.
    pub(super) fn newest(&self) -> Vec<String> {
        self.model.requests().into_iter().map(|mut r| r.pop().unwrap().content).collect()
    }
}

#[tokio::test]
async fn the_same_call_is_not_run_twice_and_another_is() {
    let kit = Kit::new();
    let script = vec![
        calls("1", "look", "{\"what\":\"a\"}"),
        calls("2", "look", "{\"what\":\"a\"}"),
        calls("3", "look", "{\"what\":\"b\"}"),
        calls("4", "broken", "{}"),
        calls("5", "broken", "{}"),
        answers("Well."),
    ];
    let bench = Bench::with_kit(Large, &kit, script);
    let ran = bench.say("where is it").await;
    let called = [
        ("look", "done"),
        ("look", "repeated"),
        ("look", "done"),
        ("broken", "failed"),
        ("broken", "repeated"),
    ];
    assert_eq!((ran.called(), kit.look.ran(), kit.broken.ran()), (called.to_vec(), 2, 1));
    let repeated = "Error: look was called with the same arguments before. Use the result above.";
    assert_eq!(bench.newest()[2], repeated);
}

// A missing tool, and arguments that don't fit, are reported so that the model can go on
#[tokio::test]
async fn a_call_that_cannot_be_made_is_reported_with_what_can() {
    let kit = Kit::new();
    let script =
        vec![calls("1", "teleport", "{}"), calls("2", "look", "{\"colour\":\"red\"}"), answers("I can't.")];
    let bench = Bench::with_kit(Large, &kit, script);
    let ran = bench.say("beam me up").await;
    assert_eq!(ran.called(), [("teleport", "refused"), ("look", "refused")]);
    let newest = bench.newest();
    assert_eq!(
        newest[1],
        "Error: There is no tool teleport now. The tools are: lamp, look, page, broken, stop."
    );
    assert_eq!(newest[2], "Error: There is no argument colour; the arguments are: what.");
}

#[tokio::test]
async fn a_model_that_always_calls_is_stopped_after_eight_turns_and_what_was_found_is_reported() {
    let kit = Kit::new();
    let call = |n: usize| {
        let arguments: &'static str = format!("{{\"what\":\"{n}\"}}").leak();
        calls("x", "look", arguments)
    };
    let mut script: Vec<_> = (0..8).map(call).collect();
    script.push(answers("The key is under the mat, it seems."));
    let bench = Bench::with_kit(Large, &kit, script.clone());
    let ran = bench.say("find everything").await;
    assert_eq!(ended(&ran).1, format!("{} The key is under the mat, it seems.", say().not_finished));
    let requests = bench.model.requests();
    assert_eq!(requests.len(), 9);
    for request in &requests {
        assert_eq!(request.iter().filter(|m| m.role == Role::System).count(), 1);
    }
    let digest = &requests[8];
    assert_eq!(digest.len(), 2, "the shared head and the instruction");
    assert!(
        digest[1].content.contains("Question: find everything") && digest[1].content.chars().count() < 2_400
    );
    script[8] = vec![Step::Lasting];
    let bench = Bench::with_kit(Large, &kit, script);
    assert_eq!(bench.say("find everything").await.shown(), say().unfinished);
}

// Once, and within the turns
#[tokio::test]
async fn an_empty_reply_is_asked_about_once() {
    let kit = Kit::new();
    let bench = Bench::with_kit(Large, &kit, vec![answers(""), answers("Yes.")]);
    assert_eq!(bench.say("well").await.shown(), "Yes.");
    let newest = bench.newest();
    let recovery = include_str!("../../../../assets/prompts/recovery.md").trim();
    assert_eq!(newest[1], format!("{}\n\n{recovery}", newest[0]));
    let bench = Bench::with_kit(Large, &kit, vec![answers(""), answers("")]);
    assert_eq!(bench.say("well").await.shown(), say().came_out_wrong);
}

// The second question counts as well: one turn is one
#[tokio::test]
async fn a_model_with_one_turn_is_asked_once() {
    let kit = Kit::new();
    let once = |script| Bench::equipped(Large, kit.toolbox(), script, |parts| parts.tool_rules.max_turns = 1);
    let bench = once(vec![answers("")]);
    assert_eq!(bench.say("well").await.shown(), say().came_out_wrong);
    assert_eq!(bench.model.requests().len(), 1);
    let bench = Bench::equipped(Large, kit.toolbox(), vec![answers(""), answers("Yes.")], |parts| {
        parts.tool_rules.max_turns = 2;
    });
    assert_eq!(bench.say("well").await.shown(), "Yes.");
    let bench = once(vec![vec![Step::NoTools], answers("Yes.")]);
    assert_eq!(bench.say("well").await.shown(), "Yes.", "a refused request was no turn");
}

// Thinking is no answer, but no empty turn either
#[tokio::test]
async fn thinking_alone_uses_a_turn_up() {
    let thinks = || vec![Step::Thought("Hm."), Step::Done];
    let kit = Kit::new();
    let bench = Bench::with_kit(Large, &kit, vec![thinks(), thinks(), answers("Yes.")]);
    assert_eq!(bench.say("well").await.shown(), "Yes.");
    let thoughts: Vec<_> = bench.model.requests()[2].iter().filter_map(|m| m.thinking.clone()).collect();
    assert_eq!(thoughts, ["Hm.", "Hm."]);
}

#[tokio::test]
async fn a_long_result_is_digested_for_a_small_model_and_kept_raw_when_the_note_is_no_use() {
    let text = format!("example.org says the tower is 324 m high. {}", "word ".repeat(120));
    let page = fence::wrap(&text, 1_500);
    for (note, used) in [
        ("example.org: the tower is 324 m high.", true),
        ("NONE", false),
        ("The tower is 330 m high.", false),
    ] {
        let wordy = Fake::wordy("page", Output::foreign(page.clone()));
        let script = vec![writes("page", "{}"), answers(note), answers("324 metres.")];
        let bench = Bench::equipped(Small, Toolbox::new(vec![wordy]), script, |_| {});
        let ran = bench.say("how high is it").await;
        assert_eq!(
            ran.shown().replace(['[', ']'], ""),
            match note {
                "NONE" => "the result of page could not be shortened; it is used as it is 324 metres.",
                _ => "324 metres.",
            }
        );
        let newest = bench.newest();
        assert!(
            newest[1].contains(&page) && newest[1].starts_with("Write what of this text"),
            "{}",
            newest[1]
        );
        let expected = if used { fence::wrap(note, 1_500) } else { page.clone() };
        assert!(newest[2].starts_with(&format!("[Tool result: page]\n{expected}\n")), "{}", newest[2]);
        // The trunk is shared: nothing but the last message differs.
        let requests = bench.model.requests();
        assert_eq!(requests[1][..2], requests[2][..2]);
    }
}

// Eight seconds, then the raw result
#[tokio::test(start_paused = true)]
async fn a_digest_that_hangs_costs_eight_seconds() {
    let page = fence::wrap(&"word ".repeat(120), 1_500);
    let wordy = Fake::wordy("page", Output::foreign(page.clone()));
    let script = vec![writes("page", "{}"), vec![Step::Wait(60), Step::Done], answers("So.")];
    let bench = Bench::equipped(Small, Toolbox::new(vec![wordy]), script, |_| {});
    let began = tokio::time::Instant::now();
    assert_eq!(bench.say("how high is it").await.shown(), "So.");
    assert_eq!(began.elapsed().as_secs(), 8);
    assert!(bench.newest()[2].contains(&page));
}

/// A call of `takes`, and another.
fn slow_calls(takes: Duration) -> Bench {
    let slow = Fake::slow("look", Effect::Looks, Ok(Output::own("it is under the mat")), takes);
    let script = vec![
        calls("1", "look", "{\"what\":\"a\"}"),
        calls("2", "look", "{\"what\":\"b\"}"),
        answers("Under it."),
    ];
    Bench::equipped(Large, Toolbox::new(vec![slow]), script, |_| {})
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_long_is_mentioned_once_in_an_answer() {
    let bench = slow_calls(Duration::from_secs(20));
    let began = tokio::time::Instant::now();
    let ran = bench.say("where is it").await;
    assert_eq!(ran.shown(), format!("({}) Under it.", say().taking_long));
    assert_eq!((ran.called(), began.elapsed().as_secs()), (vec![("look", "done"); 2], 40));
    let quick = slow_calls(Duration::from_secs(3));
    assert_eq!(quick.say("where is it").await.shown(), "Under it.");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_long_ends_with_the_turn() {
    let bench = slow_calls(Duration::from_secs(20));
    let (events, mut received) = mpsc::channel(100);
    let turn =
        TurnInput { id: TurnId(1), text: Private("where is it".into()), language: None, is_unsure: false };
    let (cancel, began) = (CancellationToken::new(), tokio::time::Instant::now());
    let stopping = async {
        while received.recv().await != Some(ReplyEvent::Aside(say().taking_long.clone())) {}
        cancel.cancel();
    };
    let answering = reply(&bench.engine, &bench.voice, turn, events, cancel.clone());
    let (outcome, ()) = tokio::join!(answering, stopping);
    assert_eq!((outcome.ended, began.elapsed().as_secs()), (Ended::Cancelled, 4));
}

// A large model reads it all
#[tokio::test]
async fn a_large_model_gets_the_whole_result() {
    let wordy = Fake::wordy("page", Output::foreign("word ".repeat(120)));
    let script = vec![calls("1", "page", "{}"), answers("So.")];
    let bench = Bench::equipped(Large, Toolbox::new(vec![wordy]), script, |_| {});
    bench.say("how high is it").await;
    assert_eq!(bench.model.requests().len(), 2);
}

#[tokio::test]
async fn a_request_of_two_parts_is_reminded_of_the_second() {
    let kit = Kit::new();
    let script = vec![
        writes("look", "{\"what\":\"key\"}"),
        writes("look", "{\"what\":\"hat\"}"),
        answers("Both are there."),
    ];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("where have I put the key and where have I put the hat").await;
    let newest = bench.newest();
    assert!(
        newest[1].ends_with(
            "(1 of 2 parts are answered. Still open: where have I put the hat. Call another tool for it.)"
        ),
        "{}",
        newest[1]
    );
    assert!(
        newest[2].ends_with(include_str!("../../../../assets/prompts/hint.complete.md").trim()),
        "{}",
        newest[2]
    );
}

#[tokio::test]
async fn whole_steps_of_a_plan_run_without_the_model() {
    let kit = Kit::new();
    let mut bench = Bench::with_kit(Small, &kit, vec![answers("Under the mat, and the lamp is on.")]);
    let plan = ["look what='key'", "lamp what=on", "answer"];
    let ran = bench.say_planned("find the key, then light on", &plan).await;
    assert_eq!(ran.shown(), "Under the mat, and the lamp is on.");
    assert_eq!(ran.called(), [("look", "done"), ("lamp", "done")]);
    assert_eq!((bench.model.requests().len(), ran.decided("tools")), (2, vec!["keyword+plan"]));
    let newest = &bench.newest()[1];
    assert!(
        newest.ends_with("(All 2 of 2 steps are done. Answer the user now from these results.)"),
        "{newest}"
    );
}

#[tokio::test]
async fn a_step_in_words_is_a_choice_and_a_large_model_follows_its_own_way() {
    let kit = Kit::new();
    let script = vec![super::tools::chooses("look", "{\"what\":\"key\"}"), answers("Under the mat.")];
    let mut bench = Bench::with_kit(Small, &kit, script);
    bench.say_planned("find it", &["look what='<the thing>'", "answer"]).await;
    assert!(bench.model.asks()[1].format.is_some());
    let none = vec![Step::Text("{\"name\":\"none\"}"), Step::Done];
    let mut bench = Bench::with_kit(Small, &kit, vec![none, answers("No idea.")]);
    assert_eq!(bench.say_planned("find it", &["look for <it>", "answer"]).await.shown(), "No idea.");
    let mut bench = Bench::with_kit(Large, &kit, vec![answers("No idea.")]);
    let ran = bench.say_planned("find it", &["look what=key", "answer"]).await;
    assert_eq!((ran.shown(), ran.called().len()), ("No idea.".into(), 0));
}

#[tokio::test]
async fn hidden_tools_are_found_and_offered_at_the_tail_from_then_on() {
    let kit = Kit::new();
    let hidden = Fake::new("blinds", Effect::Changes, Ok(Output::own("down")));
    let toolbox = kit.toolbox().with_hidden(vec![hidden.clone()]);
    let search = |id| calls(id, "toolSearch", "{\"query\":\"blinds\"}");
    let script = vec![
        calls("0", "blinds", "{}"),
        search("1"),
        calls("2", "blinds", "{}"),
        answers("They are down."),
        answers("Yes."),
    ];
    let bench = Bench::equipped(Large, toolbox, script, |_| {});
    let ran = bench.say("lower the blinds").await;
    assert_eq!(ran.called(), [("blinds", "refused"), ("toolSearch", "done"), ("blinds", "done")]);
    let names = |at: usize| -> Vec<String> {
        let asks = bench.model.asks();
        asks[at].tools.iter().map(|t| t["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let core = ["lamp", "look", "page", "broken", "stop", "toolSearch"];
    assert_eq!(names(1), core);
    assert_eq!(names(2), [&core[..], &["blinds"]].concat());
    bench.say("are they").await;
    assert_eq!(names(4), names(2), "stable within the conversation");
    bench.say("stop").await;
    assert_eq!(bench.engine.tools(&bench.voice).len(), core.len());
}

// At most three searches
#[tokio::test]
async fn a_fourth_search_for_tools_is_refused() {
    let kit = Kit::new();
    let hidden = Fake::new("blinds", Effect::Changes, Ok(Output::own("down")));
    let search = |what: &'static str| calls("1", "toolSearch", what);
    let script = vec![
        search("{\"query\":\"a\"}"),
        search("{\"query\":\"b\"}"),
        search("{\"query\":\"c\"}"),
        search("{\"query\":\"d\"}"),
        answers("No."),
    ];
    let bench = Bench::equipped(Large, kit.toolbox().with_hidden(vec![hidden]), script, |_| {});
    let ran = bench.say("do magic").await;
    assert_eq!(
        ran.called().iter().map(|(_, outcome)| *outcome).collect::<Vec<_>>(),
        ["done", "done", "done", "refused"]
    );
}

// the whole prompt of the default small model stays small, and every fragment has its cap
#[test]
fn prompts_keep_their_caps() {
    let bench = Bench::shipped(vec![]);
    let head = bench.head(Small, Protocol::Text);
    insta::assert_snapshot!(head);
    assert!(head.len() / 3 <= 900, "about {} tokens", head.len() / 3);
    let fragments = [
        (include_str!("../../../../assets/prompts/tools.small.md"), 600),
        (include_str!("../../../../assets/prompts/tools.text.md"), 1_000),
        (include_str!("../../../../assets/prompts/tools.native.md"), 700),
        (include_str!("../../../../assets/prompts/hint.step.md"), 160),
        (include_str!("../../../../assets/prompts/hint.answer.md"), 120),
        (include_str!("../../../../assets/prompts/hint.open.md"), 120),
        (include_str!("../../../../assets/prompts/hint.complete.md"), 100),
        (include_str!("../../../../assets/prompts/recovery.md"), 100),
        (digest::PROMPT, 300),
        (digest::UNFINISHED_PROMPT, 320),
    ];
    for (fragment, cap) in fragments {
        assert!(fragment.len() <= cap, "{} bytes, at most {cap}: {fragment}", fragment.len());
    }
}
