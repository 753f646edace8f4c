//! Calls that are no JSON, or JSON that is not whole: `name(key=value)`, `name: key: value`,
//! `tool_calls: […]`, `Action: name`.
//!
//! They count for known names only, and, but for the last, only when they are the whole text. Braces that are missing
//! are put where they belong; what still can't be read is distinguished from words by [`is_broken_call`].
//! Pure: no I/O, no clock.

use std::ops::Range;

use serde_json::Value;

use super::arguments::UNNAMED;
use super::{WrittenCall, all_known, calls_in};
use joi_tools::Arguments;

/// The state of a reply that may turn out to be a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// It does look like one: hold it back.
    Call,
    /// More is needed to decide.
    Undecided,
    /// These are words.
    Words,
}

/// Words that some models put in front of a tool's name.
const IN_FRONT: [&str; 4] = ["`", "functions.", "tools.", "tool."];

/// The labels of a model that reasons aloud and acts in turns (ReAct, Yao et al. 2023).
const THOUGHT: &str = "Thought:";
const ACTION: &str = "Action:";
const INPUT: &str = "Action Input:";
const OBSERVATION: &str = "\nObservation:";
const ANSWER: &str = "Final Answer:";

/// `text` without one of these, and without the mark that closes it; a fence is another matter.
fn bare(text: &str) -> &str {
    if text.starts_with("``") {
        return text;
    }
    let front = IN_FRONT.iter().find_map(|front| text.strip_prefix(front));
    front.map_or(text, |rest| rest.strip_suffix('`').unwrap_or(rest))
}

/// Judges the head of a reply for the shapes that look like words.
pub fn begins_call(head: &str, known: &[String]) -> Begins {
    let head = head.trim_start();
    if head.is_empty() {
        return Begins::Undecided;
    }
    if [THOUGHT, ACTION].iter().any(|label| head.starts_with(label)) {
        return Begins::Call;
    }
    let labels = IN_FRONT.iter().chain([&THOUGHT, &ACTION]);
    let is_begun = labels.into_iter().any(|front| front.starts_with(head));
    let head = bare(head);
    let mut verdict = if is_begun || head.is_empty() { Begins::Undecided } else { Begins::Words };
    for name in known {
        match head.strip_prefix(name.as_str()).map(str::trim_start) {
            Some("") => verdict = Begins::Undecided,
            Some(rest) if rest.starts_with(['(', ':']) => return Begins::Call,
            Some(_) => {}
            None if name.starts_with(head) => verdict = Begins::Undecided,
            None => {}
        }
    }
    verdict
}

/// `tool_calls: […]`, also with braces missing.
pub(super) fn labelled(body: &str, known: &[String]) -> Option<Vec<WrittenCall>> {
    let lower = body.to_ascii_lowercase();
    let label = ["tool_calls", "tool_call"].into_iter().find(|label| lower.starts_with(label))?;
    let rest = body[label.len()..].trim_start().strip_prefix([':', '='])?.trim_start();
    if let Ok(value) = serde_json::from_str::<Value>(rest) {
        return calls_in(&value, known);
    }
    let value = closed(rest).or_else(|| closed(&format!("{{{rest}")))?;
    calls_in(&value, known).filter(|calls| all_known(calls, known))
}

/// `Action: name`, `Action Input: {…}`: where it stands, a thought in front of it and an observation that the model made
/// up behind it included.
pub(super) fn reasoned(text: &str, known: &[String]) -> Option<(Range<usize>, WrittenCall)> {
    let action = line_start(text, ACTION, known)?;
    let (name, behind) = text[action + ACTION.len()..].split_once('\n')?;
    let name = bare(name.trim());
    let input = behind.trim_start().strip_prefix(INPUT)?;
    let end = input.find(OBSERVATION).unwrap_or(input.len());
    let written = input[..end].trim();
    let arguments = match closed(written) {
        Some(Value::Object(arguments)) => arguments,
        _ if written.is_empty() => Arguments::new(),
        _ => {
            Arguments::from_iter([(UNNAMED.to_owned(), quoted(written).unwrap_or(written.to_owned()).into())])
        }
    };
    let start = if text.trim_start().starts_with(THOUGHT) { 0 } else { action };
    Some((start..text.len(), WrittenCall::new(name, arguments)))
}

/// Returns where the line begins that names a known tool behind `label`.
fn line_start(text: &str, label: &str, known: &[String]) -> Option<usize> {
    let names_one = |line: &str| {
        let name = line.strip_prefix(label).map(|name| bare(name.trim()));
        name.is_some_and(|name| known.iter().any(|tool| tool == name))
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.len() - line.trim_start().len();
        if names_one(line.trim()) {
            return Some(at + blank);
        }
        at += line.len();
    }
    None
}

/// Returns what is meant for the user of a reply that reasons aloud.
pub fn final_answer(text: &str) -> &str {
    let is_reasoned = [THOUGHT, ACTION].iter().any(|label| text.trim_start().starts_with(label));
    let answer = text.rfind(ANSWER).filter(|_| is_reasoned);
    answer.map_or(text, |at| text[at + ANSWER.len()..].trim_start())
}

/// `"name": …, "arguments": …`: a call without its outer brace.
pub(super) fn braceless(body: &str, known: &[String]) -> Option<Vec<WrittenCall>> {
    let value = body.starts_with('"').then(|| closed(&format!("{{{body}")))??;
    calls_in(&value, known).filter(|calls| all_known(calls, known))
}

