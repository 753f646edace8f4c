//! Which tools a request may use: picked by its words, by the model, or not at all.
//!
//! Runs in the task of the turn. In: the request and the tools on offer. Out: a [`Routed`], which the plan and the
//! failures of the answer before add to. A model that fails, or is too slow, leaves it to the words; everything is
//! allowed only when the words find nothing either. What a model picked is kept for the conversation, unless it
//! picked everything.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::trunk::{self, Beside};
use super::{Engine, Turn, deadline, dialogue, tool_loop};
use crate::llm::ModelSize;
use crate::tools::{self, Router, Tool, route};

/// The instruction.
const PROMPT: &str = include_str!("../../assets/prompts/router.md");
/// Most tokens of the answer.
const TOKENS: u32 = 80;

/// Which tools a turn may use, before a plan and earlier failures add theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Routed {
    /// Those that were picked, the likeliest first.
    pub(super) picks: Vec<String>,
    /// Who picked, for the record.
    pub(super) by: &'static str,
    /// Nobody could tell: all that are on offer.
    pub(super) is_open: bool,
}

impl Routed {
    /// All that are on offer.
    pub(super) fn open() -> Self {
        Self { picks: Vec::new(), by: "all", is_open: true }
    }

    fn by_words(asked: &str, offered: &[&Arc<dyn Tool>]) -> Self {
        let picks = route::by_words(asked, offered).names;
        Self { is_open: picks.is_empty(), picks, by: "keyword" }
    }

    /// A model's picks. When it wants none, what the words say may still be called.
    fn by_model(names: Vec<String>, words: Self) -> Self {
        let picks = if names.is_empty() { words.picks } else { names };
        Self { picks, by: "llm", is_open: false }
    }

    /// The names that may be called.
    pub(super) fn names(&self, offered: &[&Arc<dyn Tool>]) -> Vec<String> {
        match self.is_open {
            true => offered.iter().map(|tool| tool.name().to_owned()).collect(),
            false => self.picks.clone(),
        }
    }
}

/// What a model writes.
#[derive(Debug, Deserialize)]
struct Written {
    tools: Vec<String>,
}

/// The names in what a model wrote that are on offer, each once; nothing when it is not what was asked for. Names
/// that are none are left out, but not all of them: then it was a mistake.
fn picked(written: &str, offered: &[&Arc<dyn Tool>]) -> Option<Vec<String>> {
    let Written { tools } = trunk::object(written)?;
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

impl<M: ChatModel> Engine<M> {
    /// Which tools the request may use.
    pub(super) async fn routed(
        &self,
        turn: &Turn<'_>,
        past: &dialogue::Past,
        outlet: &Outlet,
    ) -> Result<Routed, Unheard> {
        let grown = self.grown();
        let offered = self.toolbox().offered(&grown);
        let asks_model = match self.parts.tool_rules.router {
            Router::All => return Ok(Routed::open()),
            Router::Keyword => false,
            Router::Llm => true,
            Router::Auto => tool_loop::protocol_of(self).1 == ModelSize::Large,
        };
        let by_words = Routed::by_words(turn.asked, &offered);
        // Some are always allowed; there is nothing to pick.
        let to_pick: Vec<&str> =
            offered.iter().map(|tool| tool.name()).filter(|name| !is_always(name)).collect();
        if !asks_model || to_pick.is_empty() {
            return Ok(by_words);
        }
        let key = key(turn.asked, &offered);
        let held = self.lock(&self.scratch).routes.get(&key).cloned();
        if let Some(names) = held {
            outlet.decided("router", "known", "the same was asked in this conversation").await?;
            return Ok(Routed::by_model(names, by_words));
        }
        let instruction = PROMPT.replace("{tools}", &to_pick.join(", ")).replace("{asked}", turn.asked);
        let beside = Beside {
            purpose: "router",
            instruction: &instruction,
            format: Some(json!({
                "type": "object",
                "properties": { "tools": {
                    "type": "array", "items": { "enum": to_pick }, "maxItems": route::MOST,
                } },
                "required": ["tools"],
            })),
            tokens: TOKENS,
            limit: deadline::ROUTER,
            model: &self.parts.tool_rules.router_model,
        };
        let written = self.beside(past, beside, outlet).await;
        let Some(names) = written.as_deref().and_then(|written| picked(written, &offered)) else {
            let why = if written.is_none() { "the model gave no answer in time" } else { "it named no tool" };
            outlet.decided("router", "failed", why).await?;
            return Ok(by_words);
        };
        let is_everything = to_pick.iter().all(|name| names.iter().any(|picked| picked == name));
        if !is_everything {
            self.lock(&self.scratch).routes.put(key, names.clone());
        }
        outlet
            .decided("router", "picked", if names.is_empty() { "none".into() } else { names.join(" ") })
            .await?;
        Ok(Routed::by_model(names, by_words))
    }
}

/// Whether a tool is on every turn's allow-list.
pub(super) fn is_always(name: &str) -> bool {
    [tools::STOP, tools::TOOL_SEARCH].contains(&name)
}
