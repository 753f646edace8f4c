//! The WebSocket of the house to try against what was recorded of real servers.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::{DemoHome, DemoWants};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn open(demo: &DemoHome, path: &str) -> Result<Socket, u16> {
    match connect_async(format!("{}{path}", demo.url().replace("http", "ws"))).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(other) => panic!("{other}"),
    }
}

async fn next(socket: &mut Socket) -> Value {
    let message = timeout(Duration::from_secs(30), socket.next()).await.unwrap().unwrap().unwrap();
    match message {
        Message::Text(text) => serde_json::from_str(text.as_str()).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What the server answers to each line that the recorded client sent, without the events.
async fn session(socket: &mut Socket, lines: &[&str]) -> Vec<Value> {
    let mut answers = Vec::new();
    for line in lines {
        socket.send(Message::text((*line).to_owned())).await.unwrap();
        answers.push(loop {
            let answer = next(socket).await;
            if answer["type"] == "WebSocketEvent" {
                break answer;
            }
        });
    }
    answers
}

#[tokio::test]
async fn who_may_not_come_in_gets_no_socket() {
    let wants = DemoWants { token: Some("oh.a.b".into()), is_open: false, ..DemoWants::default() };
    let demo = DemoHome::start(wants).await.unwrap();
    assert!(open(&demo, "/ws?accessToken=oh.a.b").await.is_ok());
    assert!(open(&demo, "/ws/events?accessToken=oh.a.b").await.is_ok());
    assert_eq!(open(&demo, "/ws?accessToken=oh.x.y").await.err(), Some(503));
    assert_eq!(open(&demo, "/ws").await.err(), Some(503));
    let open_to_all = DemoHome::start(DemoWants::default()).await.unwrap();
    assert!(open(&open_to_all, "/ws").await.is_ok());
    assert_eq!(open(&open_to_all, "/ws?accessToken=oh.x.y").await.err(), Some(503));
}

#[tokio::test]
async fn commands_filters_and_mistakes_are_answered_as_by_real_servers() {
    let demo = DemoHome::start(DemoWants::default()).await.unwrap();
    let mut socket = open(&demo, "/ws").await.unwrap();
    let command = |item: &str, value: &str, id: &str| {
        let payload = json!({"type": "OnOff", "value": value}).to_string();
        let topic = format!("openhab/items/{item}/command");
        json!({"type": "ItemCommandEvent", "topic": topic, "payload": payload, "eventId": id}).to_string()
    };
    let ping = r#"{"type": "WebSocketEvent", "topic": "openhab/websocket/heartbeat", "payload": "PING", "eventId": "1"}"#;
    let filter = r#"{"type": "WebSocketEvent", "topic": "openhab/websocket/filter/type", "payload": "[\"ItemStateChangedEvent\"]", "eventId": "5"}"#;
    let on = command("Hall_Light", "ON", "2");
    let (nowhere, wrong) = (command("Nope", "ON", "3"), command("Front_Door", "ON", "4"));
    let lines = [ping, on.as_str(), nowhere.as_str(), wrong.as_str(), filter, "{\"type\":", "null"];
    let told: Vec<_> = session(&mut socket, &lines)
        .await
        .into_iter()
        .map(|answer| {
            let topic = answer["topic"].as_str().unwrap().trim_start_matches("openhab/websocket/").to_owned();
            (topic, answer["payload"].as_str().unwrap().chars().take(40).collect::<String>())
        })
        .collect();
    let expected = [
        ("heartbeat", "PONG"),
        ("response/success", ""),
        ("response/failed", "Processing error: Could not find item 'N"),
        ("response/failed", "Processing error: Incompatible datatype,"),
        ("filter/type", "[\"ItemStateChangedEvent\"]"),
        ("response/failed", "Deserialization error: Expected BEGIN_OB"),
        ("response/failed", "Processing error: Deserialized event mus"),
    ];
    let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(told, expected);
    assert_eq!(demo.commands(), [("Hall_Light".to_owned(), "ON".to_owned())]);
    // The filter holds: only changes from here on.
    demo.set("Kitchen_Light", "OFF");
    demo.set("Kitchen_Light", "ON");
    let changed = loop {
        let event = next(&mut socket).await;
        assert_eq!(event["type"], "ItemStateChangedEvent", "{event}");
        if event["topic"] == "openhab/items/Kitchen_Light/statechanged" {
            break event;
        }
    };
    let payload: Value = serde_json::from_str(changed["payload"].as_str().unwrap()).unwrap();
    assert_eq!((&payload["type"], &payload["value"]), (&json!("OnOff"), &json!("OFF")));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_let_go() {
    let demo = DemoHome::start(DemoWants::default()).await.unwrap();
    let mut socket = open(&demo, "/ws").await.unwrap();
    loop {
        match socket.next().await {
            Some(Ok(Message::Close(Some(frame)))) => {
                assert_eq!(u16::from(frame.code), 1000);
                break;
            }
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}
