//! The client of the Messages API of Anthropic.
//!
//! Any Tokio task. In: requests. Out: replies as streams, failures as [`LlmError`]. Dropping a future or a stream closes its
//! connection, which is how the server learns to stop. A key of a request that a server refuses is left out from then on.
//! The API key is sent with every request and never shown. It makes no vectors, and nothing is sent ahead of a question.

mod failure;
mod kind;
mod reply;
mod request;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use reqwest::header::HeaderValue;
use reqwest::{Method, RequestBuilder, Response};
use serde::Deserialize;
use tokio::time::Instant;
use tracing::debug;

pub use self::kind::ANTHROPIC;

use self::failure::{from_status, not_anthropic};
use self::reply::MessageReader;
use super::openai::words_of;
use crate::error::LlmError;
use crate::http::{Endpoint, HttpServer, SHORT_ANSWER, in_time, is_web_page};
use crate::model_size::{Knowledge, ModelSize};
use crate::server::{ChatServer, ServerAnswer};
use crate::sse::SseReply;
use crate::stream::ChatStream;
use crate::wire::{ChatRequest, ChatStats, InstalledModel, ModelInfo, Options};
use joi_base::message::Private;

/// The version of the API.
const VERSION: &str = "2023-06-01";

/// A server with the Messages API of Anthropic.
#[derive(Debug)]
pub struct Anthropic {
    server: HttpServer,
    key: Option<HeaderValue>,
    /// Keys of requests that the server does not take.
    refused: Mutex<BTreeSet<&'static str>>,
}

impl Anthropic {
    /// Creates a client of the server at `url`, with or without `/v1` at its end. Nothing is contacted yet.
    ///
    /// # Errors
    /// [`LlmError::Garbage`] when the address or the key can't be used.
    pub fn new(url: &str, key: Option<Private<String>>) -> Result<Self, LlmError> {
        let base = url.trim().trim_end_matches('/');
        let url = base.strip_suffix("/v1").unwrap_or(base).to_owned();
        let server = HttpServer::new(&Endpoint::Http { url }, None)?;
        let header = |Private(key): Private<String>| {
            let header = HeaderValue::from_str(&key);
            let mut header = header.map_err(|_| LlmError::Garbage("the API key is no header".to_owned()))?;
            header.set_sensitive(true);
            Ok(header)
        };
        Ok(Self { server, key: key.map(header).transpose()?, refused: Mutex::default() })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.server.request(method, path).header("anthropic-version", VERSION);
        match &self.key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        }
    }

    async fn listed(&self) -> Result<Vec<InstalledModel>, LlmError> {
        #[derive(Deserialize)]
        struct ModelsPage {
            data: Vec<PageModel>,
        }
        #[derive(Deserialize)]
        struct PageModel {
            id: String,
        }
        let listing = async {
            let mut response = self.server.send(self.request(Method::GET, "/v1/models?limit=1000")).await?;
            let status = response.status();
            let body = self.server.read(&mut response).await?;
            if !status.is_success() {
                return Err(from_status(status.as_u16(), &body, "", self.server.address()));
            }
            self.refuse_page(&response)?;
            let not_json =
                |_| not_anthropic(self.server.address(), "its answer has not the form of that API");
            serde_json::from_slice::<ModelsPage>(&body).map_err(not_json)
        };
        let model =
            |one: PageModel| InstalledModel { name: one.id, size: 0, capabilities: None, remote_host: None };
        Ok(in_time(SHORT_ANSWER, listing).await?.data.into_iter().map(model).collect())
    }

    async fn asked(&self, request: &ChatRequest) -> Result<ChatStream, LlmError> {
        loop {
            let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let body =
                request::body(request, &refused).map_err(|error| LlmError::Garbage(error.to_string()))?;
            let began = Instant::now();
            let call = self.request(Method::POST, "/v1/messages").json(&body);
            let mut response = self.server.send(call).await?;
            if response.status().is_success() {
                self.refuse_page(&response)?;
                let events = SseReply::<MessageReader>::new(response.bytes_stream(), began);
                return Ok(ChatStream::new(events));
            }
            let status = response.status().as_u16();
            let answer = self.server.read(&mut response).await?;
            let error = from_status(status, &answer, &request.model, self.server.address());
            let is_refusal = matches!(error, LlmError::Server { status: 400 | 422, .. });
            let key = request::refused_key(&words_of(&answer), &body).filter(|_| is_refusal);
            let Some(key) = key else { return Err(error) };
            debug!(key, "the model server refuses a key of the request, which is left out from now on");
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        }
    }

    fn refuse_page(&self, response: &Response) -> Result<(), LlmError> {
        match is_web_page(response) {
            true => Err(not_anthropic(self.server.address(), "it sends a web page")),
            false => Ok(()),
        }
    }
}

impl ChatServer for Anthropic {
    fn address(&self) -> &str {
        self.server.address()
    }

    fn models(&self) -> ServerAnswer<'_, Vec<InstalledModel>> {
        Box::pin(self.listed())
    }

    fn show<'a>(&'a self, _name: &'a str) -> ServerAnswer<'a, ModelInfo> {
        // The API names no sizes; all of its models are large and call tools.
        let info = ModelInfo {
            capabilities: Some(["completion", "tools"].map(str::to_owned).to_vec()),
            parameter_count: None,
            context_length: None,
            size: ModelSize::Large,
            knowledge: Knowledge::Fair,
        };
        Box::pin(std::future::ready(Ok(info)))
    }

    fn is_loaded<'a>(&'a self, _name: &'a str) -> ServerAnswer<'a, bool> {
        Box::pin(std::future::ready(Ok(true)))
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStream> {
        Box::pin(self.asked(request))
    }

    fn load<'a>(&'a self, _request: &'a ChatRequest) -> ServerAnswer<'a, ChatStats> {
        // There is nothing to load, and what is read ahead costs as much as what is asked.
        Box::pin(std::future::ready(Ok(ChatStats::default())))
    }

    fn embed<'a>(
        &'a self,
        name: &'a str,
        _texts: &'a [String],
        _options: &'a Options,
        _keep_alive: i64,
    ) -> ServerAnswer<'a, Vec<Vec<f32>>> {
        Box::pin(std::future::ready(Err((ANTHROPIC.no_vectors)(Some(name)))))
    }
}

#[cfg(test)]
mod tests;
