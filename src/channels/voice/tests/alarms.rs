//! A danger while somebody has called or speaks, or seems to, and how loud it is.

use tokio::time::timeout;

use super::*;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(60);

fn smoke() -> Announcement {
    let alarm = Announcement::new(AnnouncementOrigin::Alert, AnnouncementPriority::Critical, "Smoke!");
    Announcement { if_unheard: IfUnheard::Repeat(Duration::from_secs(60)), ..alarm }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wake_phrase_that_nobody_said_does_not_hold_an_alarm_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alarm.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    let wake = HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(wake).await;
    bench.until(Activity::Listening).await;
    announcer.announce(smoke()).await;
    // The listener says nothing of an utterance, nor of its end.
    let told = timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert!(told.contains(&News::Told(Private("Smoke!".into()))), "{told:?}");
    timeout(LIMIT, bench.until(Activity::Listening)).await.expect("somebody may say that he has heard it");
    assert_eq!(announcer.counts().heard, 1);
    bench.end(&file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_television_that_talks_on_is_interrupted_by_an_alarm_and_the_record_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("television.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    let wake = HearEvent::Wake { phrase: "hey jarvis".into(), score: 0.99, at: 0, when: Instant::now() };
    bench.hears(wake).await;
    bench.until(Activity::Listening).await;
    bench.hears(HearEvent::Started { generation: 1 }).await;
    announcer.announce(smoke()).await;
    // The listener says nothing of an end.
    let told = timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert!(told.contains(&News::Told(Private("Smoke!".into()))), "{told:?}");
    let given_up = told.iter().find_map(|news| match news {
        News::Dismissed(record) => record.decisions.last().map(|decision| decision.reason.as_str()),
        _ => None,
    });
    assert_eq!(given_up, Some("there is an alarm"));
    timeout(LIMIT, bench.until(Activity::Listening)).await.expect("somebody may say that he has heard it");
    bench.end(&file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alarm_is_never_softer_than_configured_and_afterwards_she_is_as_soft_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loud.wav");
    let announcer = announcer(3);
    let mut bench = Bench::with(&file, 3, &Voice::None, ConversationConfig::default(), &announcer);
    bench.player.set_volume(crate::audio::Volume::percent(5));
    announcer.announce(smoke()).await;
    timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is told");
    assert_eq!(bench.player.volume().as_percent(), 80);
    assert!(announcer.silence_alarms());
    let as_before = async {
        while bench.player.volume().as_percent() != 5 {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, as_before).await.expect("as soft as before");
    bench.end(&file).await;
}
