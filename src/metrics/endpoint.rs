//! `GET /metrics` over HTTP.
//!
//! One task. In: requests. Out: the text that its caller makes anew for each. On a loopback address it refuses requests of
//! web pages: those with a header `Origin`, and those that name a host, as a page does whose name was made to point here.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The content type of the answer.
const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type ScrapeSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

#[derive(Clone)]
struct MetricsEndpoint {
    scrape: ScrapeSource,
    is_loopback: bool,
}

/// Serves the text of `scrape` until `stop`.
///
/// # Errors
/// The address is taken, or can't be listened on.
pub async fn serve(
    address: SocketAddr,
    scrape: impl Fn() -> Option<String> + Send + Sync + 'static,
    stop: CancellationToken,
) -> std::io::Result<()> {
    serve_on(TcpListener::bind(address).await?, scrape, stop).await
}

pub(super) async fn serve_on(
    listener: TcpListener,
    scrape: impl Fn() -> Option<String> + Send + Sync + 'static,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let is_loopback = listener.local_addr()?.ip().is_loopback();
    let endpoint = MetricsEndpoint { scrape: Arc::new(scrape), is_loopback };
    let routes = Router::new().route("/metrics", get(answer)).with_state(endpoint);
    axum::serve(listener, routes).with_graceful_shutdown(async move { stop.cancelled().await }).await
}

async fn answer(State(endpoint): State<MetricsEndpoint>, headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if headers.contains_key(header::ORIGIN) || (endpoint.is_loopback && !is_this_machine(host)) {
        return (StatusCode::FORBIDDEN, "requests of web pages are not taken\n").into_response();
    }
    match (endpoint.scrape)() {
        Some(text) => ([(header::CONTENT_TYPE, FORMAT)], text).into_response(),
        None => (StatusCode::INTERNAL_SERVER_ERROR, "the figures can't be told\n").into_response(),
    }
}

/// Returns whether a host is an address or "localhost", with or without a port.
fn is_this_machine(host: &str) -> bool {
    let name = host.strip_suffix(|c: char| c.is_ascii_digit()).map_or(host, |_| {
        host.rsplit_once(':')
            .filter(|(name, _)| !name.contains(':') || name.ends_with(']'))
            .map_or(host, |(name, _)| name)
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn names_that_a_page_may_have_are_not_this_machine() {
        for host in ["127.0.0.1:9753", "127.0.0.1", "localhost:9753", "localhost", "[::1]:9753", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["", "evil.example:9753", "localhost.evil.example", "127.0.0.1.nip.io:9753", "pi.local"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
