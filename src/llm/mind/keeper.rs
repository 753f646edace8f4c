//! The task behind [`super::Mind`]: looks, starts, warms, watches, changes.
//!
//! One Tokio task owns everything here, our own server included. In: nudges and the clock. Out: the
//! published [`Serving`]. Each round decides anew who is to serve (`choose.rs`) and works towards it;
//! what serves meanwhile keeps serving until the new one is warm and nobody holds it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, error, info, warn};

use super::{HeadMaker, MindShared, ReadyServer, ServedBy, Serving};
use crate::llm::choose::{WantedServer, wanted};
use crate::llm::local::Server;
use crate::llm::{
    Backend, ChatStats, Endpoint, InstalledModel, LlmError, LocalModel, Ollama, RestartPolicy, knowledge_of,
    size_of,
};
use crate::restart::{Restart, Restarts};

/// Between two looks while somebody serves.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// Between two looks while nobody does.
const LOOK_SOON: Duration = Duration::from_secs(3);
/// Longest time for loading a model and reading the head: minutes on a Pi with a slow card.
const WARMING: Duration = Duration::from_secs(600);
/// An Ollama that failed to run its model is not asked to for so long: each attempt costs all cores.
const OLLAMA_RESTS: Duration = Duration::from_secs(300);
/// Time to find out whether a server that failed has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// An Ollama that is computing may be slow to answer; so many looks in a row may time out.
const SLOW_LOOKS: u32 = 3;

