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

/// State shared by all handlers.
#[derive(Clone)]
pub(crate) struct App {
    engine: Engine,
    facts: Arc<ModelFacts>,
    name: Arc<Name>,
    vectors: Option<(Arc<Name>, EmbeddingService)>,
}

/// One of the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServedModel {
    /// The chat model.
    Chat,
    /// The embedding model.
    EmbeddingService,
}

impl App {
    /// `name` is the chat model's name in answers and requests, `vectors` serves the embedding model.
    pub(crate) fn new(
        engine: Engine,
        facts: Arc<ModelFacts>,
        name: Name,
        vectors: Option<(Name, EmbeddingService)>,
    ) -> Self {
        let vectors = vectors.map(|(name, vectors)| (Arc::new(name), vectors));
        Self { engine, facts, name: Arc::new(name), vectors }
    }

    /// The model that `name` names.
    fn served(&self, name: &Name) -> Option<ServedModel> {
        match &self.vectors {
            _ if *name == *self.name => Some(ServedModel::Chat),
            Some((other, _)) if *name == **other => Some(ServedModel::EmbeddingService),
            _ => None,
        }
    }

    /// Each model's name and facts, the chat model first.
    fn all(&self) -> impl Iterator<Item = (&Name, &ModelFacts)> {
        let vectors = self.vectors.as_ref().map(|(name, vectors)| (&**name, &*vectors.facts));
        std::iter::once((&*self.name, &*self.facts)).chain(vectors)
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
