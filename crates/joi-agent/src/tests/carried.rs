//! Half a request that goes on with the one before.

use super::scripted::answers;
use super::*;

#[tokio::test]
async fn a_list_needs_no_name_where_it_was_just_spoken_of() {
    let bench = Bench::shipped(vec![answers("What?")]);
    for (said, answered) in [
        ("start a list for the camping trip", "The camping trip list is empty."),
        (
            "put a tent and two sleeping bags on it",
            "A tent and two sleeping bags are on the camping trip list.",
        ),
        ("and matches", "Matches is on the camping trip list."),
        ("take off the matches again", "I took matches off the camping trip list."),
        ("is the tent on there?", "Yes"),
    ] {
        let said_then = bench.say(said).await.shown().to_owned();
        assert!(said_then.starts_with(answered), "{said}: {said_then}");
    }
    assert_eq!(bench.model.requests().len(), 0);
    assert_eq!(bench.store.notes("camping trip").await.unwrap(), ["a tent", "two sleeping bags"]);
    bench.later(150);
    assert_eq!(bench.say("and matches").await.shown(), "What?", "which list that is, is forgotten");
}

#[tokio::test]
async fn a_question_is_asked_once_more_of_something_else() {
    let bench = Bench::shipped(vec![answers("What?"), answers("What?")]);
    assert!(bench.say("what time is it in Lisbon?").await.shown().ends_with("in Lisbon."));
    let tokyo = bench.say("and in Tokyo?").await.shown().to_owned();
    assert!(tokyo.ends_with("in Tokyo."), "{tokyo}");
    assert_eq!(bench.say("what is eighteen percent of two hundred").await.shown(), "That's 36.");
    assert_eq!(bench.say("and of three hundred").await.shown(), "That's 54.");
    assert_eq!(bench.model.requests().len(), 0);
    // A deed is not done once more by half a sentence.
    bench.say("put milk on the shopping list").await;
    bench.say("and on Friday").await;
    bench.say("what time is it in Lisbon").await;
    bench.later(150);
    bench.say("and in Tokyo").await;
    assert_eq!(bench.model.requests().len(), 2);
}

#[tokio::test]
async fn a_thing_to_buy_that_is_called_after_one_of_the_house_is_put_on_the_list() {
    let bench = Bench::shipped(vec![]);
    let ran = bench.say("put dishwasher tabs and coffee on the shopping list").await;
    assert_eq!(ran.shown(), "Dishwasher tabs and coffee are on the shopping list.");
    let ran = bench.say("add light bulbs and oven cleaner to the shopping list").await;
    assert_eq!(ran.shown(), "Light bulbs and oven cleaner are on the shopping list.");
}
