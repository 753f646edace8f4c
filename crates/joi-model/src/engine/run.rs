//! The engine thread's loop: take a request, prepare the model, run it, report, wait.
//!
//! It sleeps while there is nothing to do; the end of `keep_alive` wakes it to unload the model. A request
//! whose caller has disconnected costs nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{oneshot, watch};

use super::calls::{CallPiece, CallStream};
use super::loaded::{Loaded, SetUpError};
use super::thought::SpokenPiece;
use super::{
    DoneReason, EngineConfig, EngineError, EngineEvent, EngineJob, EngineRequest, Prompt, Reply, Residence,
    Resident, Runner, Stats,
};
use crate::facts::ModelFacts;
use crate::keep_alive::KeepAlive;

/// The thread's ends of the channels.
pub(super) struct Ends {
    pub(super) queue: Receiver<EngineJob>,
    pub(super) residents: watch::Sender<Resident>,
    pub(super) closing: Arc<AtomicBool>,
}

struct Machine<'a> {
    config: &'a EngineConfig,
    ends: &'a Ends,
    loaded: Option<Loaded>,
    leaves: Option<Instant>,
}

/// Runs until every [`super::Engine`] is dropped. `started` receives whether the model could be loaded.
pub(super) fn run(
    config: &EngineConfig,
    ends: &Ends,
    started: oneshot::Sender<Result<Arc<ModelFacts>, anyhow::Error>>,
) {
    let began = Instant::now();
    let first = Loaded::load(config, config.num_ctx)
        .map_err(anyhow::Error::from)
        .and_then(|loaded| Ok((ModelFacts::read(&config.model, loaded.model())?, loaded)));
    let (facts, loaded) = match first {
        Ok(first) => first,
        // Fails only when the program is ending already.
        Err(error) => return drop(started.send(Err(error))),
    };
    tracing::info!(took = ?began.elapsed(), num_ctx = loaded.num_ctx(), "model loaded");
    let mut machine = Machine { config, ends, loaded: Some(loaded), leaves: None };
    machine.publish();
    if started.send(Ok(Arc::new(facts))).is_ok() {
        machine.serve();
    }
}

