//! The calls of `lists` that the user's words can fill.
//!
//! Pure: no I/O, no clock.

use serde_json::{Value, json};

use crate::form::FormSource;
use crate::schema;
use joi_understand::requests::list::{NOTES, SHOPPING, TODO};

/// Most words of a thing that stands in a request.
const THING_WORDS: usize = 4;
/// Most words of a note.
const NOTE_WORDS: usize = 10;

/// Returns the schemas of their arguments.
pub(super) fn of(said: &FormSource<'_>) -> Vec<Value> {
    let lists = json!({ "enum": [SHOPPING, TODO, NOTES] });
    let call = |action: &str, list: Value, text: Option<Value>| {
        let mut properties = json!({ "action": { "const": action }, "list": list });
        let mut required = vec!["action", "list"];
        if let Some(text) = text {
            properties["text"] = text;
            required.push("text");
        }
        schema::object(properties, &required)
    };
    let mut forms = vec![call("read", lists, None)];
    if let Some(thing) = said.text(THING_WORDS) {
        let things = json!({ "enum": [SHOPPING, TODO] });
        forms.extend(["add", "remove"].map(|action| call(action, things.clone(), Some(thing.clone()))));
    }
    let note = said.text(NOTE_WORDS).filter(|_| said.time().is_none());
    forms.extend(note.map(|note| call("add", json!({ "const": NOTES }), Some(note))));
    forms
}
