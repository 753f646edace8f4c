//! The engine: one named thread that owns the model, and the handle by which requests reach it.
//!
//! In: [`EngineRequest`] through a bounded queue; one at a time, in order. Out: [`EngineEvent`]s of each
//! request through a bounded channel of its own. A full queue refuses at once ([`QueueFull`]); a caller that
//! disconnects raises its abort flag and frees the engine within a fraction of a token.

pub(crate) mod calls;
mod loaded;
mod run;
mod text;
pub(crate) mod thought;
mod window;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use crate::facts::ModelFacts;
use crate::keep_alive::KeepAlive;
use crate::llama::{LoadError, Sampling};
use crate::template::{Message, TemplateError};

pub(crate) use loaded::SetUpError;

/// Settings of the engine.
#[derive(Debug, Clone)]
pub(crate) struct EngineConfig {
    /// The GGUF file.
    pub model: PathBuf,
    /// Window in tokens when a request does not say.
    pub num_ctx: u32,
    /// Threads when a request does not say.
    pub threads: u16,
    /// Threads for the first tokens of a reply, if they are more.
    pub first_threads: u16,
    /// Capacity of the queue.
    pub queue: usize,
}

/// The input of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Prompt {
    /// Messages for the model's chat template.
    Chat {
        /// The conversation.
        messages: Vec<Message>,
        /// Tools on offer, as JSON schemas.
        tools: Vec<serde_json::Value>,
    },
    /// Text that is passed to the model unchanged.
    Raw(String),
}

/// Runner options; the cost of a change stands beside each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Runner {
    /// Window in tokens, `None` for the server's default. A change discards the prefix cache.
    pub num_ctx: Option<u32>,
    /// Threads, `None` for the server's default. A change costs nothing.
    pub threads: Option<u16>,
}

/// A request for a reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// The prompt.
    pub prompt: Prompt,
    /// Sampling parameters.
    pub sampling: Sampling,
    /// Most tokens to write; 0 or less: until the model ends or the window is full.
    pub num_predict: i64,
    /// Texts that end the reply.
    pub stops: Vec<String>,
    /// What happens to a prompt longer than the window.
    pub overflow: Overflow,
}

/// What to do with a prompt longer than the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// Drop the oldest messages.
    Truncate,
    /// Answer with an error.
    Refuse,
}

/// A request to the engine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EngineRequest {
    /// Load the model into memory.
    Load,
    /// Free its memory.
    Unload,
    /// Write a reply.
    Reply(Box<Reply>),
}

/// Events of a request. Every request ends with `Done` or `Failed`, or with a closed channel when the engine
/// has ended.
#[derive(Debug)]
pub(crate) enum EngineEvent {
    /// A piece of the reply, whole characters, never empty.
    Text(String),
    /// A piece of what the model thinks before its reply, never empty.
    Thought(String),
    /// A whole call of a tool.
    Call(serde_json::Value),
    /// The end.
    Done(Stats),
    /// The end, without success.
    Failed(EngineError),
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoneReason {
    /// The model ended it, or a stop string.
    Stop,
    /// The limit of tokens, or the window.
    Length,
    /// Only load was requested: the model is in memory.
    Load,
    /// Only unload was requested: the model is not in memory any more.
    Unload,
}

/// Statistics of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stats {
    /// Why it ended.
    pub reason: DoneReason,
    /// From the request's arrival.
    pub total: Duration,
    /// Time for loading the model or resizing its window.
    pub load: Duration,
    /// Tokens of the prompt, cached ones included.
    pub prompt_tokens: usize,
    /// How many of them were cached.
    pub cached_tokens: usize,
    /// Time for evaluating the others.
    pub prompt: Duration,
    /// Tokens written.
    pub written_tokens: usize,
    /// Time for writing them.
    pub writing: Duration,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    /// The model could not be (re)loaded; the file may be gone.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No prompt; the request is at fault.
    #[error(transparent)]
    ChatTemplate(#[from] TemplateError),
    /// The prompt is too long and may not be cut.
    #[error("the input length exceeds the context length")]
    TooLong,
    /// llama.cpp failed; another try may succeed.
    #[error("an error was encountered while running the model: {0}")]
    Run(String),
    /// The requester went away, or reads too slowly.
    #[error("request canceled")]
    Cancelled,
}

/// The queue is full; ask again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueFull;

/// The model in memory; `None` when it is unloaded.
pub(crate) type Resident = Option<Residence>;

/// A model in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Residence {
    /// Window in tokens.
    pub num_ctx: u32,
    /// When it leaves memory; `None`: never.
    pub until: Option<jiff::Timestamp>,
}

