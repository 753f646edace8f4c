//! The daemon over HTTP: requests as POST, received messages as a stream of events.
//!
//! Runs on the link's task. In: requests, bounded by the link. Out: answers, received messages. The stream has a
//! keep-alive every 15 s; without a byte for 40 s it is dead. No redirect is followed, no proxy used. Nothing is ever
//! subscribed to: that does not exist here.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::lines::{LONGEST, LineFeed};
use super::link::{AskFault, LinkRequest, SHORT, version};
use super::rpc::{self, RpcLine};
use joi_base::root_cause;

/// A stream without a byte for so long is dead.
const SILENT: Duration = Duration::from_secs(40);
/// The daemon may need that long to send a first message.
const ANSWER: Duration = Duration::from_secs(120);

/// Serves until the stream of events ends; `up` gets the version once both ways work.
pub(super) async fn serve(
    url: &str,
    account: &str,
    requests: &mut mpsc::Receiver<LinkRequest>,
    received: &mut (impl FnMut(Value) + Send),
    up: impl Fn(String),
) -> Result<(), String> {
    let http = client()?;
    let told = timeout(SHORT, post(&http, url, "version", &json!({}))).await;
    let told = told.map_err(|_| "no answer in time".to_owned())?.map_err(|fault| fault.to_string())?;
    // A number: of all its signs the plus alone means something else in a query.
    let query =
        if account.is_empty() { String::new() } else { format!("?account={}", account.replace('+', "%2B")) };
    let events = http.get(format!("{url}/api/v1/events{query}")).header(ACCEPT, "text/event-stream");
    let events = timeout(SHORT, events.send()).await.map_err(|_| "no answer in time".to_owned())?;
    let events = events.map_err(cause)?;
    if events.status().as_u16() == 400 && !account.is_empty() {
        let told = "it does not serve the account of signal.account: set that to one it serves";
        return Err(told.to_owned());
    }
    if events.status().as_u16() != 200 {
        return Err(format!("its events can't be read (status {})", events.status().as_u16()));
    }
    up(version(Some(&told)));
    let mut events = events.bytes_stream();
    let (mut feed, mut running) = (LineFeed::default(), FuturesUnordered::new());
    loop {
        // Every arm is cancel-safe: a request that runs stays where it is.
        tokio::select! {
            request = requests.recv() => {
                let Some(LinkRequest { method, params, answer }) = request else { return Ok(()) };
                let http = &http;
                running.push(async move {
                    let _ = answer.send(post(http, url, &method, &params).await);
                });
            }
            Some(()) = running.next() => {}
            piece = timeout(SILENT, events.next()) => {
                let piece = piece.map_err(|_| "it is silent".to_owned())?;
                let Some(piece) = piece else { return Ok(()) };
                for line in feed.feed(&piece.map_err(cause)?) {
                    if let Some(params) = line.strip_prefix("data:").and_then(|data| serde_json::from_str(data).ok()) {
                        received(params);
                    }
                }
            }
        }
    }
}

async fn post(http: &reqwest::Client, url: &str, method: &str, params: &Value) -> Result<Value, AskFault> {
    let request = http
        .post(format!("{url}/api/v1/rpc"))
        .header(CONTENT_TYPE, "application/json")
        .body(rpc::request(1, method, params));
    let answer = request.send().await.map_err(|error| match error.is_connect() || error.is_builder() {
        true => AskFault::NotSent(cause(error)),
        false => AskFault::Lost(cause(error)),
    })?;
    let status = answer.status().as_u16();
    if status != 200 {
        return Err(AskFault::NotSent(format!(
            "what answers there is no signal-cli daemon (status {status})"
        )));
    }
    let mut body = Vec::new();
    let mut pieces = answer.bytes_stream();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(|error| AskFault::Lost(cause(error)))?);
        if body.len() > LONGEST {
            return Err(AskFault::Lost("an answer that is too long".to_owned()));
        }
    }
    match rpc::read(&String::from_utf8_lossy(&body)) {
        RpcLine::Answer(_, result) => Ok(result?),
        RpcLine::Received(_) | RpcLine::Nothing => {
            Err(AskFault::Lost("an answer that can't be read".to_owned()))
        }
    }
}

fn client() -> Result<reqwest::Client, String> {
    joi_base::tls::provide_crypto();
    reqwest::Client::builder()
        .connect_timeout(SHORT)
        .read_timeout(ANSWER)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(cause)
}

/// Returns what the system says, without the address.
fn cause(error: reqwest::Error) -> String {
    root_cause::of(&error.without_url())
}
