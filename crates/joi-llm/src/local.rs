//! Our own model server, `joi-model`, as a process of its own.
//!
//! Owned by the task of [`super::mind`]. In: where the program and the model are. Out: a client of the
//! running server, and word when it ends. It listens on a unix socket that only the owner can
//! open. A server ends with us (`local/child.rs`), or waits for the next command ([`LocalModel::outlives`],
//! `local/lingering.rs`); one that runs already is found (`local/place.rs`).

mod child;
mod lingering;
mod place;

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tracing::debug;

use self::child::ChildServer;
use self::lingering::LingeringServer;
use self::place::ServerPlace;
pub use self::place::has_lingering_server;
use super::{LlmConfig, LlmError, Ollama};
use joi_base::machine;

/// The model for vectors that `joi models fetch` brings.
pub const LOCAL_EMBED_MODEL: &str = "embed-all-minilm-l6-v2";
/// How our own server calls it.
pub(super) const EMBED_NAME: &str = "all-minilm";
/// How much the child yields to ears and mouth: added to its niceness.
const NICENESS: i32 = 5;
/// When memory runs out, the kernel ends the child and not the ears, which start it again: of 1000.
const ENDS_FIRST: u16 = 800;
/// Longest time to load the model: minutes from a slow SD card.
const LOADING: Duration = Duration::from_secs(180);
/// How often it is asked whether it is ready.
const KNOCK_EVERY: Duration = Duration::from_millis(100);
/// Time it gets to end by itself.
const ENDING: Duration = Duration::from_secs(3);
/// Exit codes by which `joi-model` says that it can't run this model, and that there is too little memory for it.
const CANNOT_RUN: i32 = 3;
const TOO_LITTLE_MEMORY: i32 = 4;

/// Where our own model server and its model are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalModel {
    /// The program `joi-model`.
    pub binary: PathBuf,
    /// The chat model, a GGUF file; nothing where only vectors are wanted.
    pub gguf: Option<PathBuf>,
    /// The model for vectors, a GGUF file; served where the file is there.
    pub embed_gguf: PathBuf,
    /// What to do when the chat model is missing, for example: run `joi models fetch chat-…`.
    pub fetch: String,
    /// The folder for its socket; made when missing, readable by the owner only.
    pub runtime_dir: PathBuf,
    /// How long the server stays for the next command when nobody is connected; nothing: it ends with us.
    pub outlives: Option<Duration>,
}

impl LocalModel {
    /// The name of the model it is started for.
    pub fn name(&self) -> String {
        self.gguf.as_deref().map_or_else(|| EMBED_NAME.to_owned(), served_name)
    }

    /// Whether a server that may be used runs it already. Blocks for a moment.
    pub(super) fn is_served(&self, config: &LlmConfig) -> bool {
        ServerPlace::of(self, config).is_taken()
    }

