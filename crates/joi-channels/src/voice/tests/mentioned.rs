//! What joi mentions unasked, aloud.

use std::time::Duration;

use tokio::time::timeout;

use super::*;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn what_she_mentions_opens_the_microphone_for_an_answer_and_a_notice_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let window = async |origin| {
        let file = folder.path().join("mentioned.wav");
        let announcer = announcer(12);
        let mut bench = Bench::with(&file, 12, &Voice::Joe, ConversationConfig::default(), &announcer);
        announcer.announce(Announcement::new(origin, AnnouncementPriority::Background, "It may rain.")).await;
        timeout(LIMIT, bench.until(Activity::Speaking)).await.expect("it is said");
        let then = loop {
            match timeout(LIMIT, bench.news.recv()).await.expect("it ends").expect("it goes on") {
                News::Activity(activity) if activity != Activity::Speaking => break activity,
                _ => {}
            }
        };
        let opened = bench.commands.try_iter().find_map(|command| match command {
            HearCommand::FollowUp(window) => Some(window.lasts),
            _ => None,
        });
        bench.end(&file).await;
        (then, opened)
    };
    let six = Some(Duration::from_secs(6));
    assert_eq!(window(AnnouncementOrigin::Impulse).await, (Activity::Listening, six));
    assert_eq!(window(AnnouncementOrigin::Agent).await, (Activity::Idle, None));
}
