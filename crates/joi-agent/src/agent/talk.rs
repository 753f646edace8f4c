//! Recognises talk, for which a small model reads a short prompt without tools and answers better.
//!
//! Input: the request, its dialogue, the tools on offer and the rules by which they are picked. Output: which of the
//! two prompts is used. A request is not talk if it holds a tool's words, asks for an action, continues an answer for
//! which a tool was called, or if words alone do not pick the tools.
//! Pure: no I/O, no clock.

use crate::agent::prompt_kind::PromptKind;
use crate::agent::request::TurnRequest;
use crate::config::{PlannerConfig, PlannerMode};
use joi_answer::news::{self, WantedLength};
use joi_llm::ModelSize;
use joi_tools::gate::Wish;
use joi_tools::{Router, ToolsConfig, is_always};
use joi_understand::reference;
use joi_understand::wish::{self, CallWords, Utterances};

/// Which prompt `request` gets.
pub(crate) fn prompt_kind(
    request: &TurnRequest<'_>,
    tools: &ToolsConfig,
    planner: &PlannerConfig,
) -> PromptKind {
    let is_talk = has_no_cue(request, tools, planner) && (wants_a_tale(request) || !asks_for_a_deed(request));
    if is_talk { PromptKind::Talk } else { PromptKind::Tools }
}

/// Returns whether a request without a word for any tool reads as a wish for a deed or a look-up all the same.
pub(crate) fn is_guess(request: &TurnRequest<'_>, tools: &ToolsConfig, planner: &PlannerConfig) -> bool {
    let reads_as_wish = || wish::reads_as_wish(&request.turn.language, request.turn.asked);
    tools.constrain
        && request.turn.origin.is_owners()
        && has_no_cue(request, tools, planner)
        && !wants_a_tale(request)
        && (reads_as_wish() || asks_for_a_deed(request))
}

/// Returns whether words pick the tools, and those of the request, and what it goes on with, pick none.
fn has_no_cue(request: &TurnRequest<'_>, tools: &ToolsConfig, planner: &PlannerConfig) -> bool {
    let (language, asked) = (&request.turn.language, request.turn.asked);
    may_be_short(request, tools, planner)
        && request.tools.by_words(asked, language).is_empty()
        && request.tools.ready_calls(&[asked], language).is_none()
        && !goes_on_with_a_call(request)
}

/// Returns whether this model gets short prompts at all: a small one, where each tool has words of its own by which it
/// is picked.
pub(crate) fn may_be_short(request: &TurnRequest<'_>, tools: &ToolsConfig, planner: &PlannerConfig) -> bool {
    let is_by_words = matches!(tools.router, Router::Auto | Router::Keyword);
    let offered = request.tools.offered();
    let mut named = offered.iter().filter(|tool| !is_always(tool.name()));
    let has_words =
        |name: &str, own: &[&str]| !own.is_empty() || request.turn.language.cues(name).next().is_some();
    request.answering.size == ModelSize::Small
        && !offered.is_empty()
        && is_by_words
        && planner.mode != PlannerMode::Always
        && named.all(|tool| has_words(tool.name(), tool.cues()))
}

/// Returns whether the request asks for a story or a recital.
fn wants_a_tale(request: &TurnRequest<'_>) -> bool {
    news::wanted_length(&request.turn.language, request.turn.asked) == WantedLength::Tale
}

/// Returns whether the words ask for something that one of the tools does, in words that are none of its cues.
fn asks_for_a_deed(request: &TurnRequest<'_>) -> bool {
    let language = &request.turn.language;
    let said = Utterances {
        asked: request.turn.asked,
        asked_back: request.past.asked_back.as_deref(),
        dialogue: &request.past.own_texts,
    };
    let offered = request.tools.offered();
    let deeds = language.requests().iter().flat_map(|words| words.deeds()).map(|(deed, _)| deed);
    let mut there = deeds.filter(|deed| {
        let tool = deed.split(' ').next().unwrap_or_default();
        offered.iter().any(|offered| offered.name() == tool)
    });
    there.any(|deed| {
        let call = CallWords { deed: deed.to_owned(), ..CallWords::default() };
        matches!(wish::wish(language, &said, &call), Wish::Act | Wish::Ask(wish::LEFT_OVER))
    })
}

/// Returns whether the words go on with an answer for which something was called: "and tomorrow?".
fn goes_on_with_a_call(request: &TurnRequest<'_>) -> bool {
    let newest = request.past.newest();
    let was_called = request.called.iter().any(|(answer, rows)| Some(*answer) == newest && !rows.is_empty());
    was_called && reference::goes_on(&request.turn.language, request.turn.asked)
}
