//! Builds the initial loop of an answer: its prompt, the allowed tools, the calls that the words already are.
//!
//! Input: the request and the decisions about it. Output: a [`LoopState`].
//! Pure except for reading the session: no I/O, no clock.

use joi_tools::Repeats;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::agent::prompt_kind::PromptKind;
use crate::agent::request::TurnRequest;
use crate::agent::router::ToolChoice;
use crate::agent::tool_loop::state::progress::LoopProgress;
use crate::agent::tool_loop::state::prompt::LoopPrompt;
use crate::agent::tool_loop::state::scope::{ReadyCalls, ToolScope};
use crate::agent::tool_loop::state::{Asked, LoopState};
use crate::config::{ContextConfig, ReplyConfig};
use crate::memory::block::Block;
use crate::prompt::side_query::SharedPrompt;
use crate::prompt::{self, context};
use crate::session::Session;
use joi_answer::LengthLimit;
use joi_answer::parts::parts_of;
use joi_answer::plan::{Course, Plan};
use joi_answer::protocol::{Protocol, WrittenCall};
use joi_base::message::Channel;
use joi_llm::ModelSize;
use joi_tools::gate::Taint;
use joi_tools::{self as tools, ToolsConfig};
use joi_understand::reference;

/// Decisions about a turn before its prompt is made.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// Which tools it may use.
    pub(crate) choice: ToolChoice,
    /// The task.
    pub(crate) plan: Plan,
    /// The memories recalled for it.
    pub(crate) memory: Block,
}

/// The rules an answer begins with.
pub(crate) struct SetupRules<'a> {
    /// `[tools]`.
    pub(crate) tools: &'a ToolsConfig,
    /// `[context]`.
    pub(crate) context: &'a ContextConfig,
    /// `[reply]`.
    pub(crate) reply: &'a ReplyConfig,
    /// The house in a line.
    pub(crate) house: String,
}

/// The loop of a turn at its beginning.
pub(crate) fn begin(
    request: &TurnRequest<'_>,
    prepared: Prepared,
    shared: &SharedPrompt,
    rules: SetupRules<'_>,
    session: &Session,
) -> LoopState {
    let Prepared { choice, plan, memory } = prepared;
    let turn = request.turn;
    let (is_tainted, failed, last) = session.with(|state| {
        let failed = state.history.failed(request.past.newest());
        (state.history.is_tainted, failed, state.last_reply.clone())
    });
    let context = context_line(request, rules.context);
    let home = if request.prompt == PromptKind::Talk { String::new() } else { rules.house };
    let newest = prompt::Newest {
        asked: turn.asked,
        context: &context,
        home: &home,
        since: &shared.dialogue.since,
        memory: &memory.text,
        plan: &plan.block(),
        placement: rules.context.placement,
    };
    let messages = prompt::build(&shared.head, shared.dialogue.messages.clone(), &newest, shared.room);
    let talk = shared.talk.as_ref().map(|(head, dialogue)| {
        let newest = prompt::Newest { since: &dialogue.since, ..newest };
        prompt::build(head, dialogue.messages.clone(), &newest, shared.room)
    });
    let asked = Asked {
        limit: limit(request, rules.reply),
        earlier: String::new(),
        prompt: request.prompt,
        channel: turn.channel,
        now: turn.now.clone(),
        words: turn.asked.to_owned(),
        is_quoting: turn.is_quoting,
        origin: turn.origin,
        asked_back: request.past.asked_back.clone(),
        dialogue: request.past.own_texts.clone(),
        told: request.past.told.clone(),
        last: last.unwrap_or_default(),
        remembered: if memory.is_foreign { String::new() } else { memory.text.clone() },
        language: Arc::clone(&turn.language),
        parts: parts(request, &plan, &choice),
    };
    let is_talk = request.prompt == PromptKind::Talk;
    let mut scope = if is_talk { ToolScope::of_talk() } else { scope(request, &plan, choice, &failed) };
    let mut ready = ReadyCalls::default();
    let takes_parts = request.answering.size == ModelSize::Small && plan.course == Course::Open && !is_talk;
    if takes_parts {
        ready = ready_calls(&asked, &scope, request).into();
    }
    scope.chooses = takes_parts && rules.tools.constrain && !scope.picks.is_empty();
    if !scope.chooses {
        scope.picks.clear();
    }
    let native = shared.head.tools.clone();
    let is_outside = |name: &String| request.tools.toolbox.get(name).is_some_and(|tool| tool.hands_out());
    let form = match scope.chooses && (scope.is_guess || scope.picks.iter().any(is_outside)) {
        true => shared.form.clone(),
        false => Vec::new(),
    };
    scope.corrections = u32::from(!form.is_empty());
    LoopState {
        asked,
        prompt: LoopPrompt { messages, talk, native, form, answering: request.answering.clone() },
        scope,
        ready,
        plan,
        progress: LoopProgress::new(rules.tools.max_turns),
        repeats: Repeats::default(),
        taint: taint(is_tainted || memory.is_foreign || request.past.is_foreign || turn.is_quoting),
    }
}