    /// Whether program and model are there. What is missing will not come by trying again.
    pub(super) fn check(&self) -> Result<(), LlmError> {
        let missing = |what: &str, path: &Path| format!("{what} {} is missing", path.display());
        if !self.binary.is_file() {
            return Err(down(missing("the program", &self.binary), "build it with `make`"));
        }
        match &self.gguf {
            Some(gguf) if !gguf.is_file() => Err(down(missing("the model", gguf), &self.fetch)),
            None if !self.embed_gguf.is_file() => {
                let remedy = format!("run `joi models fetch {LOCAL_EMBED_MODEL}`");
                Err(down(missing("the model", &self.embed_gguf), &remedy))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// How our own server calls a chat model: as its file, without the ending and without what names may not hold.
pub fn served_name(gguf: &Path) -> String {
    let stem = gguf.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    stem.chars()
        .take(80)
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
        .collect()
}

/// The running server.
#[derive(Debug)]
pub(super) struct Server {
    process: ServerProcess,
    started: Instant,
    /// Speaks to it.
    pub(super) client: Ollama,
}

#[derive(Debug)]
enum ServerProcess {
    Child(ChildServer),
    Lingering(LingeringServer),
}

impl Server {
    /// Uses one that runs already, or starts it, and waits until it can be asked.
    pub(super) async fn start(model: &LocalModel, config: &LlmConfig) -> Result<Self, LlmError> {
        let started = Instant::now();
        let place = ServerPlace::of(model, config);
        let starting = async {
            match place.find_or_start().await {
                Err(LlmError::TooLittleMemory { .. }) if place.free_memory().await => {
                    place.find_or_start().await
                }
                outcome => outcome,
            }
        };
        let late = LlmError::TimedOut { what: "loading the local model", limit: LOADING };
        let (process, client) = tokio::time::timeout(LOADING, starting).await.map_err(|_| late)??;
        Ok(Self { process, started, client })
    }

    /// Waits for its end and tells its last words. Cancel-safe.
    pub(super) async fn ended(&mut self) -> String {
        match &mut self.process {
            ServerProcess::Child(child) => child.ended().await.1,
            ServerProcess::Lingering(server) => server.ended().await,
        }
    }

    /// How long we have had it.
    pub(super) fn ran(&self) -> Duration {
        self.started.elapsed()
    }

    /// Its process id; nothing once it has ended.
    pub(super) fn pid(&self) -> Option<u32> {
        match &self.process {
            ServerProcess::Child(child) => child.pid(),
            ServerProcess::Lingering(server) => server.pid(),
        }
    }

    /// Ends a child; a server that lingers is left to itself.
    pub(super) async fn stop(&mut self) {
        match &mut self.process {
            ServerProcess::Child(child) => child.stop().await,
            ServerProcess::Lingering(server) => server.leave(),
        }
    }
}

/// Waits until the server answers.
async fn answers(client: &Ollama) -> Result<(), LlmError> {
    loop {
        match client.version().await {
            Ok(_) => return Ok(()),
            // It listens before its model is loaded, and may be slow to answer then.
            Err(error) if error.is_passing() => {}
            Err(error) => return Err(error),
        }
        tokio::time::sleep(KNOCK_EVERY).await;
    }
}

/// Why a server ended before it answered.
fn not_started(status: Option<ExitStatus>, why: String) -> LlmError {
    match status.and_then(|status| status.code()) {
        Some(CANNOT_RUN) => LlmError::CannotRun { why },
        Some(TOO_LITTLE_MEMORY) => LlmError::TooLittleMemory { why },
        Some(_) | None => {
            let why = format!("joi-model ended at its start: {why}");
            down(why, "check the model file with `joi models verify`")
        }
    }
}

fn command(model: &LocalModel, config: &LlmConfig, socket: &Path) -> Command {
    let mut command = Command::new(&model.binary);
    // It may be started in another folder.
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Some(gguf) = &model.gguf {
        command.arg("--model").arg(absolute(gguf)).args(["--name", &model.name()]);
    }
    if model.embed_gguf.is_file() {
        command.arg("--embed-model").arg(absolute(&model.embed_gguf)).args(["--embed-name", EMBED_NAME]);
    }
    command.arg("--socket").arg(socket);
    let (threads, first) = (config.threads.count().to_string(), config.threads.first().to_string());
    command.args(["--threads", &threads, "--first-threads", &first, "--ctx", &config.num_ctx.to_string()]);
    command.stdout(Stdio::null());
    command
}

fn spawn(mut command: Command) -> Result<Child, LlmError> {
    let program = command.as_std().get_program().to_owned();
    let failed = |error: std::io::Error| {
        down(format!("{} cannot be started ({error})", program.display()), "build it anew with `make`")
    };
    let child = command.spawn().map_err(failed)?;
    // Set before the child has made its threads, which inherit it. A refusal costs smoothness, not function.
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Err(error) = rustix::process::setpriority_process(pid, NICENESS) {
        debug!(%error, "the local model keeps its priority");
    }
    if let Some(Err(error)) = child.id().map(|pid| machine::end_first(pid, ENDS_FIRST)) {
        debug!(%error, "when memory runs out, the local model may not be the first to end");
    }
    Ok(child)
}

fn down(why: String, remedy: &str) -> LlmError {
    LlmError::Down { why, remedy: remedy.to_owned() }
}
