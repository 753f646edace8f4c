//! How a model calls tools: in the request's own field, or written as text; and the reading of the latter.
//!
//! Any thread. In: what a model wrote. Out: calls, and all words beside them; nothing is lost and
//! nothing panics. One shape is taught (the `tool_call` fence), several are understood; prose is never a
//! call. Names are not judged here: the loop knows which exist.
//! Pure: no I/O, no clock.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::json::balanced_length;
use joi_llm::{FunctionCall, Message, Role, ToolCall};
use joi_tools::Arguments;

mod arguments;
mod lines;
#[cfg(test)]
mod tests;

pub use arguments::settle;
pub use lines::{Begins, begins_call, final_answer, is_broken_call};

/// How results begin in text mode.
pub const RESULT_START: &str = "[Tool result:";
/// Returns whether a message is the result of a call.
pub fn is_result(message: &Message) -> bool {
    message.role == Role::Tool || (message.role == Role::User && message.content.starts_with(RESULT_START))
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Through `tools` of the request.
    Native,
    /// As text.
    Text,
}

impl Protocol {
    /// Returns its name for `/model` and the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
        }
    }
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenCall {
    /// Of a native call.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// Not yet checked.
    pub arguments: Arguments,
}

impl WrittenCall {
    fn new(name: &str, arguments: Arguments) -> Self {
        Self { id: None, name: name.trim().to_owned(), arguments }
    }

    /// A native call.
    pub fn native(call: ToolCall) -> Self {
        Self { id: call.id, name: call.function.name, arguments: call.function.arguments }
    }
}

/// The contents of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// The calls, in order.
    pub calls: Vec<WrittenCall>,
    /// Everything else.
    pub words: String,
}

/// Reads `text`. `known` are the names of the tools: shapes that could be prose count for those only.
pub fn parse(text: &str, known: &[String]) -> Parsed {
    let spans = spans(text, known);
    let mut parsed = Parsed::default();
    let mut from = 0;
    for (span, calls) in spans {
        parsed.words.push_str(&text[from..span.start]);
        from = span.end;
        parsed.calls.extend(calls);
    }
    parsed.words.push_str(&text[from..]);
    parsed
}

type Spans = Vec<(Range<usize>, Vec<WrittenCall>)>;

/// Returns the calls with the places where they stand, in order and apart.
pub fn spans(text: &str, known: &[String]) -> Spans {
    let fenced = fenced(text, known);
    if !fenced.is_empty() {
        return fenced;
    }
    if let Some((span, call)) = lines::reasoned(text, known) {
        return vec![(span, vec![call])];
    }
    let begin = text.len() - text.trim_start().len();
    let body = text.trim();
    let whole = |calls: Vec<WrittenCall>| vec![(begin..begin + body.len(), calls)];
    if let Some(calls) = lines::labelled(body, known) {
        return whole(calls);
    }
    if body.starts_with(['{', '[']) {
        let length = balanced_length(body).unwrap_or(body.len());
        let mended = |length: usize| {
            let calls = calls_in(&lines::closed(&body[..length])?, known)?;
            all_known(&calls, known).then_some((length, calls))
        };
        let found = match serde_json::from_str(&body[..length]) {
            Ok(value) => calls_in(&value, known).map(|calls| (length, calls)),
            Err(_) => mended(body.len()).or_else(|| mended(length)),
        };
        return found.map(|(length, calls)| vec![(begin..begin + length, calls)]).unwrap_or_default();
    }
    lines::braceless(body, known).or_else(|| lines::line_calls(body, known)).map(whole).unwrap_or_default()
}

/// Fences and tags of tool protocols. A mark that was found ahead is kept until it is passed, so that the text is looked
/// through once for each of them.
fn fenced(text: &str, known: &[String]) -> Spans {
    const SHAPES: [(&str, &str); 4] = [
        ("```", "```"),
        ("<tool_call>", "</tool_call>"),
        ("<function_call>", "</function_call>"),
        ("[TOOL_CALLS]", "\n"),
    ];
    let find = |mark: &str, from: usize| text[from..].find(mark).map(|at| from + at);
    let mut ahead = SHAPES.map(|(open, close)| (find(open, 0), open, close));
    let mut found = Spans::new();
    while let Some((start, open, close)) =
        ahead.iter().filter_map(|(at, open, close)| Some(((*at)?, *open, *close))).min()
    {
        let inside = start + open.len();
        let closed = find(close, inside);
        let end = closed.map_or(text.len(), |at| at + close.len());
        if let Some(calls) = fenced_calls(&text[inside..closed.unwrap_or(end)], open == "```", known) {
            found.push((start..end, calls));
        }
        for (at, open, _) in &mut ahead {
            if at.is_some_and(|at| at < end) {
                *at = find(open, end);
            }
        }
    }
    found
}

