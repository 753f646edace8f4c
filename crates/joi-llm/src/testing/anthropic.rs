//! Answers of a double with the Messages API of Anthropic, where nothing is scripted; and scripts in the shapes of that API.
//!
//! It refuses what the API refuses: no key, no version, an unknown model, turns out of order, blank texts, a call without its
//! result in the next message, a result without its call.

use serde_json::{Value, json};

use super::{Model, Script, Seen, Step, head_of};

/// Returns the events of a reply that says `text` word by word and then makes these calls: name and arguments.
pub fn events(text: &str, calls: &[(&str, Value)], (read, written): (usize, usize)) -> Vec<Value> {
    let usage = json!({ "input_tokens": read, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": 1 });
    let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "double",
        "stop_reason": null, "stop_sequence": null, "usage": usage });
    let mut all = vec![json!({ "type": "message_start", "message": message }), json!({ "type": "ping" })];
    let mut index = 0;
    let mut block = |all: &mut Vec<Value>, start: Value, deltas: Vec<Value>| {
        all.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        let delta = |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        all.extend(deltas.into_iter().map(delta));
        all.push(json!({ "type": "content_block_stop", "index": index }));
        index += 1;
    };
    if !text.is_empty() {
        let word = |word: &str| json!({ "type": "text_delta", "text": word });
        let words = text.split_inclusive(' ').map(word).collect();
        block(&mut all, json!({ "type": "text", "text": "" }), words);
    }
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let start = json!({ "type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": {} });
        let written = arguments.to_string();
        let (first, rest) = written.split_at(written.find(':').unwrap_or(1));
        let piece = |piece: &str| json!({ "type": "input_json_delta", "partial_json": piece });
        block(&mut all, start, vec![piece(""), piece(first), piece(rest)]);
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    all.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null },
        "usage": { "output_tokens": written } }));
    all.push(json!({ "type": "message_stop" }));
    all
}

impl Script {
    /// A stream of these events, each sent by itself.
    pub fn events(events: &[Value]) -> Self {
        let written = |event: &Value| {
            let name = event["type"].as_str().unwrap_or_default();
            Step::Send(format!("event: {name}\ndata: {event}\n\n").into_bytes())
        };
        let steps = events.iter().map(written).collect();
        Self { head: head_of(200, "text/event-stream"), is_chunked: true, steps }
    }

    /// An error as Anthropic words it.
    pub fn anthropic_error(status: u16, kind: &str, message: &str) -> Self {
        let error = json!({ "type": kind, "message": message });
        Self::json(status, &json!({ "type": "error", "error": error, "request_id": "req_1" }))
    }
}

/// Its answer to `seen`.
pub(super) fn answer(models: &[Model], seen: &Seen) -> Script {
    if seen.key.as_deref().is_none_or(|key| key != "sk-ant-test") {
        return Script::anthropic_error(401, "authentication_error", "invalid x-api-key");
    }
    let card = |model: &Model| json!({ "type": "model", "id": model.name, "display_name": "Double" });
    match seen.call.as_str() {
        "GET /v1/models?limit=1000" => {
            let data: Vec<Value> = models.iter().map(card).collect();
            Script::json(200, &json!({ "data": data, "has_more": false }))
        }
        "POST /v1/messages" => {
            let name = seen.body["model"].as_str().unwrap_or_default();
            if !models.iter().any(|model| model.name == name) {
                return Script::anthropic_error(404, "not_found_error", &format!("model: {name}"));
            }
            match refusal(&seen.body) {
                Some(why) => Script::anthropic_error(400, "invalid_request_error", &why),
                None => reply(&seen.body),
            }
        }
        _ => Script::anthropic_error(404, "not_found_error", "Not Found"),
    }
}

/// Returns why the API does not take this request.
fn refusal(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    if body["max_tokens"].as_u64().is_none() {
        return Some("max_tokens: Field required".to_owned());
    }
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    let is_by_turns = roles.windows(2).all(|pair| pair[0] != pair[1]);
    if roles.first() != Some(&"user") || roles.last() != Some(&"user") || !is_by_turns {
        return Some(format!("messages: roles must alternate, the first and last are user: {roles:?}"));
    }
    let blocks =
        |at: usize| messages.get(at).and_then(|m| m["content"].as_array()).cloned().unwrap_or_default();
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..messages.len() {
        let is_blank = |block: &Value| {
            block["type"] == "text" && block["text"].as_str().is_none_or(|text| text.trim().is_empty())
        };
        if blocks(at).is_empty() || blocks(at).iter().any(is_blank) {
            return Some("messages: text content blocks must be non-empty".to_owned());
        }
        let ids = |blocks: &[Value], kind: &str, key: &str| -> Vec<String> {
            let of_kind = blocks.iter().filter(|block| block["type"] == kind);
            of_kind.filter_map(|block| block[key].as_str().map(str::to_owned)).collect()
        };
        let called = ids(&blocks(at), "tool_use", "id");
        if called.iter().any(|id| !seen.insert(id.clone())) {
            return Some("messages: `tool_use` ids must be unique".to_owned());
        }
        let next = blocks(at + 1);
        let answered = ids(&next[..called.len().min(next.len())], "tool_result", "tool_use_id");
        if called.iter().any(|id| !answered.contains(id)) {
            return Some("messages: `tool_use` ids were found without `tool_result` blocks".to_owned());
        }
        let results = ids(&blocks(at), "tool_result", "tool_use_id");
        let before = if at == 0 { Vec::new() } else { ids(&blocks(at - 1), "tool_use", "id") };
        if results.iter().any(|id| !before.contains(id)) {
            return Some("messages: unexpected `tool_use_id` found in `tool_result` blocks".to_owned());
        }
    }
    None
}

/// Says what the user has said, word by word, as far as the limit allows.
fn reply(body: &Value) -> Script {
    let blocks = body["messages"].as_array().into_iter().flatten();
    let said = blocks.filter(|message| message["role"] == "user");
    let said = said.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let said: Vec<&str> = said.filter_map(|block| block["text"].as_str()).collect();
    let text = format!("You said, as I heard it: {}", said.join(" and "));
    let most = body["max_tokens"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let spoken = words[..words.len().min(most)].concat();
    let mut events = events(&spoken, &[], (said.len(), words.len().min(most)));
    if words.len() > most {
        let at = events.len() - 2;
        events[at]["delta"]["stop_reason"] = json!("max_tokens");
    }
    Script::events(&events)
}
