//! Turns in which what is asked beside the answer, or the database, hangs, dies or writes nonsense: the answer comes all
//! the same, and in time.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::directed::{as_shipped, extracts, picks};
use super::scripted::{answers, writes};
use super::tools::Kit;
use super::*;
use joi_llm::ModelSize::{Large, Small};

/// What may become of a call.
type Breakdown = (&'static str, fn() -> Vec<Step>);

const BREAKDOWNS: [Breakdown; 4] = [
    ("hangs", || vec![Step::Wait(3_600), Step::Done]),
    ("dies", || vec![Step::Text("{\"st"), Step::Lasting]),
    ("is passing", || vec![Step::Passing]),
    ("babbles", || vec![Step::Text("\u{0}\u{7}} I am a teapot [[ \u{202e}"), Step::Done]),
];

/// The steps of a turn that takes every one of them, in order, with the time each has.
fn steps() -> [(&'static str, Vec<Step>, Duration); 5] {
    [
        ("profile", writes(&json!({ "profile": "business" })), deadline::PROFILE),
        ("router", picks(&["lists"]), deadline::ROUTER),
        ("planner", plans(&["searchMemory topic='key'", "reply"]), deadline::PLANNER),
        ("extractor", extracts(&["key"], "", ""), deadline::EXTRACTOR),
        ("memory digest", answers("The key is in the shed."), deadline::DIGEST),
    ]
}

/// An engine that asks for everything that can be asked for.
async fn bench(script: Vec<Vec<Step>>) -> Bench {
    let bench = Bench::shipped(script).rebuilt(|parts| {
        as_shipped(parts);
        parts.persona.mode = PersonaMode::Profiles;
        parts.memory.digest = MemoryDigest::Always;
    });
    bench.model.state.send_replace(scripted::ready(Large));
    let long = format!("The spare key is in the garden shed. {}", "It hangs on a nail. ".repeat(22));
    bench.has("2026-11-03", &long).await;
    bench
}

// Every stage fails once
#[tokio::test(start_paused = true)]
async fn whatever_breaks_down_beside_the_answer_costs_its_own_time_at_most() {
    for broken in 0..steps().len() {
        for (what, breakdown) in BREAKDOWNS {
            let mut script: Vec<Vec<Step>> = steps().into_iter().map(|(_, step, _)| step).collect();
            let (name, _, limit) = steps()[broken].clone();
            script[broken] = breakdown();
            script.push(answers("In the shed."));
            let bench = bench(script).await;
            let began = Instant::now();
            let ran = bench.say("where is the key").await;
            let told = format!("the {name} {what}");
            assert_eq!(
                (ran.shown().as_str(), ran.outcome.ended),
                ("In the shed.", Ended::Answered),
                "{told}"
            );
            let took = began.elapsed();
            assert!(took <= limit, "{told}: {took:?}");
            assert_eq!(bench.model.requests().len(), steps().len() + 1, "{told}: nothing is asked twice");
            assert_eq!(bench.stored().await.len(), 2, "{told}");
        }
    }
}

// All of them at once
#[tokio::test(start_paused = true)]
async fn when_everything_hangs_the_answer_comes_within_half_a_minute() {
    let hangs = || vec![Step::Wait(3_600), Step::Done];
    let bench = bench(vec![hangs(), hangs(), hangs(), hangs(), hangs(), answers("I can't say.")]).await;
    let began = Instant::now();
    assert_eq!(bench.say("where is the key").await.shown(), "I can't say.");
    let limits: Duration = steps().iter().map(|(_, _, limit)| *limit).sum();
    assert_eq!(began.elapsed().as_secs(), limits.as_secs());
    assert!(began.elapsed() < Duration::from_secs(30));
    assert_eq!(bench.model.aborted(), 5, "none of them goes on");
}

// A database that hangs from the first word on, or after the dialogue was read
#[tokio::test(start_paused = true)]
async fn a_database_that_hangs_costs_the_memory_and_a_few_seconds() {
    let bench =
        Bench::equipped(Small, Toolbox::default(), vec![answers("Blue."), answers("Green.")], as_shipped);
    bench.has("2026-11-03", "The sky was blue").await;
    bench.say("which colour has the sky").await;
    bench.store.hang();
    let began = Instant::now();
    let ran = bench.say("which colour has the grass").await;
    assert!(ran.shown().ends_with("Green."), "{}", ran.shown());
    assert_eq!(ran.outcome.exchange, None);
    let limits = [deadline::DIALOGUE, deadline::KNOWN, deadline::SEARCH, deadline::WRITE];
    let most: Duration = limits.iter().sum();
    assert!(began.elapsed() <= most, "{:?}", began.elapsed());
}

// A database that dies in the middle of it all
#[tokio::test]
async fn a_memory_that_dies_costs_the_memory() {
    let script =
        vec![picks(&[]), plans(&["searchMemory", "reply"]), extracts(&["key"], "", ""), answers("Sorry.")];
    let bench = Bench::equipped(Large, Kit::new().toolbox(), script, as_shipped);
    bench.has("2026-11-03", "The spare key is in the garden shed").await;
    bench.store.break_memory().await;
    let ran = bench.say("where is the key").await;
    assert_eq!((ran.shown().as_str(), ran.decided("recall")), ("Sorry.", vec!["failed"]));
}

// Whoever stops talking to joi stops everything
#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_aborts_what_is_asked_beside_it() {
    let bench = bench(vec![vec![Step::Wait(2), Step::Done]]).await;
    let (events, _received) = mpsc::channel(1_000);
    let turn = TurnInput {
        id: TurnId(1),
        text: Private("where is the key".into()),
        language: None,
        is_unsure: false,
    };
    let cancel = CancellationToken::new();
    let cancelling = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (outcome, ()) =
        tokio::join!(reply(&bench.engine, &bench.voice, turn, events, cancel.clone()), cancelling);
    assert_eq!((outcome.ended, bench.model.aborted()), (Ended::Cancelled, 1));
}

// Garbage costs two seconds, and not a whole generation; a slow machine may take longer for a call
#[tokio::test(start_paused = true)]
async fn what_can_not_be_said_is_refused_within_two_seconds() {
    let second = || (0..30).map(|_| Step::Text("\"a\": [1, ")).chain([Step::Wait(1)]);
    let garbage: Vec<Step> =
        [Step::Text("{")].into_iter().chain((0..10).flat_map(|_| second())).chain([Step::Done]).collect();
    let bench = Bench::with_kit(Small, &Kit::new(), vec![garbage.clone()]);
    let began = Instant::now();
    let ran = bench.say("where is it").await;
    assert_eq!((ran.shown(), ran.outcome.ended), (say().muddled.clone(), Ended::Apologised));
    assert_eq!((began.elapsed(), ran.decided("check")), (Duration::from_secs(2), vec!["refused"]));
    assert_eq!(bench.model.aborted(), 1, "the model does not write on");
    let call = ["```tool_", "call\n", "{\"name\":", "\"look\",", "\"arguments\":", "{}", "}\n", "```"];
    let slow = call.into_iter().flat_map(|piece| [Step::Text(piece), Step::Wait(1)]).chain([Step::Done]);
    let kit = Kit::new();
    let bench = Bench::with_kit(Small, &kit, vec![slow.collect(), answers("Under the mat.")]);
    assert_eq!((bench.say("where is it").await.shown(), kit.look.ran()), ("Under the mat.".to_owned(), 1));
    // What stands before it was said.
    let begun = [Step::Text("It is a nice day. ")].into_iter().chain(garbage).collect();
    let bench = Bench::with_kit(Small, &Kit::new(), vec![begun]);
    assert!(bench.say("where is it").await.shown().starts_with("It is a nice day."));
}
