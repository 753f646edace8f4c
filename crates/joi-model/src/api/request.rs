//! The bodies of `/api/chat` and `/api/generate`: parsed, validated in the order of Ollama's contract,
//! converted to work for the engine. PURE.
//!
//! Unknown fields are ignored. What the model does not support (thinking, images, tools without a template
//! for them) is refused.

use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::ApiError;
use super::{App, ChatService, ServedModel};
use crate::engine::{EngineRequest, Overflow, Prompt, Reply};
use crate::grammar;
use crate::keep_alive::KeepAlive;
use crate::llama::Grammar;
use crate::name::Name;
use crate::options::Options;
use crate::template::Message;

/// How an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseMode {
    /// A stream of JSON objects, one per line.
    Lines,
    /// One JSON object at the end.
    Whole,
}

/// A validated request.
#[derive(Debug, PartialEq)]
pub(super) struct CheckedRequest {
    /// The model's name as the client wrote it.
    pub(super) model: String,
    /// The work for the engine.
    pub(super) work: EngineRequest,
    /// Its runner options.
    pub(super) runner: crate::engine::Runner,
    /// How long the model stays in memory.
    pub(super) keep_alive: KeepAlive,
    /// How the answer is sent.
    pub(super) delivery: ResponseMode,
}

/// Body of `/api/chat`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatRequest {
    messages: Option<Vec<ChatMessage>>,
    tools: Option<Vec<Value>>,
    #[serde(flatten)]
    common: Common,
}

/// Body of `/api/generate`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GenerateRequest {
    prompt: Option<String>,
    system: Option<String>,
    suffix: Option<String>,
    template: Option<String>,
    images: Option<Vec<Value>>,
    raw: Option<bool>,
    #[serde(flatten)]
    common: Common,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Common {
    model: Option<String>,
    format: Option<Value>,
    options: Option<Map<String, Value>>,
    stream: Option<bool>,
    think: Option<Value>,
    keep_alive: Option<Value>,
    truncate: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatMessage {
    role: String,
    content: Option<String>,
    images: Option<Vec<Value>>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Reads a JSON body.
pub(super) fn body<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>) -> Result<T, ApiError> {
    let bytes = body.map_err(|e| ApiError::new(e.status(), e.body_text()))?;
    if bytes.is_empty() {
        return Err(ApiError::bad("missing request body"));
    }
    serde_json::from_slice(&bytes).map_err(|e| ApiError::bad(e.to_string()))
}

/// The model that `asked` names, and the name as it was written.
pub(super) fn require<'a>(asked: Option<&str>, app: &'a App) -> Result<(String, ServedModel<'a>), ApiError> {
    let asked = asked.filter(|name| !name.is_empty()).ok_or_else(|| ApiError::bad("model is required"))?;
    let name = Name::parse(asked).map_err(|_| ApiError::bad("invalid model name"))?;
    let served = app.served(&name).ok_or_else(|| ApiError::not_found(asked))?;
    Ok((asked.to_owned(), served))
}

/// The chat model and its name, as it was written; `what` is what the embedding model can't do.
fn require_talk<'a>(
    asked: Option<&str>,
    app: &'a App,
    what: &str,
) -> Result<(String, &'a ChatService), ApiError> {
    match require(asked, app)? {
        (asked, ServedModel::Chat(chat)) => Ok((asked, chat)),
        (asked, ServedModel::Embedding(_)) => {
            Err(ApiError::bad(format!("{asked:?} does not support {what}")))
        }
    }
}

