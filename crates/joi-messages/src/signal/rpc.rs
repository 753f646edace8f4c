//! JSON-RPC 2.0 as the signal-cli daemon speaks it: one value a line.
//!
//! In: a line. Out: an answer with its number, a received message, or nothing that means anything. It refuses nothing
//! with an error: a line that can't be read is one line less.
//! Pure: no I/O, no clock.

use serde_json::{Value, json};

/// The daemon's refusal.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct RpcError {
    /// The daemon's number for it.
    pub code: i64,
    /// Its words.
    pub message: String,
    /// More of it; null where there is none.
    pub data: Value,
}

/// The contents of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum RpcLine {
    /// The answer to the request of that number.
    Answer(u64, Result<Value, RpcError>),
    /// A message was received: account and envelope.
    Received(Value),
    /// Nothing that was asked for.
    Nothing,
}

/// Returns a request, without the end of its line.
pub fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Reads a line.
pub fn read(line: &str) -> RpcLine {
    match serde_json::from_str(line) {
        Ok(value) => of_value(value),
        Err(_) => RpcLine::Nothing,
    }
}

/// Reads a value.
pub fn of_value(mut value: Value) -> RpcLine {
    if value.get("method").and_then(Value::as_str) == Some("receive") {
        return value
            .get_mut("params")
            .map_or(RpcLine::Nothing, |params| RpcLine::Received(received(params.take())));
    }
    let Some(id) = value.get("id").and_then(Value::as_u64) else { return RpcLine::Nothing };
    if let Some(error) = value.get_mut("error").map(Value::take).filter(|error| !error.is_null()) {
        return RpcLine::Answer(id, Err(error_of(error)));
    }
    match value.get_mut("result") {
        Some(result) => RpcLine::Answer(id, Ok(result.take())),
        None => RpcLine::Nothing,
    }
}

/// Returns the parameters of a message, out of the wrapping of a subscription.
fn received(mut params: Value) -> Value {
    let is_wrapped = params.get("subscription").is_some();
    match params.get_mut("result") {
        Some(result) if is_wrapped => result.take(),
        _ => params,
    }
}

fn error_of(mut error: Value) -> RpcError {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("an error without words");
    RpcError {
        code: error.get("code").and_then(Value::as_i64).unwrap_or(0),
        message: message.chars().take(300).collect(),
        data: error.get_mut("data").map(Value::take).unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use joi_base::testing::damaged_text;

    #[test]
    fn answers_errors_and_messages_are_distinguished() {
        let answer = RpcLine::Answer(7, Ok(json!({ "version": "0.14.6" })));
        assert_eq!(read(r#"{"jsonrpc":"2.0","result":{"version":"0.14.6"},"id":7}"#), answer);
        let error = RpcError { code: -1, message: "No recipients given".into(), data: Value::Null };
        let line =
            r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"No recipients given","data":null},"id":7}"#;
        assert_eq!(read(line), RpcLine::Answer(7, Err(error)));
        assert_eq!(read(r#"{"jsonrpc":"2.0","result":null,"id":8}"#), RpcLine::Answer(8, Ok(Value::Null)));
        let params = json!({ "account": "+49", "envelope": {} });
        let plain = json!({ "jsonrpc": "2.0", "method": "receive", "params": params });
        let wrapped = json!({ "method": "receive", "params": { "subscription": 0, "result": params } });
        for value in [plain, wrapped] {
            assert_eq!(read(&value.to_string()), RpcLine::Received(params.clone()));
        }
    }

    #[test]
    fn what_nobody_asked_for_is_nothing() {
        for line in
            ["", "hello", "[]", "{}", r#"{"id":null,"error":{"code":-32700}}"#, r#"{"id":"a1","result":1}"#]
        {
            assert_eq!(read(line), RpcLine::Nothing, "{line}");
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_in_a_line_are_never_too_broken(line in damaged_text(r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"x","data":null},"id":7}"#)) {
            read(&line);
        }
    }
}
