//! Connections: made, lost, made again, and satellites that are none.

use joi_base::message::Private;

use super::*;
use crate::room::RoomLinkState;

fn pipeline(stage: &str) -> Value {
    json!({ "start_stage": stage, "end_stage": "tts", "restart_on_end": stage == "wake" })
}

fn back() -> SourceEvent {
    SourceEvent::Back { device: "Kitchen".into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_device_captures_is_heard_and_what_is_played_arrives_there_until_it_has_sounded() {
    let mut bench = Bench::new().await;
    let mut satellite = bench.device().await;
    assert_eq!(bench.meter.figures().state, RoomLinkState::Connected { name: "Kitchen".into() });
    satellite.send("run-pipeline", pipeline("wake")).await;
    satellite.until("detect").await;
    satellite.say(640).await;
    assert_eq!(bench.event().await, back());
    assert_eq!(bench.heard().await, (SourceEvent::Samples(640), vec![0.5; 640]));

    bench.player.play_now(7, 22_050, vec![0.25; 4_410]).unwrap();
    let start = satellite.until("audio-start").await;
    assert_eq!(Value::from(start.data), json!({ "rate": 22_050, "width": 2, "channels": 1, "timestamp": 0 }));
    let mut bytes = 0;
    loop {
        let event = satellite.next().await.unwrap();
        match event.kind.as_str() {
            "audio-chunk" => bytes += event.payload.len(),
            "audio-stop" => break,
            _ => {}
        }
    }
    assert_eq!(bytes, 2 * 4_410);
    satellite.send("played", json!({})).await;
    let mut played = Vec::new();
    while !matches!(played.last(), Some(PlayEvent::Idle)) {
        played.push(timeout(FOR_EVER, bench.played.recv()).await.unwrap().unwrap());
    }
    assert!(played.iter().any(|event| matches!(event, PlayEvent::Finished { tag: 7, .. })), "{played:?}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_with_a_wake_phrase_of_its_own_calls_and_gets_the_words() {
    let mut bench = Bench::new().await;
    let mut satellite = bench.device().await;
    satellite.send("run-pipeline", pipeline("asr")).await;
    satellite.say(320).await;
    assert_eq!(bench.event().await, back());
    assert_eq!(bench.event().await, SourceEvent::Called { phrase: "hey joi".into() });
    assert_eq!(bench.event().await, SourceEvent::Samples(320));
    bench.signal(RoomSignal::Woke("hey joi".into())).await;
    satellite.until("transcribe").await;
    bench.signal(RoomSignal::Understood(Private("what time is it".into()))).await;
    assert_eq!(satellite.until("transcript").await.data["text"], "what time is it");
    assert_eq!(bench.meter.figures().calls, 1);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_room_is_reported_once_and_goes_on_where_it_was() {
    let times = RoomTimes {
        again: (Duration::from_millis(1), Duration::from_millis(5)),
        lost: Duration::from_millis(20),
        ..RoomTimes::default()
    };
    let mut bench = Bench::within(times).await;
    let mut satellite = bench.device().await;
    assert_eq!(bench.event().await, back());
    bench.player.play_now(1, 22_050, vec![0.25; 22_050]).unwrap();
    satellite.until("audio-chunk").await;
    drop(satellite);
    assert!(matches!(bench.event().await, SourceEvent::Gone(_)));
    // The next ones are turned away for a while.
    while bench.notices.try_recv() != Ok(RoomNotice::Lost) {
        drop(bench.connection().await);
    }
    let mut satellite = bench.device().await;
    assert_eq!(timeout(FOR_EVER, bench.notices.recv()).await.unwrap(), Some(RoomNotice::Back));
    // Nothing is played twice.
    let mut bytes = 0;
    loop {
        let event = satellite.next().await.unwrap();
        match event.kind.as_str() {
            "audio-chunk" => bytes += event.payload.len(),
            "audio-stop" => break,
            _ => {}
        }
    }
    assert!(bytes > 0 && bytes <= 2 * 22_050, "{bytes} bytes");
    assert_eq!(bench.notices.try_recv().ok(), None, "once");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_no_device_is_not_heard_and_its_fault_is_shown() {
    let bench = Bench::new().await;
    let mut server = bench.connection().await;
    server.until("describe").await;
    server.send("info", json!({ "asr": [], "tts": [] })).await;
    assert!(server.next().await.is_none(), "it is closed");
    let mut foreign = bench.connection().await;
    foreign.stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    assert!(foreign.until_closed().await);
    let mut taken = bench.connection().await;
    taken.until("describe").await;
    let why = || match bench.meter.figures().state {
        RoomLinkState::Connecting(Some(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(why().starts_with("it does not speak the Wyoming protocol"), "{}", why());
    drop(taken);
    let mut strange = bench.device().await;
    strange.send("run-pipeline", pipeline("wake")).await;
    let chunk = WireEvent::new("audio-chunk", json!({ "rate": 16_000, "width": 9, "channels": 1 }));
    strange.write(chunk.with_payload(vec![0; 64])).await;
    assert!(strange.until_closed().await);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_falls_silent_is_lost_and_one_that_only_describes_itself_is_not() {
    let times = RoomTimes {
        again: (Duration::from_millis(1), Duration::from_millis(5)),
        ask_every: Duration::from_millis(10),
        silent: Duration::from_millis(200),
        ..RoomTimes::default()
    };
    let bench = Bench::within(times).await;
    let mut old = bench.connection().await;
    let mut asked = 0;
    while asked < 40 {
        let event = old.raw().await.unwrap();
        if event.kind == "describe" {
            asked += 1;
            old.send("info", info()).await;
        }
    }
    assert_eq!(bench.meter.figures().connections, 1);
    // From here on it says nothing.
    assert!(old.until_closed().await);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_of_the_room_are_shown_and_shown_again_after_a_loss() {
    let bench = Bench::new().await;
    let timer = RoomTimer { id: 7, name: None, left_s: 60, ends: 1, state: RoomTimerState::Runs };
    bench.timers.send_replace(vec![timer]);
    let mut satellite = bench.device().await;
    assert_eq!(satellite.until("timer-started").await.data["id"], "7");
    drop(satellite);
    let mut satellite = bench.device().await;
    satellite.until("timer-started").await;
    bench.timers.send_replace(Vec::new());
    satellite.until("timer-cancelled").await;
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_is_turned_off_pauses_the_device() {
    let bench = Bench::new().await;
    let mut satellite = bench.device().await;
    bench.mute.set(true);
    satellite.until("pause-satellite").await;
    bench.mute.set(false);
    satellite.until("run-satellite").await;
    bench.end().await;
}

impl Satellite {
    /// The next event, whatever it is.
    async fn raw(&mut self) -> Option<WireEvent> {
        loop {
            if let Some(event) = self.reader.next().unwrap() {
                return Some(event);
            }
            let mut buffer = [0; 4096];
            match timeout(FOR_EVER, self.stream.read(&mut buffer)).await.unwrap() {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.reader.push(&buffer[..count]),
            }
        }
    }

    /// Reads to the end without a word.
    async fn until_closed(&mut self) -> bool {
        while self.raw().await.is_some() {}
        true
    }
}
