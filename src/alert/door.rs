//! `POST /events` on this machine: alerts of other programs.
//!
//! One task. In: JSON or text, at most [`MOST_BYTES`]. Out: notices into a bounded queue of the caller; a full one is
//! answered with 503. It refuses requests of web pages (a header `Origin`), everything but `POST /events`, and
//! listens on a loopback address only.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::awareness::ReceivedNotice;

/// Bytes of the largest request.
pub const MOST_BYTES: usize = 4096;

/// Binds the address.
///
/// # Errors
/// It is no loopback address, or is taken: tell the owner, go on without.
pub async fn open(address: SocketAddr) -> std::io::Result<TcpListener> {
    if !address.ip().is_loopback() {
        return Err(std::io::Error::other("not a loopback address"));
    }
    TcpListener::bind(address).await
}

/// Serves until `stop`.
///
/// # Errors
/// The system's.
pub async fn serve(
    listener: TcpListener,
    notices: mpsc::Sender<ReceivedNotice>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/events", post(take))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .with_state(notices);
    axum::serve(listener, routes).with_graceful_shutdown(async move { stop.cancelled().await }).await
}

async fn take(
    State(notices): State<mpsc::Sender<ReceivedNotice>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, &'static str) {
    if headers.contains_key(header::ORIGIN) {
        return (StatusCode::FORBIDDEN, "requests of web pages are not taken\n");
    }
    let Some(notice) = std::str::from_utf8(&body).ok().and_then(ReceivedNotice::read) else {
        let told = "send JSON such as {\"text\":\"…\",\"priority\":\"high\"}, or a text with priority=high\n";
        return (StatusCode::BAD_REQUEST, told);
    };
    match notices.try_send(notice) {
        Ok(()) => (StatusCode::ACCEPTED, "taken\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "too many alerts wait; try again\n"),
    }
}
