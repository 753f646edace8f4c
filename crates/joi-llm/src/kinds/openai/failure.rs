//! Distinguishes the failures of an OpenAI-compatible server.
//!
//! In: status and body of a failed call, or the error in a reply. Out: [`LlmError`]. Prompts, replies and the API key
//! never get into an error's text, except in the server's own words, which are cut. Pure: no I/O, no clock.

use serde_json::Value;

use crate::error::{LlmError, quoted};

/// How servers say that the conversation does not fit: OpenAI, llama-server, vLLM, LM Studio.
const TOO_LONG: [&str; 7] = [
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "available context size",
    "context window",
    "context length of only",
    "context the overflows",
];
/// How servers say that the model, as it is run, can't call tools: vLLM, llama-server, llama-cpp-python, others.
const NO_TOOLS: [&str; 6] = [
    "enable-auto-tool-choice",
    "requires --jinja",
    "does not support tools",
    "tools are not supported",
    "does not support function calling",
    "tool choice is not supported",
];
/// How servers say that they lack a model.
const NO_MODEL: [&str; 4] = ["model_not_found", "model not found", "is not a valid model", "does not exist"];

/// Reads a failed call to the server at `at`. `model` is the one that was asked for, or empty.
pub(super) fn from_status(status: u16, body: &[u8], model: &str, at: &str) -> LlmError {
    let words = words_of(body);
    let is_page = body.trim_ascii_start().starts_with(b"<");
    let has = |all: &[&str]| contains_any(&words, all);
    let model_unknown = || LlmError::ModelUnknown {
        model: model.to_owned(),
        offers: format!("the server answers HTTP {status}"),
    };
    match status {
        401 | 403 => LlmError::KeyRefused { at: at.to_owned(), status },
        429 => LlmError::TooManyRequests,
        300..=499 if is_page => not_openai(at, "it sends a web page"),
        300..=399 => not_openai(at, &format!("it answers HTTP {status}, which leads elsewhere")),
        _ if has(&TOO_LONG) => LlmError::ContextTooLong(words),
        _ if has(&NO_TOOLS) => LlmError::NoTools { model: model.to_owned() },
        404 if !model.is_empty() && words.to_ascii_lowercase().contains("model") => model_unknown(),
        400 | 422 if has(&NO_MODEL) => model_unknown(),
        404 | 405 => not_openai(at, &format!("it answers HTTP {status} to a path of that API")),
        503 if has(&["loading model"]) => LlmError::Loading,
        503 => LlmError::Busy,
        _ if is_page => LlmError::Server { status, text: "a web page".to_owned() },
        _ => LlmError::Server { status, text: words },
    }
}

/// Reads an error that came instead of the rest of a reply.
pub(super) fn in_reply(error: &Value) -> LlmError {
    let words = message_of(error).unwrap_or_else(|| "without a reason".to_owned());
    let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
    match contains_any(&words, &TOO_LONG) || TOO_LONG.contains(&code) {
        true => LlmError::ContextTooLong(words),
        false => LlmError::MidStream(words),
    }
}

pub(super) fn not_openai(at: &str, found: &str) -> LlmError {
    LlmError::NotOpenAi { at: at.to_owned(), found: found.to_owned() }
}

/// The server's words in a body, with its code and type behind them, on one line and cut.
pub(in crate::kinds) fn words_of(body: &[u8]) -> String {
    let Ok(body_json) = serde_json::from_slice::<Value>(body) else {
        return quoted(&String::from_utf8_lossy(body));
    };
    let error = body_json.get("error").or_else(|| body_json.get("detail")).unwrap_or(&body_json);
    let message = message_of(error).unwrap_or_else(|| quoted(&body_json.to_string()));
    let marks = ["code", "type", "param"].into_iter().filter_map(|key| error.get(key)?.as_str());
    let marks: Vec<&str> = marks.filter(|mark| !mark.is_empty() && !message.contains(mark)).collect();
    if marks.is_empty() { message } else { format!("{message} [{}]", quoted(&marks.join(", "))) }
}

fn message_of(error: &Value) -> Option<String> {
    let text = error.as_str().or_else(|| error.get("message")?.as_str())?;
    Some(quoted(text)).filter(|text| !text.is_empty())
}

fn contains_any(words: &str, all: &[&str]) -> bool {
    let words = words.to_ascii_lowercase();
    all.iter().any(|one| words.contains(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_distinguished_by_status_and_words() {
        let at = "http://nas:8080";
        let server = |status, text: &str| LlmError::Server { status, text: text.into() };
        let too_long = |text: &str| LlmError::ContextTooLong(text.into());
        let unknown = |status: u16| LlmError::ModelUnknown {
            model: "m".into(),
            offers: format!("the server answers HTTP {status}"),
        };
        for (status, body, expected) in [
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided: sk-x"}}"#,
                LlmError::KeyRefused { at: at.into(), status: 401 },
            ),
            (403, "", LlmError::KeyRefused { at: at.into(), status: 403 }),
            (
                404,
                r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#,
                unknown(404),
            ),
            (404, r#"{"object":"error","message":"The model `m` does not exist.","code":404}"#, unknown(404)),
            (400, r#"{"error":{"message":"m is not a valid model ID","code":400}}"#, unknown(400)),
            (404, r#"{"detail":"Not Found"}"#, not_openai(at, "it answers HTTP 404 to a path of that API")),
            (404, "<!DOCTYPE html><html>", not_openai(at, "it sends a web page")),
            (302, "", not_openai(at, "it answers HTTP 302, which leads elsewhere")),
            (
                400,
                r#"{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
                too_long(
                    "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it [exceed_context_size_error]",
                ),
            ),
            (
                400,
                r#"{"error":{"message":"Too long.","code":"context_length_exceeded"}}"#,
                too_long("Too long. [context_length_exceeded]"),
            ),
            (
                400,
                r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}"#,
                LlmError::NoTools { model: "m".into() },
            ),
            (
                500,
                r#"{"error":{"message":"Automatic streaming tool choice is not supported"}}"#,
                LlmError::NoTools { model: "m".into() },
            ),
            (429, "slow down", LlmError::TooManyRequests),
            (503, r#"{"error":{"code":503,"message":"Loading model"}}"#, LlmError::Loading),
            (503, "", LlmError::Busy),
            (502, "<html>bad gateway", server(502, "a web page")),
            (500, r#"{"error":"oh\n no"}"#, server(500, "oh no")),
            (400, r#"{"detail":[{"loc":["x"]}]}"#, server(400, r#"{"detail":[{"loc":["x"]}]}"#)),
        ] {
            assert_eq!(from_status(status, body.as_bytes(), "m", at), expected, "{status} {body}");
        }
    }

    #[test]
    fn an_error_in_a_reply_says_what_happened() {
        use serde_json::json;
        assert_eq!(in_reply(&json!("oh no")), LlmError::MidStream("oh no".into()));
        assert_eq!(in_reply(&json!({ "message": "oh no" })), LlmError::MidStream("oh no".into()));
        assert_eq!(in_reply(&json!({})), LlmError::MidStream("without a reason".into()));
        let full = json!({ "message": "Full.", "code": "context_length_exceeded" });
        assert_eq!(in_reply(&full), LlmError::ContextTooLong("Full.".into()));
    }
}
