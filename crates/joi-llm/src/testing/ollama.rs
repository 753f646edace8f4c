//! Answers of a double that is Ollama, where nothing is scripted: its own statuses, texts and shapes.

use serde_json::{Value, json};

use super::{Script, Seen};

/// A model the double pretends to have.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) name: String,
    capabilities: Vec<String>,
    is_damaged: bool,
}

impl Model {
    /// A model of one thousand million parameters.
    pub fn new(name: &str, capabilities: &[&str]) -> Self {
        let capabilities = capabilities.iter().map(|&c| c.into()).collect();
        Self { name: name.into(), capabilities, is_damaged: false }
    }

    /// One that is listed and can't be read.
    pub fn damaged(name: &str) -> Self {
        Self { is_damaged: true, ..Self::new(name, &[]) }
    }

    pub(super) fn can(&self, what: &str) -> bool {
        self.capabilities.iter().any(|c| c == what)
    }

    fn card(&self) -> Value {
        json!({
            "name": self.name, "model": self.name, "modified_at": "2026-01-01T00:00:00Z", "size": 1, "digest": "0",
            "details": { "format": "gguf", "family": "double", "parameter_size": "1B" },
        })
    }
}

impl Script {
    /// A whole streamed answer of the model `double:1b`, word by word.
    pub fn words(text: &str) -> Self {
        reply_of("double:1b", text, (20, usize::MAX))
    }

    /// The beginning of such an answer; it does not end.
    pub fn first_words(text: &str) -> Self {
        let words = text.split_inclusive(' ').map(|word| line("double:1b", word, json!({ "done": false })));
        Self::lines(&words.collect::<Vec<_>>())
    }
}

/// Its answer to `seen`.
pub(super) fn answer(models: &[Model], seen: &Seen) -> Script {
    let cards: Vec<Value> = models.iter().map(Model::card).collect();
    match seen.call.as_str() {
        "GET /" => Script::body(200, "text/plain", "Ollama is running"),
        "GET /api/version" => Script::json(200, &json!({ "version": "0.32.15" })),
        "GET /api/tags" | "GET /api/ps" => Script::json(200, &json!({ "models": cards })),
        "POST /api/embed" => with_model(models, &seen.body, |model| embed(model, &seen.body)),
        "POST /api/show" => with_model(models, &seen.body, |model| Script::json(200, &show(model))),
        "POST /api/chat" => with_model(models, &seen.body, |model| chat(model, &seen.body)),
        "POST /api/pull" => Script::lines(&[
            json!({ "status": "pulling manifest" }),
            json!({ "error": "pull model manifest: file does not exist" }),
        ]),
        _ => Script::body(404, "text/plain", "404 page not found"),
    }
}

fn with_model(models: &[Model], body: &Value, then: impl FnOnce(&Model) -> Script) -> Script {
    let Some(name) = body["model"].as_str().filter(|name| !name.is_empty()) else {
        let text = if body.is_null() { "missing request body" } else { "model is required" };
        return Script::error(400, text);
    };
    match models.iter().find(|model| model.name == name) {
        Some(model) if model.is_damaged => Script::error(500, "unable to load model"),
        Some(model) => then(model),
        None => Script::error(404, &format!("model '{name}' not found")),
    }
}

/// Numbers of a vector.
const WIDTH: usize = 32;

/// One vector for each text: texts with the same number of letters lie on each other, all others are at right angles.
fn embed(model: &Model, body: &Value) -> Script {
    if !model.can("embedding") {
        return Script::error(400, &format!("\"{}\" does not support embeddings", model.name));
    }
    let texts = body["input"].as_array().cloned().unwrap_or_default();
    let vector = |text: &Value| {
        let mut vector = [0.0; WIDTH];
        vector[text.as_str().map_or(0, |text| text.chars().count()) % WIDTH] = 1.0;
        json!(vector)
    };
    let vectors: Vec<Value> = texts.iter().map(vector).collect();
    Script::json(200, &json!({ "model": model.name, "embeddings": vectors, "prompt_eval_count": 1 }))
}

fn show(model: &Model) -> Value {
    json!({
        "modelfile": "", "template": "", "details": { "family": "double" }, "capabilities": model.capabilities,
        "model_info": {
            "general.architecture": "double", "general.parameter_count": 1_000_000_000_u64,
            "double.context_length": 8192,
        },
    })
}

fn chat(model: &Model, body: &Value) -> Script {
    let name = &model.name;
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    if messages.is_empty() {
        let reason = if body["keep_alive"] == 0 { "unload" } else { "load" };
        return Script::json(200, &line(name, "", json!({ "done": true, "done_reason": reason })));
    }
    if let Some(bad) = ["num_ctx", "num_predict"].into_iter().find(|&key| body["options"][key].is_string()) {
        return Script::error(500, &format!("option \"{bad}\" must be of type integer"));
    }
    if !body["tools"].as_array().is_none_or(Vec::is_empty) && !model.can("tools") {
        return Script::error(400, &format!("registry.ollama.ai/library/{name} does not support tools"));
    }
    if body["think"] == true && !model.can("thinking") {
        return Script::error(400, &format!("\"{name}\" does not support thinking"));
    }
    if !model.can("completion") {
        return Script::error(400, &format!("\"{name}\" does not support chat"));
    }
    reply(name, &messages, &body["options"])
}

/// Says what the user has said, word by word, as far as the options allow.
fn reply(name: &str, messages: &[Value], options: &Value) -> Script {
    let said = messages.iter().filter(|m| m["role"] == "user").filter_map(|m| m["content"].as_str());
    let mut text = format!("You said, as I heard it: {}", said.collect::<Vec<_>>().join(" and "));
    for stop in options["stop"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.truncate(text.find(stop).unwrap_or(text.len()));
    }
    let most = options["num_predict"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let prompt = messages.iter().filter_map(|m| m["content"].as_str()).map(|c| c.split(' ').count()).sum();
    reply_of(name, &text, (prompt, most))
}

/// `text`, word by word, to at most `most` of them.
fn reply_of(name: &str, text: &str, (prompt, most): (usize, usize)) -> Script {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let reason = if words.len() > most { "length" } else { "stop" };
    let spoken = &words[..words.len().min(most)];
    let mut lines: Vec<Value> =
        spoken.iter().map(|word| line(name, word, json!({ "done": false }))).collect();
    lines.push(line(
        name,
        "",
        json!({
            "done": true, "done_reason": reason, "total_duration": 182_242_375, "load_duration": 41_295_167,
            "prompt_eval_count": prompt, "prompt_eval_duration": 24_573_166,
            "eval_count": spoken.len(), "eval_duration": 115_959_084,
        }),
    ));
    Script::lines(&lines)
}

fn line(model: &str, content: &str, more: Value) -> Value {
    let mut line = json!({
        "model": model, "created_at": "2026-08-21T18:48:22.123456789Z",
        "message": { "role": "assistant", "content": content },
    });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}
