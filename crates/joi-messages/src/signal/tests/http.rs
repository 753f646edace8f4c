//! The daemon over HTTP: one POST a request, a stream of events without ids, a keep-alive line.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::*;

#[derive(Default)]
struct Seen {
    methods: Mutex<Vec<String>>,
    query: Mutex<Option<String>>,
}

async fn rpc(State(seen): State<Arc<Seen>>, headers: HeaderMap, body: String) -> Response {
    if headers["content-type"] != "application/json" {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let request: Value = serde_json::from_str(&body).unwrap();
    let method = request["method"].as_str().unwrap().to_owned();
    seen.methods.lock().unwrap().push(method.clone());
    let answer = match method.as_str() {
        "version" => json!({ "jsonrpc": "2.0", "result": { "version": "0.14.6" }, "id": request["id"] }),
        "send" => {
            json!({ "jsonrpc": "2.0", "result": { "timestamp": 5, "results": [] }, "id": request["id"] })
        }
        _ => {
            json!({ "jsonrpc": "2.0", "error": { "code": -32601, "message": "Method not implemented", "data": null },
            "id": request["id"] })
        }
    };
    answer.to_string().into_response()
}

async fn events(State(seen): State<Arc<Seen>>, RawQuery(query): RawQuery) -> Response {
    *seen.query.lock().unwrap() = query;
    let event = format!(":\nevent:receive\ndata:{}\n\n:\n", wrote(OWNER, 1, "grüß"));
    let (head, tail) = event.as_bytes().split_at(event.find('ü').unwrap() + 1);
    let pieces = [head.to_vec(), tail.to_vec()].map(Ok::<_, Infallible>);
    let endless = stream::iter(pieces).chain(stream::pending());
    ([("content-type", "text/event-stream")], Body::from_stream(endless)).into_response()
}

/// Returns a daemon, and where it is.
async fn serving() -> (Arc<Seen>, String) {
    let seen = Arc::new(Seen::default());
    let routes = Router::new()
        .route("/api/v1/rpc", post(rpc))
        .route("/api/v1/events", get(events))
        .with_state(Arc::clone(&seen));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let daemon = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (seen, daemon)
}

#[tokio::test]
async fn requests_and_messages_go_over_http_and_nothing_is_subscribed_to() {
    let (seen, daemon) = serving().await;
    let account = "+491701".to_owned();
    let mut followed =
        follow(&SignalConfig { daemon, account, receive: ReceiveMode::Manual, ..SignalConfig::default() });
    up(&followed.link).await;
    assert_eq!(followed.received.recv().await.unwrap(), wrote(OWNER, 1, "grüß"));
    let sent = followed.link.ask("send", json!({}), LIMIT).await.unwrap();
    assert_eq!(sent["timestamp"], 5);
    let Err(AskFault::Refused(error)) = followed.link.ask("subscribeReceive", json!({}), LIMIT).await else {
        panic!("it does not exist over HTTP");
    };
    assert_eq!(error.code, -32601);
    assert_eq!(*seen.methods.lock().unwrap(), ["version", "send", "subscribeReceive"]);
    assert_eq!(seen.query.lock().unwrap().as_deref(), Some("account=%2B491701"));
}

#[tokio::test]
async fn a_stream_without_a_keep_alive_is_left_and_connected_to_anew() {
    let (seen, daemon) = serving().await;
    let mut followed = follow(&SignalConfig { daemon, ..SignalConfig::default() });
    up(&followed.link).await;
    followed.received.recv().await.unwrap();
    let mut state = followed.link.state();
    pass(Duration::from_secs(41)).await;
    state.wait_for(|state| matches!(state, CarrierLink::Down(why) if why.contains("silent"))).await.unwrap();
    up(&followed.link).await;
    assert_eq!(*seen.methods.lock().unwrap(), ["version", "version"]);
}

#[tokio::test]
async fn a_service_that_is_not_the_daemon_is_reported() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let daemon = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new()).await });
    let followed = follow(&SignalConfig { daemon, ..SignalConfig::default() });
    let mut state = followed.link.state();
    state.wait_for(|state| matches!(state, CarrierLink::Down(why) if why.contains("404"))).await.unwrap();
}
