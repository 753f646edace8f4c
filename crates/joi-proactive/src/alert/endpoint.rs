//! `POST /events` on this machine: alerts of other programs.
//!
//! In: JSON or text, at most [`MOST_BYTES`], within the limits and rules of `joi-serve`. Out: notices into a bounded queue
//! of the caller. 202 only once the notice is announced and stored; where that is not so in time, or the queue is full, 503
//! says when to send it again. It refuses everything but `POST /events`, and listens on a loopback address only.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::awareness::ReceivedNotice;
use joi_base::message::Private;
use joi_serve::EndpointRules;

/// Bytes of the largest request.
pub const MOST_BYTES: usize = 4096;

/// Whoever sends waits for an answer no longer than this.
const PATIENCE: Duration = Duration::from_secs(15);
/// An alert that is not stored is to be sent again after so many seconds.
const AGAIN_S: &str = "10";

/// The result of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeFate {
    /// It is announced and stored.
    Stored,
    /// It is announced, or will be, and is lost with the program: the same again is announced once.
    NotStored,
}

/// A notice of another program, which waits for an answer.
#[derive(Debug)]
pub struct SentNotice {
    /// Its text.
    pub notice: ReceivedNotice,
    /// Learns what became of it.
    pub taken: oneshot::Sender<NoticeFate>,
}

/// Binds the address.
///
/// # Errors
/// It is no loopback address, or is taken: report it to the owner, go on without.
pub async fn open(address: SocketAddr) -> std::io::Result<TcpListener> {
    if !address.ip().is_loopback() {
        return Err(std::io::Error::other("not a loopback address"));
    }
    TcpListener::bind(address).await
}

/// Serves until `stop`, those that bring `token` where there is one.
///
/// # Errors
/// The system's.
pub async fn serve(
    listener: TcpListener,
    token: Option<Private<String>>,
    notices: mpsc::Sender<SentNotice>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let routes = Router::new().route("/events", post(take)).with_state(notices);
    let rules = EndpointRules { body_bytes: MOST_BYTES, token, ..EndpointRules::default() };
    joi_serve::serve(listener, routes, rules, stop).await
}

async fn take(State(notices): State<mpsc::Sender<SentNotice>>, body: Bytes) -> Response {
    let Some(notice) = std::str::from_utf8(&body).ok().and_then(ReceivedNotice::read) else {
        let told = "send JSON such as {\"text\":\"…\",\"priority\":\"high\"}, or a text with priority=high\n";
        return (StatusCode::BAD_REQUEST, told).into_response();
    };
    let (taken, answer) = oneshot::channel();
    if notices.try_send(SentNotice { notice, taken }).is_err() {
        return again("too many alerts wait; send it again\n");
    }
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(Ok(NoticeFate::Stored)) => (StatusCode::ACCEPTED, "taken\n").into_response(),
        Ok(Ok(NoticeFate::NotStored)) => again("it is not stored yet; send it again, it is not told twice\n"),
        Err(_) => again("it may not be told yet; send it again\n"),
        Ok(Err(_)) => again("the program is ending; send it again\n"),
    }
}

/// It is to be sent again.
fn again(told: &'static str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, AGAIN_S)], told).into_response()
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use proptest::prelude::*;

    use super::*;
    use joi_base::testing::damaged;

    proptest! {
        #[test]
        fn foreign_bytes_at_the_door_are_refused_or_taken(
            body in damaged(br#"{"text":"Smoke in the cellar","priority":"high","id":"smoke_alarm"}"#),
        ) {
            let (sender, _waiting) = mpsc::channel(1);
            // Whoever gets in finds the queue full: nobody waits here.
            let _place = sender.clone().try_reserve_owned().unwrap();
            let answer = take(State(sender), Bytes::from(body)).now_or_never().map(|answer| answer.status());
            let is_expected = |status| [StatusCode::BAD_REQUEST, StatusCode::SERVICE_UNAVAILABLE].contains(&status);
            prop_assert!(answer.is_some_and(is_expected), "{:?}", answer);
        }
    }
}