/// Returns the calls in the inside of a fence or tag.
fn fenced_calls(body: &str, has_language: bool, known: &[String]) -> Option<Vec<WrittenCall>> {
    let (language, body) = match body.split_once('\n') {
        Some((language, body)) if has_language => (language.trim().to_ascii_lowercase(), body),
        _ if has_language => return None,
        _ => ("tool_call".to_owned(), body),
    };
    let is_tool = ["tool_call", "tool_calls", "tool_code", "function_call"].contains(&language.as_str());
    if !is_tool && !language.is_empty() && language != "json" {
        return None;
    }
    let mut calls = Vec::new();
    let mut rest = body.trim();
    while rest.starts_with(['{', '[']) {
        let (head, behind) = rest.split_at(balanced_length(rest).unwrap_or(rest.len()));
        let value = serde_json::from_str(head).ok().or_else(|| lines::closed(head));
        match value.and_then(|value| calls_in(&value, known)) {
            Some(these) => {
                calls.extend(these);
                rest = behind.trim_start();
            }
            // With a brace too few inside it seems to end too early. Nothing can follow then, so that this is tried once.
            None => {
                calls.extend(calls_in(&lines::closed(rest)?, known)?);
                break;
            }
        }
    }
    if calls.is_empty() && is_tool {
        calls = lines::line_calls(rest, known)?;
    }
    (!calls.is_empty()).then_some(calls)
}

/// Returns the calls a JSON value stands for; nothing when it is anything else.
fn calls_in(value: &Value, known: &[String]) -> Option<Vec<WrittenCall>> {
    const LISTS: [&str; 3] = ["tool_calls", "tool_call", "function_call"];
    match value {
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(|item| calls_in(item, known)).collect::<Option<Vec<_>>>().map(|all| all.concat())
        }
        Value::Object(fields) => match LISTS.iter().find_map(|list| fields.get(*list)) {
            Some(inner) => calls_in(inner, known),
            None => match fields.get("function") {
                Some(Value::Object(function)) => call(function, known).map(|call| vec![call]),
                _ => call(fields, known).or_else(|| keyed(fields, known)).map(|call| vec![call]),
            },
        },
        _ => None,
    }
}

fn call(fields: &Map<String, Value>, known: &[String]) -> Option<WrittenCall> {
    const NAMES: [&str; 6] = ["name", "tool", "tool_name", "function_name", "function", "action"];
    const ARGUMENTS: [&str; 6] = ["arguments", "args", "parameters", "params", "input", "action_input"];
    let name = NAMES.iter().find_map(|key| fields.get(*key)).and_then(Value::as_str)?;
    let given = ARGUMENTS.iter().find_map(|key| fields.get(*key));
    let is_known = known.iter().any(|tool| tool == name);
    let arguments = match given {
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(Value::String(text)) if text.trim().is_empty() => Arguments::new(),
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(Value::Null) => Arguments::new(),
        None if is_known && fields.len() == 1 => Arguments::new(),
        _ => return None,
    };
    Some(WrittenCall::new(name, arguments))
}

/// Returns a tool by its name as the only key: `{"calculate": {"expression": "1 + 1"}}`.
fn keyed(fields: &Map<String, Value>, known: &[String]) -> Option<WrittenCall> {
    let (name, arguments) = fields.iter().next().filter(|_| fields.len() == 1)?;
    let arguments = arguments.as_object().filter(|_| known.contains(name))?;
    Some(WrittenCall::new(name, arguments.clone()))
}

fn all_known(calls: &[WrittenCall], known: &[String]) -> bool {
    calls.iter().all(|call| known.contains(&call.name))
}

/// Returns how the calls of one reply stand in the history: native ones as they came, text ones in the taught shape.
pub fn assistant(protocol: Protocol, words: &str, thinking: &str, calls: &[WrittenCall]) -> Message {
    let mut message = match protocol {
        Protocol::Native => {
            let mut message = Message::assistant(words);
            message.tool_calls = calls.iter().zip(0u32..).map(native_call).collect();
            message
        }
        Protocol::Text => {
            let written: Vec<String> = calls.iter().map(taught).collect();
            let gap = if words.trim().is_empty() { "" } else { "\n" };
            Message::assistant(format!("{}{gap}{}", words.trim(), written.join("\n")))
        }
    };
    message.thinking = Some(thinking.to_owned()).filter(|thinking| !thinking.is_empty());
    message
}

fn native_call((call, index): (&WrittenCall, u32)) -> ToolCall {
    let function =
        FunctionCall { index: Some(index), name: call.name.clone(), arguments: call.arguments.clone() };
    ToolCall { id: call.id.clone(), function }
}

/// Returns a call in the taught shape.
pub fn taught(call: &WrittenCall) -> String {
    let written = serde_json::json!({ "name": call.name, "arguments": call.arguments });
    format!("```tool_call\n{written}\n```")
}

/// Returns a result for the model; `name` and `id` are those of the call.
pub fn result(protocol: Protocol, call: &WrittenCall, text: &str) -> Message {
    let mut message = match protocol {
        Protocol::Native => Message::new(Role::Tool, text),
        Protocol::Text => Message::user(format!("{RESULT_START} {}]\n{text}", call.name)),
    };
    if protocol == Protocol::Native {
        message.tool_name = Some(call.name.clone());
        message.tool_call_id.clone_from(&call.id);
    }
    message
}
