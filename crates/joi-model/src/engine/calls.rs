//! Calls of tools in the text of a reply: taken out, and handed on as calls. PURE.
//!
//! A call stands between `<tool_call>` and `</tool_call>` as JSON, or is the whole reply, bare or as a block
//! of code, as small models write it. What may become such a mark is held back; what stands between marks
//! and is no call goes out as text, so that nothing is lost.

use serde_json::{Value, json};

/// How a call begins, as the templates of most open models teach it.
pub(crate) const OPEN: &str = "<tool_call>";
/// How it ends.
const CLOSE: &str = "</tool_call>";
/// Around a block of code, as Markdown writes it; a word of its language may follow the first.
const FENCE: &str = "```";

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallPiece {
    /// Words, never empty.
    Text(String),
    /// A call as Ollama's clients expect it.
    Call(Value),
}

/// One reply.
#[derive(Debug, Default)]
pub(crate) struct CallStream {
    held: String,
    /// Words went out.
    has_begun: bool,
    calls: u32,
}

impl CallStream {
    /// Takes the next text and gives what is certain now.
    pub(crate) fn push(&mut self, text: &str) -> Vec<CallPiece> {
        self.held.push_str(text);
        let nothing_yet = !self.has_begun && self.calls == 0;
        if nothing_yet && may_be_bare(&self.held) || self.held.trim().is_empty() {
            return Vec::new();
        }
        let mut pieces = Vec::new();
        while let Some(at) = self.held.find(OPEN) {
            let inside = at + OPEN.len();
            let Some(length) = self.held[inside..].find(CLOSE) else {
                let rest = self.held.split_off(at);
                self.words(&mut pieces);
                self.held = rest;
                return pieces;
            };
            let rest = self.held.split_off(inside + length + CLOSE.len());
            let marked = self.held.split_off(at);
            self.words(&mut pieces);
            let body = &marked[OPEN.len()..OPEN.len() + length];
            pieces.push(self.call(body).map_or(CallPiece::Text(marked.clone()), CallPiece::Call));
            self.held = rest;
        }
        let keep = (1..OPEN.len()).rev().find(|n| self.held.ends_with(&OPEN[..*n])).unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - keep);
        self.words(&mut pieces);
        self.held = rest;
        pieces
    }

    /// Returns the piece still held back at the end; a call that lacks its end counts when it is whole otherwise.
    pub(crate) fn finish(mut self) -> Option<CallPiece> {
        let held = std::mem::take(&mut self.held);
        if held.trim().is_empty() && self.calls > 0 {
            return None;
        }
        let is_bare = !self.has_begun && self.calls == 0;
        let body = held.strip_prefix(OPEN).or_else(|| is_bare.then(|| without_fence(&held)));
        let call = body.and_then(|body| self.call(body));
        match call {
            Some(call) => Some(CallPiece::Call(call)),
            None => (!held.is_empty()).then_some(CallPiece::Text(held)),
        }
    }

    /// Lets the words out that are held; the line breaks between calls are none.
    fn words(&mut self, pieces: &mut Vec<CallPiece>) {
        let words = std::mem::take(&mut self.held);
        if words.is_empty() || (self.calls > 0 && words.trim().is_empty()) {
            return;
        }
        self.has_begun = true;
        pieces.push(CallPiece::Text(words));
    }

    fn call(&mut self, body: &str) -> Option<Value> {
        let call: Value = serde_json::from_str(body.trim()).ok()?;
        let name = call.get("name")?.as_str()?;
        call.as_object().filter(|fields| fields.keys().all(|key| key == "name" || key == "arguments"))?;
        let arguments = match call.get("arguments") {
            Some(arguments @ Value::Object(_)) => arguments.clone(),
            None | Some(Value::Null) => json!({}),
            Some(_) => return None,
        };
        let index = self.calls;
        self.calls += 1;
        Some(json!({ "id": id(), "function": { "index": index, "name": name, "arguments": arguments } }))
    }
}

/// Whether a reply that begins like this may be a call and nothing else.
fn may_be_bare(held: &str) -> bool {
    let held = held.trim_start();
    if held.starts_with('{') || (!held.is_empty() && FENCE.starts_with(held)) {
        return true;
    }
    let Some(block) = held.strip_prefix(FENCE) else { return false };
    let inside = block.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_').trim_start();
    inside.is_empty() || inside.starts_with('{')
}

/// What stands in `reply` when it is one block of code, or else `reply`.
fn without_fence(reply: &str) -> &str {
    let block = reply.trim().strip_prefix(FENCE).and_then(|block| block.strip_suffix(FENCE));
    block.and_then(|block| block.find('{').map(|at| &block[at..])).unwrap_or(reply)
}

/// An id that no other call of the conversation has.
fn id() -> String {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("call_{:08x}", random & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, size: usize) -> (String, Vec<(String, Value)>) {
        let (mut stream, mut words, mut calls) = (CallStream::default(), String::new(), Vec::new());
        let letters: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        for chunk in letters.chunks(size.max(1)) {
            pieces.extend(stream.push(&chunk.iter().collect::<String>()));
        }
        pieces.extend(stream.finish());
        for piece in pieces {
            match piece {
                CallPiece::Text(text) => words += &text,
                CallPiece::Call(call) => {
                    assert!(call["id"].as_str().unwrap().starts_with("call_"));
                    let function = &call["function"];
                    calls
                        .push((function["name"].as_str().unwrap().to_owned(), function["arguments"].clone()));
                }
            }
        }
        (words, calls)
    }

    proptest! {
        #[test]
        fn calls_are_found_however_they_are_cut(size in 1usize..30) {
            let text = "Sure.\n<tool_call>\n{\"name\": \"a\", \"arguments\": {\"x\": 1}}\n</tool_call>\n<tool_call>{\"name\":\"b\"}</tool_call>";
            let calls = vec![("a".to_owned(), json!({"x": 1})), ("b".to_owned(), json!({}))];
            prop_assert_eq!(read(text, size), ("Sure.\n".to_owned(), calls));
        }

        #[test]
        fn foreign_bytes_without_calls_are_passed_on(text in "(```)?[a-z<>/_ {}\":\n`]{0,60}", size in 1usize..9) {
            prop_assume!(!text.contains(OPEN));
            prop_assert_eq!(read(&text, size), (text, vec![]));
        }
    }

    #[test]
    fn what_is_no_call_goes_out_as_text_and_a_missing_end_is_forgiven() {
        let text = "<tool_call>not json</tool_call> and more";
        assert_eq!(read(text, 4), (text.to_owned(), vec![]));
        let bare = " {\"name\": \"a\", \"arguments\": {\"x\": 1}}";
        assert_eq!(read(bare, 3), (String::new(), vec![("a".to_owned(), json!({"x": 1}))]));
        assert_eq!(read("{\"name\": \"Ann\", \"age\": 7}", 3).1, []);
        for fence in ["```json\n", "```\n", "\n```tool_call\n", "```"] {
            let block = format!("{fence}{}\n```\n", bare.trim());
            for size in [1, 2, 5, 100] {
                let calls = vec![("a".to_owned(), json!({"x": 1}))];
                assert_eq!(read(&block, size), (String::new(), calls), "{block}");
            }
        }
        let code = "```json\n{\"name\": \"a\"}\n``` is how it looks";
        assert_eq!(read(code, 3), (code.to_owned(), vec![]));
        let open = "<tool_call>{\"name\":\"a\",\"arguments\":{}}";
        assert_eq!(read(open, 3), (String::new(), vec![("a".to_owned(), json!({}))]));
    }
}
