//! A tool as its server lists it, read leniently: what can't be used of it is left out.
//!
//! Any thread. In: one page of `tools/list` as JSON. Out: tools with bounded texts. Pure: no I/O, no clock.

use joi_tools::foreign::{Claims, DescribedTool, tidy};
use serde_json::{Value, json};

use crate::result::Shape;

/// Longest description that is kept, in characters.
const LONGEST: usize = 1_024;
/// Longest name that the protocol allows, in characters; a longer one is cut for the model only.
const LONGEST_NAME: usize = 256;

/// A tool of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListedTool {
    /// What the server says of it.
    pub described: DescribedTool,
    /// Whether the server describes the shape of its results.
    pub has_output_schema: bool,
}

impl ListedTool {
    /// Reads one entry of a list; nothing where it has no name.
    pub fn read(entry: &Value) -> Option<Self> {
        let name =
            entry["name"].as_str().filter(|name| !name.is_empty() && name.chars().count() <= LONGEST_NAME)?;
        let text = |value: &Value| {
            tidy(value.as_str().unwrap_or_default()).chars().take(LONGEST).collect::<String>()
        };
        let claims = &entry["annotations"];
        let schema = entry.get("inputSchema").filter(|schema| !schema.is_null());
        let described = DescribedTool {
            name: name.to_owned(),
            title: text(entry.get("title").unwrap_or(&claims["title"])),
            description: text(&entry["description"]),
            schema: schema.cloned().unwrap_or_else(|| json!({ "type": "object" })),
            claims: Claims {
                read_only: claims["readOnlyHint"].as_bool(),
                destructive: claims["destructiveHint"].as_bool(),
            },
        };
        Some(Self { described, has_output_schema: entry["outputSchema"].is_object() })
    }

    /// Returns which part of its results is the exact one.
    pub(crate) fn shape(&self) -> Shape {
        if self.has_output_schema { Shape::Described } else { Shape::Free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_entries_are_read_as_far_as_they_can_be() {
        let tool = |entry: Value| ListedTool::read(&entry);
        assert_eq!(tool(json!({ "name": "" })), None);
        assert_eq!(tool(json!({ "name": 7 })), None);
        assert_eq!(tool(json!({ "name": "x".repeat(300) })), None);
        let odd = tool(json!({ "name": "a b 🙂", "inputSchema": true, "description": 7, "annotations": [] }))
            .unwrap()
            .described;
        assert_eq!((odd.schema, odd.description.as_str()), (json!(true), ""));
        let whole = tool(json!({ "name": "get", "title": "Get\u{0} it", "description": "d".repeat(5_000),
            "annotations": { "readOnlyHint": true }, "outputSchema": { "type": "object" } }));
        let ListedTool { described: whole, has_output_schema } = whole.unwrap();
        assert_eq!(
            (whole.title.as_str(), whole.description.len(), has_output_schema),
            ("Get it", 1_024, true)
        );
        assert_eq!(whole.claims, Claims { read_only: Some(true), destructive: None });
    }
}
