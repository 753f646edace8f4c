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
