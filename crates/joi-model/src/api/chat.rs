//! `/api/chat` and `/api/generate`: read, queue, answer.

use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Response;
use bytes::Bytes;

use super::error::ApiError;
use super::request::{self, ChatRequest, CheckedRequest, GenerateRequest};
use super::stream::{self, ResponseForm, TextField};
use super::{App, ChatService};

/// A turn of a conversation; without messages, loads or unloads the model.
pub(super) async fn chat(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let (asked, chat) = request::body::<ChatRequest>(body)?.check(&app)?;
    answer(chat, asked, TextField::Chat).await
}

/// The answer to one prompt; without one, loads or unloads the model.
pub(super) async fn generate(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let (asked, chat) = request::body::<GenerateRequest>(body)?.check(&app)?;
    answer(chat, asked, TextField::Generate).await
}

async fn answer(chat: &ChatService, asked: CheckedRequest, shape: TextField) -> Result<Response, ApiError> {
    let CheckedRequest { model, work, runner, keep_alive, delivery } = asked;
    let ticket = chat.engine.submit(work, runner, keep_alive)?;
    stream::answer(ticket, ResponseForm { shape, model: model.into() }, delivery).await
}
