//! Answers of a double that is an OpenAI-compatible server, where nothing is scripted; and scripts in the shapes of that API.
//!
//! It refuses what the API refuses: an unknown model, tools that the model can't call, a result without its call.

use serde_json::{Value, json};

use super::{Model, Script, Seen, Step, head_of};

/// Numbers of a vector.
const WIDTH: usize = 8;

/// Returns the chunk of a streamed reply with this `delta`.
pub fn delta(delta: &Value) -> Value {
    chunk(&json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
}

/// Returns the chunk that ends a reply for this reason.
pub fn finish(reason: &str) -> Value {
    chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": reason }]))
}

/// Returns the last chunk of a reply, with its counters.
pub fn usage(prompt: usize, reply: usize) -> Value {
    let mut chunk = chunk(&json!([]));
    chunk["usage"] =
        json!({ "prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply });
    chunk
}

/// Returns the body of a stream of these chunks, with `data: [DONE]` at its end.
pub fn body(chunks: &[Value]) -> String {
    let data = chunks.iter().map(Value::to_string).chain(["[DONE]".to_owned()]);
    data.map(|data| format!("data: {data}\n\n")).collect()
}

impl Script {
    /// A stream of these chunks, each sent by itself, and its end.
    pub fn chunks(chunks: &[Value]) -> Self {
        let events = body(chunks).split_inclusive("\n\n").map(|event| Step::Send(event.into())).collect();
        Self { head: head_of(200, "text/event-stream"), is_chunked: true, steps: events }
    }

    /// The beginning of such a stream: these chunks, and no end.
    pub fn first_chunks(chunks: &[Value]) -> Self {
        let mut script = Self::chunks(chunks);
        script.steps.pop();
        script
    }

    /// An error as OpenAI words it.
    pub fn openai_error(status: u16, message: &str, code: &str) -> Self {
        let error =
            json!({ "message": message, "type": "invalid_request_error", "param": null, "code": code });
        Self::json(status, &json!({ "error": error }))
    }
}

/// Its answer to `seen`.
pub(super) fn answer(models: &[Model], seen: &Seen) -> Script {
    let card =
        |model: &Model| json!({ "id": model.name, "object": "model", "created": 1, "owned_by": "double" });
    match seen.call.as_str() {
        "GET /v1/models" => {
            let data: Vec<Value> = models.iter().map(card).collect();
            Script::json(200, &json!({ "object": "list", "data": data }))
        }
        "POST /v1/chat/completions" => with_model(models, &seen.body, |model| chat(model, &seen.body)),
        "POST /v1/embeddings" => with_model(models, &seen.body, |model| embed(model, &seen.body)),
        _ => Script::json(404, &json!({ "detail": "Not Found" })),
    }
}

fn with_model(models: &[Model], body: &Value, then: impl FnOnce(&Model) -> Script) -> Script {
    let name = body["model"].as_str().unwrap_or_default();
    match models.iter().find(|model| model.name == name) {
        Some(model) => then(model),
        None => {
            let message = format!("The model `{name}` does not exist or you do not have access to it.");
            Script::openai_error(404, &message, "model_not_found")
        }
    }
}

fn chat(model: &Model, body: &Value) -> Script {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    if messages.is_empty() {
        return Script::openai_error(400, "[] is too short - 'messages'", "");
    }
    if body.get("tools").is_some() && !model.can("tools") {
        let message =
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set";
        return Script::openai_error(400, message, "");
    }
    if !is_every_result_called(&messages) {
        let message = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
        return Script::openai_error(400, message, "");
    }
    let said = messages.iter().filter(|m| m["role"] == "user").filter_map(|m| m["content"].as_str());
    let text = format!("You said, as I heard it: {}", said.collect::<Vec<_>>().join(" and "));
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let most = ["max_tokens", "max_completion_tokens"].iter().find_map(|key| body[key].as_u64());
    let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let spoken = &words[..words.len().min(most)];
    let mut chunks = vec![delta(&json!({ "role": "assistant", "content": "" }))];
    chunks.extend(spoken.iter().map(|word| delta(&json!({ "content": word }))));
    chunks.push(finish(if words.len() > most { "length" } else { "stop" }));
    if body["stream_options"]["include_usage"] == true {
        let prompt = messages.iter().filter_map(|m| m["content"].as_str()).map(|c| c.split(' ').count());
        chunks.push(usage(prompt.sum(), spoken.len()));
    }
    Script::chunks(&chunks)
}

/// Returns whether every result names a call of a message before it.
fn is_every_result_called(messages: &[Value]) -> bool {
    let results = messages.iter().enumerate().filter(|(_, message)| message["role"] == "tool");
    results.into_iter().all(|(at, result)| {
        let calls = messages[..at].iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
        calls.into_iter().any(|call| call["id"] == result["tool_call_id"])
    })
}

/// One vector for each text, in reverse order: texts with the same number of letters lie on each other.
fn embed(model: &Model, body: &Value) -> Script {
    if !model.can("embedding") {
        return Script::openai_error(400, "This model does not support embeddings", "");
    }
    let texts = body["input"].as_array().cloned().unwrap_or_default();
    let vector = |(at, text): (usize, &Value)| {
        let mut vector = [0.0; WIDTH];
        vector[text.as_str().map_or(0, |text| text.chars().count()) % WIDTH] = 1.0;
        json!({ "object": "embedding", "index": at, "embedding": vector })
    };
    let data: Vec<Value> = texts.iter().enumerate().map(vector).rev().collect();
    let usage = json!({ "prompt_tokens": 1, "total_tokens": 1 });
    Script::json(200, &json!({ "object": "list", "model": model.name, "data": data, "usage": usage }))
}

fn chunk(choices: &Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "double-1b",
        "choices": choices,
    })
}
