//! A house to try of any kind, for somebody who runs it and watches what it is commanded.
//!
//! One Tokio task. In: options of the command line. Out: where the house is, and its commands.

use std::io;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use serde_json::Value;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::hass::{self, DemoHass, HassWants};
use super::openhab::{DemoHome, DemoStart, DemoWants};

/// A kind of server that a house to try can answer as.
pub struct DemoKind {
    /// Its name in the configuration of joi.
    pub word: &'static str,
    /// The port that real servers of this kind use.
    pub port: u16,
    start: fn(DemoOptions) -> BoxFuture<'static, io::Result<RunningDemo>>,
}

/// All kinds, the default first.
pub const KINDS: [DemoKind; 2] = [
    DemoKind { word: "openhab", port: 8080, start: |options| Box::pin(openhab(options)) },
    DemoKind { word: "home-assistant", port: 8123, start: |options| Box::pin(home_assistant(options)) },
];

/// How a house to try is started.
#[derive(Debug, Clone, Default)]
pub struct DemoOptions {
    /// The port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// The only token that is accepted. Without one openHAB takes everybody, Home Assistant the token
    /// [`HASS_TOKEN`](crate::HASS_TOKEN).
    pub token: Option<String>,
    /// The version of openHAB to behave as, or its default.
    pub version: Option<String>,
    /// How openHAB begins.
    pub start: DemoStart,
    /// The rows of openHAB's item list; empty for the furnished house.
    pub items: Vec<Value>,
}

/// A house that runs as long as its commands are held.
pub struct RunningDemo {
    /// `http://127.0.0.1:8080`.
    pub url: String,
    /// The token that has to be given, if one has to.
    pub token: Option<String>,
    /// The commands that arrive from now on.
    pub commands: BoxStream<'static, DemoCommand>,
}

/// A command that reached the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoCommand {
    /// The item or the service.
    pub to: String,
    /// The text of the command, or the data of the service.
    pub text: String,
}

impl DemoKind {
    /// Starts a house of this kind.
    ///
    /// # Errors
    /// The port is taken, the items can't be read, or this kind has no such option.
    pub async fn start(&self, options: DemoOptions) -> io::Result<RunningDemo> {
        (self.start)(options).await
    }
}

async fn openhab(options: DemoOptions) -> io::Result<RunningDemo> {
    let DemoOptions { port, token, version, start, items } = options;
    let is_open = token.is_none();
    let wants = DemoWants { port, is_open, token: token.clone(), items, start, ..DemoWants::default() };
    let version = version.unwrap_or_else(|| wants.version.clone());
    let demo = DemoHome::start(DemoWants { version, ..wants }).await?;
    let (url, requests) = (demo.url(), demo.requests());
    let commands = received(requests, demo).filter_map(|request| async move {
        let to = request.path.trim_start_matches("/rest/items/").to_owned();
        (request.method != "GET").then_some(DemoCommand { to, text: request.body })
    });
    Ok(RunningDemo { url, token, commands: commands.boxed() })
}

async fn home_assistant(options: DemoOptions) -> io::Result<RunningDemo> {
    if options.version.is_some() {
        return Err(io::Error::other("Home Assistant has one version here; leave it out"));
    }
    let token = options.token.unwrap_or_else(|| hass::TOKEN.to_owned());
    let wants = HassWants { port: options.port, token: token.clone(), ..HassWants::default() };
    let demo = DemoHass::start(wants).await?;
    let (url, calls) = (demo.url(), demo.services());
    let commands =
        received(calls, demo).map(|call| DemoCommand { to: call.service, text: call.data.to_string() });
    Ok(RunningDemo { url, token: Some(token), commands: commands.boxed() })
}

/// Everything that `receiver` gets; what a slow reader lost is left out. `demo` runs until the stream is dropped.
fn received<T: Clone + Send + 'static>(
    receiver: Receiver<T>,
    demo: impl Send + 'static,
) -> impl stream::Stream<Item = T> + Send {
    stream::unfold((receiver, demo), |(mut receiver, demo)| async move {
        loop {
            match receiver.recv().await {
                Ok(received) => return Some((received, (receiver, demo))),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    async fn post(demo: &RunningDemo, path: &str, kind: &str, body: &str) {
        let mut stream = TcpStream::connect(demo.url.trim_start_matches("http://")).await.unwrap();
        let token = demo.token.as_deref().unwrap();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: demo\r\nAuthorization: Bearer {token}\r\nContent-Type: {kind}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    #[tokio::test]
    async fn every_kind_shows_the_commands_that_arrive_and_nothing_else() {
        let [openhab, hass] = &KINDS;
        let options = DemoOptions { token: Some("oh.a.b".to_owned()), ..DemoOptions::default() };
        let mut demo = openhab.start(options).await.unwrap();
        post(&demo, "/rest/items/Hall_Light", "text/plain", "ON").await;
        let expected = DemoCommand { to: "Hall_Light".to_owned(), text: "ON".to_owned() };
        assert_eq!(demo.commands.next().await, Some(expected));

        let mut demo = hass.start(DemoOptions::default()).await.unwrap();
        let body = r#"{"entity_id":"light.hall"}"#;
        post(&demo, "/api/services/light/turn_on", "application/json", body).await;
        let expected = DemoCommand { to: "light.turn_on".to_owned(), text: body.to_owned() };
        assert_eq!(demo.commands.next().await, Some(expected));
    }

    #[tokio::test]
    async fn only_openhab_has_several_versions() {
        let options = || DemoOptions { version: Some("4.3.11".to_owned()), ..DemoOptions::default() };
        assert!(KINDS[0].start(options()).await.is_ok());
        assert!(KINDS[1].start(options()).await.is_err());
    }
}
