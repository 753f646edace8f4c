//! The task that keeps a model server: looks, starts, warms, watches, changes, ends.
//!
//! One Tokio task; it owns the processes of the embedded server (`own.rs`). In: nudges and the clock. Out: the published
//! [`Serving`]. Each round decides anew who is to serve (`choose.rs`) and works towards it; what serves meanwhile keeps
//! serving until the new one is warm and nobody holds it.

mod measure;
mod own;
mod serve_own;
mod vectors;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, info, warn};

use self::own::OwnServers;
use self::vectors::VectorsServer;
use super::ask::HeadMaker;
use super::serving::{ReadyServer, ServedBy, Serving};
use super::shared::MindShared;
use crate::choose::{WantedServer, wanted};
use crate::config::Backend;
use crate::connect::connect;
use crate::error::LlmError;
use crate::local_models::LocalModels;
use crate::server::{AnyChatServer, ServerKind};
use crate::wire::{ChatStats, InstalledModel};
use joi_base::restart::RestartPolicy;

/// Between two looks while somebody serves.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// Between two looks while nobody does.
const LOOK_SOON: Duration = Duration::from_secs(3);
/// The same for a server outside of the home, which counts requests: while it serves, and while it does not.
const LOOK_OUTSIDE: [Duration; 2] = [Duration::from_secs(600), Duration::from_secs(30)];
/// Longest time for loading a model and reading the head: minutes on a Pi with a slow card.
const WARMING: Duration = Duration::from_secs(600);
/// An Ollama that failed to run its model is not asked to for so long: each attempt costs all cores.
const OLLAMA_RESTS: Duration = Duration::from_secs(300);
/// An Ollama that is computing may be slow to answer; so many looks in a row may time out.
const SLOW_LOOKS: u32 = 3;

pub(super) struct ServerKeeper {
    shared: Arc<MindShared>,
    head: HeadMaker,
    own: OwnServers,
    vectors: VectorsServer,
    /// Of the configured address.
    client: Option<AnyChatServer>,
    /// Why Ollama could not run its model, and when it is asked to again.
    ollama_rests: Option<(Instant, String)>,
    slow_looks: u32,
    told: Option<String>,
}

/// Why a round has to be followed by the next.
enum RoundReason {
    Due,
    LocalEnded { why: String },
    Stopped,
}

impl ServerKeeper {
    pub(super) fn new(
        shared: Arc<MindShared>,
        local: LocalModels,
        head: HeadMaker,
        restarts: RestartPolicy,
    ) -> Self {
        Self {
            shared,
            head,
            own: OwnServers::new(local, restarts),
            vectors: VectorsServer::default(),
            client: None,
            ollama_rests: None,
            slow_looks: 0,
            told: None,
        }
    }

    /// Runs until it is stopped.
    pub(super) async fn run(mut self) {
        let stop = self.shared.stop.clone();
        loop {
            let pause = tokio::select! {
                // A round may be dropped anywhere: what it had started is in `self` or is killed with its handle.
                () = stop.cancelled() => break,
                pause = self.round() => pause,
            };
            match self.wait(pause).await {
                RoundReason::Due => {}
                RoundReason::LocalEnded { why } => {
                    if let Err(error) = self.local_ended(&why).await {
                        self.publish_down(error);
                    }
                }
                RoundReason::Stopped => break,
            }
        }
        tokio::join!(self.own.stop(), self.vectors.stop());
    }

    async fn wait(&mut self, pause: Duration) -> RoundReason {
        let own = &mut self.own;
        tokio::select! {
            () = self.shared.stop.cancelled() => RoundReason::Stopped,
            why = own.ended() => RoundReason::LocalEnded { why },
            () = self.shared.nudge.notified() => RoundReason::Due,
            () = sleep(pause) => RoundReason::Due,
        }
    }

    /// One look and what follows from it. Returns how long to wait for the next.
    async fn round(&mut self) -> Duration {
        // A turn may be waiting for vectors, so this comes first.
        self.tend_vectors().await;
        if self.shared.is_serving() && self.shared.is_held() {
            return LOOK_SOON;
        }
        let seen = self.look().await;
        let is_slow = matches!(seen, Err(LlmError::TimedOut { .. })) && self.shared.is_serving();
        self.slow_looks = if is_slow { self.slow_looks + 1 } else { 0 };
        if (1..SLOW_LOOKS).contains(&self.slow_looks) {
            return LOOK_SOON;
        }
        if seen.is_err() && !is_slow {
            self.shared.unpublish_if(|ready| ready.by != ServedBy::Local);
        }
        if matches!(seen, Err(LlmError::KeyRefused { .. })) {
            // The next client reads the file with the key again.
            self.client = None;
        }
        let outcome = match wanted(&self.shared.config, seen.as_ref().map(Vec::as_slice)) {
            WantedServer::AtUrl { kind, model } => self.serve_from_url_or_locally(kind, &model).await,
            WantedServer::Local { note } => self.serve_locally(note).await,
            WantedServer::Nobody(error) => Err(error),
        };
        if let Err(error) = outcome {
            self.publish_down(error);
        }
        let [every, soon] =
            if self.shared.config.is_outside() { LOOK_OUTSIDE } else { [LOOK_EVERY, LOOK_SOON] };
        if self.shared.is_serving() {
            return if self.own.is_due() { Duration::ZERO } else { every };
        }
        self.own.until_start().map_or(soon, |wait| wait.min(soon))
    }

