//! One WebSocket to Home Assistant: opened, logged in, asked.
//!
//! Any Tokio task. In: address, token, commands as JSON. Out: results, events, or a [`HomeFault`]. The token goes out in
//! the login and nowhere else. Certificates are those of the system; answers over 32 MB are not read.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{Response, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use crate::address::ServerAddress;
use crate::fault::HomeFault;
use crate::token::HomeToken;
use crate::wire_text::shown_target;

/// Time for the connection and the login.
const LOGIN: Duration = Duration::from_secs(5);
/// Time for one answer: a list of thousands of entities on a slow machine.
const ANSWER: Duration = Duration::from_secs(15);
/// Bytes of the longest answer.
const LONGEST: usize = 32 << 20;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A connection that is logged in.
pub(super) struct HassSocket {
    socket: Socket,
    address: String,
    /// The server's version.
    pub(super) version: String,
    last_id: u64,
}

impl HassSocket {
    /// Connects and logs in.
    pub(super) async fn open(address: &ServerAddress, token: Option<&HomeToken>) -> Result<Self, HomeFault> {
        joi_base::tls::provide_crypto();
        match timeout(LOGIN, Self::login(address, token)).await {
            Ok(opened) => opened,
            Err(_) => Err(unreachable(address, "no answer in time".to_owned())),
        }
    }

    async fn login(address: &ServerAddress, token: Option<&HomeToken>) -> Result<Self, HomeFault> {
        let request = address
            .socket("api/websocket")
            .into_client_request()
            .map_err(|error| unreachable(address, error.to_string()))?;
        let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
        let connected = connect_async_with_config(request, Some(config), true).await;
        let (socket, _) = connected.map_err(|error| refused(address, error))?;
        let mut opened = Self { socket, address: address.to_string(), version: String::new(), last_id: 0 };
        let hello = opened.next().await?;
        if hello["type"] != "auth_required" {
            return Err(not_one(address, "its WebSocket does not ask for a login"));
        }
        let Some(token) = token else { return Err(HomeFault::TokenMissing) };
        opened.send(&json!({"type": "auth", "access_token": token.secret()})).await?;
        let answer = opened.next().await?;
        match answer["type"].as_str() {
            Some("auth_ok") => {
                opened.version = answer["ha_version"].as_str().unwrap_or_default().to_owned();
                Ok(opened)
            }
            Some("auth_invalid") => Err(HomeFault::WrongToken),
            _ => Err(not_one(address, "its login is another")),
        }
    }

    /// Asks `command`, which names its type, and waits for the result. Events that come in between are dropped: a socket
    /// that subscribes asks first.
    pub(super) async fn ask(&mut self, command: Value) -> Result<Value, HomeFault> {
        let id = self.start(command).await?;
        match timeout(ANSWER, self.result(id)).await {
            Ok(result) => result,
            Err(_) => Err(self.gone("no answer in time")),
        }
    }

    /// Sends `command` without waiting for its result.
    pub(super) async fn start(&mut self, mut command: Value) -> Result<u64, HomeFault> {
        self.last_id += 1;
        command["id"] = json!(self.last_id);
        self.send(&command).await?;
        Ok(self.last_id)
    }

    async fn result(&mut self, id: u64) -> Result<Value, HomeFault> {
        loop {
            let mut answer = self.next().await?;
            if answer["type"] != "result" || answer["id"] != id {
                continue;
            }
            if answer["success"] == true {
                return Ok(answer["result"].take());
            }
            let error = &answer["error"];
            return Err(match error["code"].as_str() {
                Some("unauthorized") => HomeFault::Forbidden,
                Some("unknown_command") => HomeFault::Refused,
                _ => {
                    HomeFault::Unreadable { why: error["message"].as_str().unwrap_or("an error").to_owned() }
                }
            });
        }
    }

    async fn send(&mut self, message: &Value) -> Result<(), HomeFault> {
        let sent = self.socket.send(Message::text(message.to_string())).await;
        sent.map_err(|error| self.gone(&error.to_string()))
    }

    /// Returns the next message of the server; anything but JSON is left out.
    pub(super) async fn next(&mut self) -> Result<Value, HomeFault> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => match serde_json::from_str(text.as_str()) {
                    Ok(value) => return Ok(value),
                    Err(_) => tracing::debug!(bytes = text.len(), "a message that can't be read is left out"),
                },
                Some(Ok(Message::Close(_))) | None => return Err(self.gone("the connection ended")),
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(self.gone(&error.to_string())),
            }
        }
    }

    fn gone(&self, why: &str) -> HomeFault {
        HomeFault::Unreachable { address: self.address.clone(), why: why.to_owned() }
    }
}

fn unreachable(address: &ServerAddress, why: String) -> HomeFault {
    HomeFault::Unreachable { address: address.to_string(), why }
}

fn not_one(address: &ServerAddress, why: &str) -> HomeFault {
    HomeFault::NotAServer { address: address.to_string(), why: why.to_owned() }
}

fn refused(address: &ServerAddress, error: SocketError) -> HomeFault {
    match error {
        SocketError::Http(response) => answered(address, &response),
        SocketError::Io(error) => unreachable(address, error.to_string()),
        other => unreachable(address, other.to_string()),
    }
}

/// Returns the fault that an answer other than a WebSocket means.
fn answered(address: &ServerAddress, response: &Response<Option<Vec<u8>>>) -> HomeFault {
    let status = response.status().as_u16();
    match status {
        300..=399 => {
            let target = response.headers().get(header::LOCATION).and_then(|target| target.to_str().ok());
            HomeFault::Moved { target: shown_target(target.unwrap_or_default()) }
        }
        502..=504 => HomeFault::Proxy { status },
        500 => HomeFault::Starting { why: "status 500".to_owned() },
        status => not_one(address, &format!("no WebSocket there (status {status})")),
    }
}
