//! The markers of model protocols: what each one means, and whether text begins with one.
//!
//! Letter case is ignored. A text that is the beginning of a marker is neither one nor none.
//! Pure: no I/O, no clock.

use crate::malformed::Malformed;

/// The effect of a marker on the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// It is taken out.
    Drops,
    /// It and all up to the closing marker are taken out.
    OpensThinking(&'static str),
    /// The reply is over: what follows is a turn of the user that the model invents.
    Ends,
    /// The reply is not delivered.
    Fails(Malformed),
}

/// The head of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundMarker {
    /// A whole marker.
    Marker {
        /// Its effect.
        kind: MarkerKind,
        /// Its length in bytes.
        length: usize,
    },
    /// The text is too short to decide.
    Part,
    /// Something else.
    Nothing,
}

/// Where a marker is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Anywhere,
    LineStart,
    ReplyStart,
}

/// The longest name between `<|` and `|>`.
const LONGEST_NAME: usize = 40;

const MARKERS: [(&str, Where, MarkerKind); 73] = {
    use Malformed::{Data, Label, Recited, ReservedTokens, ToolCall};
    use MarkerKind::{Drops, Ends, Fails, OpensThinking};
    use Where::{Anywhere, LineStart, ReplyStart};
    [
        ("<think>", Anywhere, OpensThinking("</think>")),
        ("<thinking>", Anywhere, OpensThinking("</thinking>")),
        ("<thought>", Anywhere, OpensThinking("</thought>")),
        ("<reasoning>", Anywhere, OpensThinking("</reasoning>")),
        ("<thoughts>", Anywhere, OpensThinking("</thoughts>")),
        ("<analysis>", Anywhere, OpensThinking("</analysis>")),
        ("<reflection>", Anywhere, OpensThinking("</reflection>")),
        ("<scratchpad>", Anywhere, OpensThinking("</scratchpad>")),
        ("<seed:think>", Anywhere, OpensThinking("</seed:think>")),
        ("[THINK]", Anywhere, OpensThinking("[/THINK]")),
        ("[/THINK]", Anywhere, Drops),
        // Channels: all but the last one is thinking.
        ("<|channel|>analysis", Anywhere, OpensThinking(FINAL_CHANNEL)),
        ("<|channel|>commentary", Anywhere, OpensThinking(FINAL_CHANNEL)),
        (FINAL_CHANNEL, Anywhere, Drops),
        ("<|start|>assistant", Anywhere, Drops),
        ("<|start_header_id|>assistant<|end_header_id|>", Anywhere, Drops),
        ("<|start|>user", Anywhere, Ends),
        ("<|start_header_id|>user", Anywhere, Ends),
        ("<|im_start|>user", Anywhere, Ends),
        ("<|im_start|>system", Anywhere, Ends),
        ("<|user|>", Anywhere, Ends),
        ("<start_of_turn>user", Anywhere, Ends),
        ("user:", LineStart, Ends),
        ("human:", LineStart, Ends),
        ("benutzer:", LineStart, Ends),
        ("nutzer:", LineStart, Ends),
        ("### user", LineStart, Ends),
        ("### human", LineStart, Ends),
        ("### instruction", LineStart, Ends),
        ("### response:", LineStart, Drops),
        ("assistent:", ReplyStart, Drops),
        ("</think>", Anywhere, Drops),
        ("</thinking>", Anywhere, Drops),
        ("</thought>", Anywhere, Drops),
        ("</reasoning>", Anywhere, Drops),
        ("<|im_start|>assistant\n", Anywhere, Drops),
        ("<start_of_turn>model\n", Anywhere, Drops),
        ("<start_of_turn>", Anywhere, Drops),
        ("<end_of_turn>", Anywhere, Drops),
        ("<bos>", Anywhere, Drops),
        ("<eos>", Anywhere, Drops),
        ("<s>", Anywhere, Drops),
        ("</s>", Anywhere, Drops),
        ("[INST]", Anywhere, Drops),
        ("[/INST]", Anywhere, Drops),
        ("<<SYS>>", Anywhere, Drops),
        ("<</SYS>>", Anywhere, Drops),
        ("<tool_", Anywhere, Fails(ToolCall)),
        ("</tool_", Anywhere, Fails(ToolCall)),
        ("<function", Anywhere, Fails(ToolCall)),
        ("<invoke", Anywhere, Fails(ToolCall)),
        ("<|tool", Anywhere, Fails(ToolCall)),
        ("<|python_tag|>", Anywhere, Fails(ToolCall)),
        ("<｜tool", Anywhere, Fails(ToolCall)),
        ("[TOOL_", Anywhere, Fails(ToolCall)),
        ("<unused", Anywhere, Fails(ReservedTokens)),
        ("<reserved_", Anywhere, Fails(ReservedTokens)),
        ("[REDACTED_", Anywhere, Fails(Label)),
        ("tool_call", LineStart, Fails(ToolCall)),
        ("tool_code", LineStart, Fails(ToolCall)),
        ("tool_output", LineStart, Fails(ToolCall)),
        ("function_call", LineStart, Fails(ToolCall)),
        // A call without its brace.
        ("\"name\":", LineStart, Fails(ToolCall)),
        ("\"arguments\":", LineStart, Fails(ToolCall)),
        ("openapi:", LineStart, Fails(Data)),
        ("swagger:", LineStart, Fails(Data)),
        ("<?xml", ReplyStart, Fails(Data)),
        ("<!doctype", ReplyStart, Fails(Data)),
        ("<html", ReplyStart, Fails(Data)),
        // So the list of tools begins in the prompt.
        ("The tools, with their arguments", ReplyStart, Fails(Recited)),
        // And so what came of a call that failed.
        ("Error:", ReplyStart, Fails(Recited)),
        ("assistant:", LineStart, Drops),
        ("<|channel|>final", Anywhere, Drops),
    ]
};