/// The context line; in talk only where the answer may need it, since a small model weaves it into whatever it says.
fn context_line(request: &TurnRequest<'_>, rules: &ContextConfig) -> String {
    let turn = request.turn;
    let asks = || reference::asks_about_here(&turn.language, turn.asked);
    let is_needed = || asks() && !reference::is_about_speaker(&turn.language, turn.asked);
    match request.prompt {
        PromptKind::Talk if !is_needed() => String::new(),
        PromptKind::Talk | PromptKind::Tools => context::line(rules, &turn.now, &turn.language),
    }
}

/// Returns how long the answer may be. What is read may be longer than what is spoken.
fn limit(request: &TurnRequest<'_>, reply: &ReplyConfig) -> Option<LengthLimit> {
    let turn = request.turn;
    let spoken =
        || LengthLimit::spoken(&turn.language, turn.asked, reply.spoken_sentences, reply.spoken_words);
    if turn.channel == Channel::Voice { spoken() } else { None }
}

/// Returns whether strangers' words are in the prompt.
fn taint(is_tainted: bool) -> Taint {
    if is_tainted { Taint::Tainted } else { Taint::Clean }
}

/// The parts of the request, where a small model takes them one by one.
fn parts(request: &TurnRequest<'_>, plan: &Plan, choice: &ToolChoice) -> Vec<String> {
    let asked = request.turn.asked;
    let may_have_parts = plan.course == Course::Open && request.answering.protocol == Protocol::Text;
    let parts = if may_have_parts { parts_of(asked) } else { Vec::new() };
    // Where words pick tools, a part that wants none is no request of its own.
    let is_whole =
        !choice.picks.is_empty() && request.tools.wanting(&parts, &request.turn.language) < parts.len();
    let parts = if parts.is_empty() || is_whole { vec![asked] } else { parts };
    parts.into_iter().map(str::to_owned).collect()
}

/// Which tools the turn may call: those that were picked, those of the plan, those that failed in the answer
/// before, and the few that are always there.
fn scope(request: &TurnRequest<'_>, plan: &Plan, choice: ToolChoice, failed: &[String]) -> ToolScope {
    let toolbox = &request.tools.toolbox;
    let planned = plan.tools(toolbox);
    let strategy = [
        choice.by,
        if planned.is_empty() { "" } else { "+plan" },
        if failed.is_empty() { "" } else { "+carryover" },
    ];
    let mut scope = ToolScope {
        known: request.known.clone(),
        allowed: choice.names(&request.tools.offered()),
        picks: choice.picks,
        chooses: false,
        is_guess: choice.is_guess,
        corrections: 0,
        fault: String::new(),
        strategy: strategy.concat(),
    };
    let always = [tools::STOP, tools::TOOL_SEARCH].map(str::to_owned);
    for name in planned.iter().chain(failed).chain(&always) {
        if toolbox.get(name).is_some() {
            scope.allow(name);
        }
    }
    scope
}

/// The calls that the request, or each of its parts, is as it stands.
fn ready_calls(asked: &Asked, scope: &ToolScope, request: &TurnRequest<'_>) -> VecDeque<WrittenCall> {
    let parts: Vec<&str> = asked.parts.iter().map(String::as_str).collect();
    let calls = |parts: &[&str]| request.tools.ready_calls(parts, &request.turn.language);
    // Two calls also read as one with the whole of the first in its text: "put milk on the list and put …".
    let several = if parts.len() > 1 { calls(&parts) } else { None };
    let ready = several.or_else(|| calls(&[&asked.words]));
    let may_all = |calls: &VecDeque<WrittenCall>| calls.iter().all(|call| scope.allows(&call.name));
    ready.filter(may_all).unwrap_or_default()
}
