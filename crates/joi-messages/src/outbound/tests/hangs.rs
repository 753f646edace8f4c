//! A database that does not answer, and one that answers late.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_database_that_hangs_keeps_no_alert_from_the_carrier_and_doubles_none_once_it_answers() {
    let smoke = || Outgoing { key: Some("smoke".into()), ..outgoing(Urgency::Critical, "Smoke!") };
    for underway in [false, true] {
        let mut bench = Bench::signal();
        bench.start();
        bench.settle().await;
        if underway {
            bench.signal.does(Deed::Hangs);
        }
        bench.outbox.parts.store.hang();
        let began = tokio::time::Instant::now();
        bench.outbox.post(smoke()).await.unwrap();
        let carried = async {
            while bench.signal.texts().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), carried).await.expect("the carrier has it");
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        // The disk did take it, late.
        bench.outbox.parts.store.answer_again();
        bench.pass(20).await;
        assert_eq!(bench.signal.texts(), ["Smoke!"], "underway: {underway}");
        let letters = bench.outbox.letters().await.unwrap();
        let state = if underway { LetterState::Underway } else { LetterState::Sent };
        assert_eq!(letters.iter().map(|(_, letter)| letter.state).collect::<Vec<_>>(), [state]);
        bench.outbox.post(smoke()).await.unwrap();
        bench.pass(20).await;
        assert_eq!(bench.signal.texts().len(), 1);
        // An answer is refused as before where nothing can be stored, and goes out where it can.
        bench.post(Urgency::Direct, "Hello.").await;
        bench.pass(20).await;
        assert_eq!(bench.signal.texts(), ["Smoke!", "Hello."]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_alert_that_was_sent_from_memory_is_known_by_its_name_while_the_database_hangs() {
    let mut bench = Bench::signal();
    bench.start();
    bench.settle().await;
    bench.outbox.parts.store.hang();
    bench.signal.does(Deed::Says(Ok(Some(MessageStamp(7)))));
    let smoke = Outgoing { key: Some("smoke".into()), ..outgoing(Urgency::Critical, "Smoke!") };
    bench.outbox.post(smoke).await.unwrap();
    let began = tokio::time::Instant::now();
    let known = async {
        loop {
            let sent = bench.outbox.sent_as(CarrierName::Signal, MessageStamp(7)).await;
            if let Ok(Some(sent)) = sent {
                return sent;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let sent =
        tokio::time::timeout(Duration::from_secs(10), known).await.expect("whoever puts a thumb to it");
    assert_eq!(sent.key.as_deref(), Some("smoke"));
    assert!(began.elapsed() < Duration::from_secs(5));
    let other = tokio::time::timeout(
        Duration::from_secs(5),
        bench.outbox.sent_as(CarrierName::Signal, MessageStamp(8)),
    );
    assert_eq!(other.await.expect("an answer").ok().flatten(), None);
}
