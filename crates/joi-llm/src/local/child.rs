//! A model server that ends with the program that started it.
//!
//! Owned by the keeper of the model. The child watches its standard input, whose other end is held here. Out: a
//! client once it answers, and its last words.

use std::collections::VecDeque;
use std::fs::remove_file;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::task::JoinHandle;
use tracing::debug;

use super::launch::{ENDING, answers, not_started, spawn};
use crate::error::{LlmError, quoted};
use crate::http::Endpoint;
use crate::kinds::ollama::Ollama;

/// So many of its last lines are searched for the reason of its end.
const LAST_LINES: usize = 8;

/// A server that ends with the program.
#[derive(Debug)]
pub(super) struct ChildServer {
    child: Child,
    /// Its other end is what the child watches. Apart from `child`, whose `wait` would close it.
    leash: Option<ChildStdin>,
    socket: PathBuf,
    last_lines: LastLines,
    reader: JoinHandle<()>,
}

impl ChildServer {
    /// Starts `command`, which listens on `socket`, and waits until it answers.
    pub(super) async fn start(mut command: Command, socket: PathBuf) -> Result<(Self, Ollama), LlmError> {
        // Left over from a process with this id that was killed.
        let _ = remove_file(&socket);
        let client = Ollama::new(&Endpoint::Unix { path: socket.clone() }, None)?;
        command.arg("--parent-stdin");
        command.stdin(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = spawn(command)?;
        let last_lines = LastLines::default();
        let reader = tokio::spawn(read_lines(child.stderr.take(), last_lines.clone()));
        let leash = child.stdin.take();
        let mut server = Self { child, leash, socket, last_lines, reader };
        server.come_up(&client).await?;
        Ok((server, client))
    }

    /// Waits for the child's end and returns its last words. Cancel-safe.
    pub(super) async fn ended(&mut self) -> (Option<ExitStatus>, String) {
        let status = self.child.wait().await;
        // Its last words are all there once its end of the pipe is closed, which the exit does, unless a
        // process it started holds it as well.
        let _ = tokio::time::timeout(ENDING, &mut self.reader).await;
        let how = status.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        (status.ok(), self.last_lines.reason(&how))
    }

    /// Its process id; nothing once it has ended.
    pub(super) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Ends it: politely, then by force.
    pub(super) async fn stop(&mut self) {
        drop(self.leash.take());
        if tokio::time::timeout(ENDING, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }

    async fn come_up(&mut self, client: &Ollama) -> Result<(), LlmError> {
        tokio::select! {
            // Both arms are cancel-safe: a knock leaves nothing behind, a wait can be waited for again.
            answered = answers(client) => answered,
            _ = self.child.wait() => {
                let (status, why) = self.ended().await;
                Err(not_started(status, why))
            }
        }
    }
}

impl Drop for ChildServer {
    fn drop(&mut self) {
        // The child is killed with its handle; its socket would stay.
        let _ = remove_file(&self.socket);
    }
}

/// The last lines a server wrote to its standard error.
#[derive(Debug, Clone, Default)]
pub(super) struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    /// One more.
    pub(super) fn push(&self, line: &str) {
        let line = quoted(line);
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Why it ended: its own sentence, else how it ended and what it last wrote.
    pub(super) fn reason(&self, how: &str) -> String {
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
        debug!(target: "joi::model", "{}", quoted(&line));
        last.push(&line);
    }
}
