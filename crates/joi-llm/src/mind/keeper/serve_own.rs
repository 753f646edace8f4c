//! Starts the best embedded model, and replaces it between two turns.
//!
//! Part of the keeper's task. The servers themselves, and those that failed, are in `own.rs`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::ServerKeeper;
use super::own::{LocalOutlook, RunFailure, RunningServer, ended_error, stop};
use crate::choose::{BetterModel, LEAST_SPEED};
use crate::error::LlmError;
use crate::local::{Server, served_name};
use crate::local_models::ModelCandidate;
use crate::mind::serving::{ReadyServer, ServedBy, Serving};
use crate::model_size::{knowledge_of, size_of};

impl ServerKeeper {
    /// Starts the best embedded model that can be run. `note` says how to have Ollama serve.
    pub(super) async fn serve_locally(&mut self, note: Option<String>) -> Result<(), LlmError> {
        loop {
            let outlook = self.own.outlook(&self.shared).await;
            let LocalOutlook { candidates, choice } = &outlook;
            let Some(chosen) = choice.chosen.map(|at| &candidates[at]) else {
                return Err(choice.nobody(candidates));
            };
            let why_not_better = choice.why_not_better(candidates);
            let running = self.own.running.as_ref();
            if let Some(running) = running.filter(|running| running.name == chosen.name) {
                if let Err(error) = running.server.client.version().await {
                    return self.local_ended(&error.to_string()).await;
                }
                if let Some(ready) = self.local_ready(&chosen.gguf) {
                    self.shared.renote(note, why_not_better);
                    self.measure(&ready, chosen).await;
                    return Ok(());
                }
            } else if running.is_none()
                && let Some(refusal) = self.own.refuses(&chosen.gguf)
            {
                return refusal;
            }
            let failure = match self.run_model(chosen, note.clone(), why_not_better).await {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if !outlook.has_other(&chosen.name) {
                return self.own.failed(&chosen.gguf, failure);
            }
            self.own.pass_over(chosen, &failure.error);
        }
    }

    /// The embedded server, if it serves the model in `gguf` now.
    fn local_ready(&self, gguf: &Path) -> Option<ReadyServer> {
        let name = served_name(gguf);
        match &*self.shared.serving.borrow() {
            Serving::Ready(ready) if ready.by == ServedBy::Local && ready.model == name => {
                Some(ready.clone())
            }
            Serving::Ready(_) | Serving::Starting { .. } | Serving::Warming { .. } | Serving::Down(_) => None,
        }
    }

    /// Starts a server for `chosen` unless it runs, warms it and has it serve.
    async fn run_model(
        &mut self,
        chosen: &ModelCandidate,
        note: Option<String>,
        why_not_better: Option<BetterModel>,
    ) -> Result<(), RunFailure> {
        let not_started = |error| RunFailure { error, ran: Duration::ZERO };
        let is_running = self.own.running.as_ref().is_some_and(|running| running.name == chosen.name);
        if !is_running {
            let model = self.own.models.server_for(Some(chosen));
            model.check().map_err(not_started)?;
            self.shared.publish_unless_ready(Serving::Starting { since: Instant::now() });
            let server = Server::start(&model, &self.shared.config).await.map_err(not_started)?;
            let (name, gguf) = (chosen.name.clone(), chosen.gguf.clone());
            self.own.next = Some(RunningServer { name, gguf, server });
        }
        let Some(server) = self.own.newest().as_ref().map(|newest| &newest.server) else { return Ok(()) };
        let model = served_name(&chosen.gguf);
        let ready = ReadyServer {
            client: Arc::new(server.client.clone()),
            size: size_of(&model, None),
            knowledge: knowledge_of(&model, None),
            model,
            has_tools: None,
            by: ServedBy::Local,
            note,
            why_not_better,
            pid: server.pid(),
        };
        let ready = match self.warm(ready).await {
            Ok(ready) => ready,
            Err(error) => return Err(self.own.give_up_newest(error).await),
        };
        let speed = self.measure(&ready, chosen).await;
        let counts = self.shared.config.local.trim() != chosen.name;
        if counts && !is_running && self.own.is_running() && speed.is_some_and(|speed| speed < LEAST_SPEED) {
            // It is passed over from now on, and who serves goes on.
            stop(&mut self.own.next).await;
            return Ok(());
        }
        self.publish(ready).await;
        if self.own.next.is_some() {
            if self.own.is_running() {
                // A question may have been asked of it just before the change.
                self.shared.until_released().await;
            }
            stop(&mut self.own.running).await;
            self.own.running = self.own.next.take();
        }
        Ok(())
    }

    /// The embedded server ended, or is no use any more.
    pub(super) async fn local_ended(&mut self, why: &str) -> Result<(), LlmError> {
        let Some(running) = &self.own.running else { return Ok(()) };
        let (name, gguf, ran) = (running.name.clone(), running.gguf.clone(), running.server.ran());
        self.shared.unpublish_if(|ready| ready.by == ServedBy::Local);
        self.own.stop().await;
        let failed = self.own.failed(&gguf, RunFailure { error: ended_error(why), ran });
        let Err(error) = failed else { return Ok(()) };
        let outlook = self.own.outlook(&self.shared).await;
        match outlook.candidates.iter().find(|one| one.name == name) {
            Some(candidate) if outlook.has_other(&name) => {
                self.own.pass_over(candidate, &error);
                self.own.forget_failures();
                Ok(())
            }
            Some(_) | None => Err(error),
        }
    }
}
