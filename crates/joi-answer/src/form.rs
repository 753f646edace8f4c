//! The prompt by which a model fills in a form: which call serves a request, if any.
//!
//! In: the tools, and the user's words. Out: messages. The head, with an example of each tool, is the same for every
//! request, so that a model that has read it once reads little more than the request. Tools of other programs, of which
//! there may be many, stand with the request.
//! Pure: no I/O, no clock.

use joi_language::Language;
use joi_llm::Message;
use joi_tools::form::NONE;
use joi_tools::{Arguments, Tool, schema};
use serde_json::{Value, json};

/// The instruction.
const PROMPT: &str = include_str!("../../../assets/prompts/form.md");
/// Most characters of a fault that a model gets to correct its call.
const LONGEST_FAULT: usize = 300;

/// Returns the beginning of every such prompt: what is to be done, the tools, and examples of calls.
pub fn head(tools: &[&dyn Tool], language: &Language) -> Vec<Message> {
    let lines: Vec<String> = tools.iter().map(|tool| line(*tool)).collect();
    let mut messages = vec![Message::system(PROMPT.trim().replace("{tools}", &lines.join("\n")))];
    let mut example = |said: &str, written: Value| {
        messages.extend([Message::user(said), Message::assistant(written.to_string())]);
    };
    for tool in tools {
        for shown in language.tool_examples(tool.name()) {
            example(&shown.say, written(tool.name(), &in_order(*tool, &shown.arguments)));
        }
    }
    for shown in language.examples_without_tool() {
        example(&shown.say, json!({ "name": NONE }));
    }
    messages
}

/// Returns the request that follows such a head; `further` are the tools that do not stand in it, `fault` is what was wrong
/// with the call before, if there was one.
pub fn request(asked: &str, further: &[&dyn Tool], fault: &str) -> Message {
    let lines: Vec<String> = further.iter().map(|tool| line(*tool)).collect();
    let tools =
        if lines.is_empty() { String::new() } else { format!("Further tools:\n{}\n\n", lines.join("\n")) };
    let fault: String = fault.chars().take(LONGEST_FAULT).collect();
    let fault = if fault.is_empty() { fault } else { format!("\n(The call before was wrong: {fault})") };
    Message::user(format!("{tools}{asked}{fault}"))
}

fn line(tool: &dyn Tool) -> String {
    format!("- {}", schema::line(tool))
}

fn written(name: &str, arguments: &Arguments) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// The arguments in the order of the tool's schema, in which a form has them.
fn in_order(tool: &dyn Tool, arguments: &Arguments) -> Arguments {
    let shape = tool.schema();
    let names = shape["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
    names.filter_map(|name| Some((name.clone(), arguments.get(name)?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use joi_language::testing::english;
    use joi_tools::testing::shipped;

    use super::*;

    #[test]
    fn the_head_shows_every_tool_with_examples_and_the_request_comes_last() {
        let toolbox = shipped(None);
        let tools: Vec<&dyn Tool> = toolbox.all().iter().map(|tool| &**tool).collect();
        let head = head(&tools, english());
        assert!(tools.iter().all(|tool| head[0].content.contains(&format!("- {}(", tool.name()))));
        let calls: Vec<&str> = head[1..].chunks(2).map(|pair| pair[1].content.as_str()).collect();
        assert!(calls.contains(&r#"{"name":"none"}"#));
        let bread = r#"{"name":"timers","arguments":{"action":"set","kind":"timer","when":"thirty minutes","name":"bread"}}"#;
        assert!(calls.contains(&bread), "{calls:?}");
        for call in calls {
            let call: Value = serde_json::from_str(call).unwrap();
            let Some(tool) = toolbox.get(call["name"].as_str().unwrap()) else { continue };
            let arguments = call["arguments"].as_object().unwrap();
            assert!(schema::checked(&tool.schema(), arguments).is_ok(), "{call}");
        }
        assert_eq!(request("check Lima", &[], ""), Message::user("check Lima"));
        let further = request("check Lima", &tools[..1], "no city").content;
        assert!(
            further.starts_with("Further tools:\n- ")
                && further.ends_with("\n\ncheck Lima\n(The call before was wrong: no city)"),
            "{further}"
        );
    }
}
