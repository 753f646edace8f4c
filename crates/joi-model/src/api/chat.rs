//! `/api/chat` and `/api/generate`: read, queue, answer.

use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Response;
use bytes::Bytes;

use super::App;
use super::error::ApiError;
use super::request::{self, ChatRequest, CheckedRequest, GenerateRequest};
use super::stream::{self, ResponseForm, TextField};

/// A turn of a conversation; without messages, loads or unloads the model.
pub(super) async fn chat(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let asked = request::body::<ChatRequest>(body)?.check(&app)?;
    answer(&app, asked, TextField::Chat).await
}

/// The answer to one prompt; without one, loads or unloads the model.
pub(super) async fn generate(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let asked = request::body::<GenerateRequest>(body)?.check(&app)?;
    answer(&app, asked, TextField::Generate).await
}

async fn answer(app: &App, asked: CheckedRequest, shape: TextField) -> Result<Response, ApiError> {
    let CheckedRequest { model, work, runner, keep_alive, delivery } = asked;
    let ticket = app.engine.submit(work, runner, keep_alive)?;
    stream::answer(ticket, ResponseForm { shape, model: model.into() }, delivery).await
}
