//! The client of OpenAI-compatible servers: llama-server, vLLM, LM Studio, LocalAI, or one outside of the home.
//!
//! Any Tokio task. In: requests. Out: replies as streams, failures as [`LlmError`]. Dropping a future or a stream closes its
//! connection, which is how the server learns to stop. A key of a request that a server refuses is left out from then on.
//! The API key is sent with every request and never shown.

mod failure;
mod kind;
mod reply;
mod request;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use reqwest::{Method, RequestBuilder, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;
use tracing::debug;

pub use self::kind::OPEN_AI;

pub(super) use self::failure::words_of;
use self::failure::{from_status, not_openai};
pub(super) use self::kind::offers;
use self::reply::ReplyReader;
use crate::error::LlmError;
use crate::http::{Endpoint, HttpServer, SHORT_ANSWER, VECTORS, in_time, is_web_page};
use crate::model_size::{knowledge_of, size_of};
use crate::server::{ChatServer, ServerAnswer, finished};
use crate::sse::SseReply;
use crate::stream::ChatStream;
use crate::wire::{ChatRequest, ChatStats, InstalledModel, ModelInfo, Options};
use joi_base::message::Private;

/// What an Ollama answers at its root.
const OLLAMA_ROOT: &[u8] = b"Ollama is running";

/// An OpenAI-compatible server.
#[derive(Debug)]
pub struct OpenAi {
    server: HttpServer,
    /// Keys of requests that the server does not take.
    refused: Mutex<BTreeSet<&'static str>>,
    /// Whether it is known that no Ollama listens there.
    is_known: AtomicBool,
}

/// A model as `GET /v1/models` lists it.
#[derive(Debug, Deserialize)]
struct ListedModel {
    id: String,
    /// Of llama-server.
    #[serde(default)]
    meta: Option<ListedMeta>,
    /// Of vLLM: tokens of the context.
    #[serde(default)]
    max_model_len: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListedMeta {
    n_params: Option<u64>,
    n_ctx_train: Option<u64>,
}

impl OpenAi {
    /// Creates a client of the server at `url`, with or without `/v1` at its end. Nothing is contacted yet.
    ///
    /// # Errors
    /// [`LlmError::Garbage`] when the address can't be used.
    pub fn new(url: &str, key: Option<Private<String>>) -> Result<Self, LlmError> {
        let base = url.trim().trim_end_matches('/');
        let url = base.strip_suffix("/v1").unwrap_or(base).to_owned();
        let server = HttpServer::new(&Endpoint::Http { url }, key)?;
        Ok(Self { server, refused: Mutex::default(), is_known: AtomicBool::new(false) })
    }

    async fn listed(&self) -> Result<Vec<ListedModel>, LlmError> {
        #[derive(Deserialize)]
        struct ListReply {
            data: Option<Vec<ListedModel>>,
        }
        let call = self.server.request(Method::GET, "/v1/models");
        let listed = in_time(SHORT_ANSWER, self.answer::<ListReply>(call, "")).await;
        let may_be_ollama = match &listed {
            Ok(_) => !self.is_known.load(Ordering::Relaxed),
            Err(error) => matches!(error, LlmError::NotOpenAi { .. }),
        };
        if may_be_ollama && self.is_ollama().await {
            return Err(not_openai(
                self.server.address(),
                "it is Ollama, for which llm.backend is \"ollama\"",
            ));
        }
        let listed = listed?;
        self.is_known.store(true, Ordering::Relaxed);
        Ok(listed.data.unwrap_or_default())
    }

    /// Returns whether an Ollama listens there. It speaks this API as well, but with a context of its own length.
    async fn is_ollama(&self) -> bool {
        let root = async {
            let mut response = self.server.send(self.server.request(Method::GET, "/")).await?;
            self.server.read(&mut response).await
        };
        in_time(SHORT_ANSWER, root).await.is_ok_and(|body| body.trim_ascii() == OLLAMA_ROOT)
    }

    async fn shown(&self, name: &str) -> Result<ModelInfo, LlmError> {
        let listed = self.listed().await?.into_iter().find(|model| model.id == name);
        let (meta, limit) = listed.map_or((None, None), |model| (model.meta, model.max_model_len));
        let meta = meta.unwrap_or_default();
        Ok(ModelInfo {
            capabilities: None,
            parameter_count: meta.n_params,
            context_length: limit.or(meta.n_ctx_train),
            size: size_of(name, meta.n_params),
            knowledge: knowledge_of(name, meta.n_params),
        })
    }

