//! What has no end is over in time: a server that writes nothing that can be said, a text that is too long.

use std::time::Instant as RealInstant;

use tokio::time::Instant;

use super::scripted::{answers, ready};
use super::*;
use crate::bounds::{MOST_CHARACTERS, TurnBounds};
use crate::reply_within;
use joi_llm::ModelSize;

/// A character that is neither white space nor speakable.
const NOTHING: &str = "\u{200b}";

fn bench_of(size: ModelSize, steps: Vec<Step>) -> Bench {
    let bench = Bench::new(Vec::new());
    bench.model.state.send_replace(ready(size));
    bench.model.follows(Box::new(move |_| steps.clone()));
    bench
}

fn turn(text: &str) -> TurnInput {
    TurnInput { id: TurnId(1), text: Private(text.into()), language: None, is_unsure: false }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_writes_nothing_slowly_is_over_after_two_minutes_whatever_its_model() {
    for size in [ModelSize::Small, ModelSize::Large] {
        let slow = [Step::Wait(10), Step::Text(NOTHING)].repeat(200);
        let bench = bench_of(size, slow);
        let began = Instant::now();
        let ran = bench.say("tell me something about the sea").await;
        assert_eq!((ran.outcome.ended, began.elapsed().as_secs()), (Ended::Apologised, 120));
        assert!(ran.outcome.text.0.ends_with(&say().unwell), "{:?}", ran.outcome.text);
    }
}

#[tokio::test]
async fn a_flood_of_nothing_is_over_at_once() {
    for size in [ModelSize::Small, ModelSize::Large] {
        for endless in [NOTHING, "\n", "a", "ab ", "{", "漢"] {
            let began = RealInstant::now();
            let ran =
                bench_of(size, vec![Step::Endless(endless)]).say("tell me something about the sea").await;
            assert_ne!(ran.outcome.ended, Ended::Cancelled, "{endless:?}");
            let took = began.elapsed();
            // With all checks of a debug build, beside other tests; it never came to an end before.
            assert!(took < Duration::from_secs(40), "{endless:?} took {took:?}");
        }
    }
}

#[tokio::test]
async fn stop_ends_a_flood_of_thinking() {
    let bench = bench_of(ModelSize::Large, vec![Step::Thinks(NOTHING)]);
    let (events, _received) = mpsc::channel(1_000);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    // On the same thread: it comes to it only if the turn lets others work.
    let stopping = tokio::spawn(async move {
        tokio::task::yield_now().await;
        stop.cancel();
    });
    let outcome =
        reply(&bench.engine, &bench.voice, turn("tell me something about the sea"), events, cancel).await;
    stopping.await.unwrap();
    assert_eq!(outcome.ended, Ended::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_turn_is_the_callers_and_ends_what_was_begun_with_a_sentence() {
    let mut steps = vec![Step::Text("The sea is wide. It is blue. ")];
    steps.extend([Step::Wait(10), Step::Text(NOTHING)].repeat(200));
    let bench = bench_of(ModelSize::Large, steps);
    let (events, _received) = mpsc::channel(1_000);
    let bounds = TurnBounds { cancel: CancellationToken::new(), within: Duration::from_secs(35) };
    let began = Instant::now();
    let turn = turn("tell me something about the sea");
    let outcome = reply_within(&bench.engine, &bench.voice, turn, events, bounds).await;
    assert_eq!((outcome.ended, began.elapsed().as_secs()), (Ended::Apologised, 35));
    assert!(outcome.text.0.starts_with("The sea is wide."), "{:?}", outcome.text);
    assert!(outcome.text.0.ends_with(&say().lost_thread), "{:?}", outcome.text);
}

#[tokio::test]
async fn a_text_that_is_too_long_is_refused_and_nothing_of_it_is_done() {
    let order = "set a timer for nine minutes and ";
    let long = order.to_owned() + &"milk, ".repeat(MOST_CHARACTERS);
    let bench = Bench::new(Vec::new());
    for session in [&bench.voice, &bench.console] {
        let ran = bench.say_in(session, &long).await;
        assert_eq!((ran.shown(), ran.outcome.ended), (say().too_much_text.clone(), Ended::Apologised));
        assert_eq!(ran.outcome.heard.0, "(not kept)");
        assert!(ran.decided("length").len() == 1 && ran.called().is_empty());
    }
    assert!(say().too_much_text.contains("8,000"));
    assert_eq!((bench.stored().await, bench.model.requests().len()), (Vec::new(), 0));
    let entries = bench.engine.parts.schedule.as_ref().unwrap().entries().await.unwrap();
    assert!(entries.is_empty(), "{entries:?}");
    let most = "ä".repeat(MOST_CHARACTERS);
    bench.model.first(answers("That is a lot of one letter."));
    assert_ne!(bench.say(&most).await.shown(), say().too_much_text);
}
