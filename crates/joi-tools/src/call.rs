//! A call as a tool gets it.

use jiff::Zoned;
use serde_json::Value;

use super::{Arguments, Effect, Source};
use joi_language::Language;

/// A call as a tool gets it.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Checked against the schema.
    pub arguments: &'a Arguments,
    /// The effect that the gate has judged.
    pub effect: Effect,
    /// The time of the turn.
    pub now: &'a Zoned,
    /// Whose words the arguments are made of.
    pub source: Source,
    /// The language of the turn.
    pub language: &'a Language,
    /// The name of the conversation; empty outside of one.
    pub conversation: &'a str,
}

impl Call<'_> {
    /// Returns the text of an argument, trimmed; empty when it was left out.
    pub fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim()
    }
}
