//! The HTTP client of a model server: one address, limits of time and size, no proxy and no redirect.
//!
//! Any Tokio task. In: requests. Out: responses, and failures of the connection as [`LlmError`]. Dropping a future or a
//! response closes its connection. What is said at home goes to the configured address only.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response};

use super::address::parse_url;
use super::error::{LlmError, quoted};
use joi_base::message::Private;
use joi_base::root_cause;

/// A server on this machine or at home answers a connection at once, or not at all.
const CONNECT: Duration = Duration::from_secs(3);
/// Time to connect to a server that is not at home.
const CONNECT_OUTSIDE: Duration = Duration::from_secs(10);
/// Time for an answer that needs no model. A Pi that is computing at full load needs seconds.
pub(super) const SHORT_ANSWER: Duration = Duration::from_secs(10);
/// Time for the vectors of a few texts, the loading of their model included. A caller that can't wait gives up earlier.
pub(super) const VECTORS: Duration = Duration::from_secs(120);
/// Longest short answer that is read, in bytes.
const BODY_MAX: usize = 8 << 20;

/// Where a model server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// Over TCP.
    Http {
        /// Base address, for example `http://127.0.0.1:11434`.
        url: String,
    },
    /// Over a unix socket.
    Unix {
        /// The socket.
        path: PathBuf,
    },
}

/// The connection to a model server. Cloning is cheap.
#[derive(Debug, Clone)]
pub(super) struct HttpServer {
    http: reqwest::Client,
    base: String,
    shown: String,
    bearer: Option<Private<String>>,
}

/// Returns whether a web page came in place of an answer.
pub(super) fn is_web_page(response: &Response) -> bool {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
}

impl HttpServer {
    /// Creates a client of the server at `endpoint`, which is not contacted yet. `bearer` is sent with every request.
    ///
    /// # Errors
    /// [`LlmError::Garbage`] when the address can't be used.
    pub(super) fn new(endpoint: &Endpoint, bearer: Option<Private<String>>) -> Result<Self, LlmError> {
        joi_base::tls::provide_crypto();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            // A server that was started anew must never be spoken to over the old one's connection.
            .pool_max_idle_per_host(0)
            .no_proxy();
        let (client, base, shown) = match endpoint {
            Endpoint::Http { url } => {
                let parsed = parse_url(url);
                let base =
                    parsed.ok_or_else(|| LlmError::Garbage(format!("{} is no address", quoted(url))))?;
                let limit = if super::address::is_at_home(&base) { CONNECT } else { CONNECT_OUTSIDE };
                let base = base.as_str().trim_end_matches('/').to_owned();
                (client.connect_timeout(limit), base.clone(), base)
            }
            Endpoint::Unix { path } => (
                client.connect_timeout(CONNECT).unix_socket(path.as_path()),
                "http://localhost".to_owned(),
                path.display().to_string(),
            ),
        };
        let http = client.build().map_err(|error| LlmError::Garbage(error.to_string()))?;
        Ok(Self { http, base, shown, bearer })
    }

    /// The address as the owner knows it.
    pub(super) fn address(&self) -> &str {
        &self.shown
    }

    /// A request to `path` below the address.
    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.bearer {
            Some(Private(token)) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends `call`. A response of any status is a success.
    pub(super) async fn send(&self, call: RequestBuilder) -> Result<Response, LlmError> {
        call.send().await.map_err(|error| self.failed(&error))
    }

    /// Reads a body of limited size.
    pub(super) async fn read(&self, response: &mut Response) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.failed(&error))? {
            if body.len() + piece.len() > BODY_MAX {
                return Err(LlmError::Garbage("its answer has no end".to_owned()));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    fn failed(&self, error: &reqwest::Error) -> LlmError {
        if error.is_connect() || error.is_timeout() {
            return LlmError::Unreachable { at: self.shown.clone(), why: root_of(error) };
        }
        // A server that closes the connection without a word died; one that sends no HTTP is none.
        match root_of(error) {
            root if root.contains("invalid HTTP") || root.contains("parse") => LlmError::Garbage(root),
            _ => LlmError::Broken,
        }
    }
}

/// Waits for a short answer, at most `limit`.
pub(super) async fn in_time<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, LlmError>>,
) -> Result<T, LlmError> {
    let late = |_| LlmError::TimedOut { what: "a short answer", limit };
    tokio::time::timeout(limit, answer).await.map_err(late)?
}

fn root_of(error: &reqwest::Error) -> String {
    quoted(&root_cause::of(error))
}
