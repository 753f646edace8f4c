//! Conversations as Home Assistant and other clients have them.

use joi_base::message::Private;

use super::*;
use crate::ears::{EarReply, EarTask};
use crate::voice::VoiceChunk;

/// Takes the opening of a stream; returns its task and where replies go.
async fn opened(served: &mut Served) -> (EarTask, mpsc::Sender<EarReply>) {
    match served.order().await {
        EarOrder::Open { task, replies, .. } => (task, replies),
        other => panic!("{other:?}"),
    }
}

/// Takes the sound of a stream to its end: samples, and the newest timestamp.
async fn sound(served: &mut Served) -> (usize, Option<u64>) {
    let (mut count, mut newest) = (0, None);
    loop {
        match served.order().await {
            EarOrder::Sound { samples, timestamp, .. } => {
                (count, newest) = (count + samples.len(), timestamp.or(newest));
            }
            EarOrder::Finish { .. } => return (count, newest),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_transcribed_and_another_one_on_the_same_connection() {
    let mut served = Served::new().await;
    let mut client = served.client();
    client.send("describe", json!({}));
    assert_eq!(client.expect("info")["asr"][0]["models"][0]["name"], "whisper");
    for round in 0..2 {
        client.send("transcribe", json!({ "language": "en" }));
        if round == 0 {
            client.send("audio-start", json!({ "rate": 16_000, "width": 2, "channels": 1 }));
        }
        client
            .sound(1024, 0)
            .send("ping", json!({ "text": "there?" }))
            .sound(1024, 64)
            .send("audio-stop", json!({}));
        assert_eq!(client.expect("pong")["text"], "there?");
        let (task, replies) = opened(&mut served).await;
        assert_eq!((task, sound(&mut served).await), (EarTask::Transcribe, (2_048, Some(64))));
        for words in ["Hello.", " How are you?"] {
            replies.send(EarReply::Words(Private(words.into()))).await.unwrap();
        }
        replies.send(EarReply::Transcribed(Some("en".into()))).await.unwrap();
        client.expect("transcript-start");
        assert_eq!(client.expect("transcript-chunk")["text"], "Hello.");
        assert_eq!(client.expect("transcript-chunk")["text"], " How are you?");
        let transcript = client.expect("transcript");
        assert_eq!(transcript, json!({ "text": "Hello. How are you?", "language": "en" }));
        client.expect("transcript-stop");
    }
    assert_eq!(served.meter.figures().requests, 2);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_come_too_early_wait_and_no_sound_is_an_empty_transcript() {
    let mut served = Served::new().await;
    let mut client = served.client();
    client.send("audio-stop", json!({}));
    client.expect("transcript-start");
    assert_eq!(client.expect("transcript")["text"], "");
    client.expect("transcript-stop");
    client.sound(512, 0).send("audio-stop", json!({})).sound(512, 0).send("audio-stop", json!({}));
    let (_, first) = opened(&mut served).await;
    assert_eq!(sound(&mut served).await.0, 512);
    assert!(served.ears.try_recv().is_err(), "the second stream waits for the first");
    first.send(EarReply::Transcribed(None)).await.unwrap();
    client.expect("transcript-start");
    assert_eq!(client.expect("transcript"), json!({ "text": "" }));
    client.expect("transcript-stop");
    let (_, second) = opened(&mut served).await;
    assert_eq!(sound(&mut served).await.0, 512);
    second.send(EarReply::Failed("the model is gone".into())).await.unwrap();
    assert_eq!(client.refusal(), "the model is gone");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wake_phrases_are_reported_with_the_names_and_the_clock_of_the_client() {
    let mut served = Served::new().await;
    let mut client = served.client();
    client.send("detect", json!({ "names": ["hey_jarvis"] })).sound(1024, 640);
    let (task, replies) = opened(&mut served).await;
    assert_eq!(task, EarTask::Detect(vec!["hey jarvis".into()]));
    for timestamp in [640, 1_280] {
        replies
            .send(EarReply::Detected { phrase: "Hey Jarvis".into(), timestamp: Some(timestamp) })
            .await
            .unwrap();
        assert_eq!(client.expect("detection"), json!({ "name": "hey_jarvis", "timestamp": timestamp }));
    }
    client.send("audio-stop", json!({}));
    sound(&mut served).await;
    replies.send(EarReply::Listened).await.unwrap();
    // Without a name all are meant.
    client.send("detect", json!({ "names": null })).sound(1024, 0).send("audio-stop", json!({}));
    let (task, replies) = opened(&mut served).await;
    assert_eq!(task, EarTask::Detect(vec!["hey joi".into(), "hey jarvis".into()]));
    sound(&mut served).await;
    replies.send(EarReply::Listened).await.unwrap();
    client.expect("not-detected");
    client.send("detect", json!({ "names": ["alexa"] }));
    assert_eq!(client.refusal(), "\"names\" has \"alexa\"; allowed: hey_joi, hey_jarvis");
    served.end().await;
}

/// Says a text with `chunks` samples for each chunk.
async fn speak(order: VoiceOrder, chunks: &[usize]) {
    for count in chunks {
        let chunk = VoiceChunk { samples: vec![0.5; *count], rate: 22_050 };
        order.chunks.send(Ok(chunk)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_spoken_sentence_by_sentence_in_one_cycle() {
    let mut served = Served::new().await;
    let mut client = served.client();
    client.send("synthesize", json!({ "text": "It rains. Take a coat.", "voice": { "name": "joe" } }));
    for (text, chunks) in [("It rains.", [1024, 512]), ("Take a coat.", [100, 0])] {
        let order = served.text().await;
        assert_eq!((order.text.0.as_str(), order.voice), (text, 0));
        speak(order, &chunks).await;
    }
    let start = client.expect("audio-start");
    assert_eq!(start, json!({ "rate": 22_050, "width": 2, "channels": 1, "timestamp": 0 }));
    let mut bytes = 0;
    let stop = loop {
        let event = client.event().unwrap();
        if event.kind == "audio-stop" {
            break event;
        }
        assert_eq!((event.kind.as_str(), &event.data["rate"]), ("audio-chunk", &json!(22_050)));
        bytes += event.payload.len();
    };
    assert_eq!((bytes, &stop.data["timestamp"]), (2 * 1_636, &json!(74)));
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_in_pieces_is_spoken_while_it_comes_and_always_ends() {
    let mut served = Served::new().await;
    let mut client = served.client();
    client
        .send("synthesize-start", json!({ "voice": null }))
        .send("synthesize-chunk", json!({ "text": "It rains. " }));
    speak(served.text().await, &[256]).await;
    client.expect("audio-start");
    client.expect("audio-chunk");
    client
        .send("synthesize-chunk", json!({ "text": "Take a coat. " }))
        .send("synthesize", json!({ "text": "It rains. Take a coat. " }))
        .send("synthesize-stop", json!({}));
    let order = served.text().await;
    assert_eq!(order.text.0, "Take a coat.");
    speak(order, &[256]).await;
    client.expect("audio-chunk");
    client.expect("audio-stop");
    client.expect("synthesize-stopped");
    client.send("synthesize-start", json!({})).send("synthesize-stop", json!({}));
    client.expect("synthesize-stopped");
    client.send("synthesize", json!({ "text": " " }));
    client.expect("audio-stop");
    client.send("synthesize", json!({ "text": "Hello.", "voice": { "name": "amy" } }));
    assert_eq!(client.refusal(), "\"voice\" is \"amy\"; allowed: joe");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_answered_and_intents_are_not_known() {
    let served = Served::new().await;
    let mut client = served.client();
    client.send("transcript", json!({ "text": "hello", "context": { "conversation_id": "1" } }));
    assert_eq!(client.expect("handled")["text"], "You said hello");
    client.send("transcript", json!({ "text": "unlock the door" }));
    assert_eq!(client.expect("not-handled")["text"], "I can't.");
    client.send("recognize", json!({ "text": "hello", "context": { "a": 1 }, "other": 2 }));
    assert_eq!(client.expect("not-recognized"), json!({ "text": "hello", "context": { "a": 1 } }));
    served.end().await;
}
