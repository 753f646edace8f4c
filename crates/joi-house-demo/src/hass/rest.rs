//! The REST interface of the other house to try: who it is, one state, services.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::{HassCall, HassPhase, HassShared, socket};

type SharedHass = State<Arc<HassShared>>;

pub(super) fn routes(shared: Arc<HassShared>) -> Router {
    Router::new()
        .route("/", get(|| async { page(StatusCode::OK, "text/html", "<html>Home Assistant</html>") }))
        .route("/manifest.json", get(manifest))
        .route("/api/", get(running))
        .route("/api/states/{entity}", get(state))
        .route("/api/services/{domain}/{service}", post(service))
        .route("/api/websocket", get(socket::open))
        .fallback(|| async { page(StatusCode::NOT_FOUND, "text/plain", "404: Not Found") })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), gate))
        .with_state(shared)
}

fn page(status: StatusCode, kind: &'static str, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, kind)], text).into_response()
}

fn as_json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Phases and tokens, before anything else. The WebSocket asks for the token itself.
async fn gate(State(shared): SharedHass, request: Request, next: Next) -> Response {
    let (phase, token) = {
        let state = shared.state();
        (state.phase, state.token.clone())
    };
    if phase == HassPhase::BadGateway {
        return page(StatusCode::BAD_GATEWAY, "text/html", "<html>502 Bad Gateway</html>");
    }
    let path = request.uri().path();
    let is_open = !path.starts_with("/api/") || path == "/api/websocket";
    if is_open || bearer(request.headers()) == Some(token.as_str()) {
        return next.run(request).await;
    }
    page(StatusCode::UNAUTHORIZED, "text/plain", "401: Unauthorized")
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

async fn manifest() -> Response {
    as_json(
        StatusCode::OK,
        &json!({"name": "Home Assistant", "short_name": "Home Assistant", "start_url": "/?homescreen=1"}),
    )
}

async fn running() -> Response {
    as_json(StatusCode::OK, &json!({"message": "API running."}))
}

async fn state(State(shared): SharedHass, Path(entity): Path<String>) -> Response {
    match shared.state().house.state(&entity) {
        Some(state) => as_json(StatusCode::OK, state),
        None => as_json(StatusCode::NOT_FOUND, &json!({"message": "Entity not found."})),
    }
}

async fn service(
    State(shared): SharedHass,
    Path((domain, service)): Path<(String, String)>,
    body: String,
) -> Response {
    let Ok(data) = serde_json::from_str::<Value>(&body) else {
        return as_json(StatusCode::BAD_REQUEST, &json!({"message": "Data should be valid JSON."}));
    };
    let (change, phase, run) = {
        let mut state = shared.state();
        let change = match state.house.service(&domain, &service, &data) {
            Ok(change) => change,
            Err(status) => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
                return page(status, "text/plain", "400: Bad Request");
            }
        };
        let call = HassCall { service: format!("{domain}.{service}"), data };
        let _ = shared.calls.send(call.clone());
        state.calls.push(call);
        (change, state.phase, state.run.clone())
    };
    let later = Arc::clone(&shared);
    tokio::spawn(async move {
        tokio::time::sleep(later.follows).await;
        let told = later.state().house.set(&change.entity, change.state.as_deref(), &change.attributes);
        told.into_iter().for_each(|event| later.send(event));
    });
    if phase == HassPhase::Mute {
        run.cancelled().await;
    }
    as_json(StatusCode::OK, &json!([]))
}