impl ChatRequest {
    /// Checks it against what the model can do, which is returned beside it.
    pub(super) fn check(self, app: &App) -> Result<(CheckedRequest, &ChatService), ApiError> {
        let (model, chat) = require_talk(self.common.model.as_deref(), app, "chat")?;
        let tools = self.tools.unwrap_or_default();
        if !tools.is_empty() && !chat.facts.calls_tools() {
            return Err(ApiError::bad(format!("{} does not support tools", chat.name.canonical())));
        }
        let calls = match tools.is_empty() {
            true => None,
            false => Some(Grammar::Calls(
                grammar::of_calls(&named(&tools)?).map_err(|e| ApiError::bad(e.to_string()))?,
            )),
        };
        let messages: Vec<Message> = self
            .messages
            .unwrap_or_default()
            .into_iter()
            .map(ChatMessage::check)
            .collect::<Result<_, _>>()?;
        let prompt = (!messages.is_empty()).then_some(Prompt::Chat { messages, tools });
        Ok((self.common.asked(model, prompt, calls)?, chat))
    }
}

impl GenerateRequest {
    /// Checks it against what the model can do, which is returned beside it.
    pub(super) fn check(self, app: &App) -> Result<(CheckedRequest, &ChatService), ApiError> {
        let (model, chat) = require_talk(self.common.model.as_deref(), app, "generate")?;
        refuse_images(self.images.as_deref())?;
        if self.suffix.is_some_and(|suffix| !suffix.is_empty()) {
            return Err(ApiError::bad(format!("{} does not support insert", chat.name.canonical())));
        }
        if self.template.is_some_and(|template| !template.is_empty()) {
            return Err(ApiError::bad("joi-model uses the model's own template and takes no other"));
        }
        let prompt = self.prompt.filter(|prompt| !prompt.is_empty()).map(|prompt| {
            if self.raw == Some(true) {
                return Prompt::Raw(prompt);
            }
            let system = self.system.as_deref().filter(|system| !system.is_empty());
            let system = system.map(|system| Message::new("system", system));
            let messages = system.into_iter().chain([Message::new("user", &prompt)]).collect();
            Prompt::Chat { messages, tools: Vec::new() }
        });
        Ok((self.common.asked(model, prompt, None)?, chat))
    }
}

impl ChatMessage {
    fn check(self) -> Result<Message, ApiError> {
        refuse_images(self.images.as_deref())?;
        let role = self.role.to_lowercase();
        // The role goes into the prompt unquoted: an arbitrary one could impersonate another speaker.
        if !["system", "user", "assistant", "tool"].contains(&role.as_str()) {
            let text = format!("invalid role: {:?}; expected system, user, assistant or tool", self.role);
            return Err(ApiError::bad(text));
        }
        Ok(Message { role, content: self.content.unwrap_or_default(), more: self.more })
    }
}

impl Common {
    /// The remaining checks; without a prompt the request only loads or unloads the model.
    fn asked(
        self,
        model: String,
        prompt: Option<Prompt>,
        calls: Option<Grammar>,
    ) -> Result<CheckedRequest, ApiError> {
        refuse_thinking(self.think.as_ref(), &model)?;
        let keep_alive = KeepAlive::read(self.keep_alive.as_ref()).map_err(ApiError::bad)?;
        // A requested format binds the whole reply; it leaves no place for a call.
        let grammar = match (grammar(self.format.as_ref())?, calls) {
            (Grammar::Free, Some(calls)) => calls,
            (format, _) => format,
        };
        let options = Options::read(self.options.as_ref())
            .map_err(|text| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, text))?;
        let delivery = if self.stream == Some(false) { ResponseMode::Whole } else { ResponseMode::Lines };
        let overflow = if self.truncate == Some(false) { Overflow::Refuse } else { Overflow::Truncate };
        let work = match prompt {
            Some(prompt) => EngineRequest::Reply(Box::new(Reply {
                prompt,
                sampling: crate::llama::Sampling { grammar, ..options.sampling },
                num_predict: options.num_predict,
                stops: options.stops,
                overflow,
            })),
            None if keep_alive.is_zero() => EngineRequest::Unload,
            None => EngineRequest::Load,
        };
        // Loading and unloading is answered by one object, also when streaming was requested.
        let delivery = if matches!(work, EngineRequest::Reply(_)) { delivery } else { ResponseMode::Whole };
        Ok(CheckedRequest { model, work, runner: options.runner, keep_alive, delivery })
    }
}

