//! Calls of tools that APIs send in pieces, and what is too much of them.
//!
//! Pure: no I/O, no clock.

use serde_json::json;

use crate::error::LlmError;
use crate::wire::{FunctionCall, ToolCall};

/// A call whose pieces have all come.
pub(super) struct ReceivedCall<'a> {
    pub(super) id: Option<String>,
    pub(super) name: &'a str,
    /// In JSON.
    pub(super) arguments: &'a str,
}

/// Returns the call in the place `at` of an answer; nothing where the limit of tokens has cut it off.
pub(super) fn whole(at: usize, call: ReceivedCall<'_>, is_cut: bool) -> Result<Option<ToolCall>, LlmError> {
    let function = json!({ "index": at, "name": call.name, "arguments": call.arguments });
    match serde_json::from_value::<FunctionCall>(function) {
        Ok(function) if !function.name.is_empty() => {
            Ok(Some(ToolCall { id: call.id.or_else(|| Some(format!("call_{at}"))), function }))
        }
        Ok(_) | Err(_) if is_cut => Ok(None),
        Ok(_) | Err(_) => Err(too_much("a call of a tool that is not whole")),
    }
}

/// Returns the fault of an answer that has no end.
pub(super) fn too_much(what: &str) -> LlmError {
    LlmError::MidStream(format!("it sent {what}"))
}
