//! A danger while somebody has called, or seems to have.

use tokio::time::timeout;

use super::*;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn a_wake_phrase_that_nobody_said_does_not_hold_an_alarm_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alarm.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    let wake = HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(wake).await;
    bench.until(Activity::Listening).await;
    let alarm = Announcement::new(AnnouncementOrigin::Alert, AnnouncementPriority::Critical, "Smoke!");
    announcer
        .announce(Announcement { if_unheard: IfUnheard::Repeat(Duration::from_secs(60)), ..alarm })
        .await;
    // The listener says nothing of an utterance, nor of its end.
    let told = timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert!(told.contains(&News::Told(Private("Smoke!".into()))), "{told:?}");
    timeout(LIMIT, bench.until(Activity::Listening)).await.expect("somebody may say that he has heard it");
    assert_eq!(announcer.counts().heard, 1);
    bench.end(&file).await;
}
