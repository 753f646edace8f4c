//! Clients that are broken, slow or mean harm.

use std::time::Instant;

use super::*;
use crate::ears::EarReply;
use crate::voice::VoiceChunk;

fn info(served: &Served) -> bool {
    let mut client = served.client();
    client.send("describe", json!({}));
    client.event().is_some_and(|event| event.kind == "info")
}

fn short(idle: Duration, write: Duration) -> WyomingTimes {
    WyomingTimes { idle, write }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_half_headers_take_few_descriptors_and_keep_nobody_out() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let wanted = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, wanted).unwrap();
    let served = Served::new().await;
    let mut half = Vec::new();
    for count in 1..=1_000 {
        let mut client = served.client();
        client.bytes(b"{\"type\":\"descr");
        half.push(client);
        if count % 100 == 0 {
            assert!(info(&served), "beside {count}");
        }
    }
    // The clients' ends are open; of the server's those that have a place.
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(open < half.len() + 200, "{open} descriptors");
    assert!(served.meter.figures().connections <= 17, "{:?}", served.meter.figures());
    drop(half);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_with_requests_keep_their_places_and_one_more_hears_why_not() {
    let mut served = Served::within((2, 2), WyomingTimes::default()).await;
    let mut busy: Vec<Client> = (0..2).map(|_| served.client()).collect();
    for client in &mut busy {
        client.send("detect", json!({ "names": null })).sound(512, 0);
    }
    // They have their places once their sound was read.
    let mut replies = Vec::new();
    while replies.len() < 2 {
        if let EarOrder::Open { replies: to, .. } = served.order().await {
            replies.push(to);
        }
    }
    let refused = served.client().refusal();
    assert!(refused.starts_with("too many connections"), "{refused}");
    assert_eq!(served.meter.figures().refused, 1);
    drop(busy);
    let began = Instant::now();
    while !info(&served) {
        assert!(began.elapsed() < FOR_EVER, "no place became free");
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_for_a_client_that_is_gone_is_given_up() {
    let mut served = Served::new().await;
    let mut client = served.client();
    client.sound(512, 0).send("synthesize", json!({ "text": "Hello." }));
    let EarOrder::Open { replies, .. } = served.order().await else { panic!("no stream") };
    let spoken = served.text().await;
    drop(client);
    tokio::time::timeout(FOR_EVER, replies.closed()).await.unwrap();
    tokio::time::timeout(FOR_EVER, spoken.chunks.closed()).await.unwrap();
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_is_given_up_and_its_text_is_broken_off() {
    let mut served = Served::within((16, 16), short(FOR_EVER, Duration::from_millis(50))).await;
    let mut client = served.client();
    client.send("synthesize", json!({ "text": "A long text." }));
    let order = served.text().await;
    // More than the buffers of both ends hold.
    for _ in 0..40 {
        let chunk = VoiceChunk { samples: vec![0.0; 500_000], rate: 22_050 };
        if order.chunks.send(Ok(chunk)).await.is_err() {
            break;
        }
    }
    tokio::time::timeout(FOR_EVER, order.chunks.closed()).await.unwrap();
    assert!(info(&served), "the others are served");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_goes_no_further_ends_with_a_reason() {
    let format = json!({ "rate": 16_000, "width": 2, "channels": 1 });
    let begun: [&[u8]; 5] = [
        b"{\"type\":\"descr",
        b"{\"type\":\"describe\",\"data_length\":9}\n{",
        b"{\"type\":\"audio-chunk\",\"payload_length\":9}\n1",
        &WireEvent::new("audio-start", format).bytes(),
        &WireEvent::new("synthesize-start", json!({})).bytes(),
    ];
    for bytes in begun {
        let served = Served::within((16, 16), short(Duration::from_millis(50), FOR_EVER)).await;
        let mut client = served.client();
        client.bytes(bytes);
        assert!(client.refusal().starts_with("nothing came for"), "{}", String::from_utf8_lossy(bytes));
        served.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_with_its_limit_and_nonsense_without_a_word() {
    let served = Served::new().await;
    let large: [(&[u8], &str); 3] = [
        (&[b'a'; 70_000], "the header line is longer than 65536 bytes"),
        (b"{\"type\":\"x\",\"data_length\":1048577}\n", "data_length is 1048577; allowed: 0 to 1048576"),
        (b"{\"type\":\"x\",\"payload_length\":1e9}\n", "payload_length is 1000000000; allowed: 0 to 1048576"),
    ];
    for (bytes, why) in large {
        assert_eq!(served.client().bytes(bytes).refusal(), why);
    }
    for bytes in
        [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\n", b"[1]\n", b"{\"type\":\"x\",\"data_length\":\"5\"}\n"]
    {
        assert_eq!(served.client().bytes(bytes).event(), None, "{}", String::from_utf8_lossy(bytes));
    }
    let mut client = served.client();
    client.send("unheard-of", json!({})).bytes(b"{\"type\":7}\n").send("ping", json!({ "text": null }));
    assert_eq!(client.expect("pong"), json!({ "text": null }), "unknown events are ignored");
    assert!(
        client
            .send("synthesize", json!({}))
            .refusal()
            .contains("\"text\" of the event \"synthesize\" is missing")
    );
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_without_an_end_is_refused_where_it_is_transcribed_and_not_where_a_phrase_is_awaited() {
    let mut served = Served::new().await;
    let ears = std::mem::replace(&mut served.ears, mpsc::channel(1).1);
    let taken = tokio::spawn(async move {
        let (mut ears, mut replies, mut seconds) = (ears, Vec::new(), 0);
        while let Some(order) = ears.recv().await {
            match order {
                EarOrder::Open { replies: to, .. } => replies.push(to),
                EarOrder::Sound { samples, .. } => seconds += samples.len() / 16_000,
                EarOrder::Finish { .. } => replies[0].send(EarReply::Listened).await.unwrap(),
                EarOrder::Look => {}
            }
        }
        seconds
    });
    let mut endless = served.client();
    endless.send("detect", json!({}));
    for second in 0..90 {
        endless.sound(16_000, second * 1_000);
    }
    endless.send("audio-stop", json!({}));
    endless.expect("not-detected");
    let mut long = served.client();
    for second in 0..61 {
        long.sound(16_000, second * 1_000);
    }
    assert_eq!(long.refusal(), "the sound is longer than 60 s; send it in pieces");
    served.end().await;
    assert_eq!(taken.await.unwrap(), 90 + 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_small_events_in_one_piece_and_one_event_in_many_pieces_are_served() {
    let served = Served::new().await;
    let mut client = served.client();
    let mut bytes = Vec::new();
    for number in 0..2_000 {
        WireEvent::new("recognize", json!({ "text": number.to_string() })).write(&mut bytes);
    }
    let mut writer = client.stream.try_clone().unwrap();
    let writing = std::thread::spawn(move || writer.write_all(&bytes).unwrap());
    for number in 0..2_000 {
        assert_eq!(client.expect("not-recognized")["text"], number.to_string());
    }
    writing.join().unwrap();
    for byte in WireEvent::new("ping", json!({ "text": "slow" })).bytes() {
        client.bytes(&[byte]);
    }
    assert_eq!(client.expect("pong")["text"], "slow");
    served.end().await;
}
