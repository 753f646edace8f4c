//! Recognises replies that must not be delivered: tool calls written as text, data dumps, truncated JSON.
//!
//! Any thread. In: a piece of a reply that looks like data. Out: whether it is an answer in a
//! wrapping, a tool call, or data. [`crate::sanitize`] holds the stream back until a verdict is in.
//! Only fields that hold an answer by their name are unwrapped, never "the longest string".
//! Pure: no I/O, no clock.

use serde_json::{Map, Value};

/// Why a reply is not delivered. The caller apologises instead and stores none of the raw text as the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A tool call as text.
    #[error("the model wrote a tool call as text; it was held back")]
    ToolCall,
    /// JSON, XML or a specification instead of an answer.
    #[error("the model answered with data instead of words; it was held back")]
    Data,
    /// JSON that never ends.
    #[error("the model's answer broke off in the middle of data; it was held back")]
    Truncated,
    /// Reserved tokens of the model.
    #[error("the model wrote reserved tokens; they were held back")]
    ReservedTokens,
    /// A part of its prompt, word for word.
    #[error("the model recited its prompt; it was held back")]
    Recited,
    /// A place where something was to be filled in: "[Your Name]".
    #[error("the model left a placeholder in its answer; it was held back")]
    Placeholder,
    /// The same letters over and over.
    #[error("the model went round in circles; its answer was held back")]
    Loops,
    /// A label that redaction put in the place of a secret.
    #[error("the model quoted a redaction label; it was held back")]
    Label,
}

/// The kind of a piece of JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// An answer in a wrapping such as `{"response": "…"}`.
    Answer(String),
    /// A tool call.
    ToolCall,
    /// Any other object or list.
    Data,
    /// No JSON at all.
    No,
}

/// Judges `text`, which may be JSON.
pub(crate) fn judge_json(text: &str) -> Json {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if is_tool_call(&value) => Json::ToolCall,
        Ok(Value::Object(fields)) => answer_in(&fields).map_or(Json::Data, Json::Answer),
        Ok(Value::Array(_)) => Json::Data,
        Err(_) if was_meant_as_call(text) => Json::ToolCall,
        _ => Json::No,
    }
}

const CALLS: [&str; 3] = ["tool_calls", "tool_call", "function_call"];
const NAMES: [&str; 6] = ["name", "tool", "tool_name", "function", "function_name", "action"];
const ARGUMENTS: [&str; 6] = ["arguments", "args", "parameters", "params", "input", "action_input"];

/// Returns whether text that is no JSON, because of a missing brace or the wrong quotes, has the keys of a call.
fn was_meant_as_call(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let bare = bare.replace('\'', "\"");
    let has = |keys: &[&str]| keys.iter().any(|key| bare.contains(&format!("\"{key}\":")));
    has(&CALLS) || (has(&NAMES) && has(&ARGUMENTS))
}

fn is_tool_call(value: &Value) -> bool {
    let has =
        |fields: &Map<String, Value>, names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
    match value {
        Value::Object(fields) => {
            has(fields, &CALLS)
                || (has(fields, &NAMES) && (has(fields, &ARGUMENTS) || fields.len() == 1))
                || fields.get("function").is_some_and(Value::is_object)
        }
        Value::Array(items) => items.iter().any(is_tool_call),
        _ => false,
    }
}

/// Returns the answer in an object that holds one field for it and nothing but remarks beside.
fn answer_in(fields: &Map<String, Value>) -> Option<String> {
    const ANSWERS: [&str; 7] = ["response", "answer", "reply", "message", "content", "speech", "text"];
    const REMARKS: [&str; 7] = ["role", "type", "status", "language", "emotion", "confidence", "done"];
    let (answers, others): (Vec<_>, Vec<_>) =
        fields.iter().partition(|(key, _)| ANSWERS.contains(&key.as_str()));
    if answers.len() != 1 || !others.iter().all(|(key, _)| REMARKS.contains(&key.as_str())) {
        return None;
    }
    match answers.first()?.1 {
        Value::String(text) => Some(text.clone()),
        Value::Object(inner) => answer_in(inner),
        _ => None,
    }
}
