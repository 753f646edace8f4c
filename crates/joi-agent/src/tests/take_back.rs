//! "Cancel that", "undo that": what was set or put on a list is taken back, and nothing else is said to be.

use super::*;

async fn says(bench: &Bench, text: &str) -> String {
    bench.later(2);
    bench.say(text).await.shown()
}

#[tokio::test(start_paused = true)]
async fn what_was_set_in_the_turn_before_is_cancelled() {
    let bench = Bench::new(vec![]);
    for words in ["cancel that", "No, cancel that.", "undo that", "take that back", "I changed my mind"] {
        assert_eq!(says(&bench, "set a tea timer for five minutes").await, "Tea timer, 5 minutes.");
        assert_eq!(says(&bench, words).await, "Tea timer cancelled.", "{words}");
        assert_eq!(says(&bench, "what timers are running?").await, "There are no timers.", "{words}");
    }
    says(&bench, "remind me at noon to call Ann").await;
    says(&bench, "cancel it").await;
    assert_eq!(says(&bench, "what reminders do I have?").await, "There are no reminders.");
    assert_eq!(bench.model.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_was_done_before_something_else_was_said_is_undone_but_not_cancelled() {
    let bench = Bench::new(vec![]);
    says(&bench, "set a tea timer for five minutes").await;
    says(&bench, "what time is it?").await;
    assert_eq!(says(&bench, "cancel that").await, "All right.", "that is no timer");
    assert_eq!(says(&bench, "undo that").await, "Tea timer cancelled.");
    assert_eq!(says(&bench, "undo that").await, "There is nothing I could take back.");
    says(&bench, "set a tea timer for twenty minutes").await;
    bench.later(400);
    assert_eq!(says(&bench, "undo that").await, "There is nothing I could take back.", "it is too long ago");
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_taken_back_leaves_nothing_older_to_be() {
    let bench = Bench::shipped(vec![]);
    for changed in
        ["add two minutes to the tea timer", "delete all timers", "louder", "remember that I like tea"]
    {
        says(&bench, "set a tea timer for five minutes").await;
        says(&bench, changed).await;
        assert_eq!(says(&bench, "undo that").await, "There is nothing I could take back.", "{changed}");
        says(&bench, "delete all timers").await;
    }
    says(&bench, "put milk on the list").await;
    says(&bench, "clear the shopping list").await;
    assert_eq!(says(&bench, "undo that").await, "There is nothing I could take back.");
}

#[tokio::test(start_paused = true)]
async fn what_was_put_on_a_list_is_taken_off_and_what_stood_there_before_stays() {
    let bench = Bench::shipped(vec![]);
    assert_eq!(says(&bench, "put milk on the list").await, "Milk is on the shopping list.");
    says(&bench, "put milk and bread on the list").await;
    assert_eq!(says(&bench, "cancel that").await, "I took bread off the shopping list.");
    assert_eq!(says(&bench, "what's on the list?").await, "The shopping list has 1 entry: milk.");
    assert_eq!(says(&bench, "is there any milk on the list?").await, "Yes, on the shopping list: milk.");
    assert_eq!(says(&bench, "do we have bread on the list?").await, "No, that isn't on the shopping list.");
}
