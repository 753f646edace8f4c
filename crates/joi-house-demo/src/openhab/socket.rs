//! The WebSocket of the house to try: events out, filters, commands and states in, as recorded of real servers.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout_at};

use super::house::DemoEvent;
use super::shared::DemoShared;

/// A client that says nothing for so long is let go.
const IDLE: Duration = Duration::from_secs(10);
const SUBPROTOCOL: &str = "org.openhab.ws.protocol.default";

/// What a client wants to hear; empty: everything.
#[derive(Debug, Default)]
struct SocketFilters {
    types: Vec<String>,
    topics: Vec<String>,
}

pub(super) async fn open(State(shared): State<Arc<DemoShared>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.protocols([SUBPROTOCOL]).on_upgrade(|socket| async move {
        // A socket that breaks is over.
        let _ = talk(shared, socket).await;
    })
}

async fn talk(shared: Arc<DemoShared>, mut socket: WebSocket) -> Result<(), axum::Error> {
    let mut events = shared.events.subscribe();
    let mut filters = SocketFilters::default();
    let mut idle = Instant::now() + IDLE;
    loop {
        // Every arm is cancel-safe.
        tokio::select! {
            message = timeout_at(idle, socket.recv()) => {
                idle = Instant::now() + IDLE;
                match message {
                    Err(_) => {
                        let code = close_code::NORMAL;
                        return socket.send(Message::Close(Some(CloseFrame { code, reason: "".into() }))).await;
                    }
                    Ok(None | Some(Ok(Message::Close(_)))) => return Ok(()),
                    Ok(Some(Ok(Message::Text(text)))) => {
                        for answer in answers(&shared, &mut filters, text.as_str()) {
                            socket.send(Message::text(answer.to_string())).await?;
                        }
                    }
                    Ok(Some(Ok(_))) => {}
                    Ok(Some(Err(error))) => return Err(error),
                }
            }
            event = events.recv() => match event {
                Ok(event) if event.is_end => return Ok(()),
                Ok(event) if is_wanted(&event, &filters) && !shared.state().is_silent => {
                    socket.send(Message::text(event.data.clone())).await?;
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Ok(()),
            },
        }
    }
}

fn is_wanted(event: &DemoEvent, filters: &SocketFilters) -> bool {
    let has_type = filters.types.is_empty() || filters.types.contains(&event.kind);
    let (shut, open): (Vec<_>, Vec<_>) = filters.topics.iter().partition(|topic| topic.starts_with('!'));
    let is_open = open.is_empty() || open.iter().any(|topic| fits(topic, &event.topic));
    let is_shut = shut.iter().any(|topic| fits(&topic[1..], &event.topic));
    !event.data.is_empty() && has_type && is_open && !is_shut
}

/// Returns the answer to a message.
fn answers(shared: &Arc<DemoShared>, filters: &mut SocketFilters, text: &str) -> Vec<Value> {
    let response = |kind: &str, payload: &str, id: Option<&Value>| {
        let mut answer = json!({
            "type": "WebSocketEvent", "topic": format!("openhab/websocket/response/{kind}"), "payload": payload,
        });
        if let Some(id) = id {
            answer["eventId"] = id.clone();
        }
        vec![answer]
    };
    let message: Value = match serde_json::from_str(text) {
        Ok(Value::Null) => {
            let why = "Processing error: Deserialized event must not be null";
            return response("failed", why, Some(&json!("")));
        }
        Ok(message @ Value::Object(_)) => message,
        Ok(_) | Err(_) => return response("failed", "Deserialization error: Expected BEGIN_OBJECT", None),
    };
    let id = message.get("eventId");
    match processed(shared, filters, &message) {
        Ok(Some(mut answer)) => {
            if let Some(id) = id {
                answer["eventId"] = id.clone();
            }
            vec![answer]
        }
        Ok(None) if id.is_some() => response("success", "", id),
        Ok(None) => Vec::new(),
        Err(why) => response("failed", &format!("Processing error: {why}"), id),
    }
}

/// Does what a message wants. Out: an answer of its own, or none for a plain success.
fn processed(
    shared: &Arc<DemoShared>,
    filters: &mut SocketFilters,
    message: &Value,
) -> Result<Option<Value>, String> {
    let text = |name: &str| message[name].as_str().unwrap_or_default();
    match (message["type"].as_str(), text("topic")) {
        (None, _) => Err("Event type must not be null.".to_owned()),
        (Some("WebSocketEvent"), "openhab/websocket/heartbeat") if text("payload") == "PING" => {
            Ok(Some(json!({"type": "WebSocketEvent", "topic": text("topic"), "payload": "PONG"})))
        }
        (Some("WebSocketEvent"), topic) => {
            let unknown = || "Invalid topic or payload in WebSocketEvent".to_owned();
            let name = topic.strip_prefix("openhab/websocket/filter/").ok_or_else(unknown)?;
            let wanted: Vec<String> = serde_json::from_str(text("payload"))
                .map_err(|_| "java.lang.IllegalStateException: Expected BEGIN_ARRAY".to_owned())?;
            match name {
                "type" => filters.types = wanted,
                "topic" if !shared.version.starts_with('4') => filters.topics = wanted,
                // Its events name no source here.
                "source" => {}
                _ => return Err(unknown()),
            }
            Ok(Some(json!({"type": "WebSocketEvent", "topic": topic, "payload": text("payload")})))
        }
        (Some("ItemCommandEvent"), topic) => item_event(shared, topic, "command", text("payload")),
        (Some("ItemStateEvent"), topic) => item_event(shared, topic, "state", text("payload")),
        (Some(kind), _) => Err(format!("Unknown event type '{kind}'")),
    }
}

fn item_event(
    shared: &Arc<DemoShared>,
    topic: &str,
    action: &str,
    payload: &str,
) -> Result<Option<Value>, String> {
    let parts: Vec<_> = topic.split('/').collect();
    let ["openhab", "items", name, last] = parts.as_slice() else {
        return Err("Topic must follow the format {namespace}/{entityType}/{entity}/{action}.".to_owned());
    };
    let payload: Value = serde_json::from_str(payload).map_err(|error| error.to_string())?;
    let value = payload["value"].as_str().unwrap_or_default();
    if *last != action {
        return Err("Invalid topic or payload in WebSocketEvent".to_owned());
    }
    if shared.state().house.row(name).is_none() {
        return Err(format!("Could not find item '{name}' in registry."));
    }
    let rejected = || "Incompatible datatype, rejected.".to_owned();
    if action == "command" {
        shared.take(name, value).ok_or_else(rejected)?;
    } else {
        let parsed = shared.state().house.parsed(name, value).ok_or_else(rejected)?;
        shared.set(name, &parsed);
    }
    Ok(None)
}

/// A star stands for any signs, slashes included.
pub(super) fn fits(pattern: &str, topic: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == topic,
        Some((start, rest)) => {
            let Some(after) = topic.strip_prefix(start) else { return false };
            (0..=after.len()).filter(|at| after.is_char_boundary(*at)).any(|at| fits(rest, &after[at..]))
        }
    }
}
