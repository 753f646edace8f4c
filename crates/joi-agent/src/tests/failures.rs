//! Turns that go wrong: late, silent, broken, refused, cancelled; and a store that fails.

use std::time::Duration;

use tokio::time::Instant;

use super::super::model::ModelState;
use super::scripted::{answers, lacks_model, ready};
use super::tools::Kit;
use super::*;
use joi_llm::{LlmError, ModelSize};

fn seconds(since: Instant) -> u64 {
    since.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_silent_for_thirty_seconds_gets_a_second_chance() {
    let began = Instant::now();
    let bench = Bench::new(vec![vec![Step::Wait(30), Step::Late], answers("Here I am.")]);
    let ran = bench.say("hello there").await;
    assert_eq!(ran.shown(), format!("({}) Here I am.", say().trouble));
    assert_eq!(ended(&ran), outcome("hello there", "Here I am.", Ended::Answered));
    assert_eq!(seconds(began), 30);
    let requests = bench.model.requests();
    assert_eq!(requests[0], requests[1]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_stays_silent_is_excused_and_the_excuse_remembered() {
    let began = Instant::now();
    let bench = Bench::new(vec![vec![Step::Wait(30), Step::Late], vec![Step::Wait(30), Step::Late]]);
    let ran = bench.say("hello there").await;
    let expected = format!("({}) [{}] {}", say().trouble, scripted::late(), say().unwell);
    assert_eq!(ran.shown(), expected);
    assert_eq!(ended(&ran), outcome("hello there", &say().unwell, Ended::Apologised));
    assert_eq!(seconds(began), 60);
    let stored = [("user", "hello there".into()), ("assistant", say().unwell.clone())];
    assert_eq!(bench.stored().await, stored);
}

#[tokio::test(start_paused = true)]
async fn a_question_during_warm_up_is_acknowledged_and_answered_when_ready() {
    let bench = Bench::new(vec![vec![Step::Wait(29), Step::Text("Good morning."), Step::Done]]);
    bench.model.state.send_replace(ModelState::Starting);
    let (events, mut received) = mpsc::channel(100);
    let turn =
        TurnInput { id: TurnId(1), text: Private("hello there".into()), language: None, is_unsure: false };
    let began = Instant::now();
    let waking = async {
        while received.recv().await != Some(ReplyEvent::Aside(say().waking.clone())) {}
        let acknowledged = began.elapsed();
        tokio::time::sleep(Duration::from_secs(90)).await;
        bench.model.state.send_replace(ready(ModelSize::Small));
        acknowledged
    };
    let answering = reply(&bench.engine, &bench.voice, turn, events, CancellationToken::new());
    let (outcome, acknowledged) = tokio::join!(answering, waking);
    assert_eq!(acknowledged.as_secs(), 2);
    // The thirty seconds count from the moment the model is ready.
    assert_eq!((outcome.text.0.as_str(), seconds(began)), ("Good morning.", 121));
    assert_eq!(outcome.ended, Ended::Answered);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_found_loaded_is_not_said_to_be_waking_up() {
    let bench = Bench::new(vec![answers("Good morning.")]);
    bench.model.state.send_replace(ModelState::Starting);
    let found = async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        bench.model.state.send_replace(ready(ModelSize::Small));
    };
    let (ran, ()) = tokio::join!(bench.say("hello there"), found);
    assert_eq!(ran.shown(), "Good morning.");
}

#[tokio::test(start_paused = true)]
async fn a_question_during_warm_up_is_put_as_the_model_that_wakes_wants_it() {
    for (size, expected) in [(ModelSize::Large, true), (ModelSize::Small, false)] {
        let bench = Bench::with_kit(size, &Kit::new(), vec![answers("Good morning.")]);
        bench.model.state.send_replace(ModelState::Starting);
        let (told, mut received) = mpsc::channel(100);
        // It wakes when joi has said that it has not: the paused time runs away while the database works.
        let waking = async {
            let mut events = Vec::new();
            while let Some(event) = received.recv().await {
                if event == ReplyEvent::Aside(say().waking.clone()) {
                    bench.model.state.send_replace(ready(size));
                }
                events.push(event);
            }
            events
        };
        let turn = TurnInput {
            id: TurnId(1),
            text: Private("hello there".into()),
            language: None,
            is_unsure: false,
        };
        let answering = reply(&bench.engine, &bench.voice, turn, told, CancellationToken::new());
        let (outcome, events) = tokio::join!(answering, waking);
        assert_eq!(Ran { outcome, events }.shown(), format!("({}) Good morning.", say().waking));
        let ask = bench.model.asks().remove(0);
        assert_eq!(!ask.tools.is_empty(), expected, "native tools for {size:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_wakes_is_given_up() {
    let bench = Bench::new(vec![]);
    bench.model.state.send_replace(ModelState::Starting);
    let began = Instant::now();
    let ran = bench.say("hello there").await;
    assert_eq!((seconds(began), ran.outcome.ended), (300, Ended::Apologised));
    let notice = "the model did not start in time; `joi doctor` tells why";
    assert_eq!(ran.shown(), format!("({}) [{notice}] {}", say().waking, say().still_starting));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_down_is_excused_at_once_with_the_remedy_for_the_owner() {
    let bench = Bench::new(vec![]);
    let down = LlmError::Down { why: "no model is installed".into(), remedy: "fetch one".into() };
    bench.model.state.send_replace(ModelState::Down(down.clone()));
    let ran = bench.say("hello there").await;
    assert_eq!(ran.shown(), format!("[{down}] {}", say().no_model));
}

#[tokio::test(start_paused = true)]
async fn a_passing_failure_is_tried_again_and_a_lasting_one_is_not() {
    let bench = Bench::new(vec![vec![Step::Passing], answers("Yes."), vec![Step::Lasting]]);
    let ran = bench.say("well").await;
    assert_eq!(ran.shown(), format!("({}) Yes.", say().trouble));
    let ran = bench.say("well").await;
    assert_eq!(ran.shown(), format!("[{}] {}", lacks_model(), say().no_model));
    assert_eq!(bench.model.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_in_the_middle_is_not_begun_again() {
    let bench =
        Bench::new(vec![vec![Step::Text("One. Two. Th")], vec![Step::Text("One. Tw"), Step::Passing]]);
    for expected in ["One. Two. ", "One. "] {
        let ran = bench.say("count").await;
        assert_eq!(ran.shown(), format!("{expected}\n\n{}", say().lost_thread));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_before_a_word_is_out_is_asked_for_again() {
    let bench = Bench::new(vec![vec![Step::Text("Let me thi")], answers("Yes.")]);
    assert_eq!(bench.say("well").await.shown(), format!("({}) Yes.", say().trouble));
}

#[tokio::test]
async fn an_empty_or_secret_answer_becomes_the_standard_apology() {
    let bench = Bench::new(vec![
        answers(" \n"),
        answers("[Context: now]"),
        answers("Your card is 4111 1111 1111 1111, as you said."),
        answers("I see [REDACTED_EMAIL] here."),
    ]);
    for _ in 0..3 {
        let ran = bench.say("well").await;
        assert_eq!(ended(&ran), outcome("well", &say().muddled, Ended::Apologised));
        assert_eq!(ran.shown(), say().muddled);
    }
    let stored = bench.stored().await;
    assert!(stored.iter().all(|(_, text)| text == "well" || *text == say().muddled), "{stored:?}");
}

#[tokio::test]
async fn an_empty_answer_is_asked_for_once_more() {
    let bench = Bench::new(vec![answers(""), answers("Yes.")]);
    assert_eq!(bench.say("well").await.shown(), "Yes.");
    assert_eq!(bench.model.requests().len(), 2);
}

// Worded by the size of the model
#[tokio::test]
async fn a_large_model_apologises_in_its_own_words() {
    let bench = Bench::new(vec![answers(""), answers("")]);
    bench.model.state.send_replace(ready(ModelSize::Large));
    assert_eq!(bench.say("well").await.shown(), say().came_out_wrong);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_aborts_the_model_and_keeps_what_went_out() {
    let bench = Bench::new(vec![vec![Step::Text("One. Two. Th"), Step::Wait(10), Step::Done]]);
    let (events, mut received) = mpsc::channel(100);
    let turn = TurnInput { id: TurnId(1), text: Private("count".into()), language: None, is_unsure: false };
    let cancel = CancellationToken::new();
    let stopping = async {
        while received.recv().await != Some(ReplyEvent::Text("One. Two. ".into())) {}
        cancel.cancel();
    };
    let answering = reply(&bench.engine, &bench.voice, turn, events, cancel.clone());
    let (outcome, ()) = tokio::join!(answering, stopping);
    assert_eq!((outcome.text.0.as_str(), outcome.ended), ("One. Two.", Ended::Cancelled));
    assert_eq!(bench.model.aborted(), 1);
    assert_eq!(bench.stored().await, [("user", "count".into()), ("assistant", "One. Two.".into())]);
}

#[tokio::test]
async fn a_turn_that_is_cancelled_before_a_word_leaves_no_trace() {
    let bench = Bench::new(vec![]);
    let (events, _received) = mpsc::channel(100);
    let turn = TurnInput { id: TurnId(1), text: Private("count".into()), language: None, is_unsure: false };
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = reply(&bench.engine, &bench.voice, turn, events, cancel).await;
    assert_eq!((outcome.ended, outcome.exchange), (Ended::Cancelled, None));
    assert_eq!(bench.stored().await, []);
}

#[tokio::test(start_paused = true)]
async fn a_turn_nobody_listens_to_ends() {
    let bench = Bench::new(vec![vec![Step::Wait(5), Step::Text("One. Two."), Step::Wait(5), Step::Done]]);
    let (events, received) = mpsc::channel(100);
    drop(received);
    let turn = TurnInput { id: TurnId(1), text: Private("count".into()), language: None, is_unsure: false };
    let outcome = reply(&bench.engine, &bench.voice, turn, events, CancellationToken::new()).await;
    assert_eq!((outcome.ended, outcome.text.0.as_str()), (Ended::Cancelled, ""));
}

// The reply goes out, the failure is reported once
#[tokio::test]
async fn a_store_that_fails_costs_the_memory_and_not_the_answer() {
    let bench = Bench::new(vec![answers("One."), answers("Two.")]);
    bench.store.break_down().await;
    let ran = bench.say("first").await;
    assert!(ran.shown().ends_with("One."), "{}", ran.shown());
    assert_eq!(ran.events.iter().filter(|e| matches!(e, ReplyEvent::Notice(_))).count(), 1);
    let ran = bench.say("second").await;
    assert_eq!(ran.shown(), "Two.");
}
