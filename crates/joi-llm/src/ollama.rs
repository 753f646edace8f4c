//! The client of Ollama's HTTP API, which `joi-model` speaks as well.
//!
//! Any Tokio task. In: requests. Out: replies as streams, failures as [`LlmError`]. Dropping a future
//! or a stream closes its connection, which is how the server learns to stop. It follows no
//! redirect and uses no proxy: what is said at home goes to the configured address only.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::{from_status, quoted};
use super::wire::ShowReply;
use super::{
    ChatEvent, ChatRequest, ChatStats, ChatStream, InstalledModel, LlmError, ModelInfo, Options, PullStream,
    RunningModel,
};
use joi_base::message::Private;
use joi_base::root_cause;

/// A server on this machine or at home answers a connection at once, or not at all.
const CONNECT: Duration = Duration::from_secs(3);
/// Time for an answer that needs no model. A Pi that is computing at full load needs seconds.
const SHORT_ANSWER: Duration = Duration::from_secs(10);
/// Time for the vectors of a few texts, the loading of their model included. Who can't wait gives up earlier.
const VECTORS: Duration = Duration::from_secs(120);
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

/// A model server. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Ollama {
    http: reqwest::Client,
    base: String,
    shown: String,
    bearer: Option<Private<String>>,
}

impl Ollama {
    /// A client of the server at `endpoint`, which is not contacted yet. `bearer` is sent with every
    /// request.
    ///
    /// # Errors
    /// [`LlmError::Garbage`] when the address is none.
    pub fn new(endpoint: &Endpoint, bearer: Option<Private<String>>) -> Result<Self, LlmError> {
        // The first to install a provider wins; that it is there already is no failure.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            // A server that was started anew must never be spoken to over the old one's connection.
            .pool_max_idle_per_host(0)
            .no_proxy();
        let (client, base, shown) = match endpoint {
            Endpoint::Http { url } => {
                let parsed = super::config::parse_url(url);
                let base =
                    parsed.ok_or_else(|| LlmError::Garbage(format!("{} is no address", quoted(url))))?;
                let base = base.as_str().trim_end_matches('/').to_owned();
                (client, base.clone(), base)
            }
            Endpoint::Unix { path } => (
                client.unix_socket(path.as_path()),
                "http://localhost".to_owned(),
                path.display().to_string(),
            ),
        };
        let http = client.build().map_err(|error| LlmError::Garbage(error.to_string()))?;
        Ok(Self { http, base, shown, bearer })
    }

    /// The address as the owner knows it.
    pub fn address(&self) -> &str {
        &self.shown
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
        self.models("/api/tags").await
    }

    /// The models in the server's memory.
    pub async fn ps(&self) -> Result<Vec<RunningModel>, LlmError> {
        self.models("/api/ps").await
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
        Ok(ChatStream::new(response.bytes_stream()))
    }

    /// Evaluates the messages of `request`, so that the next call that begins with them need not, and
    /// generates one token. Without messages it only loads the model.
    pub async fn load(&self, request: &ChatRequest) -> Result<ChatStats, LlmError> {
        let mut request = request.clone();
        request.options.num_predict = 1;
        self.written(&request).await
    }

    /// Has the model answer `request`, and tells only what that took.
    pub async fn written(&self, request: &ChatRequest) -> Result<ChatStats, LlmError> {
        let mut reply = self.chat(request).await?;
        loop {
            match reply.next().await {
                Some(Ok(ChatEvent::Done(stats))) => return Ok(stats),
                Some(Ok(ChatEvent::Text(_) | ChatEvent::Thinking(_) | ChatEvent::ToolCall(_))) => {}
                Some(Err(error)) => return Err(error),
                None => return Err(LlmError::Broken),
            }
        }
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
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.bearer {
            Some(Private(token)) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn models<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, LlmError> {
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
        let whole = async {
            let mut response = self.send(call, model).await?;
            let body = self.read(&mut response).await?;
            serde_json::from_slice(&body).map_err(|error| LlmError::Garbage(error.to_string()))
        };
        let late = |_| LlmError::TimedOut { what: "a short answer", limit };
        tokio::time::timeout(limit, whole).await.map_err(late)?
    }

    /// Sends `call`; a status other than success is read as a failure.
    async fn send(&self, call: RequestBuilder, model: &str) -> Result<Response, LlmError> {
        let mut response = call.send().await.map_err(|error| self.failed(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = self.read(&mut response).await?;
        Err(from_status(status.as_u16(), &body, model))
    }

    async fn read(&self, response: &mut Response) -> Result<Vec<u8>, LlmError> {
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

fn root_of(error: &reqwest::Error) -> String {
    quoted(&root_cause::of(error))
}