/// Behind it stands what is said, where a model writes in channels.
const FINAL_CHANNEL: &str = "<|channel|>final<|message|>";
/// The longest placeholder, in bytes.
const LONGEST_PLACEHOLDER: usize = 48;
/// Most words of one.
const PLACEHOLDER_WORDS: usize = 5;
/// First words of a placeholder in small letters.
const FILL_IN: [&str; 9] = ["your", "insert", "enter", "name", "dein", "deine", "ihr", "ihre", "hier"];

/// Markers that hold text of their own up to a bracket.
const BRACKETED: [&str; 2] = ["[Tool result:", "[Context:"];

/// Returns what stands at the head of `text`; the flags say whether a reply or a line begins there.
pub(super) fn at_head(text: &str, begins_reply: bool, begins_line: bool) -> FoundMarker {
    let counts = |place: Where| match place {
        Where::Anywhere => true,
        Where::LineStart => begins_line,
        Where::ReplyStart => begins_reply,
    };
    let here = || MARKERS.iter().filter(|(_, place, _)| counts(*place));
    if here().any(|(marker, ..)| text.len() < marker.len() && starts_with(marker, text)) {
        return FoundMarker::Part;
    }
    let whole =
        here().filter(|(marker, ..)| starts_with(text, marker)).max_by_key(|(marker, ..)| marker.len());
    if let Some((marker, _, kind)) = whole {
        return FoundMarker::Marker { kind: *kind, length: marker.len() };
    }
    if text.starts_with("<|") {
        return special_token(text);
    }
    if begins_line {
        match reasoned_call(text) {
            FoundMarker::Nothing => {}
            found => return found,
        }
    }
    let bracketed = BRACKETED.iter().map(|marker| bracketed(text, marker));
    let mut found = bracketed.chain([placeholder(text, '[', ']'), placeholder(text, '{', '}')]);
    found.find(|found| *found != FoundMarker::Nothing).unwrap_or(FoundMarker::Nothing)
}

