//! Ollama's HTTP API over the engine: the routes and the models they serve.
//!
//! Tokio tasks. The part of the API that a voice companion needs is served; operations that fixed models
//! can't support (pull, delete, images) are refused in words a client of Ollama understands.

mod auth;
mod chat;
mod embed;
mod error;
mod model_info;
mod request;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{delete, get, post};

pub(crate) use auth::{AuthPolicy, BearerToken};

use crate::embeddings::EmbeddingService;
use crate::engine::Engine;
use crate::facts::ModelFacts;
use crate::name::Name;

/// Largest request body in bytes: many times what fits into a window.
const BODY_LIMIT: usize = 2 << 20;

/// The Ollama version whose contract this server follows.
const VERSION: &str = "0.32.15";

/// The chat model.
pub(crate) struct ChatService {
    /// The way to its thread.
    pub(crate) engine: Engine,
    /// The known facts about it.
    pub(crate) facts: Arc<ModelFacts>,
    /// Its name in answers and requests.
    pub(crate) name: Name,
}

/// State shared by all handlers.
#[derive(Clone)]
pub(crate) struct App {
    chat: Option<Arc<ChatService>>,
    vectors: Option<(Arc<Name>, EmbeddingService)>,
}

/// One of the models.
#[derive(Clone, Copy)]
enum ServedModel<'a> {
    /// The chat model.
    Chat(&'a ChatService),
    /// The embedding model.
    Embedding(&'a EmbeddingService),
}

impl ServedModel<'_> {
    fn facts(&self) -> &ModelFacts {
        match self {
            Self::Chat(chat) => &chat.facts,
            Self::Embedding(vectors) => &vectors.facts,
        }
    }
}

impl App {
    /// Serves `chat` and `vectors`, the embedding model with its name.
    pub(crate) fn new(chat: Option<ChatService>, vectors: Option<(Name, EmbeddingService)>) -> Self {
        Self { chat: chat.map(Arc::new), vectors: vectors.map(|(name, vectors)| (Arc::new(name), vectors)) }
    }

    /// The model that `name` names.
    fn served(&self, name: &Name) -> Option<ServedModel<'_>> {
        self.all().find(|(other, _)| *other == name).map(|(_, model)| model)
    }

    /// Each model with its name, the chat model first.
    fn all(&self) -> impl Iterator<Item = (&Name, ServedModel<'_>)> {
        let chat = self.chat.as_ref().map(|chat| (&chat.name, ServedModel::Chat(chat)));
        let vectors = self.vectors.as_ref().map(|(name, vectors)| (&**name, ServedModel::Embedding(vectors)));
        chat.into_iter().chain(vectors)
    }
}

/// The whole API behind its guard.
pub(crate) fn router(app: App, access: AuthPolicy) -> Router {
    Router::new()
        .route("/", get(|| async { "Ollama is running" }))
        .route("/api/version", get(model_info::version))
        .route("/api/tags", get(model_info::tags))
        .route("/api/ps", get(model_info::ps))
        .route("/api/show", post(model_info::show))
        .route("/api/chat", post(chat::chat))
        .route("/api/generate", post(chat::generate))
        .route("/api/embed", post(embed::embed))
        .route("/api/embeddings", post(embed::embedding))
        .route("/api/pull", post(model_info::pull))
        .route("/api/delete", delete(model_info::delete))
        .fallback(model_info::not_found)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(Arc::new(access), auth::check))
        .with_state(app)
}
