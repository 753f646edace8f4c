//! Silence that is asked for without a word, as by a button.

use std::time::Duration;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_silence_ends_speech_and_nothing_is_listened_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("silenced.wav");
    let mut bench = Bench::start(&file, 12, &Voice::Joe, ConversationConfig::default());
    // So long that joi is still computing it, a chunk at a time: a file plays as fast as it can.
    let fault = "the microphone was lost; plug it in again. ".repeat(20);
    bench.hears(HearEvent::MicrophoneLost { fault }).await;
    bench.until(Activity::Speaking).await;
    let before = bench.player.played();
    while bench.player.played() < before + Duration::from_secs(1) {
        tokio::task::yield_now().await;
    }
    bench.requests.send(OutsideRequest::Stop).await.unwrap();
    let told = bench.until(Activity::Idle).await;
    assert!(!told.contains(&News::Asked), "{told:?}");
    // Where nothing goes on, nothing comes of it.
    bench.requests.send(OutsideRequest::Stop).await.unwrap();
    bench.requests.send(OutsideRequest::Listen).await.unwrap();
    bench.until(Activity::Listening).await;
    bench.requests.send(OutsideRequest::Stop).await.unwrap();
    bench.until(Activity::Idle).await;
    let spoken = bench.end(&file).await;
    assert!((0.5..15.0).contains(&spoken), "in the middle of what takes 40 s: {spoken} s");
}
