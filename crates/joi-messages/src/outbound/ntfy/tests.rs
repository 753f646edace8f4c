//! The carrier against a small HTTP server that answers as ntfy's documentation says.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::*;
use joi_base::message::Private;

#[derive(Default)]
struct Server {
    requests: Mutex<Vec<(Option<String>, Value)>>,
    answer: Mutex<Option<(u16, Option<&'static str>)>>,
}

async fn publish(State(server): State<Arc<Server>>, headers: HeaderMap, body: Bytes) -> Response {
    let token = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let body: Value = serde_json::from_slice(&body).unwrap();
    let answer = json!({ "id": "x", "event": "message", "topic": body["topic"] }).to_string();
    server.requests.lock().unwrap().push((token, body));
    match *server.answer.lock().unwrap() {
        None => answer.into_response(),
        Some((status, None)) => StatusCode::from_u16(status).unwrap().into_response(),
        Some((status, Some(after))) => {
            (StatusCode::from_u16(status).unwrap(), [("Retry-After", after)]).into_response()
        }
    }
}

async fn serve() -> (Arc<Server>, String) {
    let server = Arc::new(Server::default());
    let routes = Router::new()
        .route("/", post(publish))
        .route("/v1/health", get(|| async { "{\"healthy\":true}" }))
        .with_state(Arc::clone(&server));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (server, url)
}

fn config(url: &str) -> NtfyConfig {
    NtfyConfig { url: url.to_owned(), topic: "house-7f3a".into(), ..NtfyConfig::default() }
}

fn parcel(urgency: Urgency, text: &str) -> Parcel {
    Parcel { audience: Audience::Owner, urgency, text: Private(text.to_owned()) }
}

#[tokio::test]
async fn an_alert_is_published_with_the_highest_priority_and_the_token() {
    let (server, url) = serve().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "tk_secret\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let with_token = NtfyConfig { token_file: file.display().to_string(), ..config(&url) };
    let carrier = NtfyCarrier::new(&with_token, &Credentials::default()).unwrap();
    carrier.check().await.unwrap();
    carrier.carry(parcel(Urgency::Critical, "Rauch in der Küche!")).await.unwrap();
    let (token, body) = server.requests.lock().unwrap().pop().unwrap();
    assert_eq!(token.as_deref(), Some("Bearer tk_secret"));
    let message = json!({
        "topic": "house-7f3a", "message": "Rauch in der Küche!", "priority": 5, "tags": ["rotating_light"]
    });
    assert_eq!(body, message);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = carrier.carry(parcel(Urgency::Critical, "x")).await.unwrap_err();
    assert!(matches!(&refused, CarryFault::Refused(why) if why.contains("chmod 600")), "{refused}");
}

#[tokio::test]
async fn a_long_message_is_cut_between_two_letters() {
    let (server, url) = serve().await;
    let carrier = NtfyCarrier::new(&config(&url), &Credentials::default()).unwrap();
    carrier.carry(parcel(Urgency::Direct, &"ü".repeat(3000))).await.unwrap();
    let (token, body) = server.requests.lock().unwrap().pop().unwrap();
    assert_eq!((token, body["message"].as_str().unwrap().len()), (None, 4000));
}

#[tokio::test]
async fn each_answer_of_the_server_means_what_it_should() {
    let (server, url) = serve().await;
    let carrier = NtfyCarrier::new(&config(&url), &Credentials::default()).unwrap();
    let mut outcomes = Vec::new();
    for answer in [(200, None), (429, Some("17")), (401, None), (507, None), (502, None)] {
        *server.answer.lock().unwrap() = Some(answer);
        outcomes.push(carrier.carry(parcel(Urgency::Critical, "x")).await);
    }
    let after = Some(Duration::from_secs(17));
    assert_eq!(outcomes[0], Ok(None));
    assert!(matches!(&outcomes[1], Err(CarryFault::RateLimited { after: found, .. }) if *found == after));
    assert!(matches!(&outcomes[2], Err(CarryFault::Refused(_))), "{:?}", outcomes[2]);
    assert!(matches!(&outcomes[3], Err(CarryFault::Unknown(_))), "{:?}", outcomes[3]);
    assert!(matches!(&outcomes[4], Err(CarryFault::Unsent(_))), "{:?}", outcomes[4]);
}

#[tokio::test]
async fn a_server_that_is_not_there_costs_nothing_and_no_redirect_is_followed() {
    let gone = NtfyCarrier::new(&config("http://127.0.0.1:9"), &Credentials::default()).unwrap();
    let fault = gone.carry(parcel(Urgency::Critical, "x")).await.unwrap_err();
    assert!(matches!(fault, CarryFault::Unsent(_)), "{fault}");
    assert!(!format!("{fault}").contains("house-7f3a"));
    let (server, url) = serve().await;
    let carrier = NtfyCarrier::new(&config(&url), &Credentials::default()).unwrap();
    *server.answer.lock().unwrap() = Some((308, None));
    let fault = carrier.carry(parcel(Urgency::Critical, "x")).await.unwrap_err();
    assert!(matches!(fault, CarryFault::Refused(_)), "{fault}");
}

#[test]
fn an_address_is_a_server_and_nothing_more() {
    for good in ["https://ntfy.sh", "http://10.0.0.7:8090/"] {
        assert!(NtfyServer::read(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "ntfy.sh",
        "ftp://ntfy.sh",
        "https://me:pw@ntfy.sh",
        "https://ntfy.sh/topic",
        "https://ntfy.sh?a=b",
    ] {
        assert!(NtfyServer::read(bad).is_err(), "{bad}");
    }
}
