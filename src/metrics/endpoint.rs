//! `GET /metrics` over HTTP.
//!
//! In: requests, within the limits and rules of `joi-serve`. Out: the text that its caller makes anew for each.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use joi_serve::EndpointRules;

/// The content type of the answer.
const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type ScrapeSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Serves the text of `scrape` until `stop`, to those that `rules` admit.
///
/// # Errors
/// The address is taken, or can't be listened on.
pub async fn serve(
    address: SocketAddr,
    rules: EndpointRules,
    scrape: impl Fn() -> Option<String> + Send + Sync + 'static,
    stop: CancellationToken,
) -> std::io::Result<()> {
    serve_on(TcpListener::bind(address).await?, rules, scrape, stop).await
}

pub(super) async fn serve_on(
    listener: TcpListener,
    rules: EndpointRules,
    scrape: impl Fn() -> Option<String> + Send + Sync + 'static,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let scrape: ScrapeSource = Arc::new(scrape);
    let routes = Router::new().route("/metrics", get(answer)).with_state(scrape);
    joi_serve::serve(listener, routes, rules, stop).await
}

async fn answer(State(scrape): State<ScrapeSource>) -> Response {
    match scrape() {
        Some(text) => ([(header::CONTENT_TYPE, FORMAT)], text).into_response(),
        None => (StatusCode::INTERNAL_SERVER_ERROR, "the figures can't be told\n").into_response(),
    }
}
