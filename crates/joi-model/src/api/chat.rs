//! `/api/chat` and `/api/generate`: read, queue, answer.

use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Response;
use bytes::Bytes;

use super::App;
use super::refusal::Refusal;
use super::request::{self, Asked, ChatRequest, GenerateRequest};
use super::stream::{self, Form, Shape};

/// A turn of a conversation; without messages, loads or frees the model.
pub(super) async fn chat(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let asked = request::body::<ChatRequest>(body)?.check(&app)?;
    answer(&app, asked, Shape::Chat).await
}

/// The answer to one prompt; without one, loads or frees the model.
pub(super) async fn generate(
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let asked = request::body::<GenerateRequest>(body)?.check(&app)?;
    answer(&app, asked, Shape::Generate).await
}

async fn answer(app: &App, asked: Asked, shape: Shape) -> Result<Response, Refusal> {
    let Asked { model, work, runner, keep_alive, delivery } = asked;
    let ticket = app.engine.submit(work, runner, keep_alive)?;
    stream::answer(ticket, Form { shape, model: model.into() }, delivery).await
}
