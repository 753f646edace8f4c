//! A database that does not answer, and answers again.

use super::*;

/// Returns what is stored of alarms, the oldest first.
async fn stored(store: &Store) -> Vec<Alert> {
    let rows = store.alerts(READ).await.unwrap();
    rows.iter().rev().map(|row| serde_json::from_str(&row.json).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn an_alarm_that_was_heard_before_the_database_took_it_is_stored_once_and_as_heard() {
    let store = Store::in_memory().unwrap();
    let bench = bench(Some(store.clone()), false);
    store.hang();
    bench.alerts.raise(smoke()).await;
    assert!(!bench.alerts.are_stored() && bench.alerts.unheard().len() == 1);
    let began = tokio::time::Instant::now();
    assert_eq!(bench.alerts.acknowledge(AcknowledgedBy::Socket).await, 1);
    assert!(began.elapsed() < Duration::from_secs(2), "whoever acknowledges waits for no disk");
    assert!(!bench.alerts.is_stored(&smoke()).await);

    store.answer_again();
    let stop = CancellationToken::new();
    let following = tokio::spawn({
        let (alerts, stop) = (bench.alerts.clone(), stop.clone());
        async move { alerts.follow(stop, &Heart::unwatched()).await }
    });
    let as_heard = async {
        while stored(&store).await.first().is_none_or(|alert| alert.acknowledged.is_none()) {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), as_heard).await.expect("it is stored by itself");
    let all = stored(&store).await;
    assert_eq!((all.len(), all[0].by), (1, Some(AcknowledgedBy::Socket)), "once, and who has heard it");
    let after = super::bench(Some(store), false);
    after.alerts.restore().await.unwrap();
    assert_eq!(after.alerts.unheard(), [], "it does not ring after a restart");
    stop.cancel();
    following.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn while_the_database_hangs_alarms_are_acknowledged_one_after_the_other_by_voice() {
    let store = Store::in_memory().unwrap();
    let bench = bench(Some(store.clone()), false);
    bench.alerts.raise(smoke()).await;
    store.hang();
    let stop = CancellationToken::new();
    let following = tokio::spawn({
        let (alerts, stop) = (bench.alerts.clone(), stop.clone());
        async move { alerts.follow(stop, &Heart::unwatched()).await }
    });
    for text in ["", "Cellar", "Attic"] {
        if !text.is_empty() {
            let _announced = bench.alerts.announce_new(high(text)).await.unwrap();
        }
        assert!(bench.announcer.silence_alarms());
        let heard = async {
            while !bench.alerts.unheard().is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(2), heard).await.expect("it counts as heard");
    }
    stop.cancel();
    following.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn that_the_house_is_gone_is_sent_while_the_database_hangs() {
    let store = Store::in_memory().unwrap();
    let clock = Arc::new(ManualClock::at(night()));
    let announcer = Announcer::new(&AnnounceConfig::default(), Some(store.clone()), clock.clone());
    let messages = Store::in_memory().unwrap();
    let parts = AlertParts {
        config: AlertConfig::default(),
        announcer: announcer.clone(),
        outbox: outbox(messages.clone(), clock, &[CarrierName::Signal]),
        store: Some(store.clone()),
        languages: in_english(),
    };
    let alerts = Alerts::new(parts);
    store.hang();
    let told = tokio::spawn(async move { alerts.house_is_lost(Duration::from_secs(601)).await });
    let posted = async {
        while messages.outgoing().await.unwrap().is_empty() || announcer.waiting().is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(2), posted)
        .await
        .expect("it is sent, and waits for the morning");
    store.answer_again();
    told.await.unwrap();
    assert_eq!((store.announcements().await.unwrap().len(), stored(&store).await.len()), (1, 1));
}

// Else what was sent, and not stored before the program ended, is raised anew and comes twice
#[tokio::test(start_paused = true)]
async fn no_message_leaves_before_its_alarm_is_stored_unless_the_database_hangs() {
    let store = Store::in_memory().unwrap();
    let bench = bench(Some(store.clone()), false);
    let raised = |alarms: [Alert; 2]| {
        let tasks = alarms.map(|alarm| {
            let alerts = bench.alerts.clone();
            tokio::spawn(async move { alerts.raise(alarm).await })
        });
        futures_util::future::join_all(tasks)
    };
    store.hang();
    let both = raised([high("Cellar"), high("Attic")]);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(bench.posted().await, [Value::Null; 0], "they are not stored");
    store.answer_again();
    assert!(both.await.iter().all(Result::is_ok));
    assert_eq!((bench.posted().await.len(), stored(&store).await.len()), (2, 2));

    store.hang();
    let both = raised([high("Kitchen"), high("Hall")]);
    tokio::time::sleep(Duration::from_millis(2900)).await;
    assert_eq!(bench.posted().await.len(), 4, "whom it warns does not wait for a disk");
    store.answer_again();
    assert!(both.await.iter().all(Result::is_ok));
    assert_eq!(stored(&store).await.len(), 4);
}
