use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{FutureExt, SinkExt};
use joi_home::house::{House, HouseRules, TagVocabulary, read};
use joi_home::{HomeLink, HomeView, ServerEvent};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::{broadcast, watch};
use tokio_tungstenite::tungstenite::Message;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn pauses_double_from_the_interval_up_to_five_minutes_and_begin_anew_after_a_success() {
    let mut pauses = SensorPauses::new(30 * SECOND);
    let seconds: Vec<u64> = (0..7).map(|_| pauses.failed().1.as_secs()).collect();
    assert_eq!(seconds, [30, 60, 120, 240, 300, 300, 300]);
    pauses.worked();
    assert_eq!(pauses.failed(), (1, 30 * SECOND));
    assert_eq!(SensorPauses::new(3_600 * SECOND).failed().1, 300 * SECOND);
    let mut hour = SensorPauses::new(SECOND);
    let mut passed = Duration::ZERO;
    let mut attempts = 0;
    while passed < 3_600 * SECOND {
        passed += hour.failed().1;
        attempts += 1;
    }
    assert_eq!(attempts, 20, "an hour of failures is few attempts");
}

#[test]
fn a_pointer_picks_the_value_and_text_stands_for_itself() {
    let body = r#"{"main": {"temp": 4.5}}"#;
    assert_eq!(value_at(body, "/main/temp"), Ok(json!(4.5)));
    assert_eq!(value_at(" plain text\n", ""), Ok(json!("plain text")));
    assert_eq!(value_at(body, "/temp"), Err(SensorFault::NoValue("/temp".into())));
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_called_at_once_and_then_at_its_interval() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let tool: PolledTool = Box::new(move || {
        let call = counted.fetch_add(1, Ordering::Relaxed);
        let answer = if call == 1 { Err("down".to_owned()) } else { Ok((call.to_string(), Source::Foreign)) };
        async move { answer }.boxed()
    });
    let mut sensor = PollSensor::tool(tool, String::new(), 60 * SECOND, false);
    let began = tokio::time::Instant::now();
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!(0), Source::Foreign)));
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(sensor.next().await, Err(SensorFault::Unreadable("down".into())));
    assert_eq!(began.elapsed(), 60 * SECOND);
    assert_eq!(
        sensor.next().await,
        Ok(SensorReading::of(json!(2), Source::Foreign)),
        "the pause is the driver's"
    );
    assert_eq!(began.elapsed(), 60 * SECOND);
}

/// Serves one answer to each connection: its head and body as they are.
async fn server(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    format!("http://{address}/")
}

fn ok(kind: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn an_address_is_read_and_its_faults_are_reported_without_a_redirect_being_followed() {
    let answers = vec![
        ok("application/json", r#"{"temp": 4}"#),
        "HTTP/1.1 500 Broken\r\nConnection: close\r\n\r\n".to_owned(),
        "HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\nConnection: close\r\n\r\n".to_owned(),
        ok("text/plain", &"x".repeat(MOST_BYTES + 1)),
    ];
    let url = server(answers).await;
    let mut sensor = PollSensor::url(&url, "/temp".into(), Duration::ZERO, false).unwrap();
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!(4), Source::Foreign)));
    for expected in ["it answers 500", "it answers 302", "it sends more than"] {
        let fault = sensor.next().await.unwrap_err().to_string();
        assert!(fault.starts_with("cannot read 127.0.0.1") && fault.contains(expected), "{fault}");
    }
    assert!(sensor.next().await.is_err(), "nobody answers any more");
    assert!(PollSensor::url("garage", String::new(), SECOND, false).is_err());
}

#[tokio::test]
async fn server_sent_events_are_readings_and_a_broken_stream_is_opened_again() {
    let first = ok("text/event-stream", ": hello\n\ndata: {\"n\": 1}\n\ndata: {\"n\": 2}\n\n");
    let url = server(vec![first, ok("text/event-stream", "data: {\"n\": 3}\n\n")]).await;
    let mut sensor = SseSensor::new(&url, "/n".into(), true).unwrap();
    for number in [1, 2] {
        assert_eq!(sensor.next().await, Ok(SensorReading::of(json!(number), Source::Own)));
    }
    assert_eq!(sensor.next().await, Err(SensorFault::Ended("the stream")));
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!(3), Source::Own)));
}