    async fn asked(&self, request: &ChatRequest) -> Result<ChatStream, LlmError> {
        loop {
            let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let body =
                request::body(request, &refused).map_err(|error| LlmError::Garbage(error.to_string()))?;
            let began = Instant::now();
            let call = self.server.request(Method::POST, "/v1/chat/completions").json(&body);
            let mut response = self.server.send(call).await?;
            if response.status().is_success() {
                self.refuse_page(&response)?;
                let events = SseReply::<ReplyReader>::new(response.bytes_stream(), began);
                return Ok(ChatStream::new(events));
            }
            let status = response.status().as_u16();
            let answer = self.server.read(&mut response).await?;
            let error = from_status(status, &answer, &request.model, self.server.address());
            // llama-cpp-python answers 500 to a body that it refuses.
            let is_refusal = matches!(error, LlmError::Server { status: 400 | 422 | 500, .. });
            let key = request::refused_key(&words_of(&answer), &body).filter(|_| is_refusal);
            let Some(key) = key else { return Err(error) };
            debug!(key, "the model server refuses a key of the request, which is left out from now on");
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        }
    }

    async fn loaded(&self, request: &ChatRequest) -> Result<ChatStats, LlmError> {
        if request.messages.is_empty() {
            // The API has no call that only loads a model.
            return Ok(ChatStats::default());
        }
        let mut request = request.clone();
        request.options.num_predict = 1;
        finished(self.asked(&request).await?).await
    }

    async fn embedded(&self, name: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, LlmError> {
        #[derive(Deserialize)]
        struct VectorsReply {
            data: Vec<VectorRow>,
        }
        #[derive(Deserialize)]
        struct VectorRow {
            #[serde(default)]
            index: usize,
            embedding: Vec<f32>,
        }
        let body: Value = json!({ "model": name, "input": texts, "encoding_format": "float" });
        let call = self.server.request(Method::POST, "/v1/embeddings").json(&body);
        let mut reply: VectorsReply = in_time(VECTORS, self.answer(call, name)).await?;
        reply.data.sort_by_key(|one| one.index);
        Ok(reply.data.into_iter().map(|one| one.embedding).collect())
    }

    /// A short answer: one JSON object.
    async fn answer<T: serde::de::DeserializeOwned>(
        &self,
        call: RequestBuilder,
        model: &str,
    ) -> Result<T, LlmError> {
        let mut response = self.server.send(call).await?;
        let status = response.status();
        let body = self.server.read(&mut response).await?;
        if !status.is_success() {
            return Err(from_status(status.as_u16(), &body, model, self.server.address()));
        }
        self.refuse_page(&response)?;
        let not_json = |_| not_openai(self.server.address(), "its answer has not the form of that API");
        serde_json::from_slice(&body).map_err(not_json)
    }

    fn refuse_page(&self, response: &Response) -> Result<(), LlmError> {
        match is_web_page(response) {
            true => Err(not_openai(self.server.address(), "it sends a web page")),
            false => Ok(()),
        }
    }
}

impl ChatServer for OpenAi {
    fn address(&self) -> &str {
        self.server.address()
    }

    fn models(&self) -> ServerAnswer<'_, Vec<InstalledModel>> {
        let model = |one: ListedModel| InstalledModel {
            name: one.id,
            size: 0,
            capabilities: None,
            remote_host: None,
        };
        Box::pin(async move { Ok(self.listed().await?.into_iter().map(model).collect()) })
    }

    fn show<'a>(&'a self, name: &'a str) -> ServerAnswer<'a, ModelInfo> {
        Box::pin(self.shown(name))
    }

    fn is_loaded<'a>(&'a self, _name: &'a str) -> ServerAnswer<'a, bool> {
        Box::pin(std::future::ready(Ok(true)))
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStream> {
        Box::pin(self.asked(request))
    }

    fn load<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStats> {
        Box::pin(self.loaded(request))
    }

    fn embed<'a>(
        &'a self,
        name: &'a str,
        texts: &'a [String],
        _options: &'a Options,
        _keep_alive: i64,
    ) -> ServerAnswer<'a, Vec<Vec<f32>>> {
        Box::pin(self.embedded(name, texts))
    }
}

#[cfg(test)]
mod tests;
