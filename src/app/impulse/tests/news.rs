//! Items of the day that goals have collected.

use super::*;
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_proactive::awareness::{Significance, Topic};

fn item(number: u32, at: Timestamp) -> Topic {
    let words = |text: String| SentenceField::Words(text);
    let fact = SentenceTemplate::from(SentenceName::FeedItemForeign)
        .with("text", words(format!("Fares to Tokyo fall by {number} percent.")))
        .with("source", words("example.org".into()));
    Topic {
        id: 0,
        key: format!("news:{number}"),
        fact,
        what: String::new(),
        significance: Significance::Routine,
        at,
        refused: 0,
    }
}

#[tokio::test]
async fn an_item_is_said_as_it_stands_with_its_source_once_and_behind_the_house() {
    let morning = start().checked_add(9.hours()).unwrap();
    let mut bench = bench_with(Thought::Says("Buy now!"), Store::in_memory().unwrap(), morning.clone()).await;
    bench.awareness.offer(item(20, morning.timestamp()));
    bench.awareness.offer(item(20, morning.timestamp()));
    bench.happens("Window");
    assert_eq!(bench.awareness.state().topics.next().unwrap().kind(), "open");
    bench.awareness.state().topics.clear();
    bench.awareness.offer(item(20, morning.timestamp()));
    bench.minutes(14 * 60, Floor::Free).await;
    let said: Vec<&str> = bench.heard.iter().map(|(_, text)| text.as_str()).collect();
    let item = "Fares to Tokyo fall by 20 percent. That was read elsewhere, from example.org.";
    assert_eq!(said, [item]);
}
