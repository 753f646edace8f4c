//! The client of Ollama's HTTP API, which `joi-model` speaks as well.
//!
//! Any Tokio task. In: requests. Out: replies as streams, failures as [`LlmError`]. Dropping a future
//! or a stream closes its connection, which is how the server learns to stop. It follows no
//! redirect and uses no proxy: what is said at home goes to the configured address only.

mod kind;

pub use self::kind::{OLLAMA, PREFERRED};

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{LlmError, from_status};
use crate::http::{Endpoint, HttpServer, SHORT_ANSWER, VECTORS, in_time};
use crate::json_lines::{PullStream, chat_stream};
use crate::server::{ChatServer, ServerAnswer, finished};
use crate::stream::ChatStream;
use crate::wire::{ChatRequest, ChatStats, InstalledModel, ModelInfo, Options, RunningModel, ShowReply};
use joi_base::message::Private;

/// A model server. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Ollama {
    server: HttpServer,
}

impl Ollama {
    /// A client of the server at `endpoint`, which is not contacted yet. `bearer` is sent with every
    /// request.
    ///
    /// # Errors
    /// [`LlmError::Garbage`] when the address is none.
    pub fn new(endpoint: &Endpoint, bearer: Option<Private<String>>) -> Result<Self, LlmError> {
        Ok(Self { server: HttpServer::new(endpoint, bearer)? })
    }

    /// The address as the owner knows it.
    pub fn address(&self) -> &str {
        self.server.address()
    }

    /// The server's version; the cheapest proof that it is a model server.
    pub async fn version(&self) -> Result<String, LlmError> {
        #[derive(serde::Deserialize)]
        struct VersionReply {
            version: String,
        }
        self.answer::<VersionReply>(self.request(Method::GET, "/api/version"), "")
            .await
            .map(|reply| reply.version)
    }

    /// The models on the server's disk.
    pub async fn tags(&self) -> Result<Vec<InstalledModel>, LlmError> {
        self.listed("/api/tags").await
    }

    /// The models in the server's memory.
    pub async fn ps(&self) -> Result<Vec<RunningModel>, LlmError> {
        self.listed("/api/ps").await
    }

    /// What the model `name` is.
    pub async fn show(&self, name: &str) -> Result<ModelInfo, LlmError> {
        let request = self.request(Method::POST, "/api/show").json(&json!({ "model": name }));
        Ok(self.answer::<ShowReply>(request, name).await?.info(name))
    }

    /// Asks the model. The future is ready when the first piece is; it may take as long as the prompt
    /// does, so the caller sets the time limit.
    pub async fn chat(&self, request: &ChatRequest) -> Result<ChatStream, LlmError> {
        let body = request.body().map_err(|error| LlmError::Garbage(error.to_string()))?;
        let call =
            self.request(Method::POST, "/api/chat").header("content-type", "application/json").body(body);
        let response = self.send(call, &request.model).await?;
        Ok(chat_stream(response.bytes_stream()))
    }

    /// Evaluates the messages of `request`, so that the next call that begins with them need not, and
    /// generates one token. Without messages it only loads the model.
    pub async fn load(&self, request: &ChatRequest) -> Result<ChatStats, LlmError> {
        let mut request = request.clone();
        request.options.num_predict = 1;
        self.written(&request).await
    }

    /// Has the model answer `request`, and returns its counters.
    pub async fn written(&self, request: &ChatRequest) -> Result<ChatStats, LlmError> {
        finished(self.chat(request).await?).await
    }

    /// One vector for each of `texts`, made by the model `name`. A model that talks as well is loaded anew when the
    /// options are not those of its chat calls.
    pub async fn embed(
        &self,
        name: &str,
        texts: &[String],
        (options, keep_alive): (&Options, i64),
    ) -> Result<Vec<Vec<f32>>, LlmError> {
        #[derive(serde::Deserialize)]
        struct EmbeddingsReply {
            embeddings: Vec<Vec<f32>>,
        }
        let body = json!({
            "model": name, "input": texts, "truncate": true, "options": options, "keep_alive": keep_alive,
        });
        let call = self.request(Method::POST, "/api/embed").json(&body);
        let reply: EmbeddingsReply = self.answer_within(VECTORS, call, name).await?;
        Ok(reply.embeddings)
    }

    /// Frees the memory of the model `name`.
    pub async fn unload(&self, name: &str) -> Result<(), LlmError> {
        let body = json!({ "model": name, "messages": [], "keep_alive": 0 });
        self.answer::<Value>(self.request(Method::POST, "/api/chat").json(&body), name).await.map(drop)
    }

    /// Fetches the model `name` from the server's registry. Dropping the stream stops it; a later
    /// pull goes on where it stopped.
    pub async fn pull(&self, name: &str) -> Result<PullStream, LlmError> {
        let call = self.request(Method::POST, "/api/pull").json(&json!({ "model": name, "stream": true }));
        Ok(PullStream::new(self.send(call, name).await?.bytes_stream()))
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.server.request(method, path)
    }

    async fn listed<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, LlmError> {
        #[derive(serde::Deserialize)]
        struct ModelsReply<T> {
            models: Option<Vec<T>>,
        }
        let reply: ModelsReply<T> = self.answer(self.request(Method::GET, path), "").await?;
        Ok(reply.models.unwrap_or_default())
    }

    /// A short answer: one JSON object.
    async fn answer<T: DeserializeOwned>(&self, call: RequestBuilder, model: &str) -> Result<T, LlmError> {
        self.answer_within(SHORT_ANSWER, call, model).await
    }

    async fn answer_within<T: DeserializeOwned>(
        &self,
        limit: Duration,
        call: RequestBuilder,
        model: &str,
    ) -> Result<T, LlmError> {
        in_time(limit, async {
            let mut response = self.send(call, model).await?;
            let body = self.server.read(&mut response).await?;
            serde_json::from_slice(&body).map_err(|error| LlmError::Garbage(error.to_string()))
        })
        .await
    }

    /// Sends `call`; a status other than success is read as a failure.
    async fn send(&self, call: RequestBuilder, model: &str) -> Result<Response, LlmError> {
        let mut response = self.server.send(call).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = self.server.read(&mut response).await?;
        Err(from_status(status.as_u16(), &body, model))
    }
}

impl ChatServer for Ollama {
    fn address(&self) -> &str {
        Self::address(self)
    }

    fn models(&self) -> ServerAnswer<'_, Vec<InstalledModel>> {
        Box::pin(self.tags())
    }

    fn show<'a>(&'a self, name: &'a str) -> ServerAnswer<'a, ModelInfo> {
        Box::pin(Self::show(self, name))
    }

    fn is_loaded<'a>(&'a self, name: &'a str) -> ServerAnswer<'a, bool> {
        Box::pin(async move { Ok(self.ps().await?.iter().any(|running| running.name == name)) })
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStream> {
        Box::pin(Self::chat(self, request))
    }

    fn load<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStats> {
        Box::pin(Self::load(self, request))
    }

    fn embed<'a>(
        &'a self,
        name: &'a str,
        texts: &'a [String],
        options: &'a Options,
        keep_alive: i64,
    ) -> ServerAnswer<'a, Vec<Vec<f32>>> {
        Box::pin(Self::embed(self, name, texts, (options, keep_alive)))
    }
}
