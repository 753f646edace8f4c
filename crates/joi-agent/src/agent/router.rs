//! Picks the tools that a request may use: by its words, by the model, or not at all.
//!
//! Runs in the task of the turn. Input: the request and the tools on offer. Output: a [`ToolChoice`], which the plan
//! and the failures of the answer before add to. A model that fails, or is too slow, leaves it to the words; everything
//! is allowed only when the words find nothing either. What a model picked is kept for the conversation, unless it
//! picked everything.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use crate::agent::request::TurnRequest;
use crate::deadline;
use crate::model::ChatModel;
use crate::prompt::side_query::{SideQueries, SideQuery};
use crate::session::Session;
use crate::sink::ReceiverClosed;
use joi_answer::json::object;
use joi_llm::ModelSize;
use joi_tools::{Router, Tool, ToolsConfig, is_always, route};

/// The instruction.
const PROMPT: &str = include_str!("../../../../assets/prompts/router.md");
/// Most tokens of the answer.
const TOKENS: u32 = 80;

/// Which tools a turn may use, before a plan and earlier failures add theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolChoice {
    /// Those that were picked, the likeliest first.
    pub(crate) picks: Vec<String>,
    /// The picker, for the record.
    pub(crate) by: &'static str,
    /// No choice was possible: all that are on offer.
    pub(crate) is_open: bool,
    /// No word speaks for any of them: the model guesses.
    pub(crate) is_guess: bool,
}

impl ToolChoice {
    /// All that are on offer.
    pub(crate) fn open() -> Self {
        Self { by: "all", is_open: true, ..Self::default() }
    }

    fn by_words(picks: Vec<String>) -> Self {
        Self { is_open: picks.is_empty(), picks, by: "keyword", is_guess: false }
    }

    /// A model's picks. When it wants none, what the words say may still be called.
    fn by_model(names: Vec<String>, words: Self) -> Self {
        let picks = if names.is_empty() { words.picks } else { names };
        Self { picks, by: "llm", ..Self::default() }
    }

    /// The names that may be called.
    pub(crate) fn names(&self, offered: &[&Arc<dyn Tool>]) -> Vec<String> {
        match self.is_open {
            true => offered.iter().map(|tool| tool.name().to_owned()).collect(),
            false => self.picks.clone(),
        }
    }
}

/// The reply of a model.
#[derive(Debug, Deserialize)]
struct RouterAnswer {
    tools: Vec<String>,
}

/// The names in what a model wrote that are on offer, each once; nothing when it is not what was asked for. Names
/// that are none are left out, but not all of them: then it was a mistake.
fn picked(written: &str, offered: &[&Arc<dyn Tool>]) -> Option<Vec<String>> {
    let RouterAnswer { tools } = object(written)?;
    let mut names: Vec<String> = Vec::new();
    for tool in &tools {
        let known =
            offered.iter().map(|tool| tool.name()).find(|name| name.eq_ignore_ascii_case(tool.trim()));
        if let Some(known) = known.filter(|known| !names.iter().any(|name| name == known)) {
            names.push(known.to_owned());
        }
    }
    names.truncate(route::MOST);
    (tools.is_empty() || !names.is_empty()).then_some(names)
}

/// Under what a pick is kept: a request, and the tools there were to pick from.
fn key(asked: &str, offered: &[&Arc<dyn Tool>]) -> String {
    let names: Vec<&str> = offered.iter().map(|tool| tool.name()).collect();
    format!("{asked}\nllm\n{}", names.join(" "))
}

/// Returns the question to the model.
fn ask_model<'a>(instruction: &'a str, to_pick: &[&str], model: &'a str) -> SideQuery<'a> {
    SideQuery {
        purpose: "router",
        instruction,
        format: Some(json!({
            "type": "object",
            "properties": { "tools": {
                "type": "array", "items": { "enum": to_pick }, "maxItems": route::MOST,
            } },
            "required": ["tools"],
        })),
        tokens: TOKENS,
        limit: deadline::ROUTER,
        model,
    }
}

/// Which tools the request may use.
pub(crate) async fn choose_tools<M: ChatModel>(
    request: &TurnRequest<'_>,
    rules: &ToolsConfig,
    session: &Session,
    side: &SideQueries<'_, M>,
) -> Result<ToolChoice, ReceiverClosed> {
    let (asked, sink) = (request.turn.asked, side.sink);
    if request.is_guess {
        let picks = request.tools.guessable().iter().map(|tool| tool.name().to_owned()).collect();
        return Ok(ToolChoice { picks, by: "form", is_guess: true, ..ToolChoice::default() });
    }
    let offered = request.tools.offered();
    let asks_model = match rules.router {
        Router::All => return Ok(ToolChoice::open()),
        Router::Keyword => false,
        Router::Llm => true,
        Router::Auto => request.answering.size == ModelSize::Large,
    };
    let by_words = ToolChoice::by_words(request.tools.by_words(asked, &request.turn.language));
    // Some are always allowed; there is nothing to pick.
    let to_pick: Vec<&str> = offered.iter().map(|tool| tool.name()).filter(|name| !is_always(name)).collect();
    if !asks_model || to_pick.is_empty() {
        return Ok(by_words);
    }
    let key = key(asked, &offered);
    let known = session.with(|state| state.caches.routes.get(&key).cloned());
    if let Some(names) = known {
        sink.decided("router", "known", "the same was asked in this conversation").await?;
        return Ok(ToolChoice::by_model(names, by_words));
    }
    let instruction = PROMPT.replace("{tools}", &to_pick.join(", ")).replace("{asked}", asked);
    let written = side.ask(ask_model(&instruction, &to_pick, &rules.router_model)).await;
    let Some(names) = written.as_deref().and_then(|written| picked(written, &offered)) else {
        let why = if written.is_none() { "the model gave no answer in time" } else { "it named no tool" };
        sink.decided("router", "failed", why).await?;
        return Ok(by_words);
    };
    let is_everything = to_pick.iter().all(|name| names.iter().any(|picked| picked == name));
    if !is_everything {
        session.with(|state| state.caches.routes.put(key, names.clone()));
    }
    sink.decided("router", "picked", if names.is_empty() { "none".into() } else { names.join(" ") }).await?;
    Ok(ToolChoice::by_model(names, by_words))
}
