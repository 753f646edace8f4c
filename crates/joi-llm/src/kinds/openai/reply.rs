//! Reads a streamed reply of an OpenAI-compatible server, line by line.
//!
//! In: lines of server-sent events, without their ends. Out: [`ChatEvent`]s. The pieces of a tool call are put together by
//! their index and come out whole. Comments and fields other than `data` are passed over. It refuses lines that are
//! neither, and calls beyond a limit of number and size. Pure: no I/O, no clock.

use std::collections::VecDeque;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::failure::in_reply;
use crate::error::LlmError;
use crate::kinds::calls::{self, ReceivedCall, too_much};
use crate::sse::{ReplyLines, data_of};
use crate::wire::{ChatEvent, ChatStats, DoneReason};

/// Most tool calls of one reply.
const CALLS_MAX: usize = 64;
/// Most bytes of the arguments of all calls of one reply.
const ARGUMENTS_MAX: usize = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Chunk {
    choices: Option<Vec<ReplyChoice>>,
    usage: Option<Usage>,
    timings: Option<Timings>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReplyChoice {
    delta: Option<Delta>,
    /// In place of `delta` where a server does not stream.
    message: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Delta {
    content: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallPiece {
    index: Option<u32>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

/// What llama-server adds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Timings {
    cache_n: Option<u64>,
    prompt_ms: Option<f64>,
    predicted_ms: Option<f64>,
}

/// A call whose pieces still arrive.
#[derive(Debug)]
struct CallInPieces {
    index: Option<u32>,
    id: Option<String>,
    name: String,
    arguments: String,
}

/// Puts a reply together.
#[derive(Debug, Default)]
pub(super) struct ReplyReader {
    calls: Vec<CallInPieces>,
    argument_bytes: usize,
    finished: Option<DoneReason>,
    /// Pieces of text and thinking: the tokens of a server that reports none.
    pieces: u64,
    stats: ChatStats,
    is_done: bool,
}

impl ReplyLines for ReplyReader {
    fn line(&mut self, line: &[u8], events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError> {
        let Some(data) = data_of(line)?.filter(|_| !self.is_done) else { return Ok(()) };
        if data == b"[DONE]" {
            self.finished.get_or_insert(DoneReason::Stop);
            return self.end(events);
        }
        let broken = |_| LlmError::Garbage(format!("it sent a broken line of {} bytes", data.len()));
        let chunk: Chunk = serde_json::from_slice(data).map_err(broken)?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(in_reply(&error));
        }
        self.count(chunk.usage, chunk.timings);
        // One answer was asked for.
        let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() else { return Ok(()) };
        let said = |text: Option<String>| text.filter(|text| !text.is_empty());
        if let Some(delta) = choice.delta.or(choice.message) {
            let thought = said(delta.reasoning_content).or_else(|| said(delta.reasoning));
            let before = events.len();
            events.extend(thought.map(ChatEvent::Thinking));
            events.extend(said(delta.content).map(ChatEvent::Text));
            self.pieces += (events.len() - before) as u64;
            for piece in delta.tool_calls.unwrap_or_default() {
                self.add(piece)?;
            }
        }
        if let Some(reason) = said(choice.finish_reason) {
            self.finished = Some(reason_of(&reason));
            return self.hand_out_calls(events);
        }
        Ok(())
    }

    fn end(&mut self, events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError> {
        let Some(reason) = self.finished.filter(|_| !self.is_done) else { return Ok(()) };
        self.hand_out_calls(events)?;
        self.is_done = true;
        if self.stats.eval_count == 0 {
            self.stats.eval_count = self.pieces;
        }
        events.push_back(ChatEvent::Done(ChatStats { done_reason: reason, ..self.stats.clone() }));
        Ok(())
    }
}

impl ReplyReader {
    fn count(&mut self, usage: Option<Usage>, timings: Option<Timings>) {
        if let Some(usage) = usage {
            self.stats.prompt_eval_count = usage.prompt_tokens.unwrap_or_default();
            self.stats.eval_count = usage.completion_tokens.unwrap_or_default();
            let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
            self.stats.prompt_cached_count = cached.or(self.stats.prompt_cached_count);
        }
        if let Some(timings) = timings {
            let time = |ms: Option<f64>| {
                ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()).unwrap_or_default()
            };
            self.stats.prompt_cached_count = timings.cache_n.or(self.stats.prompt_cached_count);
            self.stats.prompt_eval_duration = time(timings.prompt_ms);
            self.stats.eval_duration = time(timings.predicted_ms);
        }
    }

    /// Adds a piece to the call it belongs to: the one with its index, unless it has an id of its own; without an index the
    /// newest.
    fn add(&mut self, piece: CallPiece) -> Result<(), LlmError> {
        let id = piece.id.filter(|id| !id.is_empty());
        let function = piece.function.unwrap_or_default();
        let has_name = function.name.as_ref().is_some_and(|name| !name.is_empty());
        let fits = |call: &CallInPieces| {
            let is_same = piece.index.is_none() || call.index == piece.index;
            // Some servers give every call the same index, or none.
            let is_next = has_name && serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok();
            is_same && !is_next && (id.is_none() || call.id.is_none() || call.id == id)
        };
        let at = match self.calls.iter().rposition(fits) {
            Some(at) => at,
            None if self.calls.len() == CALLS_MAX => return Err(too_much("too many calls of tools")),
            None => {
                let call = CallInPieces {
                    index: piece.index,
                    id: None,
                    name: String::new(),
                    arguments: String::new(),
                };
                self.calls.push(call);
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[at];
        call.id = call.id.take().or(id);
        if call.name.is_empty() {
            call.name = function.name.unwrap_or_default();
        }
        let more = match function.arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(whole) => whole.to_string(),
        };
        self.argument_bytes += more.len();
        if self.argument_bytes > ARGUMENTS_MAX {
            return Err(too_much("arguments of tools without end"));
        }
        call.arguments.push_str(&more);
        Ok(())
    }

    /// Hands out the calls, which are whole now. A call that was cut off by the limit of tokens is left out.
    fn hand_out_calls(&mut self, events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError> {
        let is_cut = self.finished == Some(DoneReason::Length);
        for (at, call) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            let call = ReceivedCall { id: call.id, name: &call.name, arguments: &call.arguments };
            events.extend(calls::whole(at, call, is_cut)?.map(ChatEvent::ToolCall));
        }
        Ok(())
    }
}

fn reason_of(reason: &str) -> DoneReason {
    match reason {
        "stop" | "tool_calls" | "function_call" | "eos" => DoneReason::Stop,
        "length" | "max_tokens" => DoneReason::Length,
        _ => DoneReason::Other,
    }
}

#[cfg(test)]
mod tests;
