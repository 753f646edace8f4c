//! The interface of the house to try: which path answers what, and to whom.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};

use super::house::{DemoEvent, listed};
use super::shared::{DemoPhase, DemoRequest, DemoShared};
use super::socket::{self, fits};

/// How often a stream shows that it lives.
const ALIVE: Duration = Duration::from_secs(10);
const ALIVE_FRAME: &str = "event: alive\ndata: {\"type\":\"ALIVE\",\"interval\":10}\n\n";
const JETTY: &str = "<html><head><title>Error 404 Not Found</title></head><body><h2>HTTP ERROR 404 Not Found</h2>\
                     <hr/><a href=\"https://jetty.org/\">Powered by Jetty://</a></body></html>";
const NO_SERVICE: &str = "<html><body>No service was found.</body></html>";
/// Bytes of the longest command.
const LONGEST: usize = 1 << 20;

type Shared = State<Arc<DemoShared>>;

pub(super) fn routes(shared: Arc<DemoShared>) -> Router {
    Router::new()
        .route("/rest", get(moved))
        .route("/rest/", get(root))
        .route("/rest/items", get(items))
        .route("/rest/items/", get(items))
        .route("/rest/items/{name}", get(item).post(command))
        .route("/rest/items/{name}/state", get(state).put(put_state))
        .route("/rest/tags", get(tags))
        .route("/rest/events", get(events))
        .route("/rest/systeminfo", get(system))
        .route("/rest/things", get(nothing))
        .route("/rest/links", get(nothing))
        .route("/rest/transformations", get(nothing))
        .route("/ws", get(socket::open))
        .route("/ws/", get(socket::open))
        .route("/ws/events", get(socket::open))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), gate))
        .with_state(shared)
}

