//! The result of a call as text for a model.
//!
//! Any thread. In: the result as the server sent it. Out: text of bounded length without control signs, or the server's
//! own error. Pictures, sounds and files are named, never passed on; an address is never followed. Pure: no I/O, no
//! clock.

use joi_tools::foreign::tidy;
use serde_json::Value;

/// Whether the server says that the call succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did.
    Done(String),
    /// It did not, for this reason.
    Failed(String),
}

/// Whether a tool describes the shape of its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It does: the structured part is the exact one.
    Described,
    /// It does not.
    Free,
}

/// Reads the result of `tools/call`.
pub(crate) fn read(result: &Value, shape: Shape) -> Outcome {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<String> = blocks.iter().filter_map(block).collect();
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let text = match structured {
        Some(value) if shape == Shape::Described || texts.is_empty() => value.to_string(),
        _ => texts.join("\n"),
    };
    let text = tidy(&text);
    match (result["isError"] == true, text.is_empty()) {
        (true, true) => Outcome::Failed("it failed and gave no reason".to_owned()),
        (true, false) => Outcome::Failed(text),
        (false, true) => Outcome::Done("done, with nothing to report".to_owned()),
        (false, false) => Outcome::Done(text),
    }
}

/// Returns one block as text.
fn block(block: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match block["type"].as_str()? {
        "text" => text(&block["text"]),
        "image" => Some("[image]".to_owned()),
        "audio" => Some("[audio]".to_owned()),
        "resource" => text(&block["resource"]["text"]).or_else(|| Some("[file]".to_owned())),
        "resource_link" => {
            let name = text(&block["title"]).or_else(|| text(&block["name"]))?;
            Some(format!("[link: {name}]"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn done(result: &Value) -> String {
        match read(result, Shape::Free) {
            Outcome::Done(text) => text,
            Outcome::Failed(why) => panic!("{why}"),
        }
    }

    #[test]
    fn only_text_reaches_the_model() {
        let content = json!([
            { "type": "text", "text": "Sunny\u{7}\u{1b}[31m\u{202e} today" }, { "type": "image", "data": "A".repeat(5_000_000), "mimeType": "image/png" },
            { "type": "resource_link", "uri": "http://evil.test/x", "name": "forecast" }, { "type": "hologram", "x": 1 },
            { "type": "resource", "resource": { "uri": "a:b", "blob": "AAAA" } }, { "type": "audio", "data": "AAAA" },
        ]);
        assert_eq!(
            done(&json!({ "content": content })),
            "Sunny[31m today\n[image]\n[link: forecast]\n[file]\n[audio]"
        );
    }

    #[test]
    fn of_text_and_structure_one_is_passed_on() {
        let both =
            json!({ "content": [{ "type": "text", "text": "21 °C" }], "structuredContent": { "c": 21 } });
        assert_eq!(done(&both), "21 °C");
        assert_eq!(read(&both, Shape::Described), Outcome::Done("{\"c\":21}".into()));
        assert_eq!(done(&json!({ "content": [], "structuredContent": [1, 2] })), "[1,2]");
        assert_eq!(done(&json!({ "structuredContent": null })), "done, with nothing to report");
        let failed = json!({ "content": [], "isError": true });
        assert_eq!(read(&failed, Shape::Free), Outcome::Failed("it failed and gave no reason".into()));
    }
}
