//! Another program asks: it is informed, and nothing else.

use super::scripted::answers;
use super::tools::{Kit, writes};
use super::*;
use joi_llm::ModelSize::{Large, Small};

fn program() -> Session {
    let session = Session::new(ConversationId::program());
    session.keeps_words(false);
    session
}

#[tokio::test]
async fn quick_commands_of_another_program_inform_and_change_silence_and_end_nothing() {
    let answers = (0..6).map(|_| answers("I see.")).collect();
    let (bench, session) = (Bench::new(answers), program());
    bench.say("set a pasta timer for nine minutes").await;
    for asked in [
        "set a timer for ten minutes",
        "set a timer",
        "cancel the pasta timer",
        "cancel all timers",
        "stop",
        "thanks",
        "good night",
        "be quiet for two hours",
        "louder",
        "undo that",
        "remember that my cat is called Tom",
        "forget everything",
        "yes",
    ] {
        let ran = bench.say_in(&session, asked).await;
        assert_eq!(ran.acts(), [], "{asked}");
        assert!(!session.awaits_yes(bench.clock.now().timestamp()), "{asked}: {}", ran.shown());
    }
    assert_eq!(bench.scheduled().await, 1);
    assert_eq!(bench.say_in(&session, "stop").await.shown(), say().forbidden_by_settings);
    let left = bench.say_in(&session, "how long is left on the pasta timer?").await;
    assert!(left.shown().contains("9 minutes"), "{}", left.shown());
    assert!(bench.say_in(&session, "what time is it?").await.shown().starts_with("It's "));
    let stored = bench.stored().await;
    assert_eq!(stored.len(), 2, "only the household's own: {stored:?}");
}

#[tokio::test]
async fn a_call_that_changes_something_is_not_made_and_a_yes_of_a_program_counts_for_nothing() {
    for size in [Small, Large] {
        let kit = Kit::new();
        let lamp = || writes("lamp", "{\"what\":\"on\"}");
        let bench = Bench::with_kit(size, &kit, vec![lamp(), answers("As you like."), lamp()]);
        let session = program();
        bench.say_in(&session, "the lamp please").await;
        bench.say_in(&session, "yes").await;
        bench.say_in(&session, "yes, the lamp on please").await;
        assert_eq!(kit.lamp.ran(), 0, "{size:?}");
    }
}

#[tokio::test]
async fn a_program_learns_nothing_of_what_was_said_in_the_house() {
    let bench = Bench::new(vec![answers("How nice."), answers("I don't know.")]);
    bench.say("aunt Philomena brings the marmalade tomorrow, I think").await;
    bench.say_in(&program(), "what do you think of marmalade?").await;
    let seen = bench.model.requests().pop().unwrap();
    assert!(!seen.iter().any(|message| message.content.contains("Philomena")), "{seen:?}");
}
