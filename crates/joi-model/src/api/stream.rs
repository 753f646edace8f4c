//! The engine's events as Ollama's answers: one object per line, or one object at the end.
//!
//! An error before the first word becomes a status; after it, the last line. A client that disconnects drops
//! the body, with it the ticket, and so cancels the request.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Map, Value, json};

use super::error::ApiError;
use super::request::ResponseMode;
use crate::engine::{DoneReason, EngineEvent, Stats, Ticket};

/// The position of the text in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextField {
    /// In `message.content`.
    Chat,
    /// In `response`.
    Generate,
}

/// What all objects of one answer have in common.
#[derive(Debug, Clone)]
pub(super) struct ResponseForm {
    /// The position of the text.
    pub(super) shape: TextField,
    /// The model's name as the client wrote it.
    pub(super) model: Arc<str>,
}

/// Waits for the first event and answers.
pub(super) async fn answer(
    mut ticket: Ticket,
    form: ResponseForm,
    delivery: ResponseMode,
) -> Result<Response, ApiError> {
    match ticket.next().await.ok_or_else(ApiError::engine_gone)? {
        EngineEvent::Failed(error) => Err(error.into()),
        first => match delivery {
            ResponseMode::Lines => Ok(lines(first, ticket, form)),
            ResponseMode::Whole => whole(first, ticket, &form).await,
        },
    }
}

async fn whole(first: EngineEvent, mut ticket: Ticket, form: &ResponseForm) -> Result<Response, ApiError> {
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    let mut event = first;
    loop {
        match event {
            EngineEvent::Text(piece) => text.push_str(&piece),
            EngineEvent::Thought(piece) => thought.push_str(&piece),
            EngineEvent::Call(call) => calls.push(call),
            EngineEvent::Done(stats) => {
                let last = form.thinking(form.last(&text, &stats), thought);
                return Ok(Json(with_calls(last, calls)).into_response());
            }
            EngineEvent::Failed(error) => return Err(error.into()),
        }
        event = ticket.next().await.ok_or_else(ApiError::engine_gone)?;
    }
}

fn lines(first: EngineEvent, ticket: Ticket, form: ResponseForm) -> Response {
    let all = stream::unfold(Some((Some(first), ticket)), move |state| {
        let form = form.clone();
        async move {
            let (first, mut ticket) = state?;
            let event = match first {
                Some(event) => Some(event),
                None => ticket.next().await,
            };
            let (object, rest) = match event {
                Some(EngineEvent::Text(text)) => (form.line(&text), Some((None, ticket))),
                Some(EngineEvent::Thought(thought)) => {
                    (form.thinking(form.line(""), thought), Some((None, ticket)))
                }
                Some(EngineEvent::Call(call)) => {
                    (with_calls(form.line(""), vec![call]), Some((None, ticket)))
                }
                Some(EngineEvent::Done(stats)) => (form.last("", &stats), None),
                Some(EngineEvent::Failed(error)) => (json!({ "error": error.to_string() }), None),
                None => (ApiError::engine_gone().body(), None),
            };
            Some((Ok::<_, std::convert::Infallible>(format!("{object}\n")), rest))
        }
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(all)).into_response()
}

/// `object` with `calls` in its message.
fn with_calls(mut object: Value, calls: Vec<Value>) -> Value {
    if let Some(message) =
        object.get_mut("message").and_then(Value::as_object_mut).filter(|_| !calls.is_empty())
    {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    object
}

impl ResponseForm {
    fn object(&self, text: &str) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("model".to_owned(), json!(*self.model));
        object.insert("created_at".to_owned(), json!(jiff::Timestamp::now().to_string()));
        match self.shape {
            TextField::Chat => {
                object.insert("message".to_owned(), json!({"role": "assistant", "content": text}))
            }
            TextField::Generate => object.insert("response".to_owned(), json!(text)),
        };
        object
    }

    /// `object` with what was thought before the text.
    fn thinking(&self, mut object: Value, thought: String) -> Value {
        let place = match self.shape {
            TextField::Chat => object.get_mut("message"),
            TextField::Generate => Some(&mut object),
        };
        if let Some(fields) = place.and_then(Value::as_object_mut).filter(|_| !thought.is_empty()) {
            fields.insert("thinking".to_owned(), json!(thought));
        }
        object
    }

    fn line(&self, text: &str) -> Value {
        let mut object = self.object(text);
        object.insert("done".to_owned(), json!(false));
        Value::Object(object)
    }

    /// The object that ends an answer. Counters that are zero are left out, as Ollama does.
    fn last(&self, text: &str, stats: &Stats) -> Value {
        let mut object = self.object(text);
        object.insert("done".to_owned(), json!(true));
        let reason = match stats.reason {
            DoneReason::Stop => "stop",
            DoneReason::Length => "length",
            DoneReason::Load => "load",
            DoneReason::Unload => "unload",
        };
        object.insert("done_reason".to_owned(), json!(reason));
        let is_reply = matches!(stats.reason, DoneReason::Stop | DoneReason::Length);
        let counters = [
            ("total_duration", stats.total.as_nanos() as u64),
            ("load_duration", stats.load.as_nanos() as u64),
            ("prompt_eval_count", stats.prompt_tokens as u64),
            ("prompt_cached_count", stats.cached_tokens as u64),
            ("prompt_eval_duration", stats.prompt.as_nanos() as u64),
            ("eval_count", stats.written_tokens as u64),
            ("eval_duration", stats.writing.as_nanos() as u64),
        ];
        for (key, value) in counters.into_iter().filter(|(_, value)| is_reply && *value > 0) {
            object.insert(key.to_owned(), json!(value));
        }
        Value::Object(object)
    }
}
