//! Turns in which a fact takes the place of what was known about its subject.

use super::scripted::answers;
use super::*;
use joi_store::MemoryKind;

const QUESTION: &str =
    "Shall I forget what I know about your locker number for good, and remember instead that it is 512?";

#[tokio::test]
async fn after_a_yes_only_the_new_fact_is_known() {
    for said in [
        "forget my locker number, it's 512 now",
        "my locker number isn't 418 any more, it's 512",
        "my locker number has changed, it's 512 now",
    ] {
        let bench = Bench::new(vec![]);
        bench.knows(MemoryKind::User, "2026-11-01", "my locker number is 418").await;
        assert_eq!(bench.say(said).await.shown(), QUESTION, "{said}");
        assert_eq!(bench.known().await.len(), 1, "nothing is erased before the answer");
        let ran = bench.say("yes").await;
        assert_eq!(ran.shown(), "I'll remember: your locker number is 512.");
        let known = bench.known().await;
        assert!(
            matches!(&known[..], [fact] if format!("{fact:?}").contains("my locker number is 512")),
            "{known:?}"
        );
    }
}

#[tokio::test]
async fn anything_but_a_yes_keeps_the_old_fact() {
    let bench = Bench::new(vec![answers("Ha.")]);
    bench.knows(MemoryKind::User, "2026-11-01", "my locker number is 418").await;
    bench.say("forget my locker number, it's 512 now").await;
    assert_eq!(bench.say("no").await.shown(), say().left_alone);
    let known = format!("{:?}", bench.known().await);
    assert!(known.contains("418") && !known.contains("512"), "{known}");
}

#[tokio::test]
async fn where_nothing_was_known_the_new_fact_is_remembered_without_a_question() {
    let bench = Bench::new(vec![]);
    let ran = bench.say("the spare key isn't in the shed any more, it's under the flowerpot").await;
    assert_eq!(ran.shown(), "I'll remember: the spare key is under the flowerpot.");
}

#[tokio::test]
async fn a_secret_replaces_nothing() {
    let bench = Bench::new(vec![answers("No.")]);
    bench.knows(MemoryKind::User, "2026-11-01", "my locker number is 418").await;
    let ran = bench.say("forget my locker number, my new password is hunter2").await;
    assert!(bench.known().await.len() == 1, "{}", ran.shown());
}