pub(super) struct ServerKeeper {
    shared: Arc<MindShared>,
    local: LocalModel,
    head: HeadMaker,
    server: Option<Server>,
    restarts: Restarts,
    /// Why our own server is not started any more.
    gave_up: Option<LlmError>,
    /// Our own server is not started before.
    local_from: Instant,
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
        local: LocalModel,
        head: HeadMaker,
        restarts: RestartPolicy,
    ) -> Self {
        let (restarts, local_from) = (Restarts::new(restarts), Instant::now());
        Self {
            shared,
            local,
            head,
            server: None,
            restarts,
            gave_up: None,
            local_from,
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
        self.stop_server().await;
    }

    /// Ends our own server. It stays in `self` until it has ended: this may be dropped and called again.
    async fn stop_server(&mut self) {
        if let Some(server) = &mut self.server {
            server.stop().await;
            self.server = None;
        }
    }

    async fn wait(&mut self, pause: Duration) -> RoundReason {
        let server = &mut self.server;
        let ended = async {
            match server {
                Some(server) => server.ended().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.shared.stop.cancelled() => RoundReason::Stopped,
            why = ended => RoundReason::LocalEnded { why },
            () = self.shared.nudge.notified() => RoundReason::Due,
            () = sleep(pause) => RoundReason::Due,
        }
    }

    /// One look and what follows from it. Returns how long to wait for the next.
    async fn round(&mut self) -> Duration {
        if self.is_serving() && self.is_held() {
            return LOOK_SOON;
        }
        let seen = self.look().await;
        let is_slow = matches!(seen, Err(LlmError::TimedOut { .. })) && self.is_serving();
        self.slow_looks = if is_slow { self.slow_looks + 1 } else { 0 };
        if (1..SLOW_LOOKS).contains(&self.slow_looks) {
            return LOOK_SOON;
        }
        if seen.is_err() && !is_slow {
            self.unpublish(ServedBy::Ollama);
        }
        let outcome = match wanted(&self.shared.config, seen.as_ref().map(Vec::as_slice)) {
            WantedServer::Ollama { model } => self.serve_by_ollama_or_locally(&model).await,
            WantedServer::Local { note } => self.serve_locally(note).await,
            WantedServer::Nobody(error) => Err(error),
        };
        if let Err(error) = outcome {
            self.publish_down(error);
        }
        if self.is_serving() {
            return LOOK_EVERY;
        }
        let until_start = self.local_from.saturating_duration_since(Instant::now());
        if until_start.is_zero() { LOOK_SOON } else { until_start.min(LOOK_SOON) }
    }

    async fn serve_by_ollama_or_locally(&mut self, model: &str) -> Result<(), LlmError> {
        if self.shared.config.backend != Backend::Auto {
            return self.serve_by_ollama(model).await;
        }
        if let Some((until, note)) = &self.ollama_rests
            && Instant::now() < *until
        {
            return self.serve_locally(Some(note.clone())).await;
        }
        let Err(error) = self.serve_by_ollama(model).await else { return Ok(()) };
        warn!(%error, model, "Ollama cannot serve");
        let note = format!("Ollama cannot serve {model}: {error}.");
        if !matches!(error, LlmError::Unreachable { .. }) {
            self.ollama_rests = Some((Instant::now() + OLLAMA_RESTS, note.clone()));
        }
        self.unpublish(ServedBy::Ollama);
        self.serve_locally(Some(note)).await
    }

    /// What Ollama has installed.
    async fn look(&self) -> Result<Vec<InstalledModel>, LlmError> {
        if self.shared.config.backend == Backend::Local {
            return Ok(Vec::new());
        }
        self.ollama()?.tags().await
    }

    fn ollama(&self) -> Result<Ollama, LlmError> {
        Ollama::new(&Endpoint::Http { url: self.shared.config.url.clone() }, None)
    }

    async fn serve_by_ollama(&mut self, model: &str) -> Result<(), LlmError> {
        let client = self.ollama()?;
        if self.serves(ServedBy::Ollama, model) {
            // Ollama was started anew, or another program wanted its memory: the head is forgotten.
            let is_warm = match client.ps().await {
                Ok(running) => running.iter().any(|running| running.name == model),
                // Slow because it is computing, so it has its model.
                Err(LlmError::TimedOut { .. }) => true,
                Err(error) => return Err(error),
            };
            if is_warm || self.is_held() {
                return Ok(());
            }
        }
        let info = client.show(model).await?;
        if info.can("completion") == Some(false) {
            return Err(LlmError::NoChat { model: model.to_owned() });
        }
        let has_tools = info.can("tools");
        let (model, size, knowledge) =
            (model.to_owned(), info.size, knowledge_of(model, info.parameter_count));
        let by = ServedBy::Ollama;
        self.warm(ReadyServer { client, model, size, knowledge, has_tools, by, note: None, pid: None })
            .await?;
        self.ollama_rests = None;
        self.restarts.forget();
        self.gave_up = None;
        if self.server.is_some() {
            // A question may have been asked of it just before the change.
            self.until_released().await;
        }
        self.stop_server().await;
        Ok(())
    }

    async fn serve_locally(&mut self, note: Option<String>) -> Result<(), LlmError> {
        let model = self.local.name();
        if let Some(server) = &self.server {
            match server.client.version().await {
                Ok(_) if self.serves(ServedBy::Local, &model) => {
                    self.renote(note);
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) => return self.local_ended(&error.to_string()).await,
            }
        }
        if self.server.is_none() {
            if let Some(error) = &self.gave_up {
                return Err(error.clone());
            }
            if Instant::now() < self.local_from {
                return Ok(());
            }
            self.local.check()?;
            self.publish_unless_ready(Serving::Starting { since: Instant::now() });
            match Server::start(&self.local, &self.shared.config).await {
                Ok(server) => self.server = Some(server),
                Err(error) => return self.local_failed(error, Duration::ZERO),
            }
        }
        let Some(server) = &self.server else { return Ok(()) };
        let (client, pid, size) = (server.client.clone(), server.pid(), size_of(&model, None));
        let (knowledge, by) = (knowledge_of(&model, None), ServedBy::Local);
        let ready = ReadyServer { client, model, size, knowledge, has_tools: None, by, note, pid };
        let Err(error) = self.warm(ready).await else { return Ok(()) };
        let ended = match &mut self.server {
            Some(server) => timeout(LAST_WORDS, server.ended()).await.ok(),
            None => None,
        };
        self.local_ended(&ended.unwrap_or_else(|| error.to_string())).await
    }

    /// Loads the model and has it read the head; then it serves.
    async fn warm(&mut self, mut ready: ReadyServer) -> Result<(), LlmError> {
        let (model, by) = (ready.model.clone(), ready.by);
        // A server that is to be warmed anew does not serve meanwhile; another one goes on serving.
        if self.serves(by, &model) {
            self.unpublish(by);
        }
        self.publish_unless_ready(Serving::Warming { model: model.clone(), by, since: Instant::now() });
        if by == ServedBy::Local {
            let info = ready.client.show(&model).await?;
            (ready.size, ready.has_tools) = (info.size, info.can("tools"));
            ready.knowledge = knowledge_of(&model, info.parameter_count);
        }
        let began = Instant::now();
        let stats = match self.read_head(&ready).await {
            Err(LlmError::NoTools { .. }) => {
                ready.has_tools = Some(false);
                self.read_head(&ready).await?
            }
            warmed => warmed?,
        };
        debug!(tokens = stats.prompt_eval_count, "the head is read");
        if self.is_serving() {
            self.until_released().await;
        }
        let took_s = began.elapsed().as_secs_f32();
        info!(
            model,
            by = by.name(),
            took_s,
            note = ready.note.as_deref().unwrap_or(""),
            "the model is ready"
        );
        self.told = None;
        self.shared.serving.send_replace(Serving::Ready(ready));
        Ok(())
    }

    /// Has the model read the head.
    async fn read_head(&self, ready: &ReadyServer) -> Result<ChatStats, LlmError> {
        let head = (self.head)(&ready.model, ready.size, ready.has_tools);
        let request = self.shared.request(&ready.model, ready.by, head);
        let late = LlmError::TimedOut { what: "warming up", limit: WARMING };
        timeout(WARMING, ready.client.load(&request)).await.map_err(|_| late)?
    }

    /// Our own server ended, or is no use any more.
    async fn local_ended(&mut self, why: &str) -> Result<(), LlmError> {
        let Some(ran) = self.server.as_ref().map(Server::ran) else { return Ok(()) };
        self.unpublish(ServedBy::Local);
        self.stop_server().await;
        let why = format!("joi-model ended: {why}");
        let remedy = "`joi models verify` checks its model".to_owned();
        self.local_failed(LlmError::Down { why, remedy }, ran)
    }

    /// Sets when it is started anew, or gives up.
    fn local_failed(&mut self, error: LlmError, ran: Duration) -> Result<(), LlmError> {
        match self.restarts.failed(ran) {
            Restart::After(wait) => {
                warn!(%error, wait_s = wait.as_secs_f32(), "the local model is started anew");
                self.local_from = Instant::now() + wait;
                Ok(())
            }
            Restart::GiveUp => {
                error!(%error, "the local model failed too often and is given up");
                self.gave_up = Some(error.clone());
                Err(error)
            }
        }
    }

    fn publish_down(&mut self, error: LlmError) {
        let told = error.to_string();
        if self.told.as_deref() != Some(told.as_str()) {
            warn!("{told}");
            self.told = Some(told);
        }
        self.shared.serving.send_if_modified(|now| {
            let is_new = !matches!(now, Serving::Down(before) if *before == error);
            if is_new {
                *now = Serving::Down(error);
            }
            is_new
        });
    }

    /// `by` does not serve any more: the next question waits for whoever will.
    fn unpublish(&self, by: ServedBy) {
        self.shared.serving.send_if_modified(|now| {
            let was_it = matches!(now, Serving::Ready(ready) if ready.by == by);
            if was_it {
                *now = Serving::Starting { since: Instant::now() };
            }
            was_it
        });
    }

    fn publish_unless_ready(&self, next: Serving) {
        self.shared.serving.send_if_modified(|now| {
            let may = !matches!(now, Serving::Ready(_));
            if may {
                *now = next;
            }
            may
        });
    }

    /// Replaces what the owner is told about the server that serves.
    fn renote(&self, note: Option<String>) {
        self.shared.serving.send_if_modified(|now| match now {
            Serving::Ready(ready) if ready.note != note => {
                ready.note = note;
                true
            }
            Serving::Ready(_) | Serving::Starting { .. } | Serving::Warming { .. } | Serving::Down(_) => {
                false
            }
        });
    }

    fn is_serving(&self) -> bool {
        matches!(&*self.shared.serving.borrow(), Serving::Ready(_))
    }

    fn serves(&self, by: ServedBy, model: &str) -> bool {
        matches!(&*self.shared.serving.borrow(), Serving::Ready(ready) if ready.by == by && ready.model == model)
    }

    fn is_held(&self) -> bool {
        *self.shared.holds.borrow() > 0
    }

    async fn until_released(&self) {
        // The sender lives in `shared`, so that this ends with a value.
        let _ = self.shared.holds.subscribe().wait_for(|holds| *holds == 0).await;
    }
}
