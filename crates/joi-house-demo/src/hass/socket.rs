//! The WebSocket of the other house to try: login, questions, events.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::{HassPhase, HassShared};

pub(super) async fn open(State(shared): State<Arc<HassShared>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(|socket| async move {
        // A socket that breaks is over.
        let _ = talk(shared, socket).await;
    })
}

async fn send(socket: &mut WebSocket, value: &Value) -> Result<(), axum::Error> {
    socket.send(Message::text(value.to_string())).await
}

async fn talk(shared: Arc<HassShared>, mut socket: WebSocket) -> Result<(), axum::Error> {
    let version = shared.version.clone();
    send(&mut socket, &json!({"type": "auth_required", "ha_version": version})).await?;
    let Some(login) = read(&mut socket).await? else { return Ok(()) };
    let token = shared.state().token.clone();
    if login["type"] != "auth" || login["access_token"] != token {
        let message = "Invalid access token or password";
        return send(&mut socket, &json!({"type": "auth_invalid", "message": message})).await;
    }
    send(&mut socket, &json!({"type": "auth_ok", "ha_version": version})).await?;
    let mut events = shared.events.subscribe();
    let mut wanted: HashMap<String, Value> = HashMap::new();
    loop {
        // Both arms are cancel-safe.
        tokio::select! {
            message = read(&mut socket) => {
                let Some(message) = message? else { return Ok(()) };
                let answer = answer(&shared, &message, &mut wanted);
                if !shared.state().is_silent {
                    send(&mut socket, &answer).await?;
                }
            }
            event = events.recv() => match event {
                Ok(event) => pass_on(&shared, &mut socket, &event, &wanted).await?,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Ok(()),
            },
        }
    }
}

async fn pass_on(
    shared: &HassShared,
    socket: &mut WebSocket,
    event: &Value,
    wanted: &HashMap<String, Value>,
) -> Result<(), axum::Error> {
    if shared.state().is_silent {
        return Ok(());
    }
    if let Value::String(raw) = event {
        return socket.send(Message::text(raw.clone())).await;
    }
    match wanted.get(event["event_type"].as_str().unwrap_or_default()) {
        Some(id) => send(socket, &json!({"id": id, "type": "event", "event": event})).await,
        None => Ok(()),
    }
}

async fn read(socket: &mut WebSocket) -> Result<Option<Value>, axum::Error> {
    loop {
        match socket.recv().await {
            None | Some(Ok(Message::Close(_))) => return Ok(None),
            Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(text.as_str()).ok()),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error),
        }
    }
}

fn answer(shared: &HassShared, message: &Value, wanted: &mut HashMap<String, Value>) -> Value {
    let id = &message["id"];
    let success = |result: Value| json!({"id": id, "type": "result", "success": true, "result": result});
    let failure = |code: &str, text: &str| json!({"id": id, "type": "result", "success": false, "error": {"code": code, "message": text}});
    let command = message["type"].as_str().unwrap_or_default();
    let state = shared.state();
    match command {
        "ping" => json!({"id": id, "type": "pong"}),
        "get_config" => {
            let run = if state.phase == HassPhase::Starting { "STARTING" } else { "RUNNING" };
            success(state.house.config(&shared.version, run))
        }
        "subscribe_events" => {
            wanted.insert(message["event_type"].as_str().unwrap_or_default().to_owned(), id.clone());
            success(Value::Null)
        }
        "config/entity_registry/get_entries" => {
            let ids = message["entity_ids"].as_array().into_iter().flatten();
            success(state.house.entries(&ids.filter_map(Value::as_str).collect::<Vec<_>>()))
        }
        "homeassistant/expose_entity/list" if !shared.is_admin => failure("unauthorized", "Unauthorized"),
        command => match state.house.list(command) {
            Some(list) => success(list),
            None => failure("unknown_command", "Unknown command."),
        },
    }
}
