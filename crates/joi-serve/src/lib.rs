//! Serves HTTP endpoints on a port: the one listener for everything of joi that answers HTTP.
//!
//! One task accepts, one task each serves a connection, which takes one request. In: a bound listener, routes, rules.
//! Out: what the routes answer. Head, body and the whole connection have time limits, the body a size, the endpoint and
//! each peer a number of connections. Where all places are taken, a new connection gets that of the oldest one that has
//! not sent its request yet, so that half requests keep nobody out. It refuses requests of web pages other than its own
//! ([`PageRequests`]), and those without the token where there is one. An answer that goes on for longer says so
//! ([`LongAnswer`]); a body that is larger than others needs leave by its headers ([`LargeBodies`]).

mod large;
mod listen;
mod long;
mod places;
mod rules;
mod tls;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub use large::LargeBodies;
pub use listen::{ListenAddress, ListenRange};
pub use long::LongAnswer;
pub use places::{ConnectionPlace, ConnectionPlaces};
pub use rules::{EndpointRules, PageRequests, RequestTimes};
pub use tls::{TlsFault, TlsIdentity};

/// Time limit for a refusal.
const REFUSAL: Duration = Duration::from_millis(200);
/// Time that answers have when the endpoint ends.
const GRACE: Duration = Duration::from_secs(2);
/// Pause after a connection could not be accepted: there are too many open files, most likely.
const PAUSE: Duration = Duration::from_millis(100);

/// The answer to a connection for which there is no place.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// The address that a request came from; every request has it as an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// Shared by the connections of an endpoint.
struct HttpEndpoint {
    routes: Router,
    rules: EndpointRules,
    is_loopback: bool,
}

/// Serves `routes` on `listener` until `stop`.
///
/// # Errors
/// The listener has no address.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    rules: EndpointRules,
    stop: CancellationToken,
) -> io::Result<()> {
    let is_loopback = listener.local_addr()?.ip().is_loopback();
    let endpoint = Arc::new(HttpEndpoint { routes, rules, is_loopback });
    let places = ConnectionPlaces::new(endpoint.rules.connections, endpoint.rules.connections_of_a_peer);
    let mut connections = JoinSet::new();
    loop {
        // Every arm is cancel-safe.
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let place = places.take(peer.ip());
                    connections.spawn(connection(Arc::clone(&endpoint), stream, peer, place));
                }
                Err(error) => {
                    tracing::debug!(%error, "could not accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            },
        }
    }
    places.end_unfinished();
    let ended = async { while connections.join_next().await.is_some() {} };
    // The rest is dropped with the tasks.
    let _ = timeout(GRACE, ended).await;
    connections.shutdown().await;
    Ok(())
}

/// Serves one connection, or refuses it where it has no place.
async fn connection(
    endpoint: Arc<HttpEndpoint>,
    stream: TcpStream,
    peer: SocketAddr,
    place: Option<ConnectionPlace>,
) {
    let Some(place) = place else {
        tracing::debug!(%peer, "too many connections, one was refused");
        // A peer that does not read gets no reason.
        let _ = timeout(REFUSAL, refuse(stream)).await;
        return;
    };
    let head = endpoint.rules.times.head;
    match endpoint.rules.tls.as_ref().map(TlsIdentity::acceptor) {
        None => requests(endpoint, stream, peer, place).await,
        Some(acceptor) => {
            let accepted = tokio::select! {
                () = place.given_away() => return,
                accepted = timeout(head, acceptor.accept(stream)) => accepted,
            };
            // A peer that speaks no TLS, or not in time, needs no mention.
            if let Ok(Ok(stream)) = accepted {
                requests(endpoint, stream, peer, place).await;
            }
        }
    }
}

/// Serves the request of a connection.
async fn requests<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    endpoint: Arc<HttpEndpoint>,
    stream: S,
    peer: SocketAddr,
    place: ConnectionPlace,
) {
    let place = Arc::new(place);
    let (times, working) = (endpoint.rules.times, Arc::clone(&place));
    let (longer, is_longer) = oneshot::channel();
    let longer = Arc::new(Mutex::new(Some(longer)));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(PeerAddress(peer.ip()));
        let (endpoint, place, longer) = (Arc::clone(&endpoint), Arc::clone(&working), Arc::clone(&longer));
        async move {
            let mut response = answer(&endpoint, &place, request).await;
            if let Some(long) = response.extensions_mut().remove::<LongAnswer>()
                && let Some(longer) = longer.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                // The connection is over already.
                let _ = longer.send(long);
            }
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(times.head).keep_alive(false);
    let serving = http.serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        () = place.given_away() => {}
        () = long::over(times.whole, is_longer) => {}
        // A peer that breaks off or does not send HTTP needs no mention.
        _ = serving => {}
    }
}

/// Says that there is no place, to a peer whose request has come.
async fn refuse(stream: TcpStream) -> io::Result<()> {
    // Unread bytes would take the answer with them when the connection is closed.
    stream.readable().await?;
    let _ = stream.try_read(&mut [0; 2048]);
    stream.writable().await?;
    stream.try_write(FULL).map(|_| ())
}

/// Answers one request, whose body is read first.
async fn answer(endpoint: &HttpEndpoint, place: &ConnectionPlace, request: Request<Incoming>) -> Response {
    if let Err(refusal) = endpoint.rules.admits(request.method(), request.headers(), endpoint.is_loopback) {
        return refusal;
    }
    let limits = match endpoint.rules.body_limits(request.uri().path(), request.headers()) {
        Ok(limits) => limits,
        Err(refusal) => return refusal,
    };
    let most = limits.bytes;
    let told = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if told.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > most as u64) {
        return too_large();
    }
    let (head, body) = request.into_parts();
    let body = match timeout(limits.within, to_bytes(Body::new(body), most)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return too_large(),
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the body came too slowly\n").into_response(),
    };
    place.has_request();
    let request = Request::from_parts(head, Body::from(body));
    match TowerToHyperService::new(endpoint.routes.clone()).call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

fn too_large() -> Response {
    (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large\n").into_response()
}

#[cfg(test)]
mod tests;
