//! Writes the body of a chat request in the shape of the Messages API of Anthropic.
//!
//! In: a [`ChatRequest`], and the keys that this server refused before. Out: the body as JSON. Texts go through the
//! serialisation of [`Message`], which makes control tokens harmless. The API wants messages of user and assistant by turns,
//! the user's first and last, and the results of all calls right behind them; what is missing is put in. A result of a tool
//! becomes no words of the user. Pure: no I/O, no clock.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::wire::{ChatRequest, Message, Role, Think};

/// Keys that a server may refuse, and that a request can do without.
const OPTIONAL: [&str; 3] = ["thinking", "temperature", "stop_sequences"];

/// Stands where the API wants words of the user and there are none.
const NO_WORDS: &str = "(Go on.)";
/// The result of a call that has none.
const NO_RESULT: &str = "there is no result";

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
    let (mut system, messages) = messages(&request.messages)?;
    if let Some(format) = &request.format {
        system.push(in_words(format));
    }
    put("model", json!(request.model));
    put("max_tokens", json!(options.num_predict));
    put("stream", json!(true));
    if !system.is_empty() {
        put("system", json!(system.join("\n\n")));
    }
    put("messages", Value::Array(messages));
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(tool).collect());
    }
    put("temperature", json!(options.temperature.clamp(0.0, 1.0)));
    let stops: Vec<&String> = options.stop.iter().filter(|stop| !stop.trim().is_empty()).collect();
    if !stops.is_empty() {
        put("stop_sequences", json!(stops));
    }
    if request.think == Think::Off {
        put("thinking", json!({ "type": "disabled" }));
    }
    Ok(body)
}

/// Returns the key of `body` that the words of a refusal name, if the request can do without it.
pub(super) fn refused_key(words: &str, body: &Map<String, Value>) -> Option<&'static str> {
    OPTIONAL.into_iter().find(|key| body.contains_key(*key) && words.contains(key))
}

/// Returns the instruction that asks for a reply in this format: the API has no key for it that all models take.
fn in_words(format: &Value) -> String {
    match format {
        Value::Object(_) => {
            format!(
                "Reply with JSON alone, without a word before or behind it, that fits this schema: {format}"
            )
        }
        _ => "Reply with JSON alone, without a word before or behind it.".to_owned(),
    }
}

/// Returns a tool in the shape of the API.
fn tool(tool: &Value) -> Value {
    let function = tool.get("function").unwrap_or(tool);
    let schema = function.get("parameters").cloned().unwrap_or_else(|| json!({ "type": "object" }));
    json!({ "name": function["name"], "description": function["description"], "input_schema": schema })
}

/// The messages as they are written: by turns, with the calls that have no result yet.
#[derive(Default)]
struct Turns {
    written: Vec<(&'static str, Vec<Value>)>,
    /// Calls of the newest message of the assistant that have no result yet.
    open: Vec<OpenCall>,
    /// The ids of all calls: the API wants each once.
    used: BTreeSet<String>,
}

/// A call without a result.
struct OpenCall {
    given: Option<String>,
    id: String,
    tool: String,
}

impl Turns {
    fn push(&mut self, role: &'static str, block: Value) {
        match self.written.last_mut() {
            Some((last, blocks)) if *last == role => blocks.push(block),
            _ => self.written.push((role, vec![block])),
        }
    }

    /// Adds words; blank ones are refused by the API.
    fn say(&mut self, role: &'static str, text: &str) {
        let text = text.trim_end();
        if !text.trim().is_empty() {
            self.push(role, json!({ "type": "text", "text": text }));
        }
    }

    fn call(&mut self, call: &Value) {
        let function = &call["function"];
        let given = call["id"].as_str().map(str::to_owned);
        let mut id = given.as_deref().map_or_else(|| format!("call_{}", self.used.len()), plain);
        while !self.used.insert(id.clone()) {
            id = format!("{id}_{}", self.used.len());
        }
        let name = function["name"].as_str().unwrap_or_default();
        let input = function.get("arguments").filter(|input| input.is_object()).cloned();
        let input = input.unwrap_or_else(|| json!({}));
        self.push("assistant", json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
        self.open.push(OpenCall { given, id, tool: name.to_owned() });
    }

    /// Adds the result of an open call: of the given one, else of the oldest of its tool, else of the oldest. A result
    /// without a call is written as a note of the program.
    fn result(&mut self, id: Option<&str>, tool: Option<&str>, content: &str) {
        let at = match id {
            Some(_) => self.open.iter().position(|call| call.given.as_deref() == id),
            None => {
                let of_tool = self.open.iter().position(|call| Some(call.tool.as_str()) == tool);
                of_tool.or((!self.open.is_empty()).then_some(0))
            }
        };
        match at.map(|at| self.open.remove(at)) {
            Some(call) => self.answer(&call.id, content, false),
            None => self.say("user", &format!("[Result of {}: {content}]", tool.unwrap_or("a tool"))),
        }
    }

    /// Adds a result; the results of a turn stand before its words.
    fn answer(&mut self, id: &str, content: &str, is_missing: bool) {
        let content = if content.trim().is_empty() { "(empty)" } else { content };
        let mut block = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
        if is_missing {
            block["is_error"] = json!(true);
        }
        match self.written.last_mut() {
            Some(("user", blocks)) => {
                let results = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
                blocks.insert(results, block);
            }
            _ => self.push("user", block),
        }
    }

    /// Gives every open call a result: the assistant speaks again, or the conversation is over.
    fn close(&mut self) {
        for call in std::mem::take(&mut self.open) {
            self.answer(&call.id, NO_RESULT, true);
        }
    }
}

/// Returns the words of the program at the beginning, and `all` in the shape of the API.
fn messages(all: &[Message]) -> Result<(Vec<String>, Vec<Value>), serde_json::Error> {
    let (mut system, mut turns) = (Vec::new(), Turns::default());
    for message in all {
        // Serialising a message makes control tokens harmless.
        let safe = serde_json::to_value(message)?;
        let text = |key: &str| safe.get(key).and_then(Value::as_str);
        let content = text("content").unwrap_or_default();
        match message.role {
            Role::System if turns.written.is_empty() => {
                system.extend((!content.trim().is_empty()).then(|| content.to_owned()));
            }
            Role::System | Role::User => turns.say("user", content),
            Role::Assistant => {
                turns.close();
                turns.say("assistant", content);
                for call in safe.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                    turns.call(call);
                }
            }
            Role::Tool => turns.result(text("tool_call_id"), text("tool_name"), content),
        }
    }
    turns.close();
    let mut written = turns.written;
    let no_words = || ("user", vec![json!({ "type": "text", "text": NO_WORDS })]);
    if written.first().is_none_or(|(role, _)| *role == "assistant") {
        written.insert(0, no_words());
    }
    if written.last().is_some_and(|(role, _)| *role == "assistant") {
        written.push(no_words());
    }
    let written = written.into_iter().map(|(role, content)| json!({ "role": role, "content": content }));
    Ok((system, written.collect()))
}

/// Returns an id with the letters that the API takes.
fn plain(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