#[tokio::test]
async fn messages_of_a_web_socket_are_readings() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for text in ["open", "closed"] {
            let (stream, _) = listener.accept().await.unwrap();
            let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
            socket.send(Message::text(text)).await.unwrap();
            socket.close(None).await.unwrap();
        }
    });
    let mut sensor = WebSocketSensor::new(&url, String::new(), false);
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!("open"), Source::Foreign)));
    assert_eq!(sensor.next().await, Err(SensorFault::Ended("the WebSocket")));
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!("closed"), Source::Foreign)));
}

#[tokio::test]
async fn a_file_is_read_at_once_and_after_each_change_also_when_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.txt");
    let mut sensor = FileSensor::new(file.to_str().unwrap(), String::new(), false);
    assert!(matches!(sensor.next().await, Err(SensorFault::Unreadable(_))), "it is not there yet");
    std::fs::write(&file, "one").unwrap();
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!("one"), Source::Foreign)));
    std::fs::write(&file, "two").unwrap();
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!("two"), Source::Foreign)));
    let other = folder.path().join("other");
    std::fs::write(&other, "three").unwrap();
    std::fs::rename(&other, &file).unwrap();
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!("three"), Source::Foreign)));
    std::fs::write(folder.path().join("unwatched"), "x").unwrap();
    assert!(sensor.next().now_or_never().is_none(), "another file in its folder is none of its business");
}

#[tokio::test]
async fn a_folder_is_the_names_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut sensor = FileSensor::new(folder.path().to_str().unwrap(), String::new(), true);
    assert_eq!(sensor.next().await, Ok(SensorReading::of(json!([]), Source::Own)));
    std::fs::write(folder.path().join("b"), "").unwrap();
    std::fs::write(folder.path().join("a"), "").unwrap();
    let mut names = sensor.next().await.unwrap().value;
    if names != json!(["a", "b"]) {
        names = sensor.next().await.unwrap().value;
    }
    assert_eq!(names, json!(["a", "b"]));
}

#[tokio::test]
async fn an_item_of_the_house_is_its_state_and_each_one_it_has() {
    let row = |state: &str| {
        json!([
            { "name": "Garage", "type": "Rollershutter", "label": "Garage", "state": state },
            { "name": "Mail", "type": "String", "label": "Mail", "state": "hello" },
        ])
    };
    let house = |state: &str| {
        let serde_json::Value::Array(rows) = row(state) else { unreachable!() };
        House::new(read::items(rows).0, &TagVocabulary::default(), &HouseRules::default())
    };
    let view = |state: &str| HomeView { house: house(state), link: HomeLink::Up { version: "5".into() } };
    let (seen, events) = (watch::Sender::new(view("100")), broadcast::Sender::new(4));
    let sensor =
        |item: &str, is_trusted| HouseSensor::new(item, is_trusted, seen.subscribe(), events.subscribe());
    let mut garage = sensor("Garage", false);
    let said =
        |reading: Result<SensorReading, SensorFault>| reading.map(|reading| (reading.value, reading.source));
    assert_eq!(said(garage.next().await), Ok((json!("closed"), Source::Own)));
    assert!(garage.next().now_or_never().is_none(), "nothing has changed");
    // It was open for a moment, and is half closed when somebody looks.
    for text in ["0", "50"] {
        events.send(ServerEvent::State { item: "Garage".into(), text: text.into() }).unwrap();
    }
    seen.send_replace(view("50"));
    let next = garage.next().await.unwrap();
    assert_eq!(
        (next.value, next.item.map(|item| item.name.clone())),
        (json!("open"), Some("Garage".to_owned()))
    );
    assert_eq!(said(garage.next().await), Ok((json!("50 % closed"), Source::Own)));
    assert!(garage.next().now_or_never().is_none());
    assert_eq!(said(sensor("Mail", false).next().await), Ok((json!("hello"), Source::Foreign)));
    assert_eq!(said(sensor("Mail", true).next().await), Ok((json!("hello"), Source::Own)));
    assert!(matches!(sensor("Gate", false).next().await, Err(SensorFault::Unreadable(_))));
    drop(seen);
    assert_eq!(garage.next().await, Err(SensorFault::Ended("the house")));
}