    async fn serve_from_url_or_locally(
        &mut self,
        kind: &'static ServerKind,
        model: &str,
    ) -> Result<(), LlmError> {
        let by = ServedBy::Server(kind);
        if self.shared.config.backend != Backend::Auto {
            return self.serve_by(by, model).await;
        }
        if let Some((until, note)) = &self.ollama_rests
            && Instant::now() < *until
        {
            return self.serve_locally(Some(note.clone())).await;
        }
        let Err(error) = self.serve_by(by, model).await else { return Ok(()) };
        warn!(%error, model, "Ollama cannot serve");
        let note = format!("Ollama cannot serve {model}: {error}.");
        if !matches!(error, LlmError::Unreachable { .. }) {
            self.ollama_rests = Some((Instant::now() + OLLAMA_RESTS, note.clone()));
        }
        self.shared.unpublish_if(|ready| ready.by == by);
        self.serve_locally(Some(note)).await
    }

    /// The models at `llm.url`.
    async fn look(&mut self) -> Result<Vec<InstalledModel>, LlmError> {
        if self.shared.config.backend == Backend::Local {
            return Ok(Vec::new());
        }
        self.client()?.models().await
    }

    /// The client of the configured address, made once: each one reads the system's certificates anew.
    fn client(&mut self) -> Result<AnyChatServer, LlmError> {
        if let Some(client) = &self.client {
            return Ok(Arc::clone(client));
        }
        let client = connect(&self.shared.config)?;
        Ok(Arc::clone(self.client.insert(client)))
    }

    /// Has the server at `llm.url` serve with `model`.
    async fn serve_by(&mut self, by: ServedBy, model: &str) -> Result<(), LlmError> {
        let client = self.client()?;
        if self.shared.serves(by, model) {
            // Ollama was started anew, or another program wanted its memory: the head is forgotten.
            let is_warm = match client.is_loaded(model).await {
                Ok(is_loaded) => is_loaded,
                // Slow because it is computing, so it has its model.
                Err(LlmError::TimedOut { .. }) => true,
                Err(error) => return Err(error),
            };
            if is_warm || self.shared.is_held() {
                return Ok(());
            }
        }
        let info = client.show(model).await?;
        if info.can("completion") == Some(false) {
            return Err(LlmError::NoChat { model: model.to_owned() });
        }
        let ready = ReadyServer {
            client,
            model: model.to_owned(),
            size: info.size,
            knowledge: info.knowledge,
            has_tools: info.can("tools"),
            by,
            note: None,
            why_not_better: None,
            pid: None,
        };
        let warmed = self.warm(ready).await?;
        self.publish(warmed).await;
        self.ollama_rests = None;
        self.own.forget_failures();
        if self.own.is_running() {
            // A question may have been asked of it just before the change.
            self.shared.until_released().await;
        }
        self.own.stop().await;
        Ok(())
    }

    /// Has the model loaded and the head read; whoever serves meanwhile goes on.
    async fn warm(&self, mut ready: ReadyServer) -> Result<ReadyServer, LlmError> {
        let (model, by) = (ready.model.clone(), ready.by);
        // A server that is to be warmed anew does not serve meanwhile; another one goes on serving.
        self.shared.unpublish_if(|now| now.by == by && now.model == model);
        let since = Instant::now();
        self.shared.publish_unless_ready(Serving::Warming { model: model.clone(), by, since });
        if by == ServedBy::Local {
            let info = ready.client.show(&model).await?;
            (ready.size, ready.has_tools) = (info.size, info.can("tools"));
            ready.knowledge = info.knowledge;
        }
        let stats = match self.read_head(&ready).await {
            Err(LlmError::NoTools { .. }) => {
                ready.has_tools = Some(false);
                self.read_head(&ready).await?
            }
            warmed => warmed?,
        };
        let took_s = since.elapsed().as_secs_f32();
        debug!(tokens = stats.prompt_eval_count, took_s, "the head is read");
        Ok(ready)
    }

    /// From here on it serves: at once where nobody did, else between two turns.
    async fn publish(&mut self, ready: ReadyServer) {
        self.shared.until_released().await;
        info!(
            model = ready.model,
            by = ready.by.name(),
            note = ready.note.as_deref().unwrap_or(""),
            why_not_better = ready.why_not_better.as_ref().map(ToString::to_string).unwrap_or_default(),
            "the model is ready"
        );
        self.told = None;
        self.shared.serving.send_replace(Serving::Ready(ready));
    }

    /// Has the model read the heads; what the last one took.
    async fn read_head(&self, ready: &ReadyServer) -> Result<ChatStats, LlmError> {
        let heads = (self.head)(&ready.model, ready.size, ready.has_tools);
        let skipped = match ready.by {
            ServedBy::Local => 0,
            // A server outside of the home is paid by the token and keeps no prompt; nothing is sent before a question.
            ServedBy::Server(_) if self.shared.config.is_outside() => heads.len(),
            // These keep one prompt: another one would be read in vain.
            ServedBy::Server(_) => heads.len().saturating_sub(1),
        };
        let mut stats = ChatStats::default();
        for head in heads.into_iter().skip(skipped) {
            let request = self.shared.request(&ready.model, ready.by, head);
            let late = LlmError::TimedOut { what: "warming up", limit: WARMING };
            stats = timeout(WARMING, ready.client.load(&request)).await.map_err(|_| late)??;
        }
        Ok(stats)
    }

    fn publish_down(&mut self, error: LlmError) {
        let told = error.to_string();
        if self.told.as_deref() != Some(told.as_str()) {
            warn!("{told}");
            self.told = Some(told);
        }
        self.shared.publish_down(error);
    }
}