/// Returns whether `text` begins like a call as code does: then it is not read out, whatever it is.
pub fn is_broken_call(text: &str, known: &[String]) -> bool {
    let text = text.trim_start();
    if line_start(text, ACTION, known).is_some() {
        return true;
    }
    // A sentence that begins with "`time()`" may be meant so.
    let text = if text.starts_with('`') { text } else { bare(text) };
    let is_code = |name: &String| {
        text.strip_prefix(name.as_str()).is_some_and(|rest| {
            let behind = rest.trim_start().strip_prefix(':').map(str::trim_start);
            rest.starts_with('(') || behind.is_some_and(|behind| behind.starts_with('{'))
        })
    };
    known.iter().any(is_code)
}

/// Returns the JSON value that `text` becomes when its open quotes and brackets are closed, and a brace is put before a
/// key that stands where a value should: `"arguments": "action": "set"`.
pub(super) fn closed(text: &str) -> Option<Value> {
    let (mut whole, mut open) = (String::with_capacity(text.len() + 8), Vec::new());
    let (mut before, mut is_quoted) = (' ', false);
    let mut rest = text.trim_end().trim_end_matches(',');
    while let Some(c) = rest.chars().next() {
        let length = if c == '"' { text_length(rest) } else { Some(c.len_utf8()) };
        is_quoted = length.is_none();
        let (token, behind) = rest.split_at(length.unwrap_or(rest.len()));
        match c {
            '"' if matches!(before, ':' | '[') && behind.trim_start().starts_with(':') => {
                whole.push('{');
                open.push('}');
            }
            '{' => open.push('}'),
            '[' => open.push(']'),
            // More of them than were opened.
            '}' | ']' if open.is_empty() && rest.trim_end_matches(['}', ']', ' ', '\n']).is_empty() => break,
            // From the top: what is passed on the way down is closed.
            ']' if open.iter().rev().any(|last| *last == ']') => {
                while let Some(missing) = open.pop().filter(|last| *last != ']') {
                    whole.push(missing);
                }
            }
            '}' | ']' if open.pop() != Some(c) => return None,
            _ => {}
        }
        whole.push_str(token);
        if !c.is_whitespace() {
            before = c;
        }
        rest = behind;
    }
    if is_quoted {
        whole.push('"');
    }
    whole.extend(open.iter().rev());
    serde_json::from_str(&whole).ok()
}

/// Returns the length of the text in quotes at the head of `rest`; nothing when it does not end.
fn text_length(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = rest.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map(|(at, _)| at + 1)
}

/// `name(…)` and `name: key: value`, for known names and when nothing else stands there.
pub(super) fn line_calls(body: &str, known: &[String]) -> Option<Vec<WrittenCall>> {
    let body = bare(body);
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let name = known.iter().filter(|name| body.starts_with(name.as_str())).max_by_key(|name| name.len())?;
    let rest = body[name.len()..].trim();
    if let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return Some(vec![WrittenCall::new(name, in_brackets(inside)?)]);
    }
    let rest = rest.strip_prefix(':')?;
    let first = lines.first()?.strip_prefix(name.as_str())?.trim().strip_prefix(':')?.trim();
    if let Some(Value::Object(arguments)) = rest.trim_start().starts_with('{').then(|| closed(rest)).flatten()
    {
        return Some(vec![WrittenCall::new(name, arguments)]);
    }
    let pairs = [first].into_iter().chain(lines.iter().skip(1).copied()).filter(|line| !line.is_empty());
    let arguments: Option<Arguments> = pairs.map(|line| pair(line, ':')).collect();
    arguments
        .filter(|arguments| !arguments.is_empty())
        .map(|arguments| vec![WrittenCall::new(name, arguments)])
}

/// `key="value", other=3`, or one text without a name, or nothing.
fn in_brackets(inside: &str) -> Option<Arguments> {
    let inside = inside.trim();
    if inside.is_empty() {
        return Some(Arguments::new());
    }
    if let Some(Value::Object(arguments)) = inside.starts_with('{').then(|| closed(inside)).flatten() {
        return Some(arguments);
    }
    if let Some(text) = quoted(inside) {
        return Some(Arguments::from_iter([(UNNAMED.to_owned(), text.into())]));
    }
    parts(inside).into_iter().map(|part| pair(part, '=').or_else(|| pair(part, ':'))).collect()
}

/// Returns the text of `written` when it is nothing but one text in quotes.
fn quoted(written: &str) -> Option<String> {
    if let Ok(text) = serde_json::from_str(written) {
        return Some(text);
    }
    let inside = written.strip_prefix('\'')?.strip_suffix('\'')?.replace("\\'", "’");
    (!inside.contains('\'')).then(|| inside.replace('’', "'"))
}

/// Returns the parts of `text` between commas that stand in no quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut from, mut quote) = (0, None);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ',') => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

fn pair(text: &str, between: char) -> Option<(String, Value)> {
    let (key, value) = text.split_once(between)?;
    let key = key.trim().trim_matches(['"', '\'', '`']);
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = value.trim();
    let value = serde_json::from_str(value)
        .unwrap_or_else(|_| Value::String(value.trim_matches(['"', '\'', '`']).to_owned()));
    is_key.then(|| (key.to_owned(), value))
}
