//! Ollama's HTTP API over the engine: which path is answered by what.
//!
//! Tokio tasks. What a voice companion needs of the API is served; what one fixed model can't do
//! (pull, delete, embed, images) is refused in words a client of Ollama understands.

mod card;
mod chat;
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
}

impl App {
    /// `name` is what the model is called in answers and requests.
    pub(crate) fn new(engine: Engine, facts: Arc<Facts>, name: Name) -> Self {
        Self { engine, facts, name: Arc::new(name) }
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
        .route("/api/embed", post(card::embed))
        .route("/api/embeddings", post(card::embed))
        .route("/api/pull", post(card::pull))
        .route("/api/delete", delete(card::delete))
        .fallback(card::not_found)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(Arc::new(access), guard::check))
        .with_state(app)
}
