//! Arguments as they were meant: a text without a name, and an address in the dress of a link.
//!
//! In: the calls of one reply, and the tools. Out: the same calls, with the names and addresses that the tools'
//! schemas speak of. What has no clear meaning stays as it is, and is refused when the arguments are checked.
//! Pure: no I/O, no clock.

use serde_json::Value;

use super::WrittenCall;
use joi_tools::{Toolbox, schema};

/// The name of an argument that was written without one.
pub(super) const UNNAMED: &str = "";

/// Gives the arguments of `calls` their names, and bares addresses.
pub fn settle(calls: &mut [WrittenCall], tools: &Toolbox) {
    for call in calls {
        let Some(tool) = tools.get(&call.name) else { continue };
        let schema = tool.schema();
        if let Some(name) = schema::only_text(&schema)
            && !call.arguments.contains_key(name)
            && let Some(text) = call.arguments.remove(UNNAMED)
        {
            call.arguments.insert(name.to_owned(), text);
        }
        for (name, value) in &mut call.arguments {
            if let Value::String(text) = value
                && schema::is_address(&schema, name)
                && let Some(address) = bare(text)
            {
                *text = address.to_owned();
            }
        }
    }
}

/// Returns the address in `[words](address)` or `<address>`, when nothing else stands there.
fn bare(text: &str) -> Option<&str> {
    let text = text.trim();
    let inside = match text.strip_prefix('[') {
        Some(link) => link.split_once("](")?.1.strip_suffix(')')?,
        None => text.strip_prefix('<')?.strip_suffix('>')?,
    };
    // A title may stand behind it.
    let address = inside.split_whitespace().next()?;
    let address = address.strip_prefix('<').and_then(|address| address.strip_suffix('>')).unwrap_or(address);
    (!address.is_empty()).then_some(address)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use serde_json::json;

    use super::*;
    use crate::protocol::parse;
    use joi_tools::{Arguments, Call, Output, Tool, ToolError};

    /// A tool with this schema.
    struct Takes(&'static str, Value);

    impl Tool for Takes {
        fn name(&self) -> &str {
            self.0
        }
        fn description(&self) -> &str {
            ""
        }
        fn schema(&self) -> Value {
            self.1.clone()
        }
        fn in_words(&self, _: &Arguments, _: &joi_language::Language) -> String {
            String::new()
        }
        fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
            async { Ok(Output::own("")) }.boxed()
        }
    }

    fn settled(text: &str) -> Vec<Value> {
        let kind = json!({ "type": "string" });
        let tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Takes("webSearch", schema::object(json!({ "query": kind, "many": kind }), &["query"]))),
            Arc::new(Takes("readPage", schema::object(json!({ "url": kind, "about": kind }), &["url"]))),
            Arc::new(Takes(
                "lists",
                schema::object(json!({ "action": kind, "text": kind }), &["action", "text"]),
            )),
        ];
        let tools = Toolbox::new(tools);
        let known: Vec<String> = tools.names().into_iter().map(str::to_owned).collect();
        let mut calls = parse(text, &known).calls;
        settle(&mut calls, &tools);
        calls.into_iter().map(|call| Value::Object(call.arguments)).collect()
    }

    #[test]
    fn a_text_without_a_name_is_the_only_text_that_a_tool_must_have() {
        for written in [
            "webSearch(\"owls\")",
            "webSearch('owls')",
            "webSearch( \"owls\" )",
            "```tool_code\nwebSearch(\"owls\")\n```",
        ] {
            assert_eq!(settled(written), [json!({ "query": "owls" })], "{written}");
        }
        assert_eq!(settled("webSearch('the owl\\'s eye')"), [json!({ "query": "the owl's eye" })]);
        assert_eq!(settled("lists(\"milk\")"), [json!({ "": "milk" })], "which of the two is not guessed");
        assert_eq!(settled("webSearch('owls', 'many')"), [json!(null); 0]);
    }

    #[test]
    fn an_address_is_taken_out_of_its_link_and_other_texts_keep_theirs() {
        for (written, address) in [
            ("[the page](http://a.example/x)", "http://a.example/x"),
            ("<https://a.example/x>", "https://a.example/x"),
            ("[x](<http://a.example>)", "http://a.example"),
            ("[x](http://a.example \\\"A title\\\")", "http://a.example"),
            ("http://a.example/x_(y)", "http://a.example/x_(y)"),
            ("see [x](http://a.example)", "see [x](http://a.example)"),
            ("[x]()", "[x]()"),
        ] {
            let call = format!("{{\"name\":\"readPage\",\"arguments\":{{\"url\":\"{written}\"}}}}");
            assert_eq!(settled(&call), [json!({ "url": address })], "{written}");
            let other = call.replace("\"url\"", "\"about\"");
            assert_ne!(settled(&other), [json!({ "about": "http://a.example" })], "{written}");
        }
        assert_eq!(settled("readPage(\"[x](http://a.example)\")"), [json!({ "url": "http://a.example" })]);
    }
}
