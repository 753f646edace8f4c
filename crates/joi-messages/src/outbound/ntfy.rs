//! Publishes messages to a topic of an ntfy server: a second way for alerts, without an account or a spare number.
//!
//! Any Tokio task. In: parcels. Out: one HTTP POST each, to the configured server alone: no redirect is followed and no
//! proxy of the environment is used. The token goes out as a header; topic, token and words never reach a log.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::{StatusCode, Url};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::carrier::Parcel;
use super::{Audience, Carrier, CarrierLink, CarrierName, CarryFault, MessageStamp, NtfyConfig, Urgency};
use joi_base::message::Private;
use joi_base::root_cause;
use joi_base::secret::{self, Credentials};

/// The name of the systemd credential that holds the token.
pub const CREDENTIAL: &str = "ntfy-token";
/// A server on the internet takes a connection within this time, or not at all.
const CONNECT: Duration = Duration::from_secs(10);
/// Time for an answer.
const ANSWER: Duration = Duration::from_secs(30);
/// Bytes of the longest message that a server keeps as a message; a longer one would become a file.
const LONGEST: usize = 4000;

/// The address of a server.
#[derive(Clone, PartialEq, Eq)]
pub struct NtfyServer(Url);

impl NtfyServer {
    /// Of an address as it is configured.
    ///
    /// # Errors
    /// It is none, or holds more than scheme, host and port.
    pub fn read(text: &str) -> Result<Self, String> {
        let no_address = || "no address of a server".to_owned();
        let url = Url::parse(text.trim()).map_err(|_| no_address())?;
        let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        let is_root = matches!(url.path(), "" | "/") && url.fragment().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if is_web && is_bare && is_root { Ok(Self(url)) } else { Err(no_address()) }
    }
}

impl std::fmt::Display for NtfyServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// Publishes to one topic of one server.
pub struct NtfyCarrier {
    shared: Arc<NtfyShared>,
    link: watch::Sender<CarrierLink>,
}

struct NtfyShared {
    http: reqwest::Client,
    server: NtfyServer,
    topic: String,
    token: Option<PathBuf>,
}

impl NtfyCarrier {
    /// The topic of the configuration, with its token or that of `credentials`.
    ///
    /// # Errors
    /// The configuration can't be used.
    pub fn new(config: &NtfyConfig, credentials: &Credentials) -> Result<Self, String> {
        joi_base::tls::provide_crypto();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .no_proxy()
            .build()
            .map_err(|error| error.without_url().to_string())?;
        let token = credentials.configured_or(&config.token_file, CREDENTIAL);
        let server = NtfyServer::read(&config.url)?;
        let shared = NtfyShared { http, server, topic: config.topic.clone(), token };
        Ok(Self { shared: Arc::new(shared), link: watch::channel(CarrierLink::Up).0 })
    }

    /// Returns the server, for people.
    pub fn server(&self) -> String {
        self.shared.server.to_string()
    }

    /// Asks the server whether it is well.
    ///
    /// # Errors
    /// It can't be reached, or is not well.
    pub async fn check(&self) -> Result<(), String> {
        self.shared.token()?;
        let url = self.shared.server.0.join("v1/health").map_err(|error| error.to_string())?;
        let answer = self.shared.http.get(url).send().await.map_err(cause)?;
        let body: Value =
            answer.json().await.map_err(|_| "what answers there is no ntfy server".to_owned())?;
        match body.get("healthy") {
            Some(Value::Bool(true)) => Ok(()),
            Some(_) => Err("the server says that it is not well".to_owned()),
            None => Err("what answers there is no ntfy server".to_owned()),
        }
    }
}

impl Carrier for NtfyCarrier {
    fn name(&self) -> CarrierName {
        CarrierName::Ntfy
    }

    fn link(&self) -> watch::Receiver<CarrierLink> {
        self.link.subscribe()
    }

    fn carry(&self, parcel: Parcel) -> BoxFuture<'static, Result<Option<MessageStamp>, CarryFault>> {
        let shared = Arc::clone(&self.shared);
        async move { shared.publish(&parcel).await.map(|()| None) }.boxed()
    }
}

impl NtfyShared {
    async fn publish(&self, parcel: &Parcel) -> Result<(), CarryFault> {
        let token = self.token().map_err(CarryFault::Refused)?;
        let mut request = self.http.post(self.server.0.clone()).json(&message(&self.topic, parcel));
        if let Some(Private(token)) = token {
            request = request.bearer_auth(token);
        }
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(error) if error.is_connect() || error.is_builder() => {
                return Err(CarryFault::Unsent(cause(error)));
            }
            Err(error) => return Err(CarryFault::Unknown(cause(error))),
        };
        let after = answer.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.parse().ok());
        verdict(answer.status(), after.map(Duration::from_secs))
    }

    /// Returns the token as it stands in its file now.
    fn token(&self) -> Result<Option<Private<String>>, String> {
        let read =
            |file: &PathBuf| secret::read_token(file).map_err(|why| format!("{}: {why}", file.display()));
        self.token.as_ref().map(read).transpose()
    }
}

/// PURE. The body of a request.
fn message(topic: &str, parcel: &Parcel) -> Value {
    let (priority, tag) = match parcel.urgency {
        Urgency::Critical => (5, Some("rotating_light")),
        Urgency::Escalated => (4, Some("warning")),
        Urgency::Direct | Urgency::Proactive => (3, None),
    };
    let text = &parcel.text.0;
    let end = (0..=text.len().min(LONGEST)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let mut message = json!({ "topic": topic, "message": text[..end], "priority": priority });
    if let Some(tag) = tag {
        message["tags"] = json!([tag]);
    }
    // Group and owner are one topic; whoever reads it sees for whom it was.
    if parcel.audience == Audience::Group {
        message["title"] = json!("Joi");
    }
    message
}

/// PURE. What a status means.
fn verdict(status: StatusCode, after: Option<Duration>) -> Result<(), CarryFault> {
    let why = format!("status {status}");
    match status.as_u16() {
        200..=299 => Ok(()),
        429 => Err(CarryFault::RateLimited { why, after }),
        // A server that refuses has not published; one that breaks may have.
        408 | 502..=503 => Err(CarryFault::Unsent(why)),
        500..=599 => Err(CarryFault::Unknown(why)),
        _ => Err(CarryFault::Refused(why)),
    }
}

/// Returns what the system says, without the address.
fn cause(error: reqwest::Error) -> String {
    root_cause::of(&error.without_url())
}

#[cfg(test)]
mod tests;
