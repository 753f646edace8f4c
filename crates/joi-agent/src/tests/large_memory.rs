//! A memory with more entries than are looked at.

use super::*;

#[tokio::test]
async fn what_is_beyond_the_entries_that_are_read_is_counted() {
    let bench = Bench::new(Vec::new());
    let pieces =
        (1..=1_234).map(|number| format!("the valve number {number} is behind the boiler")).collect();
    bench.store.put_document("boiler.pdf", pieces, bench.engine.parts.clock.now().timestamp()).await.unwrap();
    let told = bench.say("what do you know about me").await;
    assert!(told.shown().contains("I know 1234 more things."), "{}", told.shown());
}
