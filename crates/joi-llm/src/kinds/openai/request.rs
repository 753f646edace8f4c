//! Writes the body of a chat request to an OpenAI-compatible server.
//!
//! In: a [`ChatRequest`], and the keys that this server refused before. Out: the body as JSON. Texts go through the
//! serialisation of [`Message`], which makes control tokens harmless. A result of a tool never becomes a message of the
//! user. Pure: no I/O, no clock.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::wire::{ChatRequest, Message, Role, Think};

/// Keys that a server may refuse, and that a request can do without. `max_tokens` is replaced by
/// `max_completion_tokens`, its name on newer servers.
pub(super) const OPTIONAL: [&str; 8] = [
    "stream_options",
    "chat_template_kwargs",
    "reasoning_effort",
    "repeat_penalty",
    "response_format",
    "temperature",
    "max_tokens",
    "seed",
];

/// Stands in the refused keys for a `response_format` of this type; then one of type `json_object` carries the schema, as
/// llama-cpp-python and older llama-servers read it.
const JSON_SCHEMA: &str = "json_schema";

/// Returns the body of `request` without the keys in `refused`.
///
/// # Errors
/// A message can't be written as JSON.
pub(super) fn body(
    request: &ChatRequest,
    refused: &BTreeSet<&str>,
) -> Result<Map<String, Value>, serde_json::Error> {
    let options = &request.options;
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| {
        if !refused.contains(key) {
            body.insert(key.to_owned(), value);
        }
    };
    put("model", json!(request.model));
    put("messages", Value::Array(messages(&request.messages)?));
    put("stream", json!(true));
    put("stream_options", json!({ "include_usage": true }));
    if !request.tools.is_empty() {
        put("tools", json!(request.tools));
        // The default of the API; llama-cpp-python ignores tools without it.
        put("tool_choice", json!("auto"));
    }
    if let Some(format) = &request.format {
        put("response_format", response_format(format, refused.contains(JSON_SCHEMA)));
    }
    put("max_tokens", json!(options.num_predict));
    if refused.contains("max_tokens") {
        put("max_completion_tokens", json!(options.num_predict));
    }
    put("temperature", json!(options.temperature));
    if options.repeat_penalty != 1.0 {
        put("repeat_penalty", json!(options.repeat_penalty));
    }
    if let Some(seed) = options.seed {
        put("seed", json!(seed));
    }
    if !options.stop.is_empty() {
        put("stop", json!(options.stop));
    }
    match request.think {
        Think::Off => put("chat_template_kwargs", json!({ "enable_thinking": false })),
        Think::On => put("chat_template_kwargs", json!({ "enable_thinking": true })),
        Think::Low => put("reasoning_effort", json!("low")),
        Think::Medium => put("reasoning_effort", json!("medium")),
        Think::High => put("reasoning_effort", json!("high")),
    }
    Ok(body)
}

/// Returns the key of `body` that the words of a refusal name, if the request can do without it.
pub(super) fn refused_key(words: &str, body: &Map<String, Value>) -> Option<&'static str> {
    let key = OPTIONAL.into_iter().find(|key| body.contains_key(*key) && words.contains(key))?;
    let is_schema = key == "response_format" && body[key]["type"] == JSON_SCHEMA;
    Some(if is_schema { JSON_SCHEMA } else { key })
}

fn response_format(format: &Value, is_schema_refused: bool) -> Value {
    match format {
        Value::Object(_) if is_schema_refused => json!({ "type": "json_object", "schema": format }),
        Value::Object(_) => {
            json!({ "type": JSON_SCHEMA, "json_schema": { "name": "reply", "schema": format } })
        }
        _ => json!({ "type": "json_object" }),
    }
}

/// Calls that have no result yet: id and tool.
type OpenCalls = Vec<(String, String)>;

/// Returns `all` in the shape of the API: every call has an id, and every result names its call.
fn messages(all: &[Message]) -> Result<Vec<Value>, serde_json::Error> {
    let (mut open, mut made): (OpenCalls, usize) = (Vec::new(), 0);
    let mut written = Vec::with_capacity(all.len());
    for message in all {
        // Serialising a message makes control tokens harmless.
        let safe = serde_json::to_value(message)?;
        let text = |key: &str| safe.get(key).and_then(Value::as_str);
        let content = text("content").unwrap_or_default();
        written.push(match message.role {
            Role::System => json!({ "role": "system", "content": content }),
            Role::User => json!({ "role": "user", "content": content }),
            Role::Assistant => {
                let calls = safe.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let calls = calls.iter().map(|call| tool_call(call, &mut made)).collect::<Vec<_>>();
                open.extend(calls.iter().map(|(id, tool, _)| (id.clone(), tool.clone())));
                let calls: Vec<Value> = calls.into_iter().map(|(_, _, call)| call).collect();
                let mut said = json!({ "role": "assistant", "content": content });
                if !calls.is_empty() {
                    said["tool_calls"] = Value::Array(calls);
                }
                said
            }
            Role::Tool => {
                let id = answered(&mut open, text("tool_call_id"), text("tool_name"));
                json!({ "role": "tool", "tool_call_id": id, "content": content })
            }
        });
    }
    Ok(written)
}

/// Returns a call with its id and its tool; a call without an id gets one.
fn tool_call(call: &Value, made: &mut usize) -> (String, String, Value) {
    let function = &call["function"];
    let name = function["name"].as_str().unwrap_or_default().to_owned();
    let arguments = function.get("arguments").map_or_else(|| "{}".to_owned(), Value::to_string);
    let id = call["id"].as_str().map_or_else(|| format!("call_{made}"), str::to_owned);
    *made += 1;
    let written =
        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    (id, name, written)
}

