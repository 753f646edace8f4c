//! Error answers: a status and `{"error": text}`, in the words of the contract.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::embeddings::EmbedError;
use crate::engine::{EngineError, QueueFull};
use crate::template::TemplateError;

/// An error answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiError {
    status: StatusCode,
    text: String,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// The request itself is wrong.
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// The requested model is not served.
    pub(super) fn not_found(name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("model '{name}' not found"))
    }

    /// The engine's thread ended during the request.
    pub(super) fn engine_gone() -> Self {
        let text = "model runner has unexpectedly stopped, this may be due to resource limitations or an \
                    internal error, check the log of joi-model for details";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }

    /// The JSON object with the error text.
    pub(super) fn body(&self) -> Value {
        json!({ "error": self.text })
    }
}

impl From<QueueFull> for ApiError {
    fn from(_: QueueFull) -> Self {
        let text = "server busy, please try again.  maximum pending requests exceeded";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }
}

impl From<EmbedError> for ApiError {
    fn from(undone: EmbedError) -> Self {
        match undone {
            EmbedError::QueueFull => QueueFull.into(),
            EmbedError::Gone => Self::engine_gone(),
            EmbedError::Failed(error) => error.into(),
        }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let status = match &error {
            EngineError::TooLong | EngineError::ChatTemplate(TemplateError::Rejected(_)) => {
                StatusCode::BAD_REQUEST
            }
            // The status Ollama borrows from nginx for a client that has disconnected.
            EngineError::Cancelled => StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST),
            EngineError::Load(_) | EngineError::ChatTemplate(_) | EngineError::Run(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        Self::new(status, error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.body())).into_response()
    }
}