/// Phases and tokens, before anything else.
async fn gate(State(shared): Shared, request: Request, next: Next) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let path = uri.path().to_owned();
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, LONGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let _ = shared.requests.send(DemoRequest {
        method: method.to_string(),
        path: uri.to_string(),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    let (phase, token) = {
        let state = shared.state();
        (state.phase, state.token.clone())
    };
    if let Some(answer) = phase_answer(phase, &path) {
        return answer;
    }
    let given =
        asked(uri.query().map(str::to_owned)).remove("accessToken").filter(|_| path.starts_with("/ws"));
    let is_let_in = given.is_some() && given == token;
    let refused = refused(&parts.headers, token.as_deref(), shared.is_open && given.is_none(), &path);
    match refused.filter(|_| !is_let_in) {
        Some(_) if path.starts_with("/ws") => {
            let kind = "text/html;charset=iso-8859-1";
            return (StatusCode::SERVICE_UNAVAILABLE, [(header::CONTENT_TYPE, kind)], JETTY).into_response();
        }
        Some(refused) => return refused,
        None => {}
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

fn phase_answer(phase: DemoPhase, path: &str) -> Option<Response> {
    let page = |status: StatusCode, kind: &'static str, text: &'static str| {
        Some((status, [(header::CONTENT_TYPE, kind)], text).into_response())
    };
    match phase {
        DemoPhase::Running | DemoPhase::Mute => None,
        DemoPhase::WebServerPage => page(StatusCode::NOT_FOUND, "text/html;charset=iso-8859-1", JETTY),
        DemoPhase::NoService => page(StatusCode::NOT_FOUND, "text/html;charset=utf-8", NO_SERVICE),
        DemoPhase::Empty if path == "/rest/" => Some(bare(StatusCode::OK)),
        DemoPhase::Empty => Some(bare(StatusCode::NOT_FOUND)),
        DemoPhase::Broken => page(StatusCode::INTERNAL_SERVER_ERROR, "text/html;charset=iso-8859-1", JETTY),
        DemoPhase::NoItems if path.starts_with("/rest/items") => Some(as_json(StatusCode::OK, &json!([]))),
        DemoPhase::ItemsMissing if path.starts_with("/rest/items") => {
            page(StatusCode::NOT_FOUND, "text/html;charset=utf-8", NO_SERVICE)
        }
        DemoPhase::NoItems | DemoPhase::ItemsMissing => None,
        DemoPhase::BadGateway => page(StatusCode::BAD_GATEWAY, "text/html", "<html>502 Bad Gateway</html>"),
    }
}

/// Who may not: `X-OPENHAB-TOKEN` counts before `Authorization`, and a wrong token is refused everywhere.
fn refused(headers: &HeaderMap, token: Option<&str>, is_open: bool, path: &str) -> Option<Response> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let wrong = || Some(failed(StatusCode::UNAUTHORIZED, "Invalid credentials"));
    let missing = || Some(failed(StatusCode::UNAUTHORIZED, "Authentication required"));
    let given =
        text("x-openhab-token").map(|given| ("bearer".to_owned(), given.trim().to_owned())).or_else(|| {
            let (scheme, rest) = text("authorization")?.split_once(' ')?;
            Some((scheme.to_ascii_lowercase(), rest.trim().to_owned()))
        });
    match given {
        Some((scheme, given)) if scheme == "bearer" && !given.is_empty() => {
            if token == Some(given.as_str()) {
                None
            } else {
                wrong()
            }
        }
        Some((scheme, given)) if scheme == "basic" => {
            if token.is_some() && basic_token(&given).as_deref() == token { None } else { wrong() }
        }
        Some((scheme, _)) if scheme != "bearer" && path != "/rest/" => missing(),
        _ if is_open || path == "/rest/" => None,
        _ => missing(),
    }
}

/// The token as the user of a login with an empty password.
fn basic_token(given: &str) -> Option<String> {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.decode(given).ok()?;
    let text = String::from_utf8(text).ok()?;
    match text.split_once(':') {
        None => Some(text),
        Some((user, "")) => Some(user.to_owned()),
        Some(_) => None,
    }
}

fn bare(status: StatusCode) -> Response {
    status.into_response()
}

/// Chunked, as the server has it, and with its escapes.
fn as_json(status: StatusCode, value: &Value) -> Response {
    let text = value.to_string().replace('\'', "\\u0027").replace('<', "\\u003c").replace('&', "\\u0026");
    let pieces = stream::iter([Ok::<_, Infallible>(Bytes::from(
        text.replace('>', "\\u003e").replace('=', "\\u003d"),
    ))]);
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from_stream(pieces)).into_response()
}

fn failed(status: StatusCode, message: &str) -> Response {
    as_json(status, &json!({"error": {"message": message, "http-code": status.as_u16()}}))
}

fn no_item(name: &str) -> Response {
    let is_name = name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    if is_name {
        failed(StatusCode::NOT_FOUND, &format!("Item {name} does not exist!"))
    } else {
        bare(StatusCode::NOT_FOUND)
    }
}

/// The query by its names. Commas and stars come as they are.
fn asked(query: Option<String>) -> HashMap<String, String> {
    let pairs = query.unwrap_or_default();
    let pair =
        |pair: &str| pair.split_once('=').map(|(name, value)| (name.to_owned(), value.replace("%2B", "+")));
    pairs.split('&').filter_map(pair).collect()
}

async fn moved() -> Response {
    (StatusCode::FOUND, [(header::LOCATION, "/rest/")]).into_response()
}

async fn root(State(shared): Shared) -> Response {
    let version = &shared.version;
    let mut root = json!({
        "version": "8", "locale": "en", "measurementSystem": "SI",
        "runtimeInfo": {"version": version, "buildString": "Release Build"},
        "links": [{"type": "items", "url": "/rest/items"}, {"type": "events", "url": "/rest/events"}],
    });
    if !version.starts_with('4') {
        root["timezone"] = json!("Etc/UTC");
    }
    as_json(StatusCode::OK, &root)
}

async fn nothing() -> Response {
    as_json(StatusCode::OK, &json!([]))
}

/// What some clients wait for: the end of the start, and that it is a minute ago.
async fn system() -> Response {
    let system = json!({
        "configFolder": "/etc/openhab", "userdataFolder": "/var/lib/openhab", "logFolder": "/var/log/openhab",
        "javaVersion": "21.0.9", "javaVendor": "Eclipse Adoptium", "osName": "Linux", "osVersion": "6.12",
        "osArchitecture": "amd64", "availableProcessors": 4, "freeMemory": 134_217_728, "totalMemory": 268_435_456,
        "uptime": 3600, "startLevel": 100,
    });
    as_json(StatusCode::OK, &json!({"systemInfo": system}))
}

async fn items(State(shared): Shared, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    if headers.get(header::ACCEPT) == Some(&HeaderValue::from_static("text/html")) {
        return bare(StatusCode::NOT_ACCEPTABLE);
    }
    let query = asked(query);
    let rows: Vec<_> = shared.state().house.rows().filter_map(|row| listed(row, &query)).collect();
    as_json(StatusCode::OK, &Value::Array(rows))
}

async fn item(
    State(shared): Shared,
    uri: Uri,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    if uri.path().contains('%') {
        return bare(StatusCode::NOT_FOUND);
    }
    let query = asked(query);
    match shared.state().house.row(&name).and_then(|row| listed(row, &query)) {
        Some(row) => as_json(StatusCode::OK, &row),
        None => no_item(&name),
    }
}

async fn state(State(shared): Shared, uri: Uri, Path(name): Path<String>, headers: HeaderMap) -> Response {
    if uri.path().contains('%') {
        return bare(StatusCode::NOT_FOUND);
    }
    let house = &shared.state().house;
    let Some(state) = house.state(&name) else { return no_item(&name) };
    if headers.get(header::ACCEPT) == Some(&HeaderValue::from_static("application/json")) {
        return bare(StatusCode::BAD_REQUEST);
    }
    ([(header::CONTENT_TYPE, "text/plain")], state.to_owned()).into_response()
}

/// The text of a body, which has to say that it is one.
fn plain_text(headers: &HeaderMap, body: &Bytes) -> Result<String, Box<Response>> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    match kind {
        Some(kind) if kind.starts_with("text/plain") => Ok(String::from_utf8_lossy(body).into_owned()),
        Some(_) => Err(Box::new(bare(StatusCode::UNSUPPORTED_MEDIA_TYPE))),
        None => {
            let text = "HTTP 415 Unsupported Media Type";
            let class = "javax.ws.rs.WebApplicationException";
            let exception = json!({"class": class, "message": text, "localized-message": text});
            let error = json!({"error": {"message": text, "http-code": 415, "exception": exception}});
            Err(Box::new(as_json(StatusCode::UNSUPPORTED_MEDIA_TYPE, &Value::String(error.to_string()))))
        }
    }
}

