//! Ollama's HTTP API over the engine: which path is answered by what.
//!
//! Tokio tasks. What a voice companion needs of the API is served; what fixed models can't do
//! (pull, delete, images) is refused in words a client of Ollama understands.

mod card;
mod chat;
mod embed;
mod guard;
mod refusal;
mod request;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{delete, get, post};

pub(crate) use guard::{Access, Token};

use crate::engine::Engine;
use crate::facts::Facts;
use crate::name::Name;
use crate::vectors::Vectors;

/// Largest request body in bytes: many times what fits into a window.
const BODY_LIMIT: usize = 2 << 20;

/// The Ollama version whose contract this server follows.
const VERSION: &str = "0.32.15";

/// What every handler knows.
#[derive(Clone)]
pub(crate) struct App {
    engine: Engine,
    facts: Arc<Facts>,
    name: Arc<Name>,
    vectors: Option<(Arc<Name>, Vectors)>,
}

/// One of the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Served {
    /// The one that talks.
    Chat,
    /// The one that makes vectors.
    Vectors,
}

impl App {
    /// `name` is what the model is called in answers and requests, as the other one's is that makes vectors.
    pub(crate) fn new(
        engine: Engine,
        facts: Arc<Facts>,
        name: Name,
        vectors: Option<(Name, Vectors)>,
    ) -> Self {
        let vectors = vectors.map(|(name, vectors)| (Arc::new(name), vectors));
        Self { engine, facts, name: Arc::new(name), vectors }
    }

    /// The model that `name` names.
    fn served(&self, name: &Name) -> Option<Served> {
        match &self.vectors {
            _ if *name == *self.name => Some(Served::Chat),
            Some((other, _)) if *name == **other => Some(Served::Vectors),
            _ => None,
        }
    }

    /// Each model's name and facts, the one that talks first.
    fn all(&self) -> impl Iterator<Item = (&Name, &Facts)> {
        let vectors = self.vectors.as_ref().map(|(name, vectors)| (&**name, &*vectors.facts));
        std::iter::once((&*self.name, &*self.facts)).chain(vectors)
    }
}

/// The whole API behind its guard.
pub(crate) fn router(app: App, access: Access) -> Router {
    Router::new()
        .route("/", get(|| async { "Ollama is running" }))
        .route("/api/version", get(card::version))
        .route("/api/tags", get(card::tags))
        .route("/api/ps", get(card::ps))
        .route("/api/show", post(card::show))
        .route("/api/chat", post(chat::chat))
        .route("/api/generate", post(chat::generate))
        .route("/api/embed", post(embed::embed))
        .route("/api/embeddings", post(embed::embedding))
        .route("/api/pull", post(card::pull))
        .route("/api/delete", delete(card::delete))
        .fallback(card::not_found)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(Arc::new(access), guard::check))
        .with_state(app)
}