impl Machine<'_> {
    fn serve(&mut self) {
        loop {
            let job = match self.leaves.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) => self.ends.queue.recv_timeout(left),
                None => self.ends.queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match job {
                Ok(job) => self.take(&job),
                Err(RecvTimeoutError::Timeout) => self.unload(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn take(&mut self, job: &EngineJob) {
        if self.ends.closing.load(Ordering::Relaxed) || job.stop.load(Ordering::Relaxed) {
            return;
        }
        tracing::info!(waited = ?job.arrived.elapsed(), "request started");
        let event = match self.perform(job) {
            Ok(stats) => EngineEvent::Done(stats),
            Err(error) => {
                tracing::warn!(%error, "request failed");
                EngineEvent::Failed(error)
            }
        };
        self.schedule(job.keep_alive);
        // Fails only when the caller has disconnected.
        drop(job.events.try_send(event));
    }

    fn perform(&mut self, job: &EngineJob) -> Result<Stats, EngineError> {
        match &job.work {
            EngineRequest::Unload => {
                self.unload();
                Ok(nothing_written(DoneReason::Unload, job.arrived, Duration::ZERO))
            }
            EngineRequest::Load => {
                let load = self.ready(job.runner)?;
                Ok(nothing_written(DoneReason::Load, job.arrived, load))
            }
            EngineRequest::Reply(reply) => {
                let load = self.ready(job.runner)?;
                self.reply(job, reply, load)
            }
        }
    }

    fn reply(&mut self, job: &EngineJob, reply: &Reply, load: Duration) -> Result<Stats, EngineError> {
        let Some(loaded) = self.loaded.as_mut() else {
            return Err(EngineError::Run("the model is not in memory".to_owned()));
        };
        let closing = &self.ends.closing;
        let mut calls = match &reply.prompt {
            Prompt::Chat { tools, .. } if !tools.is_empty() => Some(CallStream::default()),
            Prompt::Chat { .. } | Prompt::Raw(_) => None,
        };
        let send = |event: EngineEvent| {
            job.events.try_send(event).map_err(|full_or_gone| match full_or_gone {
                TrySendError::Full(_) | TrySendError::Closed(_) => EngineError::Cancelled,
            })
        };
        let mut show = |pieces: Vec<SpokenPiece>| {
            if closing.load(Ordering::Relaxed) {
                return Err(EngineError::Run("the server is shutting down".to_owned()));
            }
            pieces.into_iter().try_for_each(|piece| match (piece, &mut calls) {
                (SpokenPiece::Thought(thought), _) => send(EngineEvent::Thought(thought)),
                (SpokenPiece::Answer(text), None) => send(EngineEvent::Text(text)),
                (SpokenPiece::Answer(text), Some(calls)) => {
                    calls.push(&text).into_iter().map(EngineEvent::from).try_for_each(send)
                }
            })
        };
        let written = loaded.write(reply, &job.stop, &mut show)?;
        calls.and_then(CallStream::finish).map(EngineEvent::from).map_or(Ok(()), send)?;
        let end = Instant::now();
        let stats = Stats {
            reason: written.reason,
            total: end - job.arrived,
            load,
            prompt_tokens: written.prompt_tokens,
            cached_tokens: written.cached_tokens,
            prompt: written.writing_began - written.prompt_began,
            written_tokens: written.written_tokens,
            writing: end - written.writing_began,
        };
        tracing::debug!(?stats, "reply complete");
        Ok(stats)
    }

    /// Loads the model as `runner` wants it, and returns how long that took.
    fn ready(&mut self, runner: Runner) -> Result<Duration, EngineError> {
        let began = Instant::now();
        match self.loaded.as_mut() {
            Some(loaded) => loaded.adapt(self.config, runner)?,
            None => {
                let num_ctx = runner.num_ctx.unwrap_or(self.config.num_ctx);
                let loaded = Loaded::load(self.config, num_ctx).map_err(|error| match error {
                    SetUpError::Load(e) => EngineError::Load(e),
                    SetUpError::ChatTemplate { .. } | SetUpError::NoTemplate(_) | SetUpError::NotChat(_) => {
                        EngineError::Run(error.to_string())
                    }
                })?;
                self.loaded = Some(loaded);
                if let Some(loaded) = self.loaded.as_mut() {
                    loaded.adapt(self.config, runner)?;
                }
            }
        }
        Ok(began.elapsed())
    }

    fn unload(&mut self) {
        self.loaded = None;
        self.leaves = None;
        self.publish();
        tracing::info!("model unloaded");
    }

    /// Sets the time at which the model is unloaded; zero unloads it before the answer ends.
    fn schedule(&mut self, keep_alive: KeepAlive) {
        if self.loaded.is_none() {
            return;
        }
        if keep_alive.is_zero() {
            return self.unload();
        }
        self.leaves = match keep_alive {
            KeepAlive::Forever => None,
            KeepAlive::For(time) => Instant::now().checked_add(time),
        };
        self.publish();
    }

    fn publish(&self) {
        let left = self.leaves.map(|at| at.saturating_duration_since(Instant::now()));
        let until = left.and_then(|left| jiff::Timestamp::now().checked_add(left).ok());
        let resident = self.loaded.as_ref().map(|l| Residence { num_ctx: l.num_ctx(), until });
        self.ends.residents.send_replace(resident);
    }
}

impl From<CallPiece> for EngineEvent {
    fn from(piece: CallPiece) -> Self {
        match piece {
            CallPiece::Text(text) => Self::Text(text),
            CallPiece::Call(call) => Self::Call(call),
        }
    }
}

fn nothing_written(reason: DoneReason, arrived: Instant, load: Duration) -> Stats {
    Stats {
        reason,
        total: arrived.elapsed(),
        load,
        prompt_tokens: 0,
        cached_tokens: 0,
        prompt: Duration::ZERO,
        written_tokens: 0,
        writing: Duration::ZERO,
    }
}