/// Returns the id of the call that a result answers: the given one, else that of the oldest open call of its tool, else
/// that of the oldest open call.
fn answered(open: &mut OpenCalls, id: Option<&str>, tool: Option<&str>) -> String {
    let is_named = |(of, _): &(String, String)| Some(of.as_str()) == id;
    let is_tool = |(_, name): &(String, String)| Some(name.as_str()) == tool;
    let at = match id {
        Some(_) => open.iter().position(is_named),
        None => open.iter().position(is_tool).or((!open.is_empty()).then_some(0)),
    };
    let found = at.map(|at| open.remove(at).0);
    found.or_else(|| id.map(str::to_owned)).unwrap_or_else(|| "call_0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: Vec<Message>) -> ChatRequest {
        ChatRequest {
            model: "m".into(),
            messages,
            tools: Vec::new(),
            format: None,
            options: crate::LlmConfig { threads: crate::Threads::Count(3), ..Default::default() }.options(),
            keep_alive: -1,
            think: Think::Off,
        }
    }

    #[test]
    fn a_request_has_the_keys_of_the_api_and_none_of_ollamas() {
        let body = body(&request(vec![Message::user("hi")]), &BTreeSet::new()).unwrap();
        let keys: Vec<&str> = body.keys().map(String::as_str).collect();
        for key in ["num_ctx", "options", "keep_alive", "think", "tools", "response_format", "seed", "stop"] {
            assert!(!keys.contains(&key), "{key}");
        }
        assert_eq!(body["messages"], json!([{ "role": "user", "content": "hi" }]));
        assert_eq!((&body["stream"], &body["max_tokens"]), (&json!(true), &json!(500)));
        assert_eq!(body["chat_template_kwargs"], json!({ "enable_thinking": false }));
        assert_eq!(body["stream_options"], json!({ "include_usage": true }));
    }

    #[test]
    fn a_refused_key_is_left_out_and_the_limit_of_tokens_gets_its_newer_name() {
        let full = body(&request(Vec::new()), &BTreeSet::new()).unwrap();
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model.";
        assert_eq!(refused_key(words, &full), Some("max_tokens"));
        assert_eq!(refused_key("response_format is not supported", &full), None, "it was not sent");
        let fewer = body(&request(Vec::new()), &BTreeSet::from(["max_tokens", "stream_options"])).unwrap();
        assert_eq!(fewer["max_completion_tokens"], json!(500));
        assert!(!fewer.contains_key("max_tokens") && !fewer.contains_key("stream_options"));
        assert_eq!(refused_key(words, &fewer), None);
    }

    #[test]
    fn a_schema_and_json_are_asked_for_in_the_words_of_the_api() {
        let schema = json!({ "type": "object" });
        let with = |format: Value| ChatRequest { format: Some(format), ..request(Vec::new()) };
        let format = |format| body(&with(format), &BTreeSet::new()).unwrap()["response_format"].clone();
        assert_eq!(
            format(schema.clone()),
            json!({ "type": "json_schema", "json_schema": { "name": "reply", "schema": schema } })
        );
        assert_eq!(format(json!("json")), json!({ "type": "json_object" }));
        let asked = body(&with(schema.clone()), &BTreeSet::new()).unwrap();
        assert_eq!(refused_key("response_format", &asked), Some(JSON_SCHEMA));
        let simpler = body(&with(schema.clone()), &BTreeSet::from([JSON_SCHEMA])).unwrap();
        assert_eq!(simpler["response_format"], json!({ "type": "json_object", "schema": schema }));
        assert_eq!(refused_key("response_format", &simpler), Some("response_format"));
        let high = ChatRequest { think: Think::High, ..request(Vec::new()) };
        let high = body(&high, &BTreeSet::new()).unwrap();
        assert_eq!(
            (high.get("reasoning_effort"), high.get("chat_template_kwargs")),
            (Some(&json!("high")), None)
        );
    }

    #[test]
    fn every_result_names_its_call_and_control_tokens_are_harmless() {
        let call = |id: Option<&str>, name: &str| {
            let mut call = json!({ "function": { "name": name, "arguments": { "text": "<|im_end|>" } } });
            if let Some(id) = id {
                call["id"] = json!(id);
            }
            serde_json::from_value(call).unwrap()
        };
        let mut asked = Message::assistant("");
        asked.tool_calls = vec![call(None, "lists"), call(Some("x1"), "clock")];
        let result = |tool: &str, id: Option<&str>| {
            let mut result = Message::new(Role::Tool, "done </s>");
            (result.tool_name, result.tool_call_id) = (Some(tool.into()), id.map(str::to_owned));
            result
        };
        let all = [asked, result("clock", None), result("lists", None), result("stray", None)];
        let written = messages(&all).unwrap();
        let ids: Vec<&str> = written[1..].iter().map(|one| one["tool_call_id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["x1", "call_0", "call_0"]);
        assert_eq!(written[0]["tool_calls"][0]["id"], "call_0");
        assert_eq!(written[0]["tool_calls"][1]["function"]["arguments"], r#"{"text":"< |im_end|>"}"#);
        assert_eq!(written[1], json!({ "role": "tool", "tool_call_id": "x1", "content": "done < /s>" }));
    }
}
