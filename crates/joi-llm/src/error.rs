//! What can go wrong with a model server, named by what happened; and the reading of an HTTP failure.
//!
//! In: status and body of a failed call. Out: [`LlmError`]. Prompts and replies never get into an error's text.
//! Pure: no I/O, no clock.

use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

/// Longest piece of a server's own words that an error carries, in characters.
const QUOTED_MAX: usize = 300;

/// Why a model gave no (whole) answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LlmError {
    /// No server listens there. The caller reports it; [`super::Mind`] looks for another server.
    #[error("cannot connect to {at}: {why}; start the model server or correct llm.url")]
    Unreachable {
        /// The server's address.
        at: String,
        /// The system's own words.
        why: String,
    },
    /// The server lacks the model. The caller shows the remedy.
    #[error("the model server lacks the model {model}; run `ollama pull {model}` or change llm.model")]
    ModelMissing {
        /// As it was asked for.
        model: String,
    },
    /// The model cannot call tools. The caller asks again without them.
    #[error("the model {model} cannot call tools; ask without them or choose another llm.model")]
    NoTools {
        /// As it was asked for.
        model: String,
    },
    /// The model is none to talk with (an embedding model). The caller gives up.
    #[error("{model} is not a chat model; choose another llm.model")]
    NoChat {
        /// As it was asked for.
        model: String,
    },
    /// Nobody makes vectors. The caller goes on without them.
    #[error("no model makes vectors: {why}; {remedy}")]
    NoVectors {
        /// What happened.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// The server's queue is full. The caller may try once more later.
    #[error("the model server is busy; try again in a moment")]
    Busy,
    /// The server is up, its model is not yet. The caller waits and tries again.
    #[error("the model is still being loaded; try again in a moment")]
    Loading,
    /// The server does not let us in. Trying again is useless.
    #[error("the model server refuses us (HTTP {status}); check its token and the hosts it allows")]
    Refused {
        /// 401 or 403.
        status: u16,
    },
    /// The server refuses the API key, or wants one. Trying again is useless before the key is another one.
    #[error(
        "the model server at {at} refuses the API key (HTTP {status}): missing, wrong or without permission; check llm.key_file"
    )]
    KeyRefused {
        /// The server's address.
        at: String,
        /// 401 or 403.
        status: u16,
    },
    /// The file with the API key can't be used.
    #[error("cannot read the API key from {file}: {why}; correct llm.key_file or the file")]
    KeyFile {
        /// The file.
        file: String,
        /// The reason, without the file's content.
        why: String,
    },
    /// A server outside of the home is off without an API key. Trying again is useless before there is one.
    #[error("the model server at {at} is outside of the home and off without an API key; set llm.key_file")]
    NoKey {
        /// The server's address.
        at: String,
    },
    /// The server has no such model.
    #[error("the model server has no model {model}: {offers}; change llm.model")]
    ModelUnknown {
        /// As it was asked for.
        model: String,
        /// The models that it has, as a clause.
        offers: String,
    },
    /// The conversation is longer than the model's context. The caller shortens it or gives up.
    #[error(
        "the conversation is longer than the context of the model server (HTTP 400: {0}); start the server with a longer context"
    )]
    ContextTooLong(String),
    /// The server limits the number of requests or tokens. The caller may try once more later.
    #[error("the model server limits requests (HTTP 429); wait a moment, or raise the limit of the account")]
    TooManyRequests,
    /// Another kind of service listens at the address.
    #[error(
        "the service at {at} does not speak the API of Anthropic: {found}; correct llm.url or llm.backend"
    )]
    NotAnthropic {
        /// The server's address.
        at: String,
        /// The kind of service, as a clause.
        found: String,
    },
    /// Another kind of service listens at the address.
    #[error(
        "the service at {at} is not an OpenAI-compatible server: {found}; correct llm.url or llm.backend"
    )]
    NotOpenAi {
        /// The server's address.
        at: String,
        /// The kind of service, as a clause.
        found: String,
    },
    /// Any other failure, in the server's words. The caller may try once more when `status` is 5xx.
    #[error("the model server failed (HTTP {status}: {text}); see its log")]
    Server {
        /// HTTP status.
        status: u16,
        /// The server's words, cut.
        text: String,
    },
    /// The server gave up in mid-reply and said so. What came before is not a whole answer.
    #[error("the model server gave up in mid-reply ({0}); see its log")]
    MidStream(String),
    /// The reply ended without its last line: the server died. What came before is not a whole answer.
    #[error("the model server broke off in mid-reply; see its log")]
    Broken,
    /// The reply is not what a model server sends. Another program listens there.
    #[error("the service at llm.url is not a model server ({0}); correct llm.url")]
    Garbage(String),
    /// It took longer than allowed; the call was dropped.
    #[error("the model server took longer than {} s for {what}; use a smaller model or a faster machine", limit.as_secs())]
    TimedOut {
        /// The step that took too long, for example "its first word".
        what: &'static str,
        /// How long was waited.
        limit: Duration,
    },
    /// No server serves. The caller reports it.
    #[error("no model is available: {why}; {remedy}")]
    Down {
        /// What happened.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// The embedded server can't run its model: the file, or its kind. Trying again is useless before the file is another
    /// one; another model may do.
    #[error("the model can't be used: {why}")]
    CannotRun {
        /// The server's own sentence, with the remedy.
        why: String,
    },
    /// The model does not fit into the memory that is free now. A smaller one may do.
    #[error("too little memory: {why}")]
    TooLittleMemory {
        /// The server's own sentence, with the remedy.
        why: String,
    },
    /// The program is being shut down. The caller ends quietly.
    #[error("the model is being shut down")]
    ShutDown,
}

