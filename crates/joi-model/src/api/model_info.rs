//! Information about the models, and the refusal of whatever would change them.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use jiff::{Timestamp, ToSpan};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::request::{body, require};
use super::{App, ServedModel, VERSION};
use crate::name::Name;

/// A body that names a model.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ModelNameBody {
    model: Option<String>,
    /// The old alias of `model`.
    name: Option<String>,
    stream: Option<bool>,
}

impl ModelNameBody {
    fn model(&self) -> Option<&str> {
        self.model.as_deref().filter(|m| !m.is_empty()).or(self.name.as_deref())
    }
}

pub(super) async fn version() -> Json<Value> {
    Json(json!({ "version": VERSION }))
}

pub(super) async fn tags(State(app): State<App>) -> Json<Value> {
    let card = |(name, model): (&Name, ServedModel<'_>)| {
        let facts = model.facts();
        json!({
            "name": name.to_string(),
            "model": name.to_string(),
            "modified_at": facts.modified_at.to_string(),
            "size": facts.size,
            "digest": facts.digest,
            "details": facts.details(),
            "capabilities": facts.capabilities(),
        })
    };
    let models: Vec<Value> = app.all().map(card).collect();
    Json(json!({ "models": models }))
}

pub(super) async fn ps(State(app): State<App>) -> Json<Value> {
    let card = |(name, model): (&Name, ServedModel<'_>)| {
        let facts = model.facts();
        let (until, window) = match model {
            ServedModel::Chat(chat) => {
                chat.engine.resident().map(|residence| (residence.until, residence.num_ctx))?
            }
            ServedModel::Embedding(_) => (None, facts.trained_context),
        };
        Some(json!({
            "name": name.to_string(),
            "model": name.to_string(),
            "size": facts.size,
            "digest": facts.digest,
            "details": facts.details(),
            "expires_at": until.unwrap_or_else(never).to_string(),
            "size_vram": 0,
            "context_length": window,
        }))
    };
    let models: Vec<Value> = app.all().filter_map(card).collect();
    Json(json!({ "models": models }))
}

/// "For ever" is as far away as in Ollama: some 292 years.
fn never() -> Timestamp {
    Timestamp::now().checked_add((292 * 365 * 24).hours()).unwrap_or(Timestamp::MAX)
}

pub(super) async fn show(
    State(app): State<App>,
    request: Result<Bytes, BytesRejection>,
) -> Result<Json<Value>, ApiError> {
    let asked: ModelNameBody = body(request)?;
    let (name, served) = require(asked.model(), &app)?;
    let facts = served.facts();
    Ok(Json(json!({
        "license": facts.license,
        "modelfile": format!("FROM {name}\n"),
        "parameters": "",
        "template": facts.template,
        "details": facts.details(),
        "model_info": facts.info,
        "capabilities": facts.capabilities(),
        "modified_at": facts.modified_at.to_string(),
    })))
}

/// Pulling a served model succeeds, as in Ollama; any other model can't be pulled.
pub(super) async fn pull(
    State(app): State<App>,
    request: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let asked: ModelNameBody = body(request)?;
    let name = asked.model().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| ApiError::bad("invalid model name"))?;
    let name = Name::parse(name).map_err(|_| ApiError::bad("invalid model name"))?;
    let is_here = app.served(&name).is_some();
    let end = if is_here {
        json!({"status": "success"})
    } else {
        json!({"error": "pull model manifest: joi-model serves the model files it was given and downloads none"})
    };
    if asked.stream == Some(false) {
        let status = if is_here { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR };
        return Ok((status, Json(end)).into_response());
    }
    let lines = format!("{}\n{end}\n", json!({"status": "pulling manifest"}));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], lines).into_response())
}

pub(super) async fn delete(State(app): State<App>, request: Result<Bytes, BytesRejection>) -> ApiError {
    match body::<ModelNameBody>(request).and_then(|asked| require(asked.model(), &app)) {
        Ok(_) => ApiError::bad("joi-model serves the model files it was given and deletes none"),
        Err(refusal) => refusal,
    }
}

pub(super) async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "404 page not found")
}
