//! The way to the internet: only to public addresses, only a little, only for a short while; and the tool
//! that reads a page.
//!
//! Tokio tasks. In: an address. Out: at most 512 KB from it, after at most three redirects. Every hop is
//! judged anew, by its address and again by what its name resolves to; the connection goes to the very
//! addresses that were judged. What the owner configured themselves (a search server at home) may be private.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, LOCATION};
pub(super) use reqwest::{Method, Request, Url};
use serde_json::{Value, json};

use super::form::FormSource;
use super::{Arguments, Call, Effect, FailureCause, FoundPage, Output, Tool, ToolError, fence, schema};
use joi_base::root_cause;
use joi_language::values::deed::CallValue;

mod guard;
pub(super) mod html;
#[cfg(test)]
pub(crate) mod tests;

/// The name of the tool.
pub(super) const NAME: &str = "readPage";
/// Most bytes that are read.
pub(super) const MOST_BYTES: usize = 512 * 1024;
/// Most redirects that are followed.
const MOST_HOPS: usize = 3;
/// Most characters of a page that the model sees, title included.
const MOST_CHARS: usize = 1_500;
/// Longest address.
const LONGEST_URL: usize = 2_000;
/// A server that does not answer within that is left.
const CONNECT: Duration = Duration::from_secs(5);
/// The whole of one page.
const WHOLE: Duration = Duration::from_secs(12);

/// Judges addresses: the guard in the program, an open door in tests.
type Judge = fn(&SocketAddr) -> bool;

/// How the network is reached. Clones share it.
#[derive(Clone)]
pub struct HttpClient {
    public: Client,
    /// For addresses that the owner configured.
    chosen: Client,
    is_allowed: Judge,
    resolver: Resolver,
}

/// A page as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fetched {
    /// Where it came from in the end.
    pub(super) url: Url,
    /// Its kind, for example `text/html`.
    pub(super) kind: String,
    /// As text; what is no text becomes replacement marks.
    pub(super) body: String,
}

/// Resolves names to those of their addresses that are allowed.
#[derive(Clone)]
struct Resolver {
    is_allowed: Judge,
    lookup: Lookup,
}

