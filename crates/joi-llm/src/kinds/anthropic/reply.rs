//! Reads a streamed reply of the Messages API of Anthropic, line by line.
//!
//! In: lines of server-sent events, without their ends. Out: [`ChatEvent`]s. The arguments of a tool call arrive in pieces
//! and come out whole, once it is known why the reply ended. Events of kinds that are not known are passed over. It refuses
//! calls beyond a limit of number and size. Pure: no I/O, no clock.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

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
struct StreamEvent {
    #[serde(rename = "type")]
    kind: String,
    index: u32,
    message: Option<StartedMessage>,
    content_block: Option<Value>,
    delta: Option<BlockDelta>,
    usage: Option<TokenUsage>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StartedMessage {
    usage: Option<TokenUsage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BlockDelta {
    text: Option<String>,
    thinking: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// A call whose arguments still arrive.
#[derive(Debug)]
struct StartedCall {
    index: u32,
    id: Option<String>,
    name: String,
    arguments: String,
}

/// Puts a reply together.
#[derive(Debug, Default)]
pub(super) struct MessageReader {
    calls: Vec<StartedCall>,
    argument_bytes: usize,
    finished: Option<DoneReason>,
    usage: TokenUsage,
    is_done: bool,
}

impl ReplyLines for MessageReader {
    fn line(&mut self, line: &[u8], events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError> {
        let Some(data) = data_of(line)?.filter(|_| !self.is_done) else { return Ok(()) };
        let broken = |_| LlmError::Garbage(format!("it sent a broken line of {} bytes", data.len()));
        let event: StreamEvent = serde_json::from_slice(data).map_err(broken)?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(in_reply(&error));
        }
        self.count(event.message.and_then(|message| message.usage));
        self.count(event.usage);
        match event.kind.as_str() {
            "content_block_start" => self.start(event.index, event.content_block, events),
            "content_block_delta" => self.add(event.index, event.delta.unwrap_or_default(), events),
            "message_delta" => {
                if let Some(reason) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.finished = Some(reason_of(&reason));
                }
                Ok(())
            }
            "message_stop" => {
                self.finished.get_or_insert(DoneReason::Stop);
                self.end(events)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError> {
        let Some(done_reason) = self.finished.filter(|_| !self.is_done) else { return Ok(()) };
        self.hand_out_calls(done_reason, events)?;
        self.is_done = true;
        let usage = &self.usage;
        let count = |tokens: Option<u64>| tokens.unwrap_or_default();
        let read = count(usage.cache_read_input_tokens);
        events.push_back(ChatEvent::Done(ChatStats {
            done_reason,
            prompt_eval_count: count(usage.input_tokens) + count(usage.cache_creation_input_tokens) + read,
            prompt_cached_count: usage.cache_read_input_tokens,
            eval_count: count(usage.output_tokens),
            ..ChatStats::default()
        }));
        Ok(())
    }
}

impl MessageReader {
    /// Takes the newest counts; each one is of the whole reply so far.
    fn count(&mut self, newer: Option<TokenUsage>) {
        let Some(newer) = newer else { return };
        let TokenUsage { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
            &mut self.usage;
        *input_tokens = newer.input_tokens.or(*input_tokens);
        *cache_creation_input_tokens = newer.cache_creation_input_tokens.or(*cache_creation_input_tokens);
        *cache_read_input_tokens = newer.cache_read_input_tokens.or(*cache_read_input_tokens);
        *output_tokens = newer.output_tokens.or(*output_tokens);
    }

    fn start(
        &mut self,
        index: u32,
        block: Option<Value>,
        events: &mut VecDeque<ChatEvent>,
    ) -> Result<(), LlmError> {
        let block = block.unwrap_or_default();
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str() {
            Some("tool_use") if self.calls.len() == CALLS_MAX => Err(too_much("too many calls of tools")),
            Some("tool_use") => {
                let is_whole = block["input"].as_object().is_some_and(|input| !input.is_empty());
                let arguments = if is_whole { block["input"].to_string() } else { String::new() };
                let id = Some(text("id")).filter(|id| !id.is_empty());
                self.calls.push(StartedCall { index, id, name: text("name"), arguments });
                Ok(())
            }
            Some("text") => {
                let said = text("text");
                events.extend((!said.is_empty()).then_some(ChatEvent::Text(said)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        index: u32,
        delta: BlockDelta,
        events: &mut VecDeque<ChatEvent>,
    ) -> Result<(), LlmError> {
        let said = |text: Option<String>| text.filter(|text| !text.is_empty());
        events.extend(said(delta.thinking).map(ChatEvent::Thinking));
        events.extend(said(delta.text).map(ChatEvent::Text));
        let Some(more) = delta.partial_json else { return Ok(()) };
        self.argument_bytes += more.len();
        if self.argument_bytes > ARGUMENTS_MAX {
            return Err(too_much("arguments of tools without end"));
        }
        // Tools that the server calls itself are not asked for, and their pieces belong to no call.
        if let Some(call) = self.calls.iter_mut().find(|call| call.index == index) {
            call.arguments.push_str(&more);
        }
        Ok(())
    }

    /// Hands out the calls, which are whole now. A call that was cut off by the limit of tokens is left out.
    fn hand_out_calls(
        &mut self,
        reason: DoneReason,
        events: &mut VecDeque<ChatEvent>,
    ) -> Result<(), LlmError> {
        for (at, call) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
            let call = ReceivedCall { id: call.id, name: &call.name, arguments };
            events.extend(calls::whole(at, call, reason == DoneReason::Length)?.map(ChatEvent::ToolCall));
        }
        Ok(())
    }
}

fn reason_of(reason: &str) -> DoneReason {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" | "pause_turn" => DoneReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => DoneReason::Length,
        _ => DoneReason::Other,
    }
}
