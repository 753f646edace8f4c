//! Notices of other programs while the database hangs, fails and answers again.

use super::*;

impl Bench {
    /// Sends a notice; what its sender is answered, and after how long.
    async fn sends(&mut self, text: &str) -> (NoticeFate, Duration) {
        let (taken, answer) = tokio::sync::oneshot::channel();
        let began = tokio::time::Instant::now();
        self.watcher.noticed(ReceivedNotice::read(text).unwrap(), taken).await;
        (answer.await.expect("an answer"), began.elapsed())
    }

    fn topics(&self) -> usize {
        self.awareness.state().topics.len()
    }
}

const ALARM: &str = r#"{"id": "smoke_alarm", "text": "Cellar"}"#;
const NEWS: &str = "The laundry is done";

#[tokio::test(start_paused = true)]
async fn a_notice_that_is_not_stored_in_time_is_reported_at_once_and_once_and_taken_when_it_comes_again() {
    let store = Store::in_memory().unwrap();
    let mut bench = bench(Some(store.clone())).await;
    store.hang();
    for sent in 1..4 {
        let (fate, after) = bench.sends(ALARM).await;
        assert!(fate == NoticeFate::NotStored && after < Duration::from_secs(11), "{fate:?} after {after:?}");
        assert_eq!(bench.alarms(), 1, "sent {sent} times");
        let (fate, after) = bench.sends(NEWS).await;
        assert!(fate == NoticeFate::NotStored && after < Duration::from_secs(11), "{fate:?} after {after:?}");
        assert_eq!((bench.topics(), bench.awareness.state().events.len()), (1, 2), "sent {sent} times");
    }
    // Somebody has heard it before it could be stored.
    assert_eq!(bench.watcher.alerts.acknowledge(AcknowledgedBy::Socket).await, 1);
    assert_eq!(bench.sends(ALARM).await.0, NoticeFate::NotStored);
    assert_eq!(bench.alarms(), 0, "the same notice rings no second time");

    store.answer_again();
    assert_eq!(bench.sends(ALARM).await.0, NoticeFate::Stored);
    assert_eq!(bench.sends(NEWS).await.0, NoticeFate::Stored);
    assert_eq!((bench.alarms(), bench.topics(), store.alerts(9).await.unwrap().len()), (0, 1, 1));
    assert!(store.context_state().await.unwrap().unwrap().contains("laundry"));
    assert_eq!(bench.sends(ALARM).await.0, NoticeFate::Stored);
    assert_eq!(bench.alarms(), 1, "whoever knows that it was stored tells of another smoke");
}

#[tokio::test(start_paused = true)]
async fn a_notice_that_was_never_stored_is_a_new_one_two_minutes_after_it_last_came() {
    let store = Store::in_memory().unwrap();
    let mut bench = bench(Some(store.clone())).await;
    store.make_read_only().await;
    let mut alarms = Vec::new();
    for seconds in [0, 119, 119, 120] {
        tokio::time::advance(Duration::from_secs(seconds)).await;
        assert_eq!(bench.sends(ALARM).await.0, NoticeFate::NotStored);
        alarms.push(bench.alarms());
        bench.watcher.alerts.acknowledge(AcknowledgedBy::Socket).await;
    }
    assert_eq!(alarms, [1, 0, 0, 1]);
}

#[tokio::test]
async fn without_a_database_nothing_is_said_to_be_stored() {
    let mut bench = bench(None).await;
    assert_eq!(bench.sends(ALARM).await.0, NoticeFate::NotStored);
    assert_eq!(bench.sends(NEWS).await.0, NoticeFate::NotStored);
    assert_eq!((bench.alarms(), bench.topics()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn what_is_known_is_stored_after_its_alarms_and_again_where_the_database_did_not_take_it() {
    let store = Store::in_memory().unwrap();
    let mut bench = bench(Some(store.clone())).await;
    bench.is(&[("Smoke", "Switch", "OFF")]).await;
    store.hang();
    bench.is(&[("Smoke", "Switch", "ON")]).await;
    assert_eq!(bench.alarms(), 1);
    store.answer_again();
    // The watcher looks on, with nothing new.
    tokio::time::advance(SAVE_EVERY).await;
    assert!(!bench.watcher.alerts.are_stored());
    bench.looks().await;
    let known = |text: Option<String>| text.is_some_and(|text| text.contains("\"dangers\":[\"Smoke\"]"));
    assert!(!known(store.context_state().await.unwrap()), "a danger that counts as told would be lost");
    assert!(
        bench
            .watcher
            .alerts
            .is_stored(&joi_proactive::alert::Alert::new(
                joi_proactive::alert::AlertKind::Test,
                night().timestamp()
            ))
            .await
    );
    assert!(bench.watcher.alerts.are_stored());
    tokio::time::advance(SAVE_EVERY).await;
    bench.looks().await;
    assert!(known(store.context_state().await.unwrap()));
}
