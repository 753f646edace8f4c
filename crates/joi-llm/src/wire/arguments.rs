//! The arguments of a native call, in the shapes servers send them.
//!
//! In: an object, nothing at all, or the text of an object. Out: the object; anything else is an error. Pure: no I/O, no clock.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Name and arguments of a [`ToolCall`](super::ToolCall).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Position among the calls of one reply; old servers give none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The tool.
    #[serde(serialize_with = "crate::control_tokens::serialize")]
    pub name: String,
    /// Its arguments by name; as they are sent, nothing in them is a control token.
    #[serde(default, deserialize_with = "of_any_shape")]
    #[serde(serialize_with = "crate::control_tokens::serialize_arguments")]
    pub arguments: Map<String, Value>,
}

/// Reads an object; null, an empty text and the text "null" mean one without arguments.
fn of_any_shape<'de, D: Deserializer<'de>>(from: D) -> Result<Map<String, Value>, D::Error> {
    let value = match Value::deserialize(from)? {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => serde_json::from_str(&text).map_err(D::Error::custom)?,
        value => value,
    };
    match value {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Map::new()),
        _ => Err(D::Error::custom("the arguments of a call are no object")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::FunctionCall;

    #[test]
    fn arguments_come_as_an_object_as_nothing_or_as_a_text_that_holds_one() {
        let read = |arguments: &str| {
            let text = format!("{{\"name\":\"f\",\"arguments\":{arguments}}}");
            serde_json::from_str::<FunctionCall>(&text).map(|call| json!(call.arguments)).ok()
        };
        for none in ["null", "\"\"", "\" \"", "\"null\"", "{}", "\"{}\""] {
            assert_eq!(read(none), Some(json!({})), "{none}");
        }
        assert_eq!(read(r#"{"a":1}"#), Some(json!({ "a": 1 })));
        assert_eq!(read(r#""{\"a\":{\"b\":\"c\"}}""#), Some(json!({ "a": { "b": "c" } })));
        for broken in ["[1]", "3", "\"milk\"", "\"[1]\"", "\"{\""] {
            assert_eq!(read(broken), None, "{broken}");
        }
        let absent = serde_json::from_str::<FunctionCall>(r#"{"name":"f"}"#).map(|call| call.arguments.len());
        assert_eq!(absent.ok(), Some(0));
    }
}
