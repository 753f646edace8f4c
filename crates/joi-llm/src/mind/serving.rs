//! Which server serves now, with which model.
//!
//! Plain data, published by the keeper as a `watch`.

use std::sync::Arc;

use tokio::time::Instant;

use crate::choose::BetterModel;
use crate::error::LlmError;
use crate::model_size::{Knowledge, ModelSize};
use crate::server::{ChatServer, ServerKind};

/// Which of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedBy {
    /// The one at `llm.url`, of this kind.
    Server(&'static ServerKind),
    /// Our own `joi-model`.
    Local,
}

impl ServedBy {
    /// Its name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Server(kind) => kind.name,
            Self::Local => "local",
        }
    }
}

/// A server whose model is loaded and has read the head.
#[derive(Debug, Clone)]
pub struct ReadyServer {
    /// Speaks to it.
    pub client: Arc<dyn ChatServer>,
    /// The model's name.
    pub model: String,
    /// How much may be asked of it.
    pub size: ModelSize,
    /// How far one can rely on what it knows.
    pub knowledge: Knowledge,
    /// Whether it can call tools; `None` where the server does not report it.
    pub has_tools: Option<bool>,
    /// Which server.
    pub by: ServedBy,
    /// What the owner could do to be served by Ollama, for example the command that fetches a model.
    pub note: Option<String>,
    /// Why a better model of the embedded server does not answer, and what to do about it.
    pub why_not_better: Option<BetterModel>,
    /// Process id of the embedded server.
    pub pid: Option<u32>,
}

/// What serves now.
#[derive(Debug, Clone)]
pub enum Serving {
    /// A server is looked for or started.
    Starting {
        /// Since when.
        since: Instant,
    },
    /// A model is loaded and reads the head.
    Warming {
        /// Its name.
        model: String,
        /// Who serves it.
        by: ServedBy,
        /// Since when.
        since: Instant,
    },
    /// Questions are answered.
    Ready(ReadyServer),
    /// Nobody serves.
    Down(LlmError),
}
