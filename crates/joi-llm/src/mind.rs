//! Which model server serves now: chosen, warmed, watched, changed between turns.
//!
//! [`Mind`] is the handle of one task (`mind/keeper.rs`). In: questions. Out: replies as
//! [`ChatStream`]s, and what serves as a `watch`. A server is not changed while anybody holds a
//! [`ServerHold`], and every [`ChatStream`] holds one. It refuses to ask a model that is not ready: a
//! question waits until it is.

mod ask;
mod hold;
mod keeper;
mod serving;
mod shared;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

pub use self::ask::{Ask, HeadMaker, Length};
pub use self::hold::ServerHold;
pub use self::serving::{ReadyServer, ServedBy, Serving};
use self::shared::{MindShared, VectorsBeside};
use super::config::{LlmConfig, ModelPurpose};
use super::embed::{self, AUTO, Embedded, Embedder};
use super::error::LlmError;
use super::kinds::ollama::Ollama;
use super::local::EMBED_NAME;
use super::local_models::LocalModels;
use super::outgoing::{ask_for, texts_for};
use super::stream::ChatStream;
use joi_base::restart::RestartPolicy;

/// The embedded model for vectors is loaded in a second or two; who can't wait gives up earlier.
const VECTORS_START: Duration = Duration::from_secs(20);

/// It is not tried again before.
const VECTORS_REST: Duration = Duration::from_secs(300);

/// What a [`Mind`] is made of.
pub struct MindParts {
    /// `[llm]`.
    pub config: LlmConfig,
    /// The embedded server and its models.
    pub local: LocalModels,
    /// What every conversation begins with.
    pub head: HeadMaker,
    /// When the embedded server is started anew.
    pub restarts: RestartPolicy,
}

impl std::fmt::Debug for MindParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MindParts")
            .field("config", &self.config)
            .field("local", &self.local)
            .finish_non_exhaustive()
    }
}

/// The task behind a [`Mind`]: looks for a server, starts our own, watches it.
#[derive(Clone)]
pub struct ModelServer {
    shared: Arc<MindShared>,
    local: LocalModels,
    head: HeadMaker,
    restarts: RestartPolicy,
    /// Those of uses that another server serves.
    beside: Vec<ModelServer>,
}

impl ModelServer {
    /// Runs until `stop` or [`Mind::shutdown`], then ends the embedded server. After a panic it may be run again.
    pub async fn run(&self, stop: CancellationToken) {
        let beside = join_all(self.beside.iter().map(|server| server.keep(stop.clone())));
        tokio::join!(self.keep(stop.clone()), beside);
    }

    async fn keep(&self, stop: CancellationToken) {
        // Whoever served before a panic was killed with its handle.
        self.shared.serving.send_replace(Serving::Starting { since: Instant::now() });
        let shared = Arc::clone(&self.shared);
        let keeper =
            keeper::ServerKeeper::new(shared, self.local.clone(), Arc::clone(&self.head), self.restarts);
        let keeping = keeper.run();
        tokio::pin!(keeping);
        tokio::select! {
            () = &mut keeping => return,
            () = stop.cancelled() => self.shared.stop.cancel(),
        }
        keeping.await;
    }
}

/// The model, whoever serves it.
pub struct Mind {
    shared: Arc<MindShared>,
    keeper: Mutex<Option<JoinHandle<()>>>,
    embedder: Embedder,
    embed_gguf: PathBuf,
    /// Models of uses that another server serves.
    beside: BTreeMap<ModelPurpose, Mind>,
}

impl std::fmt::Debug for Mind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Mind").field(&*self.shared.serving.borrow()).finish()
    }
}

impl Mind {
    /// Starts to look for a server. Must be called on a Tokio runtime; returns at once.
    pub fn start(parts: MindParts) -> Self {
        let (mind, server) = Self::unattended(parts);
        mind.attend(server);
        mind
    }

    /// The model, and the task that looks for its server: the caller runs it, or nobody ever serves.
    pub fn unattended(parts: MindParts) -> (Self, ModelServer) {
        let MindParts { config, local, head, restarts } = parts;
        let (mut beside, mut servers) = (BTreeMap::new(), Vec::new());
        for purpose in ModelPurpose::BESIDE {
            let Some(config) = config.server_of(purpose) else { continue };
            // Nothing is read ahead for work that nobody waits for.
            let head: HeadMaker = Arc::new(|_, _, _| Vec::new());
            let (mind, server) = Self::unattended(MindParts { config, local: local.clone(), head, restarts });
            beside.insert(purpose, mind);
            servers.push(server);
        }
        let shared = Arc::new(MindShared::new(config));
        let embed_gguf = local.embed_gguf.clone();
        let server = ModelServer { shared: Arc::clone(&shared), local, head, restarts, beside: servers };
        let (keeper, embedder) = (Mutex::default(), Embedder::default());
        (Self { shared, keeper, embedder, embed_gguf, beside }, server)
    }

    /// Returns the model that serves `purpose`, where another server does than for conversations.
    pub fn beside(&self, purpose: ModelPurpose) -> Option<&Self> {
        self.beside.get(&purpose)
    }

