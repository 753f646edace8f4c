//! Error answers: a status and `{"error": text}`, in the words of the contract.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::engine::{Busy, EngineError};
use crate::template::TemplateError;
use crate::vectors::Undone;

/// A request that is answered with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: StatusCode,
    text: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// The request itself is wrong.
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// Another model than ours.
    pub(super) fn not_found(name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("model '{name}' not found"))
    }

    /// The engine's thread ended under the request.
    pub(super) fn engine_gone() -> Self {
        let text = "model runner has unexpectedly stopped, this may be due to resource limitations or an \
                    internal error, check the log of joi-model for details";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }

    /// The object that tells it.
    pub(super) fn body(&self) -> Value {
        json!({ "error": self.text })
    }
}

impl From<Busy> for Refusal {
    fn from(_: Busy) -> Self {
        let text = "server busy, please try again.  maximum pending requests exceeded";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }
}

impl From<Undone> for Refusal {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Busy => Busy.into(),
            Undone::Gone => Self::engine_gone(),
            Undone::Failed(error) => error.into(),
        }
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let status = match &error {
            EngineError::TooLong | EngineError::Template(TemplateError::Rejected(_)) => {
                StatusCode::BAD_REQUEST
            }
            // The status Ollama borrows from nginx for a client that is gone.
            EngineError::Cancelled => StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST),
            EngineError::Load(_) | EngineError::Template(_) | EngineError::Run(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        Self::new(status, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.body())).into_response()
    }
}