/// The tools, each with a name.
fn named(tools: &[Value]) -> Result<Vec<Value>, ApiError> {
    let has_name = |tool: &Value| tool["function"]["name"].as_str().is_some_and(|name| !name.is_empty());
    if tools.iter().all(has_name) {
        return Ok(tools.to_vec());
    }
    Err(ApiError::bad("a tool has no function.name"))
}

fn refuse_images(images: Option<&[Value]>) -> Result<(), ApiError> {
    match images {
        None | Some([]) => Ok(()),
        Some(_) => Err(ApiError::bad("this model does not support images")),
    }
}

fn refuse_thinking(think: Option<&Value>, model: &str) -> Result<(), ApiError> {
    let refused = || Err(ApiError::bad(format!("{model:?} does not support thinking")));
    match think {
        None | Some(Value::Null | Value::Bool(false)) => Ok(()),
        Some(Value::Bool(true)) => refused(),
        Some(Value::String(level)) if ["high", "medium", "low", "max"].contains(&level.as_str()) => refused(),
        Some(Value::String(level)) => Err(ApiError::bad(format!(
            "invalid think value: {level:?} (must be \"high\", \"medium\", \"low\", \"max\", true, or false)"
        ))),
        Some(_) => Err(ApiError::bad(
            "think must be a boolean or string (\"high\", \"medium\", \"low\", \"max\", true, or false)",
        )),
    }
}

fn grammar(format: Option<&Value>) -> Result<Grammar, ApiError> {
    match format {
        None | Some(Value::Null) => Ok(Grammar::Free),
        Some(Value::String(format)) if format.is_empty() => Ok(Grammar::Free),
        Some(Value::String(format)) if format == "json" => Ok(Grammar::Json),
        Some(schema @ Value::Object(_)) => {
            grammar::of_schema(schema).map(Grammar::Rules).map_err(|error| ApiError::bad(error.to_string()))
        }
        Some(other) => {
            let text = format!("invalid format: {other}; expected \"json\" or a valid JSON Schema object");
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHAT: &str = r#"{"model":"a:1b","messages":[{"role":"user","content":"hello"},{"role":"tool","content":"7"}],"tools":[{"type":"function","function":{"name":"sum","parameters":{"type":"object","properties":{"a":{"type":"integer"},"b":{"enum":["x",1]}},"required":["a"]}}}],"format":"json","options":{"num_ctx":2048,"stop":["x"],"temperature":0.5},"think":false,"keep_alive":"5m","stream":false}"#;

    proptest! {
        #[test]
        fn foreign_bytes_in_a_request_are_read_or_refused(
            changes in prop::collection::vec((0..CHAT.len(), any::<u8>()), 0..6),
            cut in prop::option::weighted(0.2, 0..CHAT.len()),
        ) {
            let mut bytes = CHAT.as_bytes().to_vec();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            bytes.truncate(cut.unwrap_or(CHAT.len()));
            let Ok(request) = body::<ChatRequest>(Ok(Bytes::from(bytes))) else { return Ok(()) };
            let calls = named(&request.tools.unwrap_or_default()).map(|tools| grammar::of_calls(&tools));
            let messages: Result<Vec<Message>, ApiError> =
                request.messages.unwrap_or_default().into_iter().map(ChatMessage::check).collect();
            let prompt = messages.map(|messages| Prompt::Chat { messages, tools: Vec::new() }).ok();
            let calls = calls.ok().and_then(Result::ok).map(Grammar::Calls);
            if let Ok(asked) = request.common.asked("a:1b".into(), prompt, calls) {
                prop_assert!(asked.delivery == ResponseMode::Whole || matches!(asked.work, EngineRequest::Reply(_)));
            }
        }
    }
}