async fn command(
    State(shared): Shared,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let text = match plain_text(&headers, &body) {
        Ok(text) => text,
        Err(refused) => return *refused,
    };
    if shared.state().house.row(&name).is_none() {
        return no_item(&name);
    }
    if shared.take(&name, &text).is_none() {
        return bare(StatusCode::BAD_REQUEST);
    }
    let (phase, run) = {
        let state = shared.state();
        (state.phase, state.run.clone())
    };
    if phase == DemoPhase::Mute {
        run.cancelled().await;
    }
    ([(header::CONTENT_TYPE, "text/plain")], "").into_response()
}

async fn put_state(
    State(shared): Shared,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let text = match plain_text(&headers, &body) {
        Ok(text) => text,
        Err(refused) => return *refused,
    };
    let parsed = {
        let state = shared.state();
        if state.house.row(&name).is_none() {
            return no_item(&name);
        }
        state.house.parsed(&name, &text)
    };
    let Some(parsed) = parsed else {
        return failed(StatusCode::BAD_REQUEST, &format!("State could not be parsed: {text}"));
    };
    shared.set(&name, &parsed);
    (StatusCode::ACCEPTED, [(header::CONTENT_TYPE, "application/json")], "").into_response()
}

async fn tags(headers: HeaderMap) -> Response {
    let language = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or("en");
    let text = if language.starts_with("de") {
        include_str!("../../../../assets/home/tags_de.json")
    } else {
        include_str!("../../../../assets/home/tags.json")
    };
    let pieces = stream::iter([Ok::<_, Infallible>(Bytes::from_static(text.as_bytes()))]);
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(pieces)).into_response()
}

async fn events(State(shared): Shared, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let wants_json = headers.get(header::ACCEPT) == Some(&HeaderValue::from_static("application/json"));
    if wants_json {
        return bare(StatusCode::NOT_ACCEPTABLE);
    }
    let topics: Vec<String> = asked(query)
        .get("topics")
        .map(|topics| {
            topics.split(',').map(|topic| topic.trim().to_owned()).filter(|topic| !topic.is_empty()).collect()
        })
        .unwrap_or_default();
    let mut alive = interval(ALIVE);
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let receiver = shared.events.subscribe();
    let frames = stream::unfold(
        (receiver, alive, topics, shared),
        |(mut receiver, mut alive, topics, shared)| async move {
            loop {
                // Both arms are cancel-safe.
                let event = tokio::select! {
                    event = receiver.recv() => event,
                    _ = alive.tick() => Ok(Arc::new(DemoEvent::raw(ALIVE_FRAME))),
                };
                let event = match event {
                    Ok(event) if event.is_end => return None,
                    Ok(event) => event,
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return None,
                };
                let is_wanted = event.topic.is_empty()
                    || topics.is_empty()
                    || topics.iter().any(|topic| fits(topic, &event.topic));
                if is_wanted && !shared.state().is_silent {
                    let frame = Bytes::from(event.frame.clone());
                    return Some((Ok::<_, Infallible>(frame), (receiver, alive, topics, shared)));
                }
            }
        },
    );
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CONTENT_ENCODING, HeaderValue::from_static("identity")),
        (header::HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(frames)).into_response()
}
