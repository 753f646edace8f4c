//! Declares what the reply engine needs of a language model; the test seam of the engine.
//!
//! [`Mind`] implements it in the program, a script in tests. The server, the model's name and its options are not the
//! engine's business: it passes messages and receives words. A model that is silent for too long fails by itself; the
//! engine keeps no clock for it.

use std::future::Future;

use futures_util::Stream;

use joi_base::trace::ModelUse;
use joi_llm::{Arbiter, ModelPriority, Permit};
use joi_llm::{Ask, ChatEvent, ChatStats, ChatStream, Embedded, HomeData, LlmConfig, LlmError, Mind};
use joi_llm::{Knowledge, ModelPurpose, ModelSize, ReadyServer, ServedBy, ServerHold, Serving};

/// A chat model, wherever it runs.
pub trait ChatModel: Send + Sync {
    /// The words of one answer. Dropping it aborts the generation.
    type Words: Stream<Item = Result<ChatEvent, LlmError>> + Send + Unpin;

    /// Returns whether it can answer now.
    fn state(&self) -> ModelState;

    /// Waits until the state is no longer [`ModelState::Starting`]. Dropping the future is safe.
    fn settled(&self) -> impl Future<Output = ModelState> + Send;

    /// Keeps the model the same until it is dropped, where it could become another one.
    fn hold(&self) -> Option<ServerHold> {
        None
    }

    /// Begins an answer; the model's options are the same on every call.
    fn ask(&self, ask: Ask) -> impl Future<Output = Result<Self::Words, LlmError>> + Send;

    /// Returns whether its server is outside of the home: it is sent words only for a question.
    fn is_outside(&self) -> bool {
        false
    }

    /// Returns whether the model must not read `data`, because its server is outside of the home.
    fn withholds(&self, _data: HomeData) -> bool {
        false
    }

    /// Returns the model that serves `purpose`, where another server does than for conversations.
    fn beside(&self, _purpose: ModelPurpose) -> Option<&Self> {
        None
    }

    /// Returns the name of another model of this server for `purpose`.
    fn other_model(&self, _purpose: ModelPurpose) -> Option<String> {
        None
    }

    /// Returns the name of its server for records; with its host, where that is outside of the home.
    fn provider(&self) -> String {
        self.state().named().0.to_owned()
    }

    /// One vector for each text, where there is a model for that. Dropping the future is safe.
    fn embed(&self, _texts: Vec<String>) -> impl Future<Output = Result<Embedded, LlmError>> + Send {
        std::future::ready(Err(LlmError::no_vectors("this model is not made for that", "choose another")))
    }
}

/// Readiness of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelState {
    /// The model is loading, or reading the unchanging part of the prompt.
    Starting,
    /// The model answers.
    Ready(Served),
    /// The model does not answer and is not about to.
    Down(LlmError),
}

impl ModelState {
    /// Returns the names of the server and of the model that answers; empty where none does.
    pub fn named(&self) -> (&str, &str) {
        match self {
            Self::Ready(served) => (served.by.name(), &served.model),
            Self::Starting | Self::Down(_) => ("", ""),
        }
    }
}

/// Which model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// Its name.
    pub model: String,
    /// Its ability to handle hard wording.
    pub size: ModelSize,
    /// The reliability of its knowledge.
    pub knowledge: Knowledge,
    /// Whether it can call tools; `None` if the server does not report it.
    pub has_tools: Option<bool>,
    /// The kind of its server.
    pub by: ServedBy,
}

impl Served {
    /// Returns what a call cost, for the trace.
    pub(crate) fn used(&self, stats: &ChatStats, purpose: &str) -> ModelUse {
        ModelUse {
            purpose: purpose.to_owned(),
            model: self.model.clone(),
            backend: self.by.name().into(),
            prompt_tokens: stats.prompt_eval_count,
            cached_tokens: stats.prompt_cached_count,
            prompt_ms: stats.prompt_eval_duration.as_secs_f64() * 1e3,
            reply_tokens: stats.eval_count,
            reply_ms: stats.eval_duration.as_secs_f64() * 1e3,
        }
    }
}

/// The model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Tokens of prompt and answer together.
    pub context_tokens: u32,
    /// Most tokens of one answer.
    pub reply_tokens: u32,
}

impl From<&LlmConfig> for Room {
    fn from(llm: &LlmConfig) -> Self {
        Self { context_tokens: llm.num_ctx, reply_tokens: llm.num_predict }
    }
}

/// A model, with the right to ask it in turn.
#[derive(Debug)]
pub(crate) struct ModelAccess<'a, M> {
    /// The model.
    pub(crate) model: &'a M,
    /// Hands it out.
    pub(crate) arbiter: &'a Arbiter,
    /// The urgency of its calls.
    pub(crate) priority: ModelPriority,
}

impl<M> Clone for ModelAccess<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for ModelAccess<'_, M> {}

impl<'a, M> ModelAccess<'a, M> {
    /// Waits until it is this one's turn; to be held until the answer is complete.
    pub(crate) async fn permit(&self) -> Permit<'a> {
        self.arbiter.permit(self.priority).await
    }
}

impl ChatModel for Mind {
    type Words = ChatStream;

    fn state(&self) -> ModelState {
        match &*self.serving().borrow() {
            Serving::Starting { .. } | Serving::Warming { .. } => ModelState::Starting,
            Serving::Ready(ready) => ModelState::Ready(served(ready)),
            Serving::Down(error) => ModelState::Down(error.clone()),
        }
    }

    async fn settled(&self) -> ModelState {
        match self.ready().await {
            Ok(ready) => ModelState::Ready(served(&ready)),
            Err(error) => ModelState::Down(error),
        }
    }

    fn hold(&self) -> Option<ServerHold> {
        Some(Mind::hold(self))
    }

    async fn ask(&self, ask: Ask) -> Result<ChatStream, LlmError> {
        self.chat(ask).await
    }

    fn is_outside(&self) -> bool {
        self.config().is_outside()
    }

    fn withholds(&self, data: HomeData) -> bool {
        self.config().withholds(data)
    }

    fn beside(&self, purpose: ModelPurpose) -> Option<&Self> {
        Self::beside(self, purpose)
    }

    fn other_model(&self, purpose: ModelPurpose) -> Option<String> {
        self.config().other_model_of(purpose).map(str::to_owned)
    }

    fn provider(&self) -> String {
        match (self.state(), self.config().outside_host()) {
            (ModelState::Ready(served), Some(host)) if served.by != ServedBy::Local => {
                format!("{} at {host}", served.by.name())
            }
            (state, _) => state.named().0.to_owned(),
        }
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Embedded, LlmError> {
        Mind::embed(self, &texts).await
    }
}

fn served(ready: &ReadyServer) -> Served {
    let ReadyServer { size, knowledge, has_tools, by, .. } = *ready;
    Served { model: ready.model.clone(), size, knowledge, has_tools, by }
}
