//! Our own model server, `joi-model`, as a child process.
//!
//! Owned by the task of [`super::mind`]. In: where the program and the model are. Out: a client of the
//! running server, and word when it ends. The child listens on a unix socket that only the owner can
//! open; it ends with us, because it watches its standard input, whose other end we hold.

use std::collections::VecDeque;
use std::fs::{DirBuilder, remove_file};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::task::JoinHandle;
use tracing::debug;

use super::error::quoted;
use super::{Endpoint, LlmConfig, LlmError, Ollama};

/// The model for vectors that `joi models fetch` brings.
pub const LOCAL_EMBED_MODEL: &str = "embed-all-minilm-l6-v2";
/// How our own server calls it.
pub(super) const EMBED_NAME: &str = "all-minilm";
/// How much the child yields to ears and mouth: added to its niceness.
const NICENESS: i32 = 5;
/// Longest path of a unix socket that Linux takes, in bytes.
const SOCKET_PATH_MAX: usize = 107;
/// Longest time to load the model: minutes from a slow SD card.
const LOADING: Duration = Duration::from_secs(180);
/// How often it is asked whether it is ready.
const KNOCK_EVERY: Duration = Duration::from_millis(100);
/// Time it gets to end by itself.
const ENDING: Duration = Duration::from_secs(3);
/// So many of its last lines are searched for the reason of its end.
const LAST_LINES: usize = 8;

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
}

impl LocalModel {
    /// The name of the model it is started for.
    pub fn name(&self) -> String {
        self.gguf.as_deref().map_or_else(|| EMBED_NAME.to_owned(), served_name)
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

/// The running child.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    /// Its other end is what the child watches. Apart from `child`, whose `wait` would close it.
    leash: Option<ChildStdin>,
    socket: PathBuf,
    last_lines: LastLines,
    reader: JoinHandle<()>,
    started: Instant,
    /// Speaks to it.
    pub(super) client: Ollama,
}

impl Server {
    /// Starts the child and waits until it can be asked.
    pub(super) async fn start(model: &LocalModel, config: &LlmConfig) -> Result<Self, LlmError> {
        let socket = socket_for(model)?;
        let client = Ollama::new(&Endpoint::Unix { path: socket.clone() }, None)?;
        let mut child = spawn(model, config, &socket)?;
        let last_lines = LastLines::default();
        let reader = tokio::spawn(read_lines(child.stderr.take(), last_lines.clone()));
        let leash = child.stdin.take();
        let mut server = Self { child, leash, socket, last_lines, reader, started: Instant::now(), client };
        match tokio::time::timeout(LOADING, server.come_up()).await {
            Ok(Ok(())) => Ok(server),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(LlmError::TimedOut { what: "loading the local model", limit: LOADING }),
        }
    }

    /// Waits for the child's end and tells its last words. Cancel-safe.
    pub(super) async fn ended(&mut self) -> String {
        let status = self.child.wait().await;
        // Its last words are all there once its end of the pipe is closed, which the exit does, unless a
        // process it started holds it as well.
        let _ = tokio::time::timeout(ENDING, &mut self.reader).await;
        let how = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        self.last_lines.reason(&how)
    }

    /// How long it has been running.
    pub(super) fn ran(&self) -> Duration {
        self.started.elapsed()
    }

    /// The child's process id; nothing once it has ended.
    pub(super) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Ends the child: politely, then by force.
    pub(super) async fn stop(&mut self) {
        drop(self.leash.take());
        if tokio::time::timeout(ENDING, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }

    async fn come_up(&mut self) -> Result<(), LlmError> {
        loop {
            let knock = async {
                tokio::time::sleep(KNOCK_EVERY).await;
                self.client.version().await
            };
            tokio::select! {
                // Both arms are cancel-safe: a knock leaves nothing behind, a wait can be waited for again.
                knocked = knock => match knocked {
                    Ok(_) => return Ok(()),
                    // It listens before its model is loaded, and may be slow to answer then.
                    Err(error) if error.is_passing() => {}
                    Err(error) => return Err(error),
                },
                _ = self.child.wait() => {
                    let why = format!("joi-model ended at its start: {}", self.ended().await);
                    return Err(down(why, "check the model file with `joi models verify`"));
                }
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The child is killed with its handle; its socket would stay.
        let _ = remove_file(&self.socket);
    }
}

/// The last lines a child wrote to its standard error.
#[derive(Debug, Clone, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Why it ended: its own sentence, else how it ended and what it last wrote.
    fn reason(&self, how: &str) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (lines.iter().rev().find_map(|line| line.strip_prefix("joi-model: ")), lines.back()) {
            (Some(sentence), _) => sentence.to_owned(),
            (None, Some(last)) => format!("{how} after “{last}”"),
            (None, None) => how.to_owned(),
        }
    }
}

async fn read_lines(stderr: Option<ChildStderr>, last: LastLines) {
    let Some(stderr) = stderr else { return };
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let line = quoted(&line);
        debug!(target: "joi::model", "{line}");
        if !line.is_empty() {
            last.push(line);
        }
    }
}

/// The place for the socket, made when missing.
fn socket_for(model: &LocalModel) -> Result<PathBuf, LlmError> {
    let folder = &model.runtime_dir;
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
        down(format!("{} cannot be made ({error})", folder.display()), "set JOI_RUNTIME to a folder of yours")
    })?;
    // Short, since a socket's path may not be long.
    let mut name = DefaultHasher::new();
    model.name().hash(&mut name);
    let socket = folder.join(format!("joi-model-{}-{:08x}.sock", std::process::id(), name.finish() as u32));
    if socket.as_os_str().len() > SOCKET_PATH_MAX {
        return Err(down(
            format!("{} is too long for a socket", socket.display()),
            "set JOI_RUNTIME to a shorter path",
        ));
    }
    // Left over from a process with our id that was killed.
    let _ = remove_file(&socket);
    Ok(socket)
}

fn spawn(model: &LocalModel, config: &LlmConfig, socket: &Path) -> Result<Child, LlmError> {
    let mut command = Command::new(&model.binary);
    if let Some(gguf) = &model.gguf {
        command.arg("--model").arg(gguf).args(["--name", &model.name()]);
    }
    if model.embed_gguf.is_file() {
        command.arg("--embed-model").arg(&model.embed_gguf).args(["--embed-name", EMBED_NAME]);
    }
    command.arg("--socket").arg(socket);
    command.args(["--threads", &config.threads.count().to_string(), "--ctx", &config.num_ctx.to_string()]);
    command.arg("--parent-stdin");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let failed = |error: std::io::Error| {
        down(format!("{} cannot be started ({error})", model.binary.display()), "build it anew with `make`")
    };
    let child = command.spawn().map_err(failed)?;
    // Set before the child has made its threads, which inherit it. A refusal costs smoothness, not function.
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Err(error) = rustix::process::setpriority_process(pid, NICENESS) {
        debug!(%error, "the local model keeps its priority");
    }
    Ok(child)
}

fn down(why: String, remedy: &str) -> LlmError {
    LlmError::Down { why, remedy: remedy.to_owned() }
}
