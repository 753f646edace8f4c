//! A file that plays the microphone, and its end.

use super::second_opinion::said;
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_ends_before_her_answer_does_ends_the_conversation_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.wav");
    let mut bench = Bench::start(&file, 12, &Voice::Joe, ConversationConfig::default());
    let now = Instant::now();
    bench.hears(HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: now }).await;
    bench.until(Activity::Listening).await;
    let utterance = Utterance { opened_by: OpenedBy::Request, ..said("What time is it?", 20_000) };
    bench.hears(HearEvent::Ended { utterance, cause: EndCause::Silence, decided: now }).await;
    bench.until(Activity::Speaking).await;
    bench.hears(HearEvent::SourceEnded).await;
    // Nobody reports any more that the window for a follow-up question has passed.
    let mut told = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(120), async {
        while let Some(news) = bench.news.recv().await {
            told.push(news);
        }
    });
    ended.await.expect("the conversation ends by itself");
    let replies =
        told.iter().filter(|news| matches!(news, News::Turn(turn) if turn.reply.starts_with("It's ")));
    assert_eq!(replies.count(), 1, "{told:?}");
}