/// Pieces of a reply that may wait for a slow reader; beyond that the reply is given up, for a
/// reader that stands still must not hold the only engine.
const UNREAD: usize = 1024;

struct EngineJob {
    work: EngineRequest,
    runner: Runner,
    keep_alive: KeepAlive,
    stop: Arc<AtomicBool>,
    events: mpsc::Sender<EngineEvent>,
    arrived: std::time::Instant,
}

/// The way to the engine thread. When the last clone is gone, the thread ends.
#[derive(Clone)]
pub(crate) struct Engine {
    jobs: SyncSender<EngineJob>,
    resident: watch::Receiver<Resident>,
    closing: Arc<AtomicBool>,
}

/// An engine that is ready.
pub(crate) struct Started {
    /// The way to it.
    pub engine: Engine,
    /// The known facts about its model.
    pub facts: Arc<ModelFacts>,
    /// Its thread, to be joined when every [`Engine`] is dropped.
    pub thread: std::thread::JoinHandle<()>,
}

/// A request under way: its events. Dropping it stops the engine's work on it.
#[derive(Debug)]
pub(crate) struct Ticket {
    events: mpsc::Receiver<EngineEvent>,
    stop: Arc<AtomicBool>,
}

impl Engine {
    /// Starts the thread and loads the model; returns when it is ready to answer.
    pub(crate) async fn start(config: EngineConfig) -> anyhow::Result<Started> {
        let (jobs, queue) = sync_channel(config.queue);
        let (started, starting) = oneshot::channel();
        let (residents, resident) = watch::channel(None);
        let closing = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&closing);
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || run::run(&config, &run::Ends { queue, residents, closing: seen }, started))?;
        let facts = starting.await??;
        Ok(Started { engine: Self { jobs, resident, closing }, facts, thread })
    }

    /// Queues `work`.
    pub(crate) fn submit(
        &self,
        work: EngineRequest,
        runner: Runner,
        keep_alive: KeepAlive,
    ) -> Result<Ticket, QueueFull> {
        let (events, receiver) = mpsc::channel(UNREAD);
        let stop = Arc::new(AtomicBool::new(false));
        let ticket = Ticket { events: receiver, stop: Arc::clone(&stop) };
        let arrived = std::time::Instant::now();
        match self.jobs.try_send(EngineJob { work, runner, keep_alive, stop, events, arrived }) {
            Ok(()) => Ok(ticket),
            Err(TrySendError::Full(_)) => Err(QueueFull),
            // The thread is gone: the closed channel of the ticket shows it.
            Err(TrySendError::Disconnected(_)) => Ok(ticket),
        }
    }

    /// Returns the model that is in memory now.
    pub(crate) fn resident(&self) -> Resident {
        self.resident.borrow().clone()
    }

    /// Waits until the engine thread has ended, which it does by itself only when it panics. Cancel-safe.
    pub(crate) async fn ended(&self) {
        let mut resident = self.resident.clone();
        while resident.changed().await.is_ok() {}
    }

    /// Gives up what is running and what is queued.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}

impl Ticket {
    /// The next event, `None` after the last one. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<EngineEvent> {
        self.events.recv().await
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
