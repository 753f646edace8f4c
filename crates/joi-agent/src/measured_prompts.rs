//! Builds the prompts of one turn with a plan as a turn builds them, to measure the value of their common prefix.
//!
//! Input: a dialogue and a request. Output: requests to a model; nothing is remembered or planned.
//! Pure: no I/O, no clock.

use super::agent::planner;
use super::agent::request::TurnRequest;
use super::agent::router::ToolChoice;
use super::agent::setup::{self, Prepared};
use super::agent::tool_loop::state::prompt::LoopPrompt;
use super::engine::Engine;
use super::model::ChatModel;
use super::prompt;
use super::prompt::dialogue;
use super::session::Session;
use super::turn::Turn;
use super::turn_context::TurnContext;
use joi_base::message::ConversationId;
use joi_llm::{Ask, Length, Message};
use joi_store::DialogueRow;
use joi_tools::schema;

/// The prompts of one turn.
#[derive(Debug, Clone)]
pub struct MeasuredPrompts {
    /// The planner's, which shares the answer's beginning.
    pub shared: Ask,
    /// The planner's with a prompt of its own: the tools, the dialogue and the same instruction, no persona.
    pub apart: Ask,
    /// The answer's.
    pub answer: Ask,
}

/// The prompts of a turn that asks `asked` after `rows`.
pub fn measured_prompts<M: ChatModel>(
    engine: &Engine<M>,
    rows: &[DialogueRow],
    asked: &str,
) -> MeasuredPrompts {
    let session = Session::new(ConversationId::console());
    let context = TurnContext { engine, session: &session, language: engine.language() };
    let now = engine.parts.clock.now();
    let past = dialogue::past(rows, session.id(), now.timestamp(), &engine.parts.reply);
    let turn = Turn::of(session.id(), asked, now, engine.language());
    let request: TurnRequest<'_> = context.request(&turn, &past);
    let common: prompt::side_query::SharedPrompt = context.shared_prompt(&request);
    let (instruction, shape, tokens) =
        planner::instruction(asked, request.answering.size, &request.tools, &ToolChoice::open());
    let shared = common.ask(&instruction, Some(shape), Length::AtMost(tokens));
    let lines = request.tools.offered().into_iter().map(|tool| schema::line(&**tool));
    let tools = format!("Tools:\n{}", lines.collect::<Vec<_>>().join("\n"));
    let dialogue = shared.messages.iter().skip(1).cloned();
    let apart = Ask {
        messages: std::iter::once(Message::system(tools)).chain(dialogue).collect(),
        tools: Vec::new(),
        ..shared.clone()
    };
    let prepared = Prepared { choice: ToolChoice::open(), ..Prepared::default() };
    let begun = setup::begin(&request, prepared, &common, context.setup_rules(), &session);
    let LoopPrompt { messages, native, .. } = begun.prompt;
    MeasuredPrompts { shared, apart, answer: Ask { messages, tools: native, ..Ask::default() } }
}
