//! Distinguishes the failures of the Messages API of Anthropic.
//!
//! In: status and body of a failed call, or the error in a reply. Out: [`LlmError`]. Prompts, replies and the API key
//! never get into an error's text, except in the server's own words, which are cut. Pure: no I/O, no clock.

use serde_json::Value;

use crate::error::LlmError;
use crate::kinds::openai::words_of;

/// How the server says that the conversation does not fit.
const TOO_LONG: [&str; 4] =
    ["prompt is too long", "exceed context limit", "context window", "request_too_large"];

/// Reads a failed call to the server at `at`. `model` is the one that was asked for, or empty.
pub(super) fn from_status(status: u16, body: &[u8], model: &str, at: &str) -> LlmError {
    let words = words_of(body);
    let is_page = body.trim_ascii_start().starts_with(b"<");
    let kind = serde_json::from_slice::<Value>(body).ok();
    let kind = kind.as_ref().and_then(|body| body["error"]["type"].as_str()).unwrap_or_default();
    match status {
        401 | 403 => LlmError::KeyRefused { at: at.to_owned(), status },
        429 => LlmError::TooManyRequests,
        503 | 529 => LlmError::Busy,
        413 => LlmError::ContextTooLong(words),
        300..=499 if is_page => not_anthropic(at, "it sends a web page"),
        300..=399 => not_anthropic(at, &format!("it answers HTTP {status}, which leads elsewhere")),
        400 if is_too_long(&words) => LlmError::ContextTooLong(words),
        404 if !model.is_empty() && kind == "not_found_error" => LlmError::ModelUnknown {
            model: model.to_owned(),
            offers: format!("the server answers HTTP {status}"),
        },
        404 | 405 => not_anthropic(at, &format!("it answers HTTP {status} to a path of that API")),
        _ if kind == "overloaded_error" => LlmError::Busy,
        _ if is_page => LlmError::Server { status, text: "a web page".to_owned() },
        _ => LlmError::Server { status, text: words },
    }
}

/// Reads an error that came instead of the rest of a reply.
pub(super) fn in_reply(error: &Value) -> LlmError {
    let words = words_of(error.to_string().as_bytes());
    match error["type"].as_str().unwrap_or_default() {
        "overloaded_error" => LlmError::Busy,
        "rate_limit_error" => LlmError::TooManyRequests,
        _ if is_too_long(&words) => LlmError::ContextTooLong(words),
        _ => LlmError::MidStream(words),
    }
}

pub(super) fn not_anthropic(at: &str, found: &str) -> LlmError {
    LlmError::NotAnthropic { at: at.to_owned(), found: found.to_owned() }
}

fn is_too_long(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    TOO_LONG.iter().any(|one| words.contains(one))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(kind: &str, message: &str) -> String {
        json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
            .to_string()
    }

    #[test]
    fn failures_are_distinguished_by_status_and_kind() {
        let at = "https://api.example.com";
        let unknown =
            LlmError::ModelUnknown { model: "m".into(), offers: "the server answers HTTP 404".into() };
        for (status, body, expected) in [
            (
                401,
                error("authentication_error", "invalid x-api-key"),
                LlmError::KeyRefused { at: at.into(), status: 401 },
            ),
            (403, error("permission_error", "no"), LlmError::KeyRefused { at: at.into(), status: 403 }),
            (
                402,
                error("billing_error", "no credit"),
                LlmError::Server { status: 402, text: "no credit [billing_error]".into() },
            ),
            (404, error("not_found_error", "model: m"), unknown),
            (
                404,
                "{\"detail\":\"Not Found\"}".into(),
                not_anthropic(at, "it answers HTTP 404 to a path of that API"),
            ),
            (404, "<html>".into(), not_anthropic(at, "it sends a web page")),
            (302, String::new(), not_anthropic(at, "it answers HTTP 302, which leads elsewhere")),
            (
                413,
                error("request_too_large", "Request exceeds the maximum size"),
                LlmError::ContextTooLong("Request exceeds the maximum size [request_too_large]".into()),
            ),
            (
                400,
                error("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
                LlmError::ContextTooLong(
                    "prompt is too long: 9 tokens > 8 maximum [invalid_request_error]".into(),
                ),
            ),
            (
                400,
                error("invalid_request_error", "messages: at least one"),
                LlmError::Server {
                    status: 400,
                    text: "messages: at least one [invalid_request_error]".into(),
                },
            ),
            (429, error("rate_limit_error", "slow down"), LlmError::TooManyRequests),
            (529, error("overloaded_error", "Overloaded"), LlmError::Busy),
            (500, error("overloaded_error", "Overloaded"), LlmError::Busy),
            (
                500,
                error("api_error", "oh no"),
                LlmError::Server { status: 500, text: "oh no [api_error]".into() },
            ),
            (502, "<html>bad gateway".into(), LlmError::Server { status: 502, text: "a web page".into() }),
        ] {
            assert_eq!(from_status(status, body.as_bytes(), "m", at), expected, "{status} {body}");
        }
    }

    #[test]
    fn an_error_in_a_reply_says_what_happened() {
        let of = |kind: &str, message: &str| in_reply(&json!({ "type": kind, "message": message }));
        assert_eq!(of("overloaded_error", "Overloaded"), LlmError::Busy);
        assert_eq!(of("rate_limit_error", "slow"), LlmError::TooManyRequests);
        assert_eq!(of("api_error", "oh no"), LlmError::MidStream("oh no [api_error]".into()));
    }
}