impl LlmError {
    /// That nobody makes vectors.
    pub fn no_vectors(why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::NoVectors { why: why.into(), remedy: remedy.into() }
    }

    /// No server serves, with the reason and the remedy.
    pub(crate) fn down(why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Down { why: why.into(), remedy: remedy.into() }
    }

    /// What happened without a server's own words, which may repeat what was said: for the log.
    pub fn for_the_log(&self) -> String {
        match self {
            Self::Server { status, .. } => format!("the model server failed (HTTP {status}); see its log"),
            Self::ContextTooLong(_) => {
                "the conversation is longer than the context of the model server; see its log".to_owned()
            }
            Self::MidStream(_) => "the model server gave up in mid-reply; see its log".to_owned(),
            Self::Unreachable { .. }
            | Self::ModelMissing { .. }
            | Self::NoTools { .. }
            | Self::NoChat { .. }
            | Self::NoVectors { .. }
            | Self::Busy
            | Self::Loading
            | Self::Refused { .. }
            | Self::KeyRefused { .. }
            | Self::KeyFile { .. }
            | Self::NoKey { .. }
            | Self::ModelUnknown { .. }
            | Self::TooManyRequests
            | Self::NotOpenAi { .. }
            | Self::NotAnthropic { .. }
            | Self::Broken
            | Self::Garbage(_)
            | Self::TimedOut { .. }
            | Self::Down { .. }
            | Self::CannotRun { .. }
            | Self::TooLittleMemory { .. }
            | Self::ShutDown => self.to_string(),
        }
    }

    /// Returns whether the same question may succeed a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Busy
            | Self::Loading
            | Self::TooManyRequests
            | Self::MidStream(_)
            | Self::Broken
            | Self::TimedOut { .. } => true,
            Self::Server { status, .. } => *status >= 500,
            Self::ModelMissing { .. }
            | Self::NoTools { .. }
            | Self::NoChat { .. }
            | Self::NoVectors { .. }
            | Self::Refused { .. }
            | Self::KeyRefused { .. }
            | Self::KeyFile { .. }
            | Self::NoKey { .. }
            | Self::ModelUnknown { .. }
            | Self::ContextTooLong(_)
            | Self::NotOpenAi { .. }
            | Self::NotAnthropic { .. }
            | Self::Garbage(_)
            | Self::Down { .. }
            | Self::CannotRun { .. }
            | Self::TooLittleMemory { .. }
            | Self::ShutDown => false,
        }
    }
}

/// Reads a failed call. `model` is the one that was asked for, `body` what came with `status`.
pub(super) fn from_status(status: u16, body: &[u8], model: &str) -> LlmError {
    #[derive(Deserialize)]
    struct ErrorBody {
        error: String,
    }
    let told = serde_json::from_slice::<ErrorBody>(body).ok().map(|b| quoted(&b.error));
    let text = told.unwrap_or_else(|| quoted(&String::from_utf8_lossy(body)));
    let model = model.to_owned();
    match status {
        401 | 403 => LlmError::Refused { status },
        404 if text.starts_with("model ") => LlmError::ModelMissing { model },
        400 if text.ends_with("does not support tools") => LlmError::NoTools { model },
        400 if text.ends_with("does not support chat") => LlmError::NoChat { model },
        503 if text.to_ascii_lowercase().contains("loading model") => LlmError::Loading,
        503 => LlmError::Busy,
        404 => LlmError::Garbage("it does not know Ollama's paths".to_owned()),
        _ => LlmError::Server { status, text },
    }
}

/// A server's words, on one line and cut.
pub(super) fn quoted(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of the contract's table of errors that has a meaning of its own for us.
    #[test]
    fn failures_are_distinguished_by_status_and_words() {
        let model = || "m".to_owned();
        let server = |status, text: &str| LlmError::Server { status, text: text.into() };
        let rows = [
            (404, r#"{"error":"model 'm' not found"}"#, LlmError::ModelMissing { model: model() }),
            (
                404,
                r#"{"error":"model \"m\" not found, try pulling it first"}"#,
                LlmError::ModelMissing { model: model() },
            ),
            (404, "404 page not found", LlmError::Garbage("it does not know Ollama's paths".into())),
            (
                400,
                r#"{"error":"registry.ollama.ai/library/m does not support tools"}"#,
                LlmError::NoTools { model: model() },
            ),
            (400, r#"{"error":"\"m\" does not support chat"}"#, LlmError::NoChat { model: model() }),
            (
                400,
                r#"{"error":"\"m\" does not support thinking"}"#,
                server(400, "\"m\" does not support thinking"),
            ),
            (
                503,
                r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#,
                LlmError::Busy,
            ),
            (503, r#"{"error":{"code":503,"message":"Loading model"}}"#, LlmError::Loading),
            (403, "", LlmError::Refused { status: 403 }),
            (401, r#"{"error":"unauthorized","signin_url":"x"}"#, LlmError::Refused { status: 401 }),
            (500, "oh\n no", server(500, "oh no")),
            (499, r#"{"error":"request canceled"}"#, server(499, "request canceled")),
        ];
        for (status, body, expected) in rows {
            assert_eq!(from_status(status, body.as_bytes(), "m"), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_long_error_is_cut_and_its_remedy_stays() {
        let error = from_status(500, "é".repeat(5000).as_bytes(), "m");
        let told = error.to_string();
        assert!(told.chars().count() < 400 && told.ends_with("see its log"), "{told}");
    }
}
