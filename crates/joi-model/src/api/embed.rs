//! `/api/embed`, and its older form `/api/embeddings`: texts in, embeddings out.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::request::{body, require};
use super::{App, ServedModel};
use crate::embeddings::{EmbedTexts, EmbeddingService, Embeddings};

/// Body of `/api/embed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EmbedRequest {
    model: Option<String>,
    input: Option<Value>,
    truncate: Option<bool>,
    dimensions: Option<usize>,
}

/// Body of `/api/embeddings`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OneRequest {
    model: Option<String>,
    prompt: String,
}

/// An embedding for each text.
pub(super) async fn embed(
    State(app): State<App>,
    request: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, ApiError> {
    let asked: EmbedRequest = body(request)?;
    let (model, vectors) = maker(&app, asked.model.as_deref())?;
    let texts = texts(asked.input)?;
    let truncate = asked.truncate != Some(false);
    let dimensions = asked.dimensions.filter(|n| *n > 0);
    let Embeddings { vectors, tokens, total } =
        vectors.make(EmbedTexts { texts, truncate, dimensions }).await?;
    Ok(Json(json!({
        "model": model,
        "embeddings": vectors,
        "total_duration": u64::try_from(total.as_nanos()).unwrap_or(u64::MAX),
        "load_duration": 0,
        "prompt_eval_count": tokens,
    })))
}

/// The embedding of one text, without anything else.
pub(super) async fn embedding(
    State(app): State<App>,
    request: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, ApiError> {
    let asked: OneRequest = body(request)?;
    let (_, vectors) = maker(&app, asked.model.as_deref())?;
    let texts = if asked.prompt.is_empty() { Vec::new() } else { vec![asked.prompt] };
    let made = vectors.make(EmbedTexts { texts, truncate: true, dimensions: None }).await?;
    Ok(Json(json!({ "embedding": made.vectors.into_iter().next().unwrap_or_default() })))
}

/// The requested model, by the name that was used, if it makes embeddings.
fn maker<'a>(app: &'a App, asked: Option<&str>) -> Result<(String, &'a EmbeddingService), ApiError> {
    let (asked, served) = require(asked, app)?;
    match served {
        ServedModel::Embedding(vectors) => Ok((asked, vectors)),
        ServedModel::Chat(_) => Err(ApiError::bad(format!("{asked:?} does not support embeddings"))),
    }
}

/// One text or many; an empty one counts for nothing by itself.
fn texts(input: Option<Value>) -> Result<Vec<String>, ApiError> {
    match input {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(all)) => all.into_iter().map(text).collect(),
        Some(_) => Err(wrong_input()),
    }
}

fn text(value: Value) -> Result<String, ApiError> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(wrong_input()),
    }
}

fn wrong_input() -> ApiError {
    ApiError::bad("invalid input type")
}