/// `[Your Name]` or `{city}`, where something was to be filled in: letters alone, each word with a capital in brackets, one
/// word in braces. Brackets in front of an address are a link.
fn placeholder(text: &str, open: char, close: char) -> FoundMarker {
    let Some(inside) = text.strip_prefix(open) else { return FoundMarker::Nothing };
    let is_inside = |c: char| c.is_alphabetic() || matches!(c, ' ' | '_' | '\'' | '-');
    let length = inside.find(|c| !is_inside(c)).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(length);
    if length > LONGEST_PLACEHOLDER || name.starts_with(' ') {
        return FoundMarker::Nothing;
    }
    let Some(behind) = rest.strip_prefix(close) else {
        return if rest.is_empty() { FoundMarker::Part } else { FoundMarker::Nothing };
    };
    let words: Vec<&str> = name.split(' ').collect();
    let has_capital = |word: &&str| word.starts_with(char::is_uppercase);
    let asks_for_it = || words.first().is_some_and(|first| FILL_IN.contains(&first.to_lowercase().as_str()));
    let is_one = match open {
        '{' => words.len() == 1 && !name.is_empty(),
        _ => {
            words.len() <= PLACEHOLDER_WORDS
                && !name.is_empty()
                && (words.iter().all(has_capital) || asks_for_it())
        }
    };
    match (is_one, behind.chars().next()) {
        (false, _) => FoundMarker::Nothing,
        (true, Some('(' | '[')) if open == '[' => FoundMarker::Nothing,
        (true, None) if open == '[' => FoundMarker::Part,
        (true, _) => {
            FoundMarker::Marker { kind: MarkerKind::Fails(Malformed::Placeholder), length: length + 2 }
        }
    }
}

/// `Action: name` with `Action Input:` in the next line; "Action: Die Hard." are words.
fn reasoned_call(text: &str) -> FoundMarker {
    const LABELS: [&str; 2] = ["action:", "action input:"];
    let begins = |text: &str, label: &str| {
        if text.len() < label.len() && starts_with(label, text) {
            FoundMarker::Part
        } else if starts_with(text, label) {
            FoundMarker::Marker { kind: MarkerKind::Fails(Malformed::ToolCall), length: label.len() }
        } else {
            FoundMarker::Nothing
        }
    };
    let whole = match begins(text, LABELS[0]) {
        FoundMarker::Marker { .. } => &text[LABELS[0].len()..],
        FoundMarker::Part | FoundMarker::Nothing => return begins(text, LABELS[1]),
    };
    let is_name =
        |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'`'));
    match whole.split_once('\n') {
        None if whole.len() <= LONGEST_NAME && is_name(whole.trim()) => FoundMarker::Part,
        Some((name, next)) if is_name(name.trim()) => begins(next.trim_start(), LABELS[1]),
        _ => FoundMarker::Nothing,
    }
}

/// `<|name|>`, whatever the name.
fn special_token(text: &str) -> FoundMarker {
    let name = &text[2..];
    let length =
        name.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ')).count();
    let rest = &name[length..];
    match rest {
        _ if length > LONGEST_NAME => FoundMarker::Nothing,
        "" | "|" => FoundMarker::Part,
        _ if rest.starts_with("|>") => {
            FoundMarker::Marker { kind: MarkerKind::Drops, length: 2 + length + 2 }
        }
        _ => FoundMarker::Nothing,
    }
}

fn bracketed(text: &str, marker: &str) -> FoundMarker {
    if text.len() < marker.len() && starts_with(marker, text) {
        return FoundMarker::Part;
    }
    if !starts_with(text, marker) {
        return FoundMarker::Nothing;
    }
    match text.find(']') {
        Some(at) => FoundMarker::Marker { kind: MarkerKind::Drops, length: at + 1 },
        None => FoundMarker::Part,
    }
}

/// Returns whether the language of a code block is the name of a tool protocol.
pub(super) fn names_a_tool(language: &str) -> bool {
    ["tool_call", "tool_code", "tool_output", "function_call"].iter().any(|name| starts_with(language, name))
}

/// Returns where `marker` stands in `text`, ignoring case.
pub(super) fn find(text: &str, marker: &str) -> Option<usize> {
    text.as_bytes().windows(marker.len()).position(|window| window.eq_ignore_ascii_case(marker.as_bytes()))
}

fn starts_with(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}