    /// Runs `server` in a task of its own, which [`Mind::shutdown`] waits for.
    pub fn attend(&self, server: ModelServer) {
        let task = tokio::spawn(async move { server.run(CancellationToken::new()).await });
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    /// `[llm]`.
    pub fn config(&self) -> &LlmConfig {
        &self.shared.config
    }

    /// What serves, now and whenever it changes.
    pub fn serving(&self) -> watch::Receiver<Serving> {
        self.shared.serving.subscribe()
    }

    /// Keeps the server the same until it is dropped.
    pub fn hold(&self) -> ServerHold {
        ServerHold::new(&self.shared.holds)
    }

    /// Waits while a server is started or warmed. Cancel-safe.
    ///
    /// # Errors
    /// [`LlmError::Down`] and its like when nobody serves, [`LlmError::ShutDown`] at the end.
    pub async fn ready(&self) -> Result<ReadyServer, LlmError> {
        let mut serving = self.shared.serving.subscribe();
        let settled = serving.wait_for(|now| matches!(now, Serving::Ready(_) | Serving::Down(_)));
        let now = tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => return Err(LlmError::ShutDown),
            now = settled => now.map(|now| now.clone()),
        };
        match now {
            Ok(Serving::Ready(ready)) => Ok(ready),
            Ok(Serving::Down(error)) => Err(error),
            Ok(Serving::Starting { .. } | Serving::Warming { .. }) | Err(_) => Err(LlmError::ShutDown),
        }
    }

    /// Asks the model, once it is ready. Dropping the future or the stream stops the model; how long
    /// either may take is the caller's affair.
    ///
    /// # Errors
    /// See [`LlmError`]; later failures come through the stream.
    pub async fn chat(&self, ask: Ask) -> Result<ChatStream, LlmError> {
        let hold = self.hold();
        let ready = self.ready().await?;
        let ask = ask_for(self.config(), ask);
        let other = ask.model.clone().filter(|_| ready.by != ServedBy::Local);
        let is_other = other.is_some();
        let request = self.shared.request(other.as_ref().unwrap_or(&ready.model), ready.by, ask);
        let reply = ready.client.chat(&request).await;
        let (shared, address) = (Arc::clone(&self.shared), ready.client.address().to_owned());
        let on_failure = move |error: &LlmError| {
            // That another model is not there says nothing about the one that answers.
            if !is_other {
                shared.doubt(&address, error);
            }
        };
        match reply {
            Ok(reply) => Ok(reply.watched(on_failure, hold)),
            Err(error) => {
                on_failure(&error);
                Err(error)
            }
        }
    }

    /// Vectors of `texts`, where the server has a model for them. Cancel-safe.
    ///
    /// # Errors
    /// [`LlmError::NoVectors`] when nobody can; what went wrong else. Neither counts against the server.
    pub async fn embed(&self, texts: &[String]) -> Result<Embedded, LlmError> {
        let ready = match &*self.shared.serving.borrow() {
            Serving::Ready(ready) => ready.clone(),
            Serving::Starting { .. } | Serving::Warming { .. } | Serving::Down(_) => {
                return Err(LlmError::no_vectors("no model server is ready", "`joi doctor` tells why"));
            }
        };
        let config = &self.shared.config;
        let texts = &texts_for(config, texts.to_vec());
        let made = self.embedder.embed(&ready, config, texts).await;
        match made {
            Err(error @ LlmError::NoVectors { .. })
                if ready.by != ServedBy::Local
                    && config.embed_model.trim() == AUTO
                    && self.embed_gguf.is_file() =>
            {
                let client = self.vectors_beside(error).await?;
                let made = embed::made_by(&client, EMBED_NAME, config, texts).await;
                if made.is_err() {
                    self.shared.vectors.send_replace(VectorsBeside::Wanted);
                    self.shared.nudge.notify_one();
                }
                made
            }
            made => made,
        }
    }

    /// The embedded model for vectors, which is started for the first who asks. Without it, `missing` is the reason.
    async fn vectors_beside(&self, missing: LlmError) -> Result<Ollama, LlmError> {
        let is_news = self.shared.vectors.send_if_modified(|now| {
            let is_news = match now {
                VectorsBeside::Unasked => true,
                VectorsBeside::Failed { at, .. } => at.elapsed() > VECTORS_REST,
                VectorsBeside::Wanted | VectorsBeside::Ready(_) => false,
            };
            if is_news {
                *now = VectorsBeside::Wanted;
            }
            is_news
        });
        if is_news {
            self.shared.nudge.notify_one();
        }
        let mut vectors = self.shared.vectors.subscribe();
        let is_settled =
            |now: &VectorsBeside| matches!(now, VectorsBeside::Ready(_) | VectorsBeside::Failed { .. });
        let settled = vectors.wait_for(is_settled);
        let now = timeout(VECTORS_START, settled).await.ok().and_then(|now| Some(now.ok()?.clone()));
        match now {
            Some(VectorsBeside::Ready(client)) => Ok(client),
            Some(VectorsBeside::Failed { error, .. }) => Err(error),
            Some(VectorsBeside::Unasked | VectorsBeside::Wanted) | None => Err(missing),
        }
    }

    /// Looks at the servers now rather than at the next round.
    pub fn look_again(&self) {
        self.shared.nudge.notify_one();
    }

    /// Ends the task and the embedded server, and waits for both. Questions still open fail.
    pub async fn shutdown(&self) {
        self.shared.stop.cancel();
        for mind in self.beside.values() {
            mind.shared.stop.cancel();
        }
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            // A keeper that panicked has been reported by the panic; its child is killed with its handle.
            let _ = keeper.await;
        }
    }
}

impl Drop for Mind {
    fn drop(&mut self) {
        self.shared.stop.cancel();
    }
}
