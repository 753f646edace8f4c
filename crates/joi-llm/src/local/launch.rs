//! Starts `joi-model` and waits until it answers.
//!
//! Owned by the task that keeps the model server. In: a [`LocalModel`] and its options. Out: the process, or why it ended
//! before it answered.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tracing::debug;

use super::model::{EMBED_NAME, LocalModel};
use crate::config::LlmConfig;
use crate::error::LlmError;
use crate::kinds::ollama::Ollama;
use joi_base::machine;

/// Added to the niceness of the child, so that it yields to hearing and speaking.
const NICENESS: i32 = 5;
/// Score of the child for the kernel when memory runs out, of 1000: it ends before the program that can restart it.
const ENDS_FIRST: u16 = 800;
/// Time between two attempts to reach a server that starts.
pub(super) const KNOCK_EVERY: Duration = Duration::from_millis(100);
/// Time a server gets to end by itself.
pub(super) const ENDING: Duration = Duration::from_secs(3);
/// Exit codes by which `joi-model` says that it can't run this model, and that there is too little memory for it.
const CANNOT_RUN: i32 = 3;
const TOO_LITTLE_MEMORY: i32 = 4;

/// Waits until the server answers.
pub(super) async fn answers(client: &Ollama) -> Result<(), LlmError> {
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
pub(super) fn not_started(status: Option<ExitStatus>, why: String) -> LlmError {
    match status.and_then(|status| status.code()) {
        Some(CANNOT_RUN) => LlmError::CannotRun { why },
        Some(TOO_LITTLE_MEMORY) => LlmError::TooLittleMemory { why },
        Some(_) | None => {
            let why = format!("joi-model ended at its start: {why}");
            LlmError::down(why, "check the model file with `joi models verify`")
        }
    }
}

pub(super) fn command(model: &LocalModel, config: &LlmConfig, socket: &Path) -> Command {
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

pub(super) fn spawn(mut command: Command) -> Result<Child, LlmError> {
    let program = command.as_std().get_program().to_owned();
    let failed = |error: std::io::Error| {
        LlmError::down(
            format!("{} cannot be started ({error})", program.display()),
            "build it anew with `make`",
        )
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