/// Finds the addresses of a name: the system's in the program, a table in tests.
type Lookup = fn(String) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>>;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let found = (this.lookup)(name.as_str().to_owned()).await?;
            // One private address among public ones is a trick: then none is good.
            if found.is_empty() || !found.iter().all(this.is_allowed) {
                return Err("the name leads to a private address".into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn system_lookup(name: String) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> {
    async move { Ok(tokio::net::lookup_host((name.as_str(), 0)).await?.collect()) }.boxed()
}

impl HttpClient {
    /// Public addresses only.
    ///
    /// # Errors
    /// No HTTP client can be made on this machine.
    pub fn public() -> Result<Self, String> {
        Self::guarded(guard::is_public, system_lookup)
    }

    /// Creates a client that reaches the addresses that `is_allowed` accepts, with names resolved by `lookup`.
    ///
    /// # Errors
    /// No HTTP client can be made on this machine.
    pub fn guarded(is_allowed: Judge, lookup: Lookup) -> Result<Self, String> {
        joi_base::tls::provide_crypto();
        let client = || {
            Client::builder()
                .connect_timeout(CONNECT)
                .timeout(WHOLE)
                .redirect(reqwest::redirect::Policy::none())
                .user_agent(concat!("joi/", env!("CARGO_PKG_VERSION")))
                .no_proxy()
        };
        let resolver = Resolver { is_allowed, lookup };
        let build = |client: reqwest::ClientBuilder| client.build().map_err(|error| error.to_string());
        Ok(Self {
            public: build(client().dns_resolver(Arc::new(resolver.clone())))?,
            chosen: build(client())?,
            is_allowed,
            resolver,
        })
    }

    /// Fetches a public page.
    pub(super) async fn get(&self, url: &str) -> Result<Fetched, ToolError> {
        self.follow(parsed(url)?, &self.public).await
    }

    /// Fetches from a server that the owner has configured, wherever it is; it may not lead elsewhere.
    pub(super) async fn get_chosen(&self, url: Url) -> Result<Fetched, ToolError> {
        self.send_chosen(Request::new(Method::GET, url)).await
    }

    /// Sends a request of any method, with its headers and body, to a server that the owner has configured.
    pub(super) async fn send_chosen(&self, request: Request) -> Result<Fetched, ToolError> {
        let url = request.url().clone();
        let response = self.chosen.execute(request).await.map_err(|error| failed(&url, &error))?;
        read(url, response).await
    }

    async fn follow(&self, mut url: Url, client: &Client) -> Result<Fetched, ToolError> {
        for _ in 0..=MOST_HOPS {
            self.judge(&url)?;
            let response = client.get(url.clone()).send().await.map_err(|error| failed(&url, &error))?;
            if !response.status().is_redirection() {
                return read(url, response).await;
            }
            let next = response.headers().get(LOCATION).and_then(|next| next.to_str().ok());
            let next = next.and_then(|next| url.join(next).ok());
            url = next.ok_or_else(|| model_error(format!("{} leads nowhere", host(&url))))?;
        }
        Err(model_error(format!("{} leads on and on", host(&url))))
    }

    /// Returns whether an address may be asked at all. Names are judged again by what they resolve to.
    fn judge(&self, url: &Url) -> Result<(), ToolError> {
        let refused = |why: &str| Err(model_error(format!("{} is not fetched: {why}", host(url))));
        if !matches!(url.scheme(), "http" | "https") {
            return refused("only http and https addresses are");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused("it carries a user name or a password");
        }
        let port = url.port_or_known_default().unwrap_or(0);
        let ip = url.host_str().map(|host| host.trim_matches(['[', ']'])).and_then(|host| host.parse().ok());
        match ip {
            Some(ip) if !(self.is_allowed)(&SocketAddr::new(ip, port)) => refused("it is a private address"),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient")
            .field("resolver", &std::any::type_name_of_val(&self.resolver))
            .finish_non_exhaustive()
    }
}

/// Returns an address as the model wrote it.
fn parsed(url: &str) -> Result<Url, ToolError> {
    let url = url.trim();
    if url.len() > LONGEST_URL {
        return Err(model_error("the address is too long".into()));
    }
    let whole = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    let parsed = Url::parse(&whole).ok().filter(Url::has_host);
    parsed.ok_or_else(|| model_error(format!("{} is no address", fence::shortened(url, 100))))
}

/// Returns what a server sent, as far as it is read.
async fn read(url: Url, mut response: reqwest::Response) -> Result<Fetched, ToolError> {
    let status = response.status();
    if !status.is_success() {
        return Err(FailureCause::Service.with(format!("{} answered {status}", host(&url))));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| failed(&url, &error))? {
        let room = MOST_BYTES.saturating_sub(body.len());
        body.extend_from_slice(piece.get(..room).unwrap_or(&piece));
        if body.len() >= MOST_BYTES {
            break;
        }
    }
    Ok(Fetched { url, kind, body: String::from_utf8_lossy(&body).into_owned() })
}

/// Returns a failure in words; the address is shown by its host alone, for the rest may be private.
fn failed(url: &Url, error: &reqwest::Error) -> ToolError {
    if error.is_timeout() {
        return FailureCause::Slow.with(format!("{} can't be reached: it took too long", host(url)));
    }
    let why = fence::shortened(&root_cause::of(error), 120);
    FailureCause::Network.with(format!("{} can't be reached: {why}", host(url)))
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or("the address").to_owned()
}

fn model_error(why: String) -> ToolError {
    ToolError::TellModel(why)
}

/// The tool `readPage`.
pub(super) struct ReadPage {
    http: HttpClient,
}

impl ReadPage {
    /// Reads through `reach`.
    pub(super) fn new(http: HttpClient) -> Self {
        Self { http }
    }
}

impl Tool for ReadPage {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "read a web page whose address is known"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "url": { "type": "string", "maxLength": LONGEST_URL } }), &["url"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let is_address = |text: &String| text.trim_end_matches('.').contains('.');
        let addresses: Vec<String> = said.texts(1).into_iter().filter(is_address).collect();
        if addresses.is_empty() {
            return Vec::new();
        }
        vec![schema::object(json!({ "url": { "enum": addresses } }), &["url"])]
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Fetches
    }

    fn address<'a>(&self, arguments: &'a Arguments) -> Option<&'a str> {
        arguments.get("url").and_then(Value::as_str)
    }

    fn values(&self, _: &Arguments) -> Vec<CallValue> {
        Vec::new()
    }

    fn is_brief(&self) -> bool {
        false
    }

    fn time_limit(&self) -> Duration {
        Duration::from_secs(20)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let page = self.http.get(call.text("url")).await?;
            let text = match page.kind.as_str() {
                "text/html" | "application/xhtml+xml" | "" => html::text(&page.body),
                kind if kind.starts_with("text/") || kind.ends_with("json") => page.body.clone(),
                kind => {
                    return Err(model_error(format!(
                        "{} is no text but {}",
                        host(&page.url),
                        fence::shortened(kind, 40)
                    )));
                }
            };
            if text.trim().is_empty() {
                return Err(model_error(format!("there is no text on {}", host(&page.url))));
            }
            let told = format!("From {}:\n{}", host(&page.url), fence::wrap(&text, MOST_CHARS));
            let text = fence::shortened(&text, MOST_CHARS);
            let read = FoundPage { url: page.url.to_string(), title: String::new(), text };
            Ok(Output { pages: vec![read], ..Output::foreign(told) })
        }
        .boxed()
    }
}
