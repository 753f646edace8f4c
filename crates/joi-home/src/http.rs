//! HTTP to one server: its address, its token, requests that are never repeated.
//!
//! Any Tokio task. Each request has a connection of its own, so that no library can repeat one on another; no redirect is
//! followed; no proxy of the environment is used. Where the token goes in a request is up to the client.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::{Method, RequestBuilder, Response};
use tokio::time::timeout;

use super::address::ServerAddress;
use super::backend::SendFault;
use super::fault::HomeFault;
use super::token::{HomeToken, TokenSource};
use joi_base::root_cause;

/// A server at home takes a connection at once, or not at all.
const CONNECT: Duration = Duration::from_secs(3);

pub(super) struct HubHttp {
    http: reqwest::Client,
    pub(super) address: ServerAddress,
    source: TokenSource,
    token: Mutex<Option<HomeToken>>,
}

impl HubHttp {
    pub(super) fn new(address: ServerAddress, source: TokenSource) -> Result<Self, HomeFault> {
        joi_base::tls::provide_crypto();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .no_proxy()
            .build()
            .map_err(|error| HomeFault::Unreadable { why: error.without_url().to_string() })?;
        Ok(Self { http, address, source, token: Mutex::default() })
    }

    /// Reads the token again: its file may be a new one since the last connection.
    pub(super) fn renew_token(&self) -> Result<(), HomeFault> {
        let token = self.source.token()?;
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = token;
        Ok(())
    }

    pub(super) fn token(&self) -> Option<HomeToken> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Creates a request to a path below the address, without a token.
    pub(super) fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, HomeFault> {
        Ok(self.http.request(method, self.address.below(path)?))
    }

    /// Sends a command once; an answer, whatever its status, has to begin `within` that time.
    pub(super) async fn send(
        &self,
        command: RequestBuilder,
        within: Duration,
    ) -> Result<Response, SendFault> {
        match timeout(within, command.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() || error.is_builder() => {
                Err(SendFault::NotSent(self.unreachable(error)))
            }
            Ok(Err(error)) => Err(SendFault::OutcomeUnknown(self.unreachable(error))),
            Err(_) => Err(SendFault::OutcomeUnknown(self.silent())),
        }
    }

    /// Reads a body of at most `most` bytes, whatever the status.
    pub(super) async fn body(&self, response: Response, most: usize) -> Result<Vec<u8>, HomeFault> {
        let mut body = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.map_err(|error| self.unreachable(error))?);
            if body.len() > most {
                let why = format!("an answer of more than {} MB", most >> 20);
                return Err(HomeFault::Unreadable { why });
            }
        }
        Ok(body)
    }

    pub(super) fn unreachable(&self, error: reqwest::Error) -> HomeFault {
        let why = root_cause::of(&error.without_url());
        HomeFault::Unreachable { address: self.address.to_string(), why }
    }

    pub(super) fn silent(&self) -> HomeFault {
        HomeFault::Unreachable { address: self.address.to_string(), why: "no answer in time".to_owned() }
    }
}
