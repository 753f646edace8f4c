//! The tools of the running program, for a program that only passes calls on.
//!
//! Tokio tasks; a connection for each call, so that dropping one cancels the call there. In: the runtime directory. Out:
//! what the running program answers, or that there is none.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use joi_mcp::serve::{CallAnswer, HouseTools, ServedList};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::wire::{ControlAnswer, ControlRequest};
use super::{ControlError, REQUEST_BYTES, socket};

/// Time limit for a list; a call has none, since the running program ends it.
const LISTS_WITHIN: Duration = Duration::from_secs(10);
/// The answer where no program runs.
const NOT_RUNNING: &str =
    "joi is not running; start it with `joi run`, or as a service with `systemctl --user start joi`";

/// The tools of the program that serves a runtime directory.
pub struct RunningDesk(PathBuf);

impl RunningDesk {
    /// The tools of the program that serves `runtime`.
    pub fn new(runtime: PathBuf) -> Self {
        Self(runtime)
    }

    async fn asked(&self, request: &ControlRequest) -> Result<ControlAnswer, ControlError> {
        let socket = socket(&self.0);
        let line = serde_json::to_string(request)? + "\n";
        if line.len() > REQUEST_BYTES {
            let why = format!("the arguments are too long: a call has at most {REQUEST_BYTES} bytes");
            return Err(ControlError::Refused(why));
        }
        let gone = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::UnexpectedEof => {
                ControlError::Refused(NOT_RUNNING.to_owned())
            }
            _ => ControlError::Unreachable { socket: socket.clone(), source },
        };
        let stream = UnixStream::connect(&socket).await.map_err(gone)?;
        let mut stream = BufReader::new(stream);
        stream.get_mut().write_all(line.as_bytes()).await.map_err(gone)?;
        let mut answer = String::new();
        if stream.read_line(&mut answer).await.map_err(gone)? == 0 {
            return Err(gone(io::ErrorKind::UnexpectedEof.into()));
        }
        match serde_json::from_str(&answer)? {
            ControlAnswer::Error { error } => Err(ControlError::Refused(error)),
            answer => Ok(answer),
        }
    }
}

impl HouseTools for RunningDesk {
    async fn listed(&self) -> Result<ServedList, String> {
        let late = |_| "joi does not answer; `joi doctor` shows why".to_owned();
        match timeout(LISTS_WITHIN, self.asked(&ControlRequest::Tools)).await.map_err(late)? {
            Ok(ControlAnswer::Tools { served }) => Ok(served),
            Ok(other) => {
                Err(format!("joi answers {}; restart it, it is of another version", other.line().trim()))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>) -> CallAnswer {
        match self.asked(&ControlRequest::Call { tool: name.to_owned(), arguments }).await {
            Ok(ControlAnswer::Called { called }) => called,
            Ok(other) => CallAnswer::Failed(format!("joi answers {}; restart it", other.line().trim())),
            Err(error) => CallAnswer::Failed(error.to_string()),
        }
    }
}
